// Formats money, times and numbers in the language of the pages. Amounts stay exact, because Intl gets decimals as text.
import {
  RatecardError,
  type BillingDocument,
  type PriceDocument,
  type ProductDocument,
  type TierDocument,
} from '@ratecard/client'
import { currencyDecimals, isCurrency } from '../../../ratecard/src/base/money/currencies.ts'
import { formatMinor } from '../../../ratecard/src/base/money/format.ts'
import { unitForm } from '../../../ratecard/src/document/pricing/unit-form.ts'

/**
 * Locale of numbers and dates: the language of the pages, so that numbers and words match. Otherwise a browser set to Arabic would show
 * Arabic digits in an English sentence. Times are in the viewer's time zone.
 */
export const pageLocale = 'en'

const maxDigits = 14

/** Number formats by currency. Cached, because creating a format costs more than formatting. */
const moneyFormats = new Map<string, Intl.NumberFormat>()

function moneyFormat(currency: keyof typeof currencyDecimals): Intl.NumberFormat {
  const made = moneyFormats.get(currency)
  if (made !== undefined) return made
  const format = new Intl.NumberFormat(pageLocale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: currencyDecimals[currency],
    maximumFractionDigits: maxDigits,
  })
  moneyFormats.set(currency, format)
  return format
}

/** Formats minor units (a number, or text with decimals) e.g. `€12.00`. */
export function money(minor: number | string, currency: string): string {
  if (!isCurrency(currency)) return formatMinor(minor, currency)
  // Intl accepts decimal text, but its TypeScript type does not include text yet.
  return moneyFormat(currency).format(shifted(String(minor), currencyDecimals[currency]) as unknown as number)
}

/** Formats money for the axis of a chart, in few characters: `€120`, `€0.25`, `€1.2M`. `minor` may have any decimals, and is rounded. */
export function axisMoney(minor: number, currency: string): string {
  if (!isCurrency(currency)) return formatMinor(Math.round(minor), currency)
  const amount = minor / 10 ** currencyDecimals[currency]
  const format = new Intl.NumberFormat(pageLocale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    notation: Math.abs(amount) >= 1e5 ? 'compact' : 'standard',
    minimumFractionDigits: Number.isInteger(amount) || Math.abs(amount) >= 1e5 ? 0 : currencyDecimals[currency],
    maximumFractionDigits: 4,
  })
  return format.format(amount)
}

/** Inserts the decimal point into text without rounding: `1234` with two decimals is `12.34`. */
function shifted(text: string, decimals: number): string {
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '0', fraction = ''] = text.slice(sign.length).split('.')
  if (decimals === 0) return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
  const padded = whole.padStart(decimals + 1, '0')
  return `${sign}${padded.slice(0, -decimals)}.${padded.slice(-decimals)}${fraction}`
}

const countFormat = new Intl.NumberFormat(pageLocale)

export const count = (value: number) => countFormat.format(value)

const percentFormat = new Intl.NumberFormat(pageLocale, {
  style: 'percent',
  signDisplay: 'always',
  maximumFractionDigits: 1,
})

/** Returns a change in per cent: 41.7 is `+41.7%`, −11.1 is `−11.1%` with a minus sign. */
export const percentText = (percent: number) => percentFormat.format(percent / 100).replace('-', '−')

/** Returns a range of units: `1 – 100`, or `101 and more` without a last unit. */
export const tierRange = (from: number, to: number | null) =>
  to === null ? `${count(from)} and more` : `${count(from)} – ${count(to)}`

/** Amounts of a tier in minor units: of each unit, and the flat fee of the tier. */
export const tierAmounts = (tier: TierDocument) => ({
  unit: String(tier.unit_amount_decimal ?? tier.unit_amount ?? 0),
  flat: String(tier.flat_amount_decimal ?? tier.flat_amount ?? 0),
})

export const isZero = (amount: string) => Number(amount) === 0

/** Returns the amounts of a tier: `€0.05 per unit`, `€10.00 flat fee`, or both. */
export function tierAmount(tier: TierDocument, currency: string): string {
  const { unit, flat } = tierAmounts(tier)
  const each = `${money(unit, currency)} per unit`
  if (isZero(flat)) return each
  const fee = `${money(flat, currency)} flat fee`
  return isZero(unit) ? fee : `${each} + ${fee}`
}

/** Formats an amount of a feature: a number, a decimal as text, or `unlimited`. */
export const amount = (value: number | string) =>
  value === 'unlimited' ? value : countFormat.format(value as unknown as number)

type Feature = NonNullable<BillingDocument['features']>[number]
type FeatureLimit = Exclude<NonNullable<ProductDocument['features']>[number], string>

