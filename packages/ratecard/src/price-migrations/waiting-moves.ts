// Moves that earlier migrations of a price still wait to make. A later migration leaves them alone: a second date would not postpone
// a move, as the earlier one would still come.
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
