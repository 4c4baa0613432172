// Finds moves that wait for their date, planned by earlier migrations of a price. A later migration skips these items, because it could not
// postpone their moves: the earlier date would still apply.
import type { JobStore } from '../store/tenant-store.ts'

/** Returns, by subscription item, the reason why another migration skips the item. */
export async function waitingMoves(
  jobs: Pick<JobStore, 'unfinished' | 'steps'>,
  priceId: string,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>()
  for (const { id } of await jobs.unfinished('migration', priceId))
    for (const step of await jobs.steps(id)) {
      if (step.waitsUntil === null) continue
      const { item } = JSON.parse(step.step) as { readonly item: string }
      reasons.set(item, `The job ${id} will move the item at a later date; cancel that job first.`)
    }
  return reasons
}