/** Returns a product's limit as its pricing page names it, e.g. `10 projects`, `50 boards per seat` or `5,000 API calls a billing period`. */
export function limitWords(
  { limit, per_quantity: each, resets }: FeatureLimit,
  { name, type, unit }: Feature,
  unitLabel = 'unit',
): string {
  const counted = unitForm(unit, limit, undefined)
  const text = counted === null ? `${name}: ${amount(limit)}` : `${amount(limit)} ${counted}`
  const reset = { billing_period: ' a billing period', month: ' a month', never: ' in total' }[
    resets ?? 'billing_period'
  ]
  return `${text}${each === true ? ` per ${unitLabel}` : ''}${type === 'metered' && limit !== 'unlimited' ? reset : ''}`
}

/** Returns a count with its noun: `1 price`, `3 prices`. */
export const pluralize = (value: number, one: string, more = `${one}s`) => `${count(value)} ${value === 1 ? one : more}`

/** Returns the number of remaining steps of a push or a job with a verb: `1 step is`, `3 steps are`. */
export function remaining(
  { stepsTotal, stepsDone }: { readonly stepsTotal: number; readonly stepsDone: number },
  one = 'step',
  more?: string,
): string {
  const left = stepsTotal - stepsDone
  return `${pluralize(left, one, more)} ${left === 1 ? 'is' : 'are'}`
}

export function period(price: Pick<PriceDocument, 'interval' | 'interval_count'>): string {
  if (price.interval === undefined) return 'once'
  const times = price.interval_count ?? 1
  return times === 1 ? `a ${price.interval}` : `every ${times} ${price.interval}s`
}

/** Returns the amount of one unit, without the period. Null if tiers or the customer decide the amount. */
export function unitAmount(price: PriceDocument): string | null {
  if (price.tiers !== undefined || price.custom_unit_amount !== undefined) return null
  return price.unit_amount_decimal ?? String(price.amount ?? 0)
}

export const isFree = (price: PriceDocument) => {
  const amount = unitAmount(price)
  return amount !== null && /^0(\.0*)?$/.test(amount)
}

const timeFormat = new Intl.DateTimeFormat(pageLocale, { dateStyle: 'medium', timeStyle: 'short' })

const clockFormat = new Intl.DateTimeFormat(pageLocale, { timeStyle: 'medium' })

const dayFormat = new Intl.DateTimeFormat(pageLocale, { dateStyle: 'medium' })

/** Returns the day in the viewer's time zone, e.g. `Nov 23, 2026`. */
export const localDay = (at: Date) => dayFormat.format(at)
export const localTime = (at: Date) => timeFormat.format(at)

const utcDayFormat = new Intl.DateTimeFormat(pageLocale, { dateStyle: 'medium', timeZone: 'UTC' })

/** Returns a day of a document, which is a day in UTC, or a time with its zone: `2026-12-18` is `Dec 18, 2026`. */
export const dayText = (text: string) =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) ? utcDayFormat.format(new Date(text)) : localTime(new Date(text))

/** Returns the time of day, e.g. `3:04:05 PM`. */
export const clockTime = (at: Date) => clockFormat.format(at)
export const utcTime = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

const shortDay = { month: 'short', day: 'numeric' } as const

/**
 * Returns the label of a time on the axis of a chart, which spans `spanMs`: the clock time within two days, the day within two years,
 * otherwise the month.
 */
export function axisTime(at: Date, spanMs: number, timeZone?: 'UTC'): string {
  const days = spanMs / 86_400_000
  const style =
    days <= 2
      ? ({ hour: 'numeric', minute: '2-digit', ...(days <= 1 ? {} : shortDay) } as const)
      : days <= 700
        ? shortDay
        : ({ month: 'short', year: 'numeric' } as const)
  return new Intl.DateTimeFormat(pageLocale, { ...style, timeZone }).format(at)
}

const relative = new Intl.RelativeTimeFormat(pageLocale, { numeric: 'auto' })
const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** Returns a relative time: `3 minutes ago`, `in 2 hours`. Null for times more than 7 days away. */
export function fromNow(at: Date, now: number): string | null {
  const seconds = (at.getTime() - now) / 1000
  if (Math.abs(seconds) > 7 * 86_400) return null
  const step = steps.find(([, size]) => Math.abs(seconds) >= size)
  return step === undefined ? 'just now' : relative.format(Math.round(seconds / step[1]), step[0])
}

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns the state of a subscription as a label, e.g. `Past due` for `past_due`. */
export const stateLabel = (state: string) => capitalized(state.replaceAll('_', ' '))

/** Returns a value of a document as one line of text. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '—'
  if (typeof value === 'string') return value === '' ? '“”' : value
  return JSON.stringify(value)
}

const dealActions: Readonly<Record<string, string>> = {
  apply_template: 'deal applied',
  apply_custom: 'deal applied',
  remove: 'deal removed',
}

/**
 * Returns what happened in words, for an entry of the audit log: `subscription_ended` is `subscription ended`. Actions of deals have names
 * of their own.
 */
export const auditWords = (action: string) => dealActions[action] ?? action.replaceAll(/[._]/g, ' ')

export function asError(error: unknown): RatecardError {
  if (error instanceof RatecardError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new RatecardError({ code: 'page_failed', message: `The page failed: ${message}`, cause: error })
}
