// Decides the content of the table from the public price list, the chosen billing period and the currency. Pure: no DOM, no network.
// Amounts are calculated by the service's code, which is bundled with this script.
import { exactAmount, flatAmountOf, unitAmountOf, type Tariff } from '../../ratecard/src/document/pricing/calculate.ts'
import type { Feature } from '../../ratecard/src/document/schema/feature-schema.ts'
import type { Meter, Price, Product } from '../../ratecard/src/document/schema/schema.ts'
import { decimalText, roundHalfUp } from '../../ratecard/src/base/money/decimal.ts'
import { limitsOf, type ListedLimit } from './limits.ts'
import type { Unit, WithUnit } from './translations.ts'

/** The part of the public price list that a table reads. */
export interface PriceList {
  readonly products: readonly Product[]
  readonly meters?: readonly Meter[]
  /** Features that a product limits. */
  readonly features?: readonly Feature[]
}

/** Response body of `session/prices`: the prices negotiated for the tenant. */
export interface SessionPrices {
  readonly prices: readonly { readonly base_price_id: string; readonly price: Price }[]
}

/** Billing period: `month`, `year`, `3 month`, … or `once` for a one-time price. */
export type Period = string

interface Choice {
  readonly period: Period
  readonly currency: string
}

/**
 * Kind of an offer. `open`: the customer chooses the amount. `request`: free and without a subscription, so the button contacts the seller.
 */
export type OfferKind = 'money' | 'free' | 'open' | 'request' | 'unavailable'

export interface QuantityRange {
  readonly least: number
  readonly most: number
  readonly first: number
}

export interface Offer {
  readonly price: Price
  /** True for a price negotiated by the viewing tenant. */
  readonly own: boolean
  readonly period: Period
  readonly kind: OfferKind
  /** Amounts in the chosen currency. Null if the price is not offered in that currency. */
  readonly tariff: Tariff | null
  /** Range of the slider. Null if the quantity does not change the amount. */
  readonly range: QuantityRange | null
  /** Name of one unit as the seller configured it, e.g. `seat`. Null if none is configured. */
  readonly unit: Unit | null
  /** Prices that are always sold with this one. */
  readonly attached: readonly AttachedOffer[]
}

export interface AttachedOffer {
  readonly name: string
  /** True if usage is billed, false if the quantity of the offer is. */
  readonly metered: boolean
  readonly tariff: Tariff
  /** Name of one unit, e.g. `call`. Null if none is configured. */
  readonly unit: Unit | null
}

export interface Card {
  readonly product: Product
  readonly limits: readonly ListedLimit[]
  readonly offers: readonly Offer[]
}

export interface TierRow {
  /** Upper bound of the tier. Null for the last tier, which has none. */
  readonly upTo: number | null
  /** Amounts as canonical decimals in minor units, e.g. `0.05`. */
  readonly unitAmount: string
  readonly flatAmount: string
}

/**
 * A price of the table. A negotiated price (`own`) takes the place of its public base price. It has the base price's id, because checkout
 * itself finds the price negotiated for the tenant.
 */
interface ListedPrice extends Price, WithUnit {
  readonly own?: true
}

export function withOwnPrices(list: PriceList, { prices }: SessionPrices): PriceList {
  const own = new Map(prices.map(({ base_price_id: id, price }) => [id, price]))
  const standIn = (base: Price): ListedPrice => {
    const price = own.get(base.id)
    if (price === undefined) return base
    const ui = { ...base.ui, ...price.ui }
    const attached = price.attached_prices ?? base.attached_prices
    return {
      ...{ ...price, id: base.id, own: true },
      ...(Object.keys(ui).length === 0 ? {} : { ui }),
      ...(attached === undefined ? {} : { attached_prices: attached }),
    }
  }
  return {
    ...list,
    products: list.products.map((product) =>
      product.prices === undefined ? product : { ...product, prices: product.prices.map(standIn) },
    ),
  }
}

export function periodOf({ interval, interval_count: count = 1 }: Pick<Price, 'interval' | 'interval_count'>): Period {
  if (interval === undefined) return 'once'
  return count === 1 ? interval : `${String(count)} ${interval}`
}

/** Returns the products by `sort_order`, then in document order. If `only` is not empty, returns only the products with these ids. */
export function orderedProducts(products: readonly Product[], only: readonly string[] = []): readonly Product[] {
  const wanted = only.length === 0 ? products : products.filter(({ id }) => only.includes(id))
  const place = (product: Product) => product.ui?.sort_order ?? Number.MAX_SAFE_INTEGER
  return [...wanted].sort((a, b) => place(a) - place(b))
}

/**
 * Returns the amounts of a price in a currency: in its own currency, or in one of its `currency_options`. Null if the price is not offered
 * in that currency.
 */
