import { chargeStep, isCurrency, minimumCharge, type Currency } from '../../base/money/currencies.ts'
import { compareDecimals, decimalFromInteger, parseDecimal, zero, type Decimal } from '../../base/money/decimal.ts'
import { formatMinor } from '../../base/money/format.ts'
import type { Issue } from '../../base/errors/issue.ts'
import { entryName, errorIssue, quoteValue, warningIssue, type Entry, type Rule } from './draft.ts'

// Currencies whose smallest unit (e.g. a US cent) is worth about 1 to 2 yen. A price in yen can be compared with a price in such a currency:
// if the number of yen is at least 20 times the number of cents, it was probably written with two decimals too many.
const comparable: ReadonlySet<string> = new Set<Currency>(['usd', 'eur', 'gbp', 'cad', 'aud', 'sgd', 'nzd', 'chf'])
/** For each currency without decimals: the number of units that are worth about one yen, rounded to 1, 2 or 5 times a power of ten. */
const unitsPerYen: Readonly<Partial<Record<Currency, number>>> = {
  bif: 20,
  clp: 5,
  djf: 1,
  gnf: 50,
  jpy: 1,
  kmf: 2,
  krw: 10,
  mga: 20,
  pyg: 50,
  rwf: 10,
  vnd: 200,
  vuv: 1,
  xaf: 5,
  xof: 5,
  xpf: 1,
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
        const units = isCurrency(currency) ? unitsPerYen[currency] : undefined
        if (amount === undefined || units === undefined || amount % 100 !== 0) return []
        if (!looksTooHigh(price, Math.floor(amount / units), twins.get(rhythmOf(price)))) return []
        const detail = `${entryName('price', price)} costs ${formatMinor(amount, currency)}: ${quoteValue(currency)} has no decimals.`
        const hint = `If you mean ${formatMinor(amount / 100, currency)}, write ${amount / 100}.`
        return [warningIssue('amount_suspicious', entry.at('amount'), detail, hint)]
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
      const least = isCurrency(currency) ? minimumCharge[currency] : undefined
      if (amount === undefined || least === undefined) return []
      if (compareDecimals(amount, zero) <= 0 || compareDecimals(amount, decimalFromInteger(least)) >= 0) return []
      const detail = `${entryName('price', price)} costs less than ${formatMinor(least, currency)}, the smallest amount the processor charges.`
      return [
        warningIssue(
          'amount_below_minimum',
          entry.at(field),
          detail,
          `Amounts are in minor units: 1200 is ${formatMinor(1200, currency)}.`,
        ),
      ]
    })
  })

/**
 * Checks the amounts of currencies in which the processor only accepts charges that are multiples of ten or of a hundred minor units; e.g.
 * it refuses 5.124 KWD. It checks amounts that a charge can consist of: of a licensed price, and fixed amounts of tiers and discounts. For
 * an adopted object it only warns, because the amount at the processor cannot be changed.
 */
export const amountsInSteps: Rule = ({ prices, coupons }) => [
  ...prices.flatMap((price) =>
    amountEntries(price).flatMap(({ entry, currency }) => [
      ...(price.value('usage_type') === 'metered' ? [] : offStep(price, entry, 'amount', currency)),
      ...entry.entries('tiers').flatMap((tier) => offStep(price, tier, 'flat_amount', currency)),
    ]),
  ),
  ...coupons.flatMap((coupon) =>
    amountEntries(coupon).flatMap(({ entry, currency }) => offStep(coupon, entry, 'amount_off', currency)),
  ),
]

function offStep(item: Entry, entry: Entry, field: string, currency: string): readonly Issue[] {
  const step = isCurrency(currency) ? chargeStep[currency] : undefined
  const amount = entry.number(field)
  if (step === undefined || amount === undefined || !Number.isSafeInteger(amount) || amount % step === 0) return []
  const report = item.has('processor_id') ? warningIssue : errorIssue
  const near = Math.round(amount / step) * step
  const detail = `${formatMinor(amount, currency)} cannot be charged: the processor takes amounts in ${quoteValue(currency)} only in steps of ${formatMinor(step, currency)}.`
  return [
    report('amount_not_chargeable', entry.at(field), detail, `Write ${near}, which is ${formatMinor(near, currency)}.`),
  ]
}

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

/** Returns the highest amount in a currency that can be compared with yen, by billing interval. */
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
  return comparable.has(currency)
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
