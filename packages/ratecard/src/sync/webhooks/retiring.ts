// Which webhook endpoints stay live beside their successors, by the journal of rotations.
import { processorId } from '../../catalog/resource.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { JobRecord } from '../../store/records/journal.ts'
import type { Store } from '../../store/store.ts'

/** Of a rotation, as the journal has it. */
export interface RotationInput {
  readonly webhook_id: string
  readonly overlap_seconds: number
  /** The endpoint that is switched off at the end. */
  readonly switch_off: string
}

export const inputOf = (job: JobRecord) => JSON.parse(job.input) as RotationInput

/** A push leaves them alone while their webhook is in the document. */
export async function retiringEndpoints({ jobs }: Pick<Store, 'jobs'>): Promise<ReadonlySet<ProcessorId>> {
  const made = (await jobs.unfinished('webhook_rotation')).filter(({ stepsDone }) => stepsDone > 0)
  return new Set(made.map((job) => processorId(inputOf(job).switch_off)))
}
