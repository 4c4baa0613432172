// Monthly recurring revenue (MRR) of a subscription, exact for each item. Only licensed items count, and only if the subscription is
// `active` or `past_due` and its collection is not paused. Discounts that last forever are deducted, and so are taxes that are included in
// an amount.
import type { ProcessorId } from '../../../catalog/resource.ts'
import {
  addFractions,
  compareFractions,
  divideFractions,
  fraction,
  fractionOfDecimal,
  multiplyFractions,
  subtractFractions,
  sumFractions,
  zeroFraction,
} from '../../../base/money/fraction.ts'
import type { Fraction } from '../../../base/money/fraction.ts'
import { parseDecimal } from '../../../base/money/decimal.ts'
import { exactAmount } from '../../../document/pricing/calculate.ts'
import { monthFactor } from '../../../document/pricing/month.ts'
import type {
  MirroredDiscount,
  MirroredInvoice,
  MirroredItem,
  MirroredPrice,
  MirroredSubscription,
} from '../../../processor/mirrored.ts'
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
  return afterDiscounts(subscription, listed, context).map(({ item, monthly }) => ({
    item: item.id,
    price: item.price.id,
    product: item.price.product,
    currency,
    monthly: multiplyFractions(monthly, netShare(item, subscription, context.invoices)),
  }))
}

/** An item of a subscription, and its monthly amount. */
export interface PricedItem {
  readonly item: MirroredItem
  readonly monthly: Fraction
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

/**
 * Applies discounts in the order of the processor: first each item's own discounts, then the discounts of the subscription (or of the
 * customer, if the subscription has none). Each discount applies to the amounts that the previous discount left.
 */
export function afterDiscounts(
  { items, discounts, currency }: MirroredSubscription,
  listed: readonly PricedItem[],
  { customerDiscount }: Pick<RevenueContext, 'customerDiscount'>,
): readonly PricedItem[] {
  const ofCustomer = customerDiscount === null ? [] : [customerDiscount]
  const reductions = [
    ...items.flatMap((item) => item.discounts.map((discount) => ({ discount, of: (id: string) => id === item.id }))),
    ...(discounts.length > 0 ? discounts : ofCustomer).map((discount) => ({ discount, of: () => true })),
  ]
  return reductions
    .filter(({ discount }) => discount.duration === 'forever')
    .reduce(
      (left, { discount, of }) =>
        reduced(left, discount, currency, ({ item }) => of(item.id) && isFor(discount, item.price.product)),
      listed,
    )
}

function isFor({ products }: MirroredDiscount, product: ProcessorId | null): boolean {
  return products === null || (product !== null && products.includes(product))
}

function reduced(
  items: readonly PricedItem[],
  discount: MirroredDiscount,
  currency: string,
  applies: (item: PricedItem) => boolean,
): readonly PricedItem[] {
  if (discount.percentOff === null) return lessAmount(items, discount.amountOff[currency] ?? 0, applies)
  const kept = subtractFractions(
    fraction(1),
    divideFractions(fractionOfDecimal(parseDecimal(discount.percentOff)), fraction(100)),
  )
  return items.map((item) => (applies(item) ? { ...item, monthly: multiplyFractions(item.monthly, kept) } : item))
}

/**
 * Deducts a discount of a fixed amount, which reduces every invoice. It is split in proportion to the amounts of the items, and is at most
 * their sum. If the items have different billing intervals, only the items that are billed most often are reduced, because only those are
 * on every invoice.
 */
function lessAmount(
  items: readonly PricedItem[],
  amountOff: number,
  applies: (item: PricedItem) => boolean,
): readonly PricedItem[] {
  const bearing = items.filter((item) => applies(item) && compareFractions(item.monthly, zeroFraction) > 0)
  const factors = bearing.map(factorOf).sort((a, b) => compareFractions(b, a))
  const [most] = factors
  if (most === undefined) return items
  const reduces = new Set(bearing.filter((item) => compareFractions(factorOf(item), most) === 0))
  const base = sumFractions([...reduces].map(({ monthly }) => monthly))
  const off = multiplyFractions(fraction(amountOff), most)
  const kept = compareFractions(off, base) >= 0 ? zeroFraction : divideFractions(subtractFractions(base, off), base)
  return items.map((item) => (reduces.has(item) ? { ...item, monthly: multiplyFractions(item.monthly, kept) } : item))
}

/** Returns the number of invoices per month that contain the item, e.g. 1/12 for a yearly price. */
function factorOf({ item: { price } }: PricedItem): Fraction {
  return monthFactor(price.interval, price.intervalCount)
}

/** Returns the sums by currency, without currencies whose sum is zero. */
export function sumByCurrency(revenue: Iterable<Pick<ItemRevenue, 'currency' | 'monthly'>>): Map<string, Fraction> {
  const sums = new Map<string, Fraction>()
  for (const { currency, monthly } of revenue)
    sums.set(currency, addFractions(sums.get(currency) ?? zeroFraction, monthly))
  for (const [currency, sum] of sums) if (sum.numerator === 0n) sums.delete(currency)
  return sums
}
