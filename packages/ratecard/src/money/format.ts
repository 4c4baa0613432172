import { currencyDecimals, isCurrency } from './currencies.ts'
import type { Currency } from './currencies.ts'
import { canonicalDecimal } from './decimal.ts'

// A fixed table instead of Intl, because the output of Intl depends on the ICU build and the locale. A plan must print the same text
// everywhere.
const prefixes: Readonly<Record<Currency, string>> = {
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
  chf: 'CHF ',
  sek: 'SEK ',
  dkk: 'DKK ',
  nok: 'NOK ',
  pln: 'PLN ',
  czk: 'CZK ',
  ils: '₪',
  zar: 'ZAR ',
}

/**
 * Formats an amount in minor units (decimals allowed) without rounding, e.g. `€12.00`, `¥500`, `$1,234.00`, `$0.0005`. The decimals of an
 * unsupported currency are not known, so its amount stays in minor units: `KWD 1,234 minor units`.
 */
export function formatMinor(amount: string | number | bigint, currency: string): string {
  const text = canonicalDecimal(typeof amount === 'bigint' ? amount.toString() : amount)
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = text.slice(sign.length).split('.')
  if (!isCurrency(currency)) {
    const decimals = fraction === '' ? '' : `.${fraction}`
    return `${sign}${currency.toUpperCase()} ${grouped(whole)}${decimals} minor units`
  }
  const decimals = currencyDecimals[currency]
  const padded = whole.padStart(decimals + 1, '0')
  const major = padded.slice(0, padded.length - decimals)
  const minor = padded.slice(padded.length - decimals) + fraction
  return `${sign}${prefixes[currency]}${grouped(major)}${minor === '' ? '' : `.${minor}`}`
}

/** Inserts thousands separators: `1234567` → `1,234,567`. */
function grouped(digits: string): string {
  return digits.length <= 3 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

/**
 * Converts an amount in minor units (decimals allowed) to units of the currency, without prefix or separators, e.g. `-1234` in `usd` →
 * `-12.34`. The decimals of an unsupported currency are not known, so its amount stays in minor units.
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