export function tariffIn(price: Price, currency: string): Tariff | null {
  if (price.currency === currency) return price
  const options: Readonly<Partial<Record<string, Partial<Tariff>>>> = price.currency_options ?? {}
  const option = Object.hasOwn(options, currency) ? options[currency] : undefined
  if (option === undefined) return null
  const { tiers_mode, transform_quantity } = price
  return {
    ...option,
    ...(tiers_mode === undefined ? {} : { tiers_mode }),
    ...(transform_quantity === undefined ? {} : { transform_quantity }),
  }
}

/**
 * Returns the available periods from short to long, and the currencies in the order of the price list. The order does not depend on the
 * user's choice.
 */
export function choicesOf(products: readonly Product[]): {
  readonly periods: readonly Period[]
  readonly currencies: readonly string[]
} {
  const prices = products.flatMap((product) => product.prices ?? [])
  const periods = new Set(prices.filter((price) => price.interval !== undefined).map(periodOf))
  const currencies = new Set(prices.flatMap((price) => [price.currency, ...Object.keys(price.currency_options ?? {})]))
  return { periods: [...periods].sort((a, b) => daysOf(a) - daysOf(b)), currencies: [...currencies] }
}

/** Days per unit of a period, with a year of 365 days and months of 365/12. Used to sort and compare periods, never for money. */
const daysIn: Readonly<Record<string, number>> = { once: 0, day: 1, week: 7, month: 365 / 12, year: 365 }

function daysOf(period: Period): number {
  const [count = '1', unit = period] = period.includes(' ') ? period.split(' ') : ['1', period]
  return Number(count) * (daysIn[unit] ?? 0)
}

/**
 * Returns the cards of the products (default: all). A product without an offer in the chosen period and currency keeps its place and shows
 * its offers of all periods. A price that is attached to another price of its product is not shown as an offer.
 */
export function cardsOf(list: PriceList, choice: Choice, products = list.products): readonly Card[] {
  return products.map((product) => {
    const prices = product.prices ?? []
    const brought = new Set(prices.flatMap(({ attached_prices: ids = [] }) => ids))
    const all = prices
      .filter(({ id }) => !brought.has(id))
      .map((price) => offerOf(price, product, list, choice.currency))
    return { product, limits: limitsOf(product.features, list.features), offers: shownOffers(all, choice.period) }
  })
}

/**
 * Returns the offers of a product to show: those of the period, otherwise those of any period. Offers that are not sold in the chosen
 * currency are left out, because each would be an empty box. A product that is not sold in that currency at all keeps one, which says so.
 */
function shownOffers(all: readonly Offer[], chosen: Period): readonly Offer[] {
  const isFitting = ({ period }: Offer) => period === chosen || period === 'once'
  const sold = all.filter(({ kind }) => kind !== 'unavailable')
  const fitting = sold.filter(isFitting)
  if (fitting.length > 0) return fitting
  if (sold.length > 0) return sold
  return [all.find(isFitting) ?? all[0]].filter((offer) => offer !== undefined)
}

function offerOf(price: ListedPrice, product: Product & WithUnit, list: PriceList, currency: string): Offer {
  const tariff = tariffIn(price, currency)
  const kind = kindOf(price, tariff)
  const meter = list.meters?.find(({ id }) => id === price.meter)
  return {
    price,
    own: price.own === true,
    period: periodOf(price),
    kind,
    tariff,
    range: kind === 'money' && tariff !== null ? rangeOf(price, product, tariff) : null,
    unit:
      price.unit ??
      (price.usage_type === 'metered' ? meter?.display_name : undefined) ??
      product.unit ??
      product.unit_label ??
      null,
    attached: (price.attached_prices ?? []).flatMap((id) => attachedOffer(id, list, currency) ?? []),
  }
}

/** Null if the price is not in the list, or not sold in the currency. */
function attachedOffer(id: string, { products, meters = [] }: PriceList, currency: string): AttachedOffer | null {
  const product: (Product & WithUnit) | undefined = products.find(({ prices = [] }) =>
    prices.some((price) => price.id === id),
  )
  const price: ListedPrice | undefined = product?.prices?.find((one) => one.id === id)
  const tariff = price === undefined ? null : tariffIn(price, currency)
  if (product === undefined || price === undefined || tariff === null) return null
  const meter = meters.find((one) => one.id === price.meter)
  return {
    name: price.ui?.display_name ?? meter?.display_name ?? product.ui?.display_name ?? product.name,
    metered: price.usage_type === 'metered',
    tariff,
    unit: price.unit ?? product.unit ?? product.unit_label ?? meter?.display_name ?? null,
  }
}

