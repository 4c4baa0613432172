import { isCurrency, currencyDecimals, minimumCharge, type Currency } from '../../money/currencies.ts'
import { compareDecimals, decimalFromInteger, parseDecimal, zero, type Decimal } from '../../money/decimal.ts'
import { formatMinor } from '../../money/format.ts'
import { named, quoted, warning, type Entry, type Rule } from './draft.ts'

// True for currencies whose smallest unit (e.g. a US cent) is worth about 1 to 2 yen. A price in yen can be compared with a price in such a
// currency: if the number of yen is at least 20 times the number of cents, it was probably written with two decimals too many.
const comparable: Readonly<Record<Currency, boolean>> = {
  usd: true,
  eur: true,
  gbp: true,
  cad: true,
  aud: true,
  jpy: false,
  inr: false,
  brl: false,
  mxn: false,
  sgd: true,
  hkd: false,
  nzd: true,
  chf: true,
  sek: false,
  dkk: false,
  nok: false,
  pln: false,
  czk: false,
  ils: false,
  zar: false,
}
const suspiciousRatio = 20n
/**
 * A price of this many yen or more is suspicious if the product has no other price to compare it with: ¥100,000 per month, ¥1,000,000 per
 * year.
 */
const suspiciousAmount = 100_000
const suspiciousYearly = 1_000_000

/** Warns about amounts in a currency without decimals that were probably written with two, e.g. `120000` for ¥1,200. */
export const plausibleAmounts: Rule = ({ products }) =>
  products.flatMap(({ prices }) => {
    const twins = highestComparable(prices)
    return prices.flatMap((price) =>
      amountEntries(price).flatMap(({ entry, currency }) => {
        const amount = wholeAmount(entry)
        if (amount === undefined || !isCurrency(currency) || currencyDecimals[currency] > 0) return []
        if (amount % 100 !== 0 || !looksTooHigh(price, amount, twins.get(rhythmOf(price)))) return []
        const detail = `${named('price', price)} costs ${formatMinor(amount, currency)}: ${quoted(currency)} has no decimals.`
        const hint = `If you mean ${formatMinor(amount / 100, currency)}, write ${amount / 100}.`
        return [warning('amount_suspicious', entry.at('amount'), detail, hint)]
      }),
    )
  })

/**
 * Warns about amounts below the processor's minimum charge. Metered and tiered prices are exempt, because the invoice amount depends on the
 * quantity. The amount of any other price can be the total of an invoice.
 */
export const chargeableAmounts: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    if (price.value('usage_type') === 'metered' || price.has('tiers')) return []
    return amountEntries(price).flatMap(({ entry, currency }) => {
      const field = entry.has('amount') ? 'amount' : 'unit_amount_decimal'
      const amount = amountOf(entry)
      const least = isCurrency(currency) ? minimumCharge[currency] : null
      if (amount === undefined || least === null) return []
      if (compareDecimals(amount, zero) <= 0 || compareDecimals(amount, decimalFromInteger(least)) >= 0) return []
      const detail = `${named('price', price)} costs less than ${formatMinor(least, currency)}, the smallest amount the processor charges.`
      return [
        warning(
          'amount_below_minimum',
          entry.at(field),
          detail,
          `Amounts are in minor units: 1200 is ${formatMinor(1200, currency)}.`,
        ),
      ]
    })
  })

function amountEntries(price: Entry): readonly { readonly entry: Entry; readonly currency: string }[] {
  const options = price.child('currency_options')
  const own = price.text('currency') ?? ''
  const others = options.keys().filter((currency) => currency !== own)
  return [{ entry: price, currency: own }, ...others.map((currency) => ({ entry: options.child(currency), currency }))]
}

function looksTooHigh(price: Entry, amount: number, twin: number | undefined): boolean {
  if (twin !== undefined) return BigInt(amount) >= BigInt(twin) * suspiciousRatio
  return amount >= (price.value('interval') === 'year' ? suspiciousYearly : suspiciousAmount)
}

/** Returns the highest amount in a comparable currency, by billing interval. */
function highestComparable(prices: readonly Entry[]): ReadonlyMap<string, number> {
  const highest = new Map<string, number>()
  for (const price of prices)
    for (const { entry, currency } of amountEntries(price)) {
      const amount = wholeAmount(entry)
      if (amount === undefined || amount === 0 || !isComparable(currency)) continue
      highest.set(rhythmOf(price), Math.max(amount, highest.get(rhythmOf(price)) ?? 0))
    }
  return highest
}

function isComparable(currency = ''): boolean {
  return isCurrency(currency) && comparable[currency]
}

function rhythmOf(price: Entry): string {
  return `${price.number('interval_count') ?? 1} ${price.text('interval') ?? ''}`
}

function wholeAmount(price: Entry): number | undefined {
  const amount = price.number('amount')
  return amount !== undefined && Number.isSafeInteger(amount) && amount >= 0 ? amount : undefined
}

function amountOf(price: Entry): Decimal | undefined {
  const amount = price.number('amount')
  if (amount !== undefined) return Number.isSafeInteger(amount) ? decimalFromInteger(amount) : undefined
  const text = price.text('unit_amount_decimal')
  return text !== undefined && /^\d{1,12}(\.\d{1,12})?$/.test(text) ? parseDecimal(text) : undefined
}
