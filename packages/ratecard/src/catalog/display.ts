// One line per resource, as people read it in plans and diffs.
import type { BillingConfig, Coupon } from '../config/schema/schema.ts'
import { formatMinor } from '../money/format.ts'
import { describePrice } from '../pricing/describe.ts'
import { idOfItem, itemsOf } from './kinds.ts'
import type { ItemOf, ResourceKind } from './kinds.ts'

/** Looks up the line of a resource of this document by kind and id; null for what it does not hold. */
export function displayOf(config: BillingConfig | null): (kind: ResourceKind, id: string) => string | null {
  // Most documents that are planned are as they were: nobody asks for a line then. Of a large one each kind is looked through when
  // the first line of it is asked for, and not all in one piece.
  const known: { [K in ResourceKind]?: (id: string) => string | null } = {}
  return (kind, id) => (config === null ? null : (known[kind] ??= linesOf(config, kind))(id))
}

function linesOf(config: BillingConfig, kind: ResourceKind): (id: string) => string | null {
  const items = new Map(itemsOf(config, kind).map(({ item }) => [idOfItem(kind, item), item]))
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