function kindOf(price: Price, tariff: Tariff | null): OfferKind {
  if (tariff === null) return 'unavailable'
  if (price.custom_unit_amount !== undefined) return 'open'
  if (tariff.tiers !== undefined || unitAmountOf(tariff) > 0n) return 'money'
  return price.interval === undefined ? 'request' : 'free'
}

const maxUnits = 1_000_000_000

/**
 * Returns the range of the slider; null for no slider. A price that is not metered and has neither tiers nor packages gets a slider only if
 * its product names a unit.
 */
function rangeOf(price: Price, product: Product, tariff: Tariff): QuantityRange | null {
  const metered = price.usage_type === 'metered'
  const packages = price.transform_quantity?.divide_by
  const bounds = (tariff.tiers ?? []).flatMap(({ up_to: bound }) => (bound === 'inf' ? [] : [bound]))
  const last = bounds.at(-1)
  if (!metered && tariff.tiers === undefined && packages === undefined && product.unit_label === undefined) return null
  const first = metered || packages !== undefined ? firstPaid(tariff, [...bounds, packages ?? 1]) : 1
  const reach = last === undefined ? Math.max(100, (packages ?? 1) * 20, first * 20) : Math.max(10, last * 2)
  return { least: metered ? 0 : 1, most: Math.min(Math.max(reach, first), maxUnits), first }
}

/**
 * Returns the initial quantity of the slider: the first candidate that costs at least 100 minor units. If no candidate does, returns the
 * largest one times a power of ten.
 */
function firstPaid(tariff: Tariff, candidates: readonly number[]): number {
  const enough = (quantity: number) => minorAmount(tariff, quantity) >= 100n
  const bound = candidates.find(enough)
  if (bound !== undefined) return bound
  let quantity = Math.max(...candidates)
  while (!enough(quantity) && quantity * 10 <= maxUnits) quantity *= 10
  return quantity
}

/** Returns the cost of a quantity in minor units, rounded once as the processor does. */
export function minorAmount(tariff: Tariff, quantity: number): bigint {
  return roundHalfUp(exactAmount(tariff, quantity))
}

const monthsIn: Readonly<Record<string, number>> = { month: 1, year: 12 }

/**
 * Returns the monthly equivalent of an amount for a longer period, in minor units, rounded half up. null for a month or a shorter period,
 * and for periods that are no whole number of months.
 */
export function perMonth(minor: bigint, period: Period): bigint | null {
  const [count = '1', unit = period] = period.includes(' ') ? period.split(' ') : ['1', period]
  const months = BigInt(Number(count) * (monthsIn[unit] ?? 0))
  return months < 2n ? null : (2n * minor + months) / (2n * months)
}

/** Returns the unit amount as a canonical decimal in minor units. Null for a tiered price, whose unit amount depends on the quantity. */
export function unitAmountText(tariff: Tariff): string | null {
  return tariff.tiers === undefined ? decimalText(unitAmountOf(tariff)) : null
}

export function tierRows({ tiers = [] }: Tariff): readonly TierRow[] {
  return tiers.map((tier) => ({
    upTo: tier.up_to === 'inf' ? null : tier.up_to,
    unitAmount: decimalText(unitAmountOf(tier)),
    flatAmount: decimalText(flatAmountOf(tier)),
  }))
}

export interface Saving {
  /**
   * Saving in whole per cent, rounded down. It is the largest saving among all products. 0 if nothing is saved, or if nothing can be
   * compared.
   */
  readonly percent: number
  /** True if all comparable products have the same saving. */
  readonly same: boolean
}

/** Returns the saving of a period, e.g. a year at the yearly price compared with twelve months at the monthly price of the same product. */
export function savingOf(products: readonly Product[], period: Period, currency: string): Saving {
  const savings = products.flatMap((product) => {
    const percent = productSaving(product, period, currency)
    return percent === null ? [] : [percent]
  })
  const most = Math.max(0, ...savings)
  return { percent: most, same: savings.every((percent) => percent === most) }
}

function productSaving({ prices = [] }: Product, period: Period, currency: string): number | null {
  const flat = prices.flatMap((price) => {
    const tariff = tariffIn(price, currency)
    const comparable =
      price.interval !== undefined && price.usage_type !== 'metered' && kindOf(price, tariff) === 'money'
    return comparable && tariff?.tiers === undefined && tariff !== null ? [{ period: periodOf(price), tariff }] : []
  })
  const long = flat.find((price) => price.period === period)
  const [short] = flat.sort((a, b) => daysOf(a.period) - daysOf(b.period))
  if (long === undefined || short === undefined) return null
  const times = Math.round(daysOf(period) / daysOf(short.period))
  if (times < 2) return null
  const full = exactAmount(short.tariff, 1) * BigInt(times)
  const paid = exactAmount(long.tariff, 1)
  return full > 0n && paid < full ? Number(((full - paid) * 100n) / full) : 0
}
