// Monthly amounts of subscription items, before taxes. Metered items are not counted. Pure.
import { decimalText } from '../../../base/money/decimal.ts'
import { formatMinor } from '../../../base/money/format.ts'
import {
  fractionDecimal,
  fractionOfDecimal,
  multiplyFractions,
  roundFraction,
  sumFractions,
  zeroFraction,
} from '../../../base/money/fraction.ts'
import type { Fraction } from '../../../base/money/fraction.ts'
import type { Price } from '../../../document/schema/schema.ts'
import { exactAmount, type Tariff } from '../../../document/pricing/calculate.ts'
import { monthFactor } from '../../../document/pricing/month.ts'
import type { ProcessorId } from '../../../catalog/resource.ts'
import { afterDiscounts } from '../../../processor/lasting-discounts.ts'
import type { LiveItem, LivePrice } from '../../../processor/customer-half.ts'
import type { MirroredDiscount } from '../../../processor/mirrored.ts'
import type { ChangeableSubscription } from '../../../processor/subscription-change.ts'

/** Price of an item in the currency of its subscription, with the billing interval. */
export interface ItemTerms extends Pick<LivePrice, 'interval' | 'intervalCount' | 'usageType'> {
  /** Amounts of the price; null if they are unknown, e.g. for a price with tiers that does not belong to the configuration. */
  readonly tariff: Tariff | null
}

/** Returns the terms of a price of the configuration, with its amounts in the subscription's currency. */
export function termsOf(price: Price | undefined, tariff: Tariff | null): ItemTerms {
  const { interval = 'month', interval_count: intervalCount = 1, usage_type: usageType = 'licensed' } = price ?? {}
  return { tariff, interval, intervalCount, usageType }
}

/** Names the billing interval, e.g. `3 month`, so that two intervals can be compared. */
export const intervalOf = ({ interval, intervalCount }: Pick<ItemTerms, 'interval' | 'intervalCount'>) =>
  `${String(intervalCount)} ${interval}`

/** Returns the exact monthly cost of the items before discounts. Items whose amounts are unknown are not counted. */
export function monthlySum(items: Iterable<{ readonly terms: ItemTerms; readonly quantity: number | null }>): Fraction {
  return sumFractions([...items].map(({ terms, quantity }) => monthlyOf(terms, quantity)))
}

/** An item before or after a change, and its product at the processor; null if that is unknown. */
export interface MonthlyItem {
  readonly terms: ItemTerms
  readonly quantity: number | null
  readonly product: ProcessorId | null
  readonly discounts: readonly MirroredDiscount[]
}

/** Returns an item that the subscription has, with its discounts. */
export const monthlyItem = (
  { terms, live: { id, quantity, price } }: { readonly terms: ItemTerms; readonly live: LiveItem },
  { itemDiscounts }: Pick<ChangeableSubscription, 'itemDiscounts'>,
): MonthlyItem => ({ terms, quantity, product: price.product, discounts: itemDiscounts[id] ?? [] })

/**
 * Returns what the items cost a month less the discounts that last: of the items, and of the subscription or of its customer. `added` is the one
 * that the change adds. Items whose amounts are unknown are not counted.
 */
export function discountedSum(
  items: readonly MonthlyItem[],
  { discountTerms, customerDiscount, subscription: { currency } }: ChangeableSubscription,
  added: MirroredDiscount | null = null,
): Fraction {
  const discounts = added === null ? discountTerms : [...discountTerms, added]
  const listed = items.map(({ terms, quantity, product, discounts: own }, index) => {
    const { interval, intervalCount } = terms
    const item = { id: String(index), discounts: own, price: { product, interval, intervalCount } }
    return { item, monthly: monthlyOf(terms, quantity) }
  })
  return sumFractions(afterDiscounts({ discounts, currency }, listed, customerDiscount).map(({ monthly }) => monthly))
}

function monthlyOf({ tariff, interval, intervalCount, usageType }: ItemTerms, quantity: number | null): Fraction {
  if (tariff === null || quantity === null || usageType === 'metered') return zeroFraction
  return multiplyFractions(fractionOfDecimal(exactAmount(tariff, quantity)), monthFactor(interval, intervalCount))
}

export function monthlyShown(monthly: Fraction, currency: string) {
  const amount = decimalText(fractionDecimal(monthly))
  return [{ currency, amount, formatted: formatMinor(roundFraction(monthly), currency) }]
}
