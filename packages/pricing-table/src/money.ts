// Formats minor units and dates for a locale. Amounts stay exact, because the formatter gets text and never a float.
import { currencyDecimals, isCurrency } from '../../ratecard/src/base/money/currencies.ts'
import { canonicalDecimal, parseDecimal, roundHalfUp } from '../../ratecard/src/base/money/decimal.ts'

export interface MoneyStyle {
  readonly showCurrency?: boolean
  /** True: a whole amount has no decimals, e.g. €14 instead of €14.00. */
  readonly trimsZeros?: boolean
}

/** Formats an amount in minor units without rounding: `1200` of eur is €12.00, `0.05` of usd is $0.0005. */
export function formatMoney(
  minor: bigint | string,
  currency: string,
  locale: string,
  { showCurrency = true, trimsZeros = false }: MoneyStyle = {},
): string {
  const text = canonicalDecimal(String(minor))
  // A newer service may use a currency that this script does not know. A guessed number of decimals would show a wrong price.
  if (!isCurrency(currency)) return `${currency.toUpperCase()} ${text} minor units`
  const decimals = currencyDecimals[currency]
  const [whole = '0', fraction = ''] = text.split('.')
  const padded = whole.padStart(decimals + 1, '0')
  const major = padded.slice(0, padded.length - decimals)
  const places = (padded.slice(padded.length - decimals) + fraction).replace(/0+$/, '')
  const amount = places === '' ? major : `${major}.${places}`
  const format = new Intl.NumberFormat(locale, {
    ...(showCurrency ? { style: 'currency', currency: currency.toUpperCase() } : {}),
    minimumFractionDigits: trimsZeros && /^0*$/.test(places) ? 0 : decimals,
    maximumFractionDigits: Math.max(decimals, places.length),
  })
  return format.format(amount as Intl.StringNumericLiteral)
}

export function formatCount(count: number, locale: string): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(count)
}

/** Formats a whole number of per cent. */
export function formatPercent(percent: number, locale: string): string {
  return new Intl.NumberFormat(locale, { style: 'percent' }).format(percent / 100)
}

/** Formats an exact amount in minor units, rounded to the minor unit. */
export function formatRounded(minor: string, currency: string, locale: string): string {
  return formatMoney(roundHalfUp(parseDecimal(minor)), currency, locale)
}

/** Formats the day of a time (RFC 3339) in the time zone of the browser. */
export function formatDate(time: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(time))
}
