// Decides if and when an item can change its price without an immediate bill. Pure. Three rules of the processor limit this. First, a
// change of interval, or between free and paid, always starts a new period and bills it at once. Second, changing the price of a metered
// item loses the usage recorded so far. Third, items of a subscription with a schedule must be changed in the schedule.
import type { Price } from '../../document/schema/schema.ts'
import { canonicalDecimal } from '../../base/money/decimal.ts'
import { currenciesOf, inCurrency } from '../../document/pricing/calculate.ts'
import type { LiveItem, LiveSubscription, SubscriptionStatus } from '../../processor/customer-half.ts'
import type { BookedPrice } from './price-book.ts'

export type Effective = 'now' | 'period_end'

const billing: readonly SubscriptionStatus[] = ['active', 'trialing', 'past_due']

/** True if the subscription's status allows changing its prices. */
export function isLive(subscription: Pick<LiveSubscription, 'status'>): boolean {
  return billing.includes(subscription.status)
}

/**
 * Returns the reason why an item cannot change to this price; null if it can. The price must support the subscription's currency and have
 * the same interval, usage type and meter.
 */
export function incompatibility(
  item: Pick<LiveItem, 'price'>,
  subscription: Pick<LiveSubscription, 'currency'>,
  wanted: Pick<BookedPrice, 'price' | 'meter'>,
): string | null {
  const { price: live } = item
  const { price } = wanted
  const { currency } = subscription
  const compared: readonly (readonly [string, string | null, string | null])[] = [
    // Compares the subscription's currency and not the main currencies of the prices, because a subscription is billed in a single
    // currency.
    ['currency', currency, currenciesOf(price).includes(currency) ? currency : price.currency],
    [
      'interval',
      intervalText(live.interval, live.intervalCount),
      intervalText(price.interval, price.interval_count ?? 1),
    ],
    ['usage type', live.usageType, price.usage_type ?? 'licensed'],
    ['meter', live.meter, wanted.meter],
  ]
  const differing = compared.find(([, own, other]) => own !== other)
  if (differing === undefined) return null
  const [what, own, other] = differing
  return `The price "${price.id}" has another ${what} (${other ?? 'none'}) than the item (${own ?? 'none'}).`
}

function intervalText(interval: string | undefined, count: number): string {
  if (interval === undefined) return 'once'
  return count === 1 ? `each ${interval}` : `each ${String(count)} ${interval}s`
}

/**
 * Returns the earliest time at which the item can change its price without an immediate bill. It is `now` only if the change has no effect
 * on the current period; otherwise it is the end of the period.
 */
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
 * True if the item is free. `present` is the present price in the configuration, if the item is on it. It has tiers and additional
 * currencies, which the item at the processor lacks. For a former price only the amount in its main currency is known. That amount then
 * decides for all currencies.
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

/**
 * Returns the positions of items that have the same price as another item. The processor rejects a subscription with two such items, in
 * whatever order the items are changed.
 */
export function positionsSharingPrice(prices: readonly string[]): ReadonlySet<number> {
  const at = new Map<string, number[]>()
  prices.forEach((price, position) => at.set(price, [...(at.get(price) ?? []), position]))
  return new Set([...at.values()].filter((positions) => positions.length > 1).flat())
}
