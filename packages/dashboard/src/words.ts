// Formats money, times and numbers in the viewer's language. Amounts stay exact, because Intl gets decimals as text.
import { RatecardError, type PriceDocument } from '@ratecard/client'
import { currencyDecimals, isCurrency } from '../../ratecard/src/money/currencies.ts'
import { formatMinor } from '../../ratecard/src/money/format.ts'

const maxDigits = 14

/** Number formats by currency. Cached, because creating a format costs more than formatting. */
const moneyFormats = new Map<string, Intl.NumberFormat>()

function moneyFormat(currency: keyof typeof currencyDecimals): Intl.NumberFormat {
  const made = moneyFormats.get(currency)
  if (made !== undefined) return made
  const format = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: currencyDecimals[currency],
    maximumFractionDigits: maxDigits,
  })
  moneyFormats.set(currency, format)
  return format
}

/** Formats minor units (a number, or text with decimals) in the viewer's language, e.g. `€12.00` or `12,00 €`. */
export function money(minor: number | string, currency: string): string {
  if (!isCurrency(currency)) return formatMinor(minor, currency)
  // Intl accepts decimal text, but its TypeScript type does not include text yet.
  return moneyFormat(currency).format(shifted(String(minor), currencyDecimals[currency]) as unknown as number)
}

/** Inserts the decimal point into text without rounding: `1234` with two decimals is `12.34`. */
function shifted(text: string, decimals: number): string {
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '0', fraction = ''] = text.slice(sign.length).split('.')
  if (decimals === 0) return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
  const padded = whole.padStart(decimals + 1, '0')
  return `${sign}${padded.slice(0, -decimals)}.${padded.slice(-decimals)}${fraction}`
}

const countFormat = new Intl.NumberFormat()

export const count = (value: number) => countFormat.format(value)

/** Returns a count with its noun: `1 price`, `3 prices`. */
export const pluralize = (value: number, one: string, more = `${one}s`) => `${count(value)} ${value === 1 ? one : more}`

/** Returns the remaining steps of a push or a job with a verb: `1 step is`, `3 steps are`. */
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

const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export const localTime = (at: Date) => timeFormat.format(at)
export const utcTime = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
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

export const kindWords: Readonly<Record<string, string>> = {
  product: 'product',
  price: 'price',
  meter: 'meter',
  coupon: 'coupon',
  promotion_code: 'promotion code',
  webhook: 'webhook',
  feature: 'feature',
}

/** Returns the state of a subscription as a label, e.g. `Past due` for `past_due`. */
export const stateLabel = (state: string) => `${state.charAt(0).toUpperCase()}${state.slice(1).replaceAll('_', ' ')}`

/** Returns a value of a document as one line of text. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '—'
  if (typeof value === 'string') return value === '' ? '“”' : value
  return JSON.stringify(value)
}

export function asError(error: unknown): RatecardError {
  if (error instanceof RatecardError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new RatecardError({ code: 'page_failed', message: `The page failed: ${message}`, cause: error })
}
