// Formats amounts for invoices and hosted pages.

/** Currencies with 0 and with 3 decimal places; all others have 2. Source: docs.stripe.com/currencies. */
const withoutDecimals = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '))
const withThreeDecimals = new Set('bhd jod kwd omr tnd'.split(' '))

const symbols: Readonly<Record<string, string>> = {
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
}

/** Formats an amount in minor units, given as a whole number or as a decimal text: `$10.00`, `CHF 5.00`, `$0.0005`. */
export function formatMinor(amount: string | number, currency: string): string {
  const text = String(amount)
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = text.slice(sign.length).split('.')
  const decimals = withoutDecimals.has(currency) ? 0 : withThreeDecimals.has(currency) ? 3 : 2
  const padded = whole.padStart(decimals + 1, '0')
  const major = padded.slice(0, padded.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',')
  const minor = padded.slice(padded.length - decimals) + fraction
  return `${sign}${symbols[currency] ?? `${currency.toUpperCase()} `}${major}${minor === '' ? '' : `.${minor}`}`
}
