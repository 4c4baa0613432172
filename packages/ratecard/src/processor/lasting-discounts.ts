// What discounts that last take off the monthly amounts of a subscription's items, by the processor's own rule. Pure.
import type { ProcessorId } from '../catalog/resource.ts'
import { parseDecimal } from '../base/money/decimal.ts'
import {
  compareFractions,
  divideFractions,
  fraction,
  fractionOfDecimal,
  multiplyFractions,
  subtractFractions,
  sumFractions,
  zeroFraction,
  type Fraction,
} from '../base/money/fraction.ts'
import { monthFactor } from '../document/pricing/month.ts'
import type { LivePrice } from './customer-half.ts'
import type { MirroredDiscount, MirroredSubscription } from './mirrored.ts'

/** An item of a subscription, as far as discounts depend on it. */
export interface DiscountedItem {
  readonly id: string
  readonly discounts: readonly MirroredDiscount[]
  readonly price: Pick<LivePrice, 'product' | 'interval' | 'intervalCount'>
}

/** An item, and its monthly amount. */
export interface PricedItem<Item extends DiscountedItem = DiscountedItem> {
  readonly item: Item
  readonly monthly: Fraction
}

/**
 * Applies discounts in the order of the processor: first each item's own discounts, then the discounts of the subscription (or of the
 * customer, if the subscription has none). Each discount applies to the amounts that the previous discount left.
 */
export function afterDiscounts<Item extends DiscountedItem>(
  { discounts, currency }: Pick<MirroredSubscription, 'discounts' | 'currency'>,
  listed: readonly PricedItem<Item>[],
  customerDiscount: MirroredDiscount | null,
): readonly PricedItem<Item>[] {
  const ofCustomer = customerDiscount === null ? [] : [customerDiscount]
  const reductions = [
    ...listed.flatMap(({ item }) =>
      item.discounts.map((discount) => ({ discount, of: (id: string) => id === item.id })),
    ),
    ...(discounts.length > 0 ? discounts : ofCustomer).map((discount) => ({ discount, of: () => true })),
  ]
  return reductions
    .filter(({ discount }) => discount.duration === 'forever')
    .reduce(
      (left, { discount, of }) =>
        applyDiscount(left, discount, currency, ({ item }) => of(item.id) && isFor(discount, item.price.product)),
      listed,
    )
}

function isFor({ products }: MirroredDiscount, product: ProcessorId | null): boolean {
  return products === null || (product !== null && products.includes(product))
}

function applyDiscount<Item extends DiscountedItem>(
  items: readonly PricedItem<Item>[],
  discount: MirroredDiscount,
  currency: string,
  applies: (item: PricedItem<Item>) => boolean,
): readonly PricedItem<Item>[] {
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
function lessAmount<Item extends DiscountedItem>(
  items: readonly PricedItem<Item>[],
  amountOff: number,
  applies: (item: PricedItem<Item>) => boolean,
): readonly PricedItem<Item>[] {
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
function factorOf({ item: { price } }: PricedItem<DiscountedItem>): Fraction {
  return monthFactor(price.interval, price.intervalCount)
}
