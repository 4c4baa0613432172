// Reads stale objects again and stores them. An object with several stale marks is read once.
import type { MirroredKind, MirroredSubscription } from '../../processor/mirrored.ts'
import type { StaleObject } from '../../store/mirror-store.ts'
import { withKnownTerms } from './deleted-coupons.ts'
import type { FeedDeps } from './deps.ts'

/** Concurrency of reads. */
const parallelReads = 4
const batch = 100
const firstRetryMs = 1_000
const longestRetryMs = 10 * 60_000

interface Failure {
  readonly attempts: number
  /** Epoch milliseconds of the next attempt. */
  readonly retryAt: number
}

/** Failed reads of this process by object. An object that cannot be read must not delay the others. */
export type Failures = Map<string, Failure>

/** Reads the objects that are stale now. Returns the number of objects that were read. */
export async function refreshStale(deps: FeedDeps, failures: Failures, signal: AbortSignal): Promise<number> {
  const now = deps.clock.now()
  const due = (await deps.store.mirror.stale(batch + failures.size)).filter(
    (object) => (failures.get(keyOf(object))?.retryAt ?? 0) <= now,
  )
  const queue = [...due]
  let read = 0
  const work = async (): Promise<void> => {
    for (let object = queue.shift(); object !== undefined; object = queue.shift()) {
      signal.throwIfAborted()
      if (await attempt(deps, object, failures, signal)) read++
    }
  }
  await Promise.all(Array.from({ length: parallelReads }, work))
  return read
}

function keyOf({ kind, id }: { readonly kind: MirroredKind; readonly id: string }): string {
  return `${kind} ${id}`
}

async function attempt(deps: FeedDeps, object: StaleObject, failures: Failures, signal: AbortSignal): Promise<boolean> {
  const key = keyOf(object)
  try {
    await readAnew(deps, object.kind, object.id, signal)
    failures.delete(key)
    return true
  } catch (error) {
    if (signal.aborted) throw error
    const attempts = (failures.get(key)?.attempts ?? 0) + 1
    const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1))
    failures.set(key, { attempts, retryAt: deps.clock.now() + waitMs })
    deps.report(error, `${object.kind} ${object.id} could not be read`)
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
  else await mirror.save(kind, await withKnownTerms(mirror, kind, [object]), begun)
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
