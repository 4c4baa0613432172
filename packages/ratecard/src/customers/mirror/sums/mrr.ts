// Monthly recurring revenue (MRR) of a subscription, exact for each item. Only licensed items count, and only if the subscription is
// `active` or `past_due` and its collection is not paused. Discounts that last forever are deducted, and so are taxes that are included in
// an amount.
import type { ProcessorId } from '../../../catalog/resource.ts'
import { addFractions, fractionOfDecimal, multiplyFractions, zeroFraction } from '../../../base/money/fraction.ts'
import type { Fraction } from '../../../base/money/fraction.ts'
import { exactAmount } from '../../../document/pricing/calculate.ts'
import { monthFactor } from '../../../document/pricing/month.ts'
import type {
  MirroredDiscount,
  MirroredInvoice,
  MirroredItem,
  MirroredPrice,
  MirroredSubscription,
} from '../../../processor/mirrored.ts'
import { afterDiscounts } from '../../../processor/lasting-discounts.ts'
import { netShare } from './inclusive-tax.ts'
import { tariffOf } from './tariff.ts'

/** Monthly revenue of one item of a subscription. */
export interface ItemRevenue {
  readonly item: string
  readonly price: ProcessorId
  readonly product: ProcessorId | null
  readonly currency: string
  /** Monthly revenue in minor units; zero for metered items. */
  readonly monthly: Fraction
}

/** Data besides the subscription that its MRR depends on. */
export interface RevenueContext {
  readonly prices: ReadonlyMap<ProcessorId, MirroredPrice>
  /** Discount of the customer, which applies to subscriptions without their own discount; null if there is none. */
  readonly customerDiscount: MirroredDiscount | null
  /** Invoices of the customer. */
  readonly invoices: readonly MirroredInvoice[]
}

/** True if the subscription counts towards the MRR: it is `active` or `past_due`, and its collection is not paused. */
export function countsAsRevenue({ status, paused }: Pick<MirroredSubscription, 'status' | 'paused'>): boolean {
  return (status === 'active' || status === 'past_due') && paused === null
}

/** Returns the MRR of each item. Empty for a subscription that does not count, e.g. a `trialing` one. */
export function revenueOf(subscription: MirroredSubscription, context: RevenueContext): readonly ItemRevenue[] {
  if (!countsAsRevenue(subscription)) return []
  const { items, currency } = subscription
  const listed = items.map((item) => ({ item, monthly: listedMonth(item, currency, context) }))
  return afterDiscounts(subscription, listed, context.customerDiscount).map(({ item, monthly }) => ({
    item: item.id,
    price: item.price.id,
    product: item.price.product,
    currency,
    monthly: multiplyFractions(monthly, netShare(item, subscription, context.invoices)),
  }))
}

/** Returns the monthly amount of an item before discounts, with tiers and packages as the processor bills them; zero for a metered item. */
function listedMonth({ price, quantity }: MirroredItem, currency: string, { prices }: RevenueContext): Fraction {
  if (price.usageType === 'metered' || quantity === null) return zeroFraction
  const tariff = tariffOf(prices.get(price.id), price, currency)
  // This never happens, because a subscription always has one of the currencies of its prices.
  if (tariff === null) return zeroFraction
  return multiplyFractions(
    fractionOfDecimal(exactAmount(tariff, quantity)),
    monthFactor(price.interval, price.intervalCount),
  )
}

/** Returns the sums by currency, without currencies whose sum is zero. */
export function sumByCurrency(revenue: Iterable<Pick<ItemRevenue, 'currency' | 'monthly'>>): Map<string, Fraction> {
  const sums = new Map<string, Fraction>()
  for (const { currency, monthly } of revenue)
    sums.set(currency, addFractions(sums.get(currency) ?? zeroFraction, monthly))
  for (const [currency, sum] of sums) if (sum.numerator === 0n) sums.delete(currency)
  return sums
}
