import { currencyDecimals, isCurrency, type Currency } from './currencies.ts'
import { canonicalDecimal } from './decimal.ts'

// Prefixes are a fixed table. Intl is not used, because its output depends on the ICU build and the locale, and a plan must have the same
// text everywhere. A currency that is not listed gets its code as prefix, e.g. `CHF `.
const prefixes: Readonly<Partial<Record<Currency, string>>> = {
  usd: '$',
  eur: '€',
  gbp: '£',
  cad: 'CA$',
  aud: 'A$',
  jpy: '¥',
  inr: '₹',
  brl: 'R$',
  mxn: 'MX$',
  sgd: 'S$',
  hkd: 'HK$',
  nzd: 'NZ$',
  ils: '₪',
  krw: '₩',
}

/**
 * Formats an amount in minor units (decimals allowed) without rounding, e.g. `€12.00`, `¥500`, `$1,234.00`, `$0.0005`. The decimals of an
 * unsupported currency are not known, so its amount stays in minor units: `XYZ 1,234 minor units`.
 */
export function formatMinor(amount: string | number | bigint, currency: string): string {
  const text = canonicalDecimal(typeof amount === 'bigint' ? amount.toString() : amount)
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = text.slice(sign.length).split('.')
  if (!isCurrency(currency)) {
    const decimals = fraction === '' ? '' : `.${fraction}`
    return `${sign}${currency.toUpperCase()} ${groupDigits(whole)}${decimals} minor units`
  }
  const decimals = currencyDecimals[currency]
  const padded = whole.padStart(decimals + 1, '0')
  const major = padded.slice(0, padded.length - decimals)
  const minor = padded.slice(padded.length - decimals) + fraction
  const prefix = prefixes[currency] ?? `${currency.toUpperCase()} `
  return `${sign}${prefix}${groupDigits(major)}${minor === '' ? '' : `.${minor}`}`
}

/** Inserts thousands separators: `1234567` → `1,234,567`. */
export function groupDigits(digits: string): string {
  return digits.length <= 3 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

/**
 * Converts an amount in minor units (decimals allowed) to major units, without prefix or separators, e.g. `-1234` in `usd` → `-12.34`. For
 * an unsupported currency the number of decimals is unknown, so its amount stays in minor units.
 */
export function majorUnits(amount: string | number | bigint, currency: string): string {
  const text = canonicalDecimal(typeof amount === 'bigint' ? amount.toString() : amount)
  if (!isCurrency(currency) || currencyDecimals[currency] === 0) return text
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = text.slice(sign.length).split('.')
  const decimals = currencyDecimals[currency]
  const padded = whole.padStart(decimals + 1, '0')
  return `${sign}${padded.slice(0, -decimals)}.${padded.slice(-decimals)}${fraction}`
}

/**
 * Converts text in major units to minor units, e.g. `12.5` in `usd` → 1250. Returns null if the text is no amount above 0, or has more
 * decimals than the currency.
 */
export function minorUnits(text: string, currency: Currency): number | null {
  const decimals = currencyDecimals[currency]
  const [, whole, fraction = ''] = /^(\d{1,10})(?:\.(\d+))?$/.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > decimals) return null
  const amount = Number(whole + fraction.padEnd(decimals, '0'))
  return amount > 0 ? amount : null
}
