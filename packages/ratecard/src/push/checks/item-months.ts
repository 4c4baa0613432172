// What each subscription item pays a month, and would pay at the new price of a plan. Discounts that last are taken off as the processor does it.
// Pure.
import { documentTier } from '../../catalog/fields/amounts.ts'
import type { FieldsOf, ObservedResource, ProcessorId } from '../../catalog/resource.ts'
import { compareFractions, zeroFraction, type Fraction } from '../../base/money/fraction.ts'
import { afterDiscounts } from '../../processor/lasting-discounts.ts'
import { currenciesOf, inCurrency } from '../../document/pricing/calculate.ts'
import { exactMonth, type BilledPrice } from '../../document/pricing/impact.ts'
import type { Price } from '../../document/schema/schema.ts'
import type { MirroredItem } from '../../processor/mirrored.ts'
import type { PriceUses, Use, UsedPrice } from './price-uses.ts'
import type { PriceImpact } from '../../api/push/pushes.ts'

/** A price that the plan changes. */
export interface TouchedPrice {
  readonly configId: string
  readonly action: PriceImpact['action']
  /**
   * Processor prices that belong to the configuration price. The price that is sold now comes first, then the earlier ones, newest first.
   */
  readonly generations: readonly ProcessorId[]
  /** The processor price that is sold now; null for a free price. */
  readonly current: ProcessorId | null
  /** The processor price that the plan sells, if it exists already; null if the plan creates one, or sells none. */
  readonly next: ProcessorId | null
}

export interface Found extends PriceUses {
  readonly live: ReadonlyMap<ProcessorId, ObservedResource<'price'>>
  /** The prices of the new document, by configuration id. */
  readonly after: ReadonlyMap<string, Price>
  /** What each item pays a month, by item id. */
  readonly monthly: ReadonlyMap<string, ItemMonth>
}

/** Exact amount of an item a month after discounts that last. null if it depends on usage, or is unknown. */
interface ItemMonth {
  readonly before: Fraction | null
  /** At the new price; null if the price is not replaced, or not sold in the currency. */
  readonly after: Fraction | null
}

/** Of a subscriber of a replaced price: it keeps another amount (`replaced`), its price is sold again (`current`), or it pays the new amount. */
export type Keeping = 'replaced' | 'current' | 'same'

export function keepingOf({ next }: TouchedPrice, { price, item }: Use, { monthly }: Found): Keeping {
  if (price === next) return 'current'
  const { before = null, after = null } = monthly.get(item) ?? {}
  return before !== null && after !== null && compareFractions(before, after) === 0 ? 'same' : 'replaced'
}

export const usesOf = (
  { generations }: Pick<TouchedPrice, 'generations'>,
  { uses }: Pick<Found, 'uses'>,
): readonly Use[] => generations.flatMap((id) => uses.get(id) ?? [])

/**
 * Computes what each item on the prices pays a month, and would pay at the new price. Discounts that last are taken off as the processor does it; for
 * a discount of a fixed amount, all items of the subscription count.
 */
