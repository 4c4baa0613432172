// What earlier migrations of a price have still to do at their date. A later one leaves it to them: two dates for one move would
// be no postponement, the earlier one would come.
import type { JobStore } from '../store/tenant-store.ts'

/** By subscription item, why another migration does not move it. */
export async function waitingMoves(
  jobs: Pick<JobStore, 'unfinished' | 'steps'>,
  priceId: string,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>()
  for (const { id } of await jobs.unfinished('migration', priceId))
    for (const step of await jobs.steps(id)) {
      if (step.waitsUntil === null) continue
      const { item } = JSON.parse(step.step) as { readonly item: string }
      reasons.set(item, `The job ${id} waits to move it at its date; cancel that job first.`)
    }
  return reasons
}
