// Reads stale objects again and stores them. An object with several stale marks is read once.
import { isUnreadable } from '../../../processor/failures.ts'
import type { MirroredKind, MirroredSubscription } from '../../../processor/mirrored.ts'
import { withKnown } from './known-before.ts'
import type { FeedDeps } from './deps.ts'
import type { StaleObject } from '../../../store/records/mirror.ts'

/** Concurrency of reads. */
const parallelReads = 4
const batch = 100
const firstRetryMs = 1_000
const longestRetryMs = 10 * 60_000
/**
 * Number of consecutive failed reads (over about four minutes) after which an object is skipped. A skipped object stays stale and is read
 * again later, but no longer makes the whole copy count as stale. An object whose response cannot be parsed is skipped at once.
 */
const attemptsUntilSkipped = 9

/** Reads the objects that are stale now. Returns the number of objects that were read. An unreadable object does not delay the others. */
export async function refreshStale(deps: FeedDeps, signal: AbortSignal): Promise<number> {
  const queue = [...(await deps.store.mirror.stale(batch, deps.clock.now()))]
  let read = 0
  const work = async (): Promise<void> => {
    for (let object = queue.shift(); object !== undefined; object = queue.shift()) {
      signal.throwIfAborted()
      if (await tryReadAnew(deps, object, signal)) read++
    }
  }
  await Promise.all(Array.from({ length: parallelReads }, work))
  return read
}

async function tryReadAnew(deps: FeedDeps, object: StaleObject, signal: AbortSignal): Promise<boolean> {
  const { kind, id } = object
  try {
    await readAnew(deps, kind, id, signal)
    return true
  } catch (error) {
    if (signal.aborted) throw error
    const attempts = object.attempts + 1
    const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1))
    await deps.store.mirror.failRead(object, {
      attempts,
      retryAt: deps.clock.now() + waitMs,
      skipped: isUnreadable(error) || attempts >= attemptsUntilSkipped,
      error: error instanceof Error ? error.message : 'The read failed.',
    })
    deps.report(error, `${kind} ${id} could not be read`)
    return false
  }
}

/** Reads one object and stores it. Removes it from the mirror if the processor does not have it. */
export async function readAnew(
  deps: Pick<FeedDeps, 'store' | 'processor' | 'clock'>,
  kind: MirroredKind,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const { mirror } = deps.store
  const begun = await mirror.beginRead()
  const object = await deps.processor.mirrorObject(kind, id, signal)
  if (object === null) await mirror.remove(kind, [id], begun)
  else await mirror.save(kind, await withKnown(deps, kind, [object]), begun)
  if (kind === 'subscription' && object !== null) await markUnknownPrices(deps, object as MirroredSubscription)
}

/** Marks prices of a subscription as stale if the mirror does not have them, e.g. a price that a checkout created inline. */
async function markUnknownPrices(
  { store, clock }: Pick<FeedDeps, 'store' | 'clock'>,
  { items }: MirroredSubscription,
): Promise<void> {
  const since = clock.now()
  for (const { price } of items)
    if ((await store.mirror.find('price', price.id)) === null)
      await store.mirror.markStale([{ kind: 'price', id: price.id, since }])
}