export function itemMonths(touched: readonly TouchedPrice[], read: Omit<Found, 'monthly'>): Found['monthly'] {
  const listed = new Map<string, ItemMonth & { readonly next: Price | undefined }>()
  for (const { configId, action, current, generations } of touched) {
    if (current === null) continue
    const next = action === 'replace' ? read.after.get(configId) : undefined
    for (const use of usesOf({ generations }, read)) {
      const { item, price, currency, quantity } = use
      const facts = factsOf(price, read)
      const billed = facts === null || facts.usageType === 'metered' ? null : facts.billedIn(currency)
      const before = billed === null ? null : exactMonth(billed, quantity ?? 0)
      listed.set(item, { before, after: monthAt(next, currency, quantity ?? 0), next })
    }
  }
  const months = new Map<string, ItemMonth>(listed)
  for (const { subscription, customerDiscount } of read.discounted.subscriptions) {
    const listedBefore = subscription.items.map((item) => ({
      item,
      monthly: listed.get(item.id)?.before ?? listMonth(item, subscription.currency, read),
    }))
    const listedAfter = listedBefore.map(({ item, monthly }) => {
      const { after = null, next } = listed.get(item.id) ?? {}
      return after === null || next === undefined ? { item, monthly } : { item: onPrice(item, next), monthly: after }
    })
    const before = afterDiscounts(subscription, listedBefore, customerDiscount)
    const after = afterDiscounts(subscription, listedAfter, customerDiscount)
    for (const [index, { item, monthly }] of before.entries()) {
      const own = listed.get(item.id)
      if (own === undefined) continue
      const then = after[index]?.monthly ?? null
      months.set(item.id, { before: own.before && monthly, after: own.after && then })
    }
  }
  return months
}

/** Returns an item with the interval of another price, by which a discount of a fixed amount is shared out. */
function onPrice(item: MirroredItem, { interval = item.price.interval, interval_count: intervalCount = 1 }: Price) {
  return { ...item, price: { ...item.price, interval, intervalCount } }
}

/** Returns the amount of a month at list price of an item beside those that the plan is about; zero for a metered item. */
function listMonth({ price, quantity }: MirroredItem, currency: string, { discounted }: Pick<Found, 'discounted'>) {
  const billed = price.usageType === 'metered' ? null : (discounted.prices.get(price.id)?.billedIn(currency) ?? null)
  return billed === null || quantity === null ? zeroFraction : exactMonth(billed, quantity)
}

/**
 * Returns what a quantity of a price of the document costs a month: 7 seats at €12.00 are €84.00. null for a one-time price, a metered price, a price
 * whose amount the customer chooses, and a currency in which it is not sold.
 */
function monthAt(price: Price | undefined, currency: string, quantity: number): Fraction | null {
  if (price?.interval === undefined || price.usage_type === 'metered' || price.custom_unit_amount !== undefined)
    return null
  if (!currenciesOf(price).includes(currency)) return null
  const { interval, interval_count: intervalCount = 1 } = price
  return exactMonth({ ...inCurrency(price, currency), currency, interval, intervalCount }, quantity)
}

export function factsOf(id: ProcessorId, { live, prices }: Pick<Found, 'live' | 'prices'>): UsedPrice | null {
  const observed = live.get(id)
  if (observed === undefined) return prices.get(id) ?? null
  const { fields, unrepresentable } = observed
  return {
    usageType: fields.usageType === 'metered' ? 'metered' : 'licensed',
    currency: fields.currency,
    unitAmount: fields.unitAmount,
    // If the live price has parts that the document cannot express, the fields may not give the real amount. Then the amount is unknown
    // (null).
    billedIn: (currency) => (unrepresentable.length > 0 ? null : billedPrice(fields, currency)),
  }
}

/** Returns what the price bills in one currency; null if the price is not sold in that currency or is a one-time price. */
function billedPrice(fields: FieldsOf<'price', ProcessorId>, currency: string): BilledPrice | null {
  const { currencyOptions: options } = fields
  const sold = currency === fields.currency ? fields : Object.hasOwn(options, currency) ? options[currency] : undefined
  if (fields.interval === null || sold === undefined) return null
  return {
    currency,
    interval: fields.interval,
    intervalCount: fields.intervalCount,
    ...(sold.unitAmount === null ? {} : { unit_amount_decimal: sold.unitAmount }),
    ...(sold.tiers === null ? {} : { tiers: sold.tiers.map(documentTier) }),
    ...(fields.tiersMode === null ? {} : { tiers_mode: fields.tiersMode }),
    ...(fields.transformQuantity === null
      ? {}
      : {
          transform_quantity: { divide_by: fields.transformQuantity.divideBy, round: fields.transformQuantity.round },
        }),
  }
}
