// Describes each resource in one readable line, for plans and diffs.
import { configWithAmounts } from '../config/schema/percent-off.ts'
import type { BillingConfig, Coupon } from '../config/schema/schema.ts'
import { formatMinor } from '../money/format.ts'
import { describePrice } from '../pricing/describe.ts'
import { idOfItem, itemsOf, type ItemOf, type ResourceKind } from './kinds.ts'

/**
 * Returns a function that finds the display line of a resource by kind and id. It returns null for a resource that is not in the document.
 */
export function displayOf(config: BillingConfig | null): (kind: ResourceKind, id: string) => string | null {
  // Lines are computed lazily, one kind at a time, and cached: most planned documents are unchanged and need no line. Indexing a large
  // document kind by kind also avoids one long block of the event loop.
  const known: { [K in ResourceKind]?: (id: string) => string | null } = {}
  return (kind, id) => (config === null ? null : (known[kind] ??= linesOf(config, kind))(id))
}

function linesOf(config: BillingConfig, kind: ResourceKind): (id: string) => string | null {
  const read = kind === 'price' ? configWithAmounts(config) : config
  const items = new Map(itemsOf(read, kind).map(({ item }) => [idOfItem(kind, item), item]))
  const line = lines[kind] as (item: ItemOf<ResourceKind>) => string
  return (id) => {
    const item = items.get(id)
    return item === undefined ? null : line(item)
  }
}

const lines: { readonly [K in ResourceKind]: (item: ItemOf<K>) => string } = {
  meter: (meter) => `${meter.display_name} (${meter.event_name})`,
  feature: (feature) => feature.name,
  product: (product) => product.name,
  price: describePrice,
  coupon: describeCoupon,
  promotion_code: (code) => `${code.code} → ${code.coupon}`,
  webhook: (webhook) => webhook.url,
}

function describeCoupon(coupon: Coupon): string {
  const off =
    coupon.percent_off === undefined
      ? formatMinor(coupon.amount_off ?? 0, coupon.currency ?? 'usd')
      : `${String(coupon.percent_off)}%`
  const length =
    coupon.duration === 'repeating' ? `for ${String(coupon.duration_in_months ?? 0)} months` : coupon.duration
  return `${off} off ${length}`
}
