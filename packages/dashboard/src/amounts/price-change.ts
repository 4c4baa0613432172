// Compares the amounts of a price before and after a change, by currency and by tier. Pure. The pages for plans, revisions, pushes and the
// history show the result.
import type { BillingDocument, PriceDocument, TierDocument } from '@ratecard/client'
import { pricedProducts } from './priced.ts'

/** A changed resource as the API lists it: a planned change, drift, or a difference between two revisions. */
export interface ChangedFields {
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[]
}

/** The members of a price that decide its amounts. */
export type PricePart = Partial<PriceDocument>

export interface PriceSides {
  readonly before: PricePart | null
  readonly after: PricePart | null
}

/** Amounts of a price in one currency. A null member means that the price has no such amount, e.g. `amount` of a tiered price. */
export interface Amounts {
  /** Minor units of one unit, e.g. `1200` or `0.05`. */
  readonly amount: string | null
  readonly tiers: readonly TierDocument[] | null
}

export interface CurrencyChange {
  readonly currency: string
  readonly before: Amounts | null
  readonly after: Amounts | null
}

export interface TierChange {
  /** First and last unit of the range. The last is null if the range has no end. */
  readonly from: number
  readonly to: number | null
  readonly before: TierDocument | null
  readonly after: TierDocument | null
}

/** Fields whose change is shown in the tables of amounts. */
export const amountFields: ReadonlySet<string> = new Set([
  'amount',
  'unit_amount_decimal',
  'tiers',
  'tiers_mode',
  'billing_scheme',
  'currency',
  'currency_options',
])

/** Returns the prices of a document by id. Percentage prices (prices in per cent below a base price) get their amounts. */
export function pricesById(
  document: Pick<BillingDocument, 'products'> | null | undefined,
): ReadonlyMap<string, PriceDocument> {
  const prices = pricedProducts(document ?? { products: [] }).flatMap(({ prices = [] }) => prices)
  return new Map(prices.map((price) => [price.id, price]))
}

/**
 * Returns a price before and after a change. `known` is the price in the newer document; members that are not in the change (e.g. the
 * currency) are taken from it for both sides. A removed price has no `known`; then the change contains all members.
 */
export function sidesOf({ fields }: ChangedFields, known: PriceDocument | undefined): PriceSides {
  const side = (of: 'before' | 'after'): PricePart | null => {
    const changed = fields.map((one) => [one.field, one[of] ?? undefined] as const)
    const part: PricePart = { ...known, ...Object.fromEntries(changed) }
    return part.currency === undefined ? null : part
  }
  return { before: side('before'), after: side('after') }
}

/** Returns the currencies of both sides: the price's main currency first, then the additional ones by code. */
export function currencyChanges({ before, after }: PriceSides): readonly CurrencyChange[] {
  const own = [before?.currency, after?.currency].filter((currency) => currency !== undefined)
  const others = [before, after].flatMap((price) => Object.keys(price?.currency_options ?? {})).sort()
  return [...new Set([...own, ...others])].map((currency) => ({
    currency,
    before: amountsIn(before, currency),
    after: amountsIn(after, currency),
  }))
}

/** Returns the amounts of a price in a currency; null if the price is not sold in that currency. */
export function amountsIn(price: PricePart | null, currency: string): Amounts | null {
  if (price === null) return null
  const options: Readonly<Record<string, PricePart | undefined>> = price.currency_options ?? {}
  const part = price.currency === currency ? price : options[currency]
  if (part === undefined) return null
  const amount = part.unit_amount_decimal ?? part.amount
  return { amount: part.tiers !== undefined || amount === undefined ? null : String(amount), tiers: part.tiers ?? null }
}

/** True if the amounts need a table: several currencies, or tiers. Otherwise there is one amount. */
export function needsTables(sides: PriceSides): boolean {
  const currencies = currencyChanges(sides)
  return currencies.length > 1 || [sides.before, sides.after].some((price) => price?.tiers !== undefined)
}

/** Returns the ranges of units between all tier bounds of both prices, each with the tier that bills it before and after the change. */
export function tierChanges(
  before: readonly TierDocument[] | null,
  after: readonly TierDocument[] | null,
): readonly TierChange[] {
  const bounds = [...(before ?? []), ...(after ?? [])].flatMap(({ up_to: end }) => (end === 'inf' ? [] : [end]))
  const ends: readonly (number | null)[] = [...[...new Set(bounds)].sort((a, b) => a - b), null]
  const tierAt = (tiers: readonly TierDocument[] | null, end: number | null) =>
    tiers?.find(({ up_to: bound }) => bound === 'inf' || (end !== null && bound >= end)) ?? null
  return ends.map((end, index) => ({
    from: (ends[index - 1] ?? 0) + 1,
    to: end,
    before: tierAt(before, end),
    after: tierAt(after, end),
  }))
}

/** Returns the change in per cent, rounded to a tenth, e.g. 41.7. Null if an amount is missing or was 0. */
export function percentChange(before: string | null, after: string | null): number | null {
  if (before === null || after === null || Number(before) === 0) return null
  return Math.round((Number(after) / Number(before) - 1) * 1000) / 10
}

/** A value inside a changed field, e.g. `features.2`. */
export interface LeafChange {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

const isNested = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Returns only the differing values inside two values of a field. So for a long JSON text, only the changed parts are shown. */
export function leafChanges(before: unknown, after: unknown, path = ''): readonly LeafChange[] {
  if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after))
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => leafChanges(before[name], after[name], path === '' ? name : `${path}.${name}`))
}
