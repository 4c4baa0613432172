// Describes each resource in one readable line, for plans and diffs.
import { configWithAmounts } from '../document/schema/prices/percent-off.ts'
import type { BillingConfig, Coupon, Portal, TaxRate } from '../document/schema/schema.ts'
import { canonicalDecimal } from '../base/money/decimal.ts'
import { formatMinor } from '../base/money/format.ts'
import { describePrice } from '../document/pricing/describe.ts'
import { idOfItem, itemsOf, type ItemOf, type ResourceKind } from './kinds.ts'

/**
 * Returns a function that finds the display line of a resource by kind and id. It returns null for a resource that is not in the document.
 */
export function displayOf(config: BillingConfig | null): (kind: ResourceKind, id: string) => string | null {
  // Lines are computed and cached for one kind at a time, when a line of that kind is needed: most planned documents are unchanged and need
  // no lines. This also avoids blocking the event loop for long, because a large document is indexed in parts.
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
  tax_rate: describeTaxRate,
  portal: describePortal,
  webhook: (webhook) => webhook.url,
}

/** Returns the features of a portal configuration that are on, e.g. `invoice history, subscription cancel`. */
function describePortal({ features }: Portal): string {
  const on = Object.entries(features).filter(([, feature]) => feature.enabled !== false)
  return on.length === 0 ? 'nothing' : on.map(([name]) => name.replaceAll('_', ' ')).join(', ')
}

function describeTaxRate({ display_name: name, percentage, inclusive }: TaxRate): string {
  return `${name} ${canonicalDecimal(percentage)}% ${inclusive ? 'inclusive' : 'exclusive'}`
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
