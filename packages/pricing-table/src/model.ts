// What a table shows, decided from the public price list and the chosen interval and currency. Pure: no page, no network.
import { exactAmount } from '../../ratecard/src/pricing/calculate.ts'
import type { Tariff } from '../../ratecard/src/pricing/calculate.ts'
import type { Price, Product } from '../../ratecard/src/config/schema.ts'
import { roundHalfUp } from '../../ratecard/src/money/decimal.ts'

/** `month`, `year`, `3 month` … or `once`. */
export type Period = string

export interface Choice {
  readonly period: Period
  readonly currency: string
}

export interface Offer {
  readonly price: Price
  readonly period: Period
  /** In the chosen currency; null when the price is not offered in it. */
  readonly tariff: Tariff | null
  /** Whether a quantity changes what is paid, so that a slider says something. */
  readonly scales: boolean
  /** Largest quantity of the slider. */
  readonly reach: number
}

export interface Card {
  readonly product: Product
  readonly offers: readonly Offer[]
}

export interface Table {
  readonly periods: readonly Period[]
  readonly currencies: readonly string[]
  readonly cards: readonly Card[]
}

const known = ['once', 'day', 'week', 'month', 'year']

export function periodOf(price: Pick<Price, 'interval' | 'interval_count'>): Period {
  if (price.interval === undefined) return 'once'
  const count = price.interval_count ?? 1
  return count === 1 ? price.interval : `${String(count)} ${price.interval}`
}

/** Products in the order of their `sort_order`, then as they stand; limited to `only` when it names some. */
export function orderedProducts(products: readonly Product[], only: readonly string[] = []): readonly Product[] {
  const wanted = only.length === 0 ? products : products.filter(({ id }) => only.includes(id))
  const place = (product: Product) => product.ui?.sort_order ?? Number.MAX_SAFE_INTEGER
  return [...wanted].sort((a, b) => place(a) - place(b))
}

/** The price in a currency of its own or of its options; null when it is not offered in it. */
export function tariffIn(price: Price, currency: string): Tariff | null {
  if (price.currency === currency) return price
  const option = price.currency_options?.[currency]
  if (option === undefined) return null
  return {
    ...option,
    ...(price.tiers_mode === undefined ? {} : { tiers_mode: price.tiers_mode }),
    ...(price.transform_quantity === undefined ? {} : { transform_quantity: price.transform_quantity }),
  }
}

/** Periods and currencies to choose from, in a steady order: short periods first, currencies as the price list names them. */
export function choicesOf(products: readonly Product[]): { readonly periods: Period[]; readonly currencies: string[] } {
  const prices = products.flatMap((product) => product.prices ?? [])
  const periods = [...new Set(prices.filter((price) => price.interval !== undefined).map(periodOf))]
  const currencies = [
    ...new Set(prices.flatMap((price) => [price.currency, ...Object.keys(price.currency_options ?? {})])),
  ]
  return { periods: periods.sort((a, b) => lengthOf(a) - lengthOf(b)), currencies }
}

const days: Readonly<Record<string, number>> = { once: 0, day: 1, week: 7, month: 30, year: 365 }

function lengthOf(period: Period): number {
  const [count = '1', unit = period] = period.includes(' ') ? period.split(' ') : ['1', period]
  return Number(count) * (days[unit] ?? known.length)
}

/** The table for a choice. A product keeps its place when it has nothing of the period: then all of its prices are shown. */
export function tableOf(products: readonly Product[], choice: Choice, only: readonly string[] = []): Table {
  const ordered = orderedProducts(products, only)
  const { periods, currencies } = choicesOf(ordered)
  return { periods, currencies, cards: ordered.map((product) => cardOf(product, choice)) }
}

function cardOf(product: Product, { period, currency }: Choice): Card {
  const all = (product.prices ?? []).map((price) => offerOf(price, currency))
  const fitting = all.filter((offer) => offer.period === period || offer.period === 'once')
  const shown = fitting.length > 0 ? fitting : all
  // What is sold in the chosen currency goes before what is not.
  return { product, offers: [...shown.filter(({ tariff }) => tariff !== null), ...shown.filter(({ tariff }) => tariff === null)] }
}

function offerOf(price: Price, currency: string): Offer {
  const tariff = tariffIn(price, currency)
  const { tiers } = price
  const last = tiers?.flatMap(({ up_to }) => (up_to === 'inf' ? [] : [up_to])).at(-1)
  const divided = price.transform_quantity?.divide_by
  return {
    price,
    period: periodOf(price),
    tariff,
    scales: tiers !== undefined || divided !== undefined || (price.usage_type === 'metered' && !isFree(price)),
    reach: Math.min(last === undefined ? (divided ?? 1) * 10 : Math.max(10, last * 2), 1_000_000_000),
  }
}

export function isFree(price: Price): boolean {
  return price.tiers === undefined && price.amount === 0
}

/** Free, and with no interval to subscribe to: the seller wants to be asked. */
export function isOnRequest(price: Price): boolean {
  return price.interval === undefined && (isFree(price) || price.custom_unit_amount !== undefined)
}

/** What a quantity costs in minor units, rounded once as the processor does. */
export function minorAmount(tariff: Tariff, quantity: number): bigint {
  return roundHalfUp(exactAmount(tariff, quantity))
}

/**
 * How much less a whole year costs in the longer of two periods, in whole per cent, rounded down; the largest over the products.
 * 0 when nothing is saved, or nothing can be compared.
 */
export function savingOf(products: readonly Product[], period: Period, currency: string): number {
  const savings = products.flatMap((product) => {
    const flat = (product.prices ?? []).filter(
      (price) => price.interval !== undefined && price.tiers === undefined && price.usage_type !== 'metered',
    )
    const long = flat.find((price) => periodOf(price) === period)
    const short = flat
      .filter((price) => lengthOf(periodOf(price)) < lengthOf(period))
      .sort((a, b) => lengthOf(periodOf(b)) - lengthOf(periodOf(a)))
      .at(0)
    if (long === undefined || short === undefined) return []
    const [longTariff, shortTariff] = [tariffIn(long, currency), tariffIn(short, currency)]
    if (longTariff === null || shortTariff === null) return []
    const times = BigInt(Math.round(lengthOf(period) / lengthOf(periodOf(short))))
    const [one, many] = [exactAmount(longTariff, 1), exactAmount(shortTariff, 1) * times]
    return many > one && many > 0n ? [Number(((many - one) * 100n) / many)] : []
  })
  return Math.max(0, ...savings)
}
