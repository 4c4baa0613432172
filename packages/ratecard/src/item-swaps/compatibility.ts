// Whether an item can change its price without anything being billed now, and when. Pure. The rules are the processor's:
// another interval, or the step between free and paid, begins a new period and bills it at once, whatever was asked for;
// a metered item that is swapped loses the usage recorded so far; what a schedule owns is changed in the schedule.
import type { Price } from '../config/schema/schema.ts'
import { canonicalDecimal } from '../money/decimal.ts'
import { currenciesOf, inCurrency } from '../pricing/calculate.ts'
import type { LiveItem, LiveSubscription, SubscriptionStatus } from '../processor/customer-half.ts'
import type { BookedPrice } from './price-book.ts'

export type Effective = 'now' | 'period_end'

const billing: readonly SubscriptionStatus[] = ['active', 'trialing', 'past_due']

/** Whether prices of the subscription are changed at all. */
export function isLive(subscription: Pick<LiveSubscription, 'status'>): boolean {
  return billing.includes(subscription.status)
}

/** Why the item cannot go on to this price: it must offer the subscription's currency and keep rhythm and measure. null when it can. */
export function incompatibility(
  item: Pick<LiveItem, 'price'>,
  subscription: Pick<LiveSubscription, 'currency'>,
  wanted: Pick<BookedPrice, 'price' | 'meter'>,
): string | null {
  const { price: live } = item
  const { price } = wanted
  const { currency } = subscription
  const compared: readonly (readonly [string, string | null, string | null])[] = [
    // Whatever the first currency of either price is: the subscription is billed in one of them, for good.
    ['currency', currency, currenciesOf(price).includes(currency) ? currency : price.currency],
    ['interval', every(live.interval, live.intervalCount), every(price.interval, price.interval_count ?? 1)],
    ['usage type', live.usageType, price.usage_type ?? 'licensed'],
    ['meter', live.meter, wanted.meter],
  ]
  const differing = compared.find(([, own, other]) => own !== other)
  if (differing === undefined) return null
  const [what, own, other] = differing
  return `The price "${price.id}" has another ${what} (${other ?? 'none'}) than the item (${own ?? 'none'}).`
}

function every(interval: string | undefined, count: number): string {
  if (interval === undefined) return 'once'
  return count === 1 ? `each ${interval}` : `each ${String(count)} ${interval}s`
}

/** When the item may change to the price without a bill now. `now` only for what stays harmless in the middle of a period. */
export function effectiveFor(
  item: LiveItem,
  subscription: LiveSubscription,
  wanted: BookedPrice,
  present?: Price,
): Effective {
  if (subscription.schedule !== null || item.price.usageType === 'metered') return 'period_end'
  const { currency } = subscription
  return isFree(item, present, currency) === isFreePrice(wanted.price, currency) ? 'now' : 'period_end'
}

/**
 * `present` is the item's price in the configuration, if it is unchanged. It has the tiers and the further currencies, which an item
 * does not show. Of a former price the amount in its first currency stands for the others.
 */
function isFree({ price }: LiveItem, present: Price | undefined, currency: string): boolean {
  if (price.unitAmount !== null && (present === undefined || price.currency === currency))
    return canonicalDecimal(price.unitAmount) === '0'
  return present !== undefined && isFreePrice(present, currency)
}

function isFreePrice(listed: Price, currency: string): boolean {
  const price = currenciesOf(listed).includes(currency) ? inCurrency(listed, currency) : listed
  const nothing = (integer: number | undefined, decimal: string | undefined) =>
    (integer ?? 0) === 0 && (decimal === undefined || canonicalDecimal(decimal) === '0')
  if (price.tiers === undefined) return nothing(price.amount, price.unit_amount_decimal)
  return price.tiers.every(
    (tier) =>
      nothing(tier.unit_amount, tier.unit_amount_decimal) && nothing(tier.flat_amount, tier.flat_amount_decimal),
  )
}

/** Positions of items that would share a price with another: the processor refuses that, whatever the order. */
export function positionsSharingPrice(prices: readonly string[]): ReadonlySet<number> {
  const at = new Map<string, number[]>()
  prices.forEach((price, position) => at.set(price, [...(at.get(price) ?? []), position]))
  return new Set([...at.values()].filter((positions) => positions.length > 1).flat())
}
