// Reads the whole account in list pages. All kinds are read concurrently, within the rate budget.
import { resourceKinds, type ObservedResource, type ResourceKind, type Snapshot } from '../../../catalog/resource.ts'
import type { ReadOptions } from '../../processor.ts'
import { adapterOf, observeObject, readContext, type StripeContext } from './context.ts'
import type { KindAdapter, Reply, ReadContext } from '../kinds/kind.ts'
import { withAttachments } from './attachments.ts'
import { isEventsEndpoint } from '../mirror/events-endpoint.ts'
import { listAllAs } from '../connection/pages.ts'

export async function readSnapshot(context: StripeContext, options: ReadOptions): Promise<Snapshot> {
  const stop = new AbortController()
  const siblings: ReadOptions = { ...options, signal: AbortSignal.any([options.signal, stop.signal]) }
  const around = readContext(context)
  const read = <K extends ResourceKind, Live extends Reply>(adapter: KindAdapter<K, Live>) =>
    readKind(context, adapter, around, siblings)
  try {
    const lists = await Promise.all(resourceKinds.map(async (kind) => [kind, await read(adapterOf(context, kind))]))
    const snapshot = Object.fromEntries(lists) as unknown as Snapshot
    return { ...snapshot, product: await withAttachments(context, snapshot.product, snapshot.feature, siblings) }
  } finally {
    // If one kind fails, the whole snapshot fails. So the reads of the other kinds are stopped.
    stop.abort()
  }
}

/**
 * Reads all objects of a kind. A price that is archived or reactivated during the read is in both lists (active and archived prices), and
 * is returned once.
 */
async function readKind<K extends ResourceKind, Live extends Reply>(
  context: StripeContext,
  adapter: KindAdapter<K, Live>,
  around: ReadContext,
  { signal, onPage }: ReadOptions,
): Promise<readonly ObservedResource<K>[]> {
  const passes = adapter.lists()
  const counts = passes.map(() => 0)
  const lists = await Promise.all(
    passes.map((request, pass) =>
      listAllAs(context.caller, adapter.object, request, (object) => toObserved(adapter, object, around), {
        signal,
        onPage: (objects) => {
          counts[pass] = objects
          onPage?.({ kind: adapter.kind, objects: counts.reduce((sum, count) => sum + count, 0) })
        },
      }),
    ),
  )
  const objects = lists.flat().filter((object) => object !== null)
  return [...new Map(objects.map((object) => [object.processorId, object])).values()]
}

/**
 * Converts a reply to an object of the catalog. Returns null for the webhook endpoint of a mirror, because it belongs to a running service
 * and not to the catalog.
 */
function toObserved<K extends ResourceKind, Live extends Reply>(
  adapter: KindAdapter<K, Live>,
  object: Live,
  around: ReadContext,
): ObservedResource<K> | null {
  return adapter.kind === 'webhook' && isEventsEndpoint(object) ? null : observeObject(adapter, object, around)
}
