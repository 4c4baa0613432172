// Old webhook endpoints that stay active for some time after a rotation, beside the new ones. They are read from the journal.
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import type { JobRecord } from '../../store/records/journal.ts'
import type { Store } from '../../store/store.ts'

/** Input of a rotation as the journal stores it in JSON. */
export interface RotationInput {
  readonly webhook_id: string
  readonly overlap_seconds: number
  /** The old endpoint (processor id), which is switched off at the end of the overlap. */
  readonly switch_off: string
}

export const inputOf = (job: JobRecord) => JSON.parse(job.input) as RotationInput

/**
 * Returns the old endpoints whose overlap with the new ones has not ended. A push does not change such an endpoint while its webhook is in
 * the document.
 */
export async function retiringEndpoints({ jobs }: Pick<Store, 'jobs'>): Promise<ReadonlySet<ProcessorId>> {
  const made = (await jobs.unfinished('webhook_rotation')).filter(({ stepsDone }) => stepsDone > 0)
  return new Set(made.map((job) => processorId(inputOf(job).switch_off)))
}
