// One line per resource, as people read it in plans and diffs.
import type { BillingConfig, Coupon } from '../config/document/schema.ts'
import { formatMinor } from '../money/format.ts'
import { describePrice } from '../pricing/describe.ts'
import { idOfItem, itemsOf } from './kinds.ts'
import type { ItemOf, ResourceKind } from './kinds.ts'
import { ResourceMap } from './resource-map.ts'

/** Looks up the line of a resource of this document by kind and id; null for what it does not hold. */
export function displayOf(config: BillingConfig | null): (kind: ResourceKind, id: string) => string | null {
  // Most documents that are planned are as they were: nobody asks for a line then.
  let lines: ResourceMap<() => string> | undefined
  return (kind, id) => (lines ??= linesOf(config)).get(kind, id)?.() ?? null
}

function linesOf(config: BillingConfig | null): ResourceMap<() => string> {
  const lines = new ResourceMap<() => string>()
  if (config === null) return lines
  const tell = <K extends ResourceKind>(kind: K, line: (item: ItemOf<K>) => string) => {
    for (const { item } of itemsOf(config, kind)) lines.set(kind, idOfItem(kind, item), () => line(item))
  }
  tell('meter', (meter) => `${meter.display_name} (${meter.event_name})`)
  tell('feature', (feature) => feature.name)
  tell('product', (product) => product.name)
  tell('price', describePrice)
  tell('coupon', describeCoupon)
  tell('promotion_code', (code) => `${code.code} → ${code.coupon}`)
  tell('webhook', (webhook) => webhook.url)
  return lines
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
