import { isCurrency, currencyDecimals, minimumCharge } from '../money/currencies.ts'
import { compareDecimals, decimalFromInteger, multiplyByInteger, parseDecimal, zero } from '../money/decimal.ts'
import type { Decimal } from '../money/decimal.ts'
import { formatMinor } from '../money/format.ts'
import { named, quoted, warning } from './draft.ts'
import type { Entry, Rule } from './draft.ts'

// A unit of our two-decimal currencies is worth between some 0.05 and 250 yen in its hundredth part; a yen amount of 20 times the
// number of cents was therefore written with two decimals too many. mxn, inr, czk, sek, nok, dkk, hkd and zar are too far from the rest.
const comparable = new Set(['usd', 'eur', 'gbp', 'cad', 'aud', 'nzd', 'chf', 'sgd'])
const suspiciousRatio = 20
/** Without another currency to compare with: ¥100,000 a month, ¥1,000,000 a year. */
const suspiciousAmount = 100_000
const suspiciousYearly = 1_000_000

/** Amounts in a currency without decimals that look as if they had been written with two. */
export const plausibleAmounts: Rule = ({ products }) =>
  products.flatMap(({ prices }) =>
    prices.flatMap((price) => {
      const amount = price.number('amount')
      const currency = price.text('currency') ?? ''
      if (
        amount === undefined ||
        !Number.isSafeInteger(amount) ||
        !isCurrency(currency) ||
        currencyDecimals[currency] > 0
      )
        return []
      if (amount % 100 !== 0 || !looksTooHigh(price, amount, prices)) return []
      const detail = `${named('price', price)} costs ${formatMinor(amount, currency)}: ${quoted(currency)} has no decimals.`
      const hint = `If you mean ${formatMinor(amount / 100, currency)}, write ${amount / 100}.`
      return [warning('amount_suspicious', price.at('amount'), detail, hint)]
    }),
  )

/** Metered and tiered prices add up to an invoice of any size; the others may well be a whole invoice. */
export const chargeableAmounts: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    const field = price.has('amount') ? 'amount' : 'unit_amount_decimal'
    const amount = amountOf(price)
    const currency = price.text('currency') ?? ''
    const least = isCurrency(currency) ? minimumCharge[currency] : undefined
    if (amount === undefined || least === undefined || price.value('usage_type') === 'metered' || price.has('tiers'))
      return []
    if (compareDecimals(amount, zero) <= 0 || compareDecimals(amount, decimalFromInteger(least)) >= 0) return []
    const detail = `${named('price', price)} costs less than ${formatMinor(least, currency)}, the smallest amount the processor charges.`
    return [warning('amount_below_minimum', price.at(field), detail, 'Amounts are in minor units: 1200 is 12.00.')]
  })

function looksTooHigh(price: Entry, amount: number, prices: readonly Entry[]): boolean {
  const others = prices.filter(
    (other) =>
      comparable.has(other.text('currency') ?? '') &&
      other.value('interval') === price.value('interval') &&
      (other.value('interval_count') ?? 1) === (price.value('interval_count') ?? 1) &&
      (other.number('amount') ?? 0) > 0,
  )
  if (others.length > 0) {
    const highest = Math.max(...others.map((other) => other.number('amount') ?? 0))
    return (
      Number.isSafeInteger(highest) &&
      compareDecimals(decimalFromInteger(amount), multiplyByInteger(decimalFromInteger(highest), suspiciousRatio)) >= 0
    )
  }
  return amount >= (price.value('interval') === 'year' ? suspiciousYearly : suspiciousAmount)
}

function amountOf(price: Entry): Decimal | undefined {
  const amount = price.number('amount')
  if (amount !== undefined) return Number.isSafeInteger(amount) ? decimalFromInteger(amount) : undefined
  const text = price.text('unit_amount_decimal')
  return text !== undefined && /^\d{1,12}(\.\d{1,12})?$/.test(text) ? parseDecimal(text) : undefined
}
