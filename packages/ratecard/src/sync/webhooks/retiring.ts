// Webhook endpoints that a rotation keeps live beside their successors, read from the journal.
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import type { JobRecord } from '../../store/records/journal.ts'
import type { Store } from '../../store/store.ts'

/** Input of a rotation in the journal, as JSON. */
export interface RotationInput {
  readonly webhook_id: string
  readonly overlap_seconds: number
  /** The endpoint that is switched off at the end of the overlap. */
  readonly switch_off: string
}

export const inputOf = (job: JobRecord) => JSON.parse(job.input) as RotationInput

/** Returns the endpoints that wait for the end of their overlap. A push does not touch them while their webhook is in the document. */
export async function retiringEndpoints({ jobs }: Pick<Store, 'jobs'>): Promise<ReadonlySet<ProcessorId>> {
  const made = (await jobs.unfinished('webhook_rotation')).filter(({ stepsDone }) => stepsDone > 0)
  return new Set(made.map((job) => processorId(inputOf(job).switch_off)))
}
