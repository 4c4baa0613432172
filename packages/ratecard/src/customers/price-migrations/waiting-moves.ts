// Finds items that an earlier migration of the price will move at a later date. A later migration skips these items, because it could not
// change that date.
import type { Store } from '../../store/store.ts'

/** Returns, by subscription item, the reason why a migration skips the item: another migration will move it. */
export async function waitingMoves(
  jobs: Pick<Store['jobs'], 'unfinished' | 'steps'>,
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
