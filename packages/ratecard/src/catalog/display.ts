// One line per resource, as people read it in plans and diffs.
import type { BillingConfig, Coupon } from '../config/schema.ts'
import { webhookId } from '../config/ids.ts'
import { formatMinor } from '../money/format.ts'
import { describePrice } from '../pricing/describe.ts'
import { ResourceMap } from './resource-map.ts'
import type { ResourceKind } from './resource.ts'

/** Looks up the line of a resource of this document by kind and id; null for what it does not hold. */
export function displayOf(config: BillingConfig | null): (kind: ResourceKind, id: string) => string | null {
  // Most documents that are planned are as they were: nobody asks for a line then.
  let lines: ResourceMap<() => string> | undefined
  return (kind, id) => (lines ??= linesOf(config)).get(kind, id)?.() ?? null
}

function linesOf(config: BillingConfig | null): ResourceMap<() => string> {
  const lines = new ResourceMap<() => string>()
  if (config === null) return lines
  for (const meter of config.meters ?? [])
    lines.set('meter', meter.id, () => `${meter.display_name} (${meter.event_name})`)
  for (const product of config.products) {
    lines.set('product', product.id, () => product.name)
    for (const price of product.prices ?? []) lines.set('price', price.id, () => describePrice(price))
  }
  for (const coupon of config.coupons ?? []) lines.set('coupon', coupon.id, () => describeCoupon(coupon))
  for (const code of config.promotion_codes ?? [])
    lines.set('promotion_code', code.id, () => `${code.code} → ${code.coupon}`)
  for (const webhook of config.webhooks ?? []) lines.set('webhook', webhookId(webhook), () => webhook.url)
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
