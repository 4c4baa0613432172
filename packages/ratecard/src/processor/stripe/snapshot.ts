// The whole account by list pages: kinds side by side, as fast as the rate budget lets them.
import type { ObservedResource, ResourceKind, Snapshot } from '../../catalog/resource.ts'
import type { ReadOptions } from '../processor.ts'
import { observe, surroundings } from './context.ts'
import type { StripeContext } from './context.ts'
import type { KindAdapter, Reply, Surroundings } from './kinds/kind.ts'
import { withAttachments } from './attachments.ts'
import { listAll } from './pages.ts'

export async function readSnapshot(context: StripeContext, options: ReadOptions): Promise<Snapshot> {
  const { kinds } = context
  const stop = new AbortController()
  const siblings: ReadOptions = { ...options, signal: AbortSignal.any([options.signal, stop.signal]) }
  const read = <K extends ResourceKind, Live extends Reply>(adapter: KindAdapter<K, Live>) =>
    readKind(context, adapter, siblings)
  try {
    const [meters, features, products, prices, coupons, codes, webhooks] = await Promise.all([
      read(kinds.meter),
      read(kinds.feature),
      read(kinds.product),
      read(kinds.price),
      read(kinds.coupon),
      read(kinds.promotion_code),
      read(kinds.webhook),
    ])
    const around = surroundings(context)
    const feature = observeAll(kinds.feature, features, around)
    const product = observeAll(kinds.product, products, around)
    return {
      meter: observeAll(kinds.meter, meters, around),
      feature,
      product: await withAttachments(context, product, feature, siblings),
      price: observeAll(kinds.price, prices, around),
      coupon: observeAll(kinds.coupon, coupons, around),
      promotion_code: observeAll(kinds.promotion_code, codes, around),
      webhook: observeAll(kinds.webhook, webhooks, around),
    }
  } finally {
    // After a failure the other kinds have nothing left to read for.
    stop.abort()
  }
}

/** A price that is archived or brought back between two passes comes in both, and counts once. */
async function readKind<K extends ResourceKind, Live extends Reply>(
  context: StripeContext,
  adapter: KindAdapter<K, Live>,
  { signal, onPage }: ReadOptions,
): Promise<Live[]> {
  const passes = adapter.lists()
  const counts = passes.map(() => 0)
  const lists = await Promise.all(
    passes.map((request, pass) =>
      listAll(context.caller, adapter.object, request, {
        signal,
        onPage: (objects) => {
          counts[pass] = objects
          onPage?.({ kind: adapter.kind, objects: counts.reduce((sum, count) => sum + count, 0) })
        },
      }),
    ),
  )
  return [...new Map(lists.flat().map((object) => [object.id, object])).values()]
}

function observeAll<K extends ResourceKind, Live extends Reply>(
  adapter: KindAdapter<K, Live>,
  objects: readonly Live[],
  around: Surroundings,
): ObservedResource<K>[] {
  return objects.map((object) => observe(adapter, object, around))
}
