// Sums of the account by currency, product and price. Pure: the caller reads items and debts from the store.
import type { ProcessorId } from '../../../catalog/resource.ts'
import { addFractions, fraction, multiplyFractions, parseFraction, zeroFraction } from '../../../base/money/fraction.ts'
import type { Fraction } from '../../../base/money/fraction.ts'
import type { CustomerDebt, RevenueItem } from '../../../store/records/revenue.ts'

/** Configuration ids of a price and of its product. An id is null if the price (or product) does not belong to the configuration. */
export interface SoldAs {
  readonly priceId: string | null
  readonly productId: string | null
  /** True if the configuration has replaced or removed the price. */
  readonly legacy: boolean
}

export type NameItem = (item: Pick<RevenueItem, 'price' | 'product'>) => SoldAs

export interface Revenue {
  readonly mrr: Fraction
  /** Amount (minor units) billed for the last complete period of metered items. */
  readonly usageLastPeriod: number
  readonly subscriptions: number
}

export interface PriceRevenue extends Revenue {
  readonly priceId: string | null
  readonly legacy: Revenue
}

export interface ProductRevenue extends Revenue {
  readonly productId: string | null
}

export interface Debt {
  /** Sum in minor units. */
  readonly amount: number
  readonly tenants: number
}

export interface CurrencySums extends Revenue {
  readonly currency: string
  readonly tenants: number
  readonly trialing: number
  readonly pastDue: Debt
  readonly writtenOff: Debt
  readonly byProduct: readonly ProductRevenue[]
  readonly byPrice: readonly PriceRevenue[]
}

/** Totals to which items are added one by one, because the items of a large account do not fit into memory. */
export interface AccountSums {
  readonly currencies: Map<string, CurrencyTotals>
}

interface CurrencyTotals {
  readonly whole: Totals
  readonly tenants: Set<string>
  readonly trialing: Set<string>
  readonly products: Map<string | null, Totals>
  readonly prices: Map<string | null, { readonly whole: Totals; readonly legacy: Totals }>
}

interface Totals {
  /**
   * Number of items by exact MRR. Many items have the same amount, so summing each distinct amount once is much faster than adding a
   * fraction per item.
   */
  readonly amounts: Map<string, number>
  readonly subscriptions: Set<string>
  usage: number
}

export function createAccountSums(): AccountSums {
  return { currencies: new Map() }
}

/** Returns the sums of a currency without any item. */
export function emptyCurrency(currency: string): CurrencySums {
  return currencySumsOf(currency, newCurrency(), [])
}

export function addItem({ currencies }: AccountSums, item: RevenueItem, nameOf: NameItem): void {
  const totals = entryOf(currencies, item.currency, newCurrency)
  if (item.status === 'trialing') totals.trialing.add(item.subscription)
  if (!item.counts) return
  const { priceId, productId, legacy } = nameOf(item)
  const price = entryOf(totals.prices, priceId, () => ({ whole: newTotals(), legacy: newTotals() }))
  const product = entryOf(totals.products, productId, newTotals)
  for (const one of [totals.whole, product, price.whole, ...(legacy ? [price.legacy] : [])]) count(one, item)
  if (item.tenantId !== null) totals.tenants.add(item.tenantId)
}

/** Returns the sums of all added items, sorted by currency code. */
export function currencySums({ currencies }: AccountSums, debts: readonly CustomerDebt[]): readonly CurrencySums[] {
  for (const { owed, writtenOff } of debts)
    for (const currency of [...Object.keys(owed), ...Object.keys(writtenOff)])
      entryOf(currencies, currency, newCurrency)
  return [...currencies].sort(byKey).map(([currency, totals]) => currencySumsOf(currency, totals, debts))
}

function currencySumsOf(currency: string, totals: CurrencyTotals, debts: readonly CustomerDebt[]): CurrencySums {
  return {
    currency,
    ...revenueOf(totals.whole),
    tenants: totals.tenants.size,
    trialing: totals.trialing.size,
    pastDue: debtOf(debts.filter(isPastDue), ({ owed }) => owed[currency]),
    writtenOff: debtOf(debts, ({ writtenOff }) => writtenOff[currency]),
    byProduct: [...totals.products].sort(byKey).map(([productId, product]) => ({ productId, ...revenueOf(product) })),
    byPrice: [...totals.prices].sort(byKey).map(([priceId, { whole, legacy }]) => ({
      priceId,
      ...revenueOf(whole),
      legacy: revenueOf(legacy),
    })),
  }
}

/**
 * True if the customer is past due, i.e. a payment of one of its subscriptions failed. An invoice whose due date has not come yet is owed,
 * but not past due.
 */
function isPastDue({ billingStatus }: CustomerDebt): boolean {
  return billingStatus === 'past_due' || billingStatus === 'unpaid'
}

function debtOf(debts: readonly CustomerDebt[], amountOf: (debt: CustomerDebt) => number | undefined): Debt {
  const owing = debts.filter((debt) => (amountOf(debt) ?? 0) !== 0)
  return {
    amount: owing.reduce((sum, debt) => sum + (amountOf(debt) ?? 0), 0),
    tenants: new Set(owing.flatMap(({ tenantId }) => tenantId ?? [])).size,
  }
}

function newTotals(): Totals {
  return { amounts: new Map(), subscriptions: new Set(), usage: 0 }
}

function newCurrency(): CurrencyTotals {
  return { whole: newTotals(), tenants: new Set(), trialing: new Set(), products: new Map(), prices: new Map() }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

function count(totals: Totals, { monthly, subscription, usageLastPeriod }: RevenueItem): void {
  totals.amounts.set(monthly, (totals.amounts.get(monthly) ?? 0) + 1)
  totals.subscriptions.add(subscription)
  totals.usage += usageLastPeriod
}

function revenueOf({ amounts, subscriptions, usage }: Totals): Revenue {
  return { mrr: sumOfAmounts(amounts), usageLastPeriod: usage, subscriptions: subscriptions.size }
}

/** Returns the sum of amounts. `amounts` contains each amount with the number of its occurrences. */
export function sumOfAmounts(amounts: Iterable<readonly [string, number]>): Fraction {
  let sum = zeroFraction
  for (const [amount, times] of amounts)
    sum = addFractions(sum, multiplyFractions(parseFraction(amount), fraction(times)))
  return sum
}

/** Compares by key in ascending order. The key null (not part of the configuration) comes last. */
function byKey([a]: readonly [string | null, unknown], [b]: readonly [string | null, unknown]): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  return a < b ? -1 : 1
}

/** Returns a function that finds the configuration ids of an item's price and product in the price book. */
export function nameItemsBy(book: {
  idOf(processorId: ProcessorId): string | undefined
  productIdOf(processorId: ProcessorId): string | undefined
  find(id: string): { readonly processorId: ProcessorId | null } | undefined
}): NameItem {
  return ({ price, product }) => {
    const priceId = book.idOf(price) ?? null
    return {
      priceId,
      productId: (product === null ? undefined : book.productIdOf(product)) ?? null,
      legacy: priceId !== null && book.find(priceId)?.processorId !== price,
    }
  }
}
