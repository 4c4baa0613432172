// Formats minor units for a locale. Amounts stay exact, because the formatter gets text and never a float.
import { currencyDecimals, isCurrency } from '../../ratecard/src/money/currencies.ts'
import { canonicalDecimal } from '../../ratecard/src/money/decimal.ts'

/** Formats an amount in minor units without rounding: `1200` of eur is €12.00, `0.05` of usd is $0.0005. */
export function formatMoney(minor: bigint | string, currency: string, locale: string, showCurrency = true): string {
  const text = canonicalDecimal(String(minor))
  // A newer service may use a currency that this script does not list. Guessing the number of decimals would show a wrong price.
  if (!isCurrency(currency)) return `${currency.toUpperCase()} ${text} minor units`
  const decimals = currencyDecimals[currency]
  const [whole = '0', fraction = ''] = text.split('.')
  const padded = whole.padStart(decimals + 1, '0')
  const major = padded.slice(0, padded.length - decimals)
  const places = (padded.slice(padded.length - decimals) + fraction).replace(/0+$/, '')
  const amount = places === '' ? major : `${major}.${places}`
  const format = new Intl.NumberFormat(locale, {
    ...(showCurrency ? { style: 'currency', currency: currency.toUpperCase() } : {}),
    minimumFractionDigits: decimals,
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
