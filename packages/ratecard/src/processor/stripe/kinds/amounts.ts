// Amounts in Stripe's API: an integer if possible, otherwise a decimal. A request may contain only one of the two members, e.g.
// `unit_amount` or `unit_amount_decimal`.
import { Stripe } from 'stripe'
import { currencies } from '../../../base/money/currencies.ts'
import { canonicalDecimal } from '../../../base/money/decimal.ts'

/**
 * Returns an amount in a reply as canonical decimal; null if the reply has none. Uses `decimal` if possible, because `whole` is null for
 * fractions of a minor unit.
 */
export function observedAmount(whole: number | null, decimal: Stripe.Decimal | string | null): string | null {
  const said = decimal ?? whole
  return said === null ? null : canonicalDecimal(typeof said === 'number' ? said : said.toString())
}

/** Returns the amount of a tier; null for zero. In a tier, an amount of zero and no amount have the same effect. */
export function observedTierAmount(whole: number | null, decimal: Stripe.Decimal | string | null): string | null {
  const amount = observedAmount(whole, decimal)
  return amount === '0' ? null : amount
}

export function unitAmountParams(amount: string): { unit_amount: number } | { unit_amount_decimal: Stripe.Decimal } {
  return isWhole(amount) ? { unit_amount: Number(amount) } : { unit_amount_decimal: Stripe.Decimal.from(amount) }
}

export function flatAmountParams(amount: string): { flat_amount: number } | { flat_amount_decimal: Stripe.Decimal } {
  return isWhole(amount) ? { flat_amount: Number(amount) } : { flat_amount_decimal: Stripe.Decimal.from(amount) }
}

/** True for an integer that a JavaScript number represents exactly (up to 15 digits). */
function isWhole(amount: string): boolean {
  return /^\d{1,15}$/.test(amount)
}

/** Returns the amounts in additional currencies. Stripe's `currency_options` also contain the object's main currency, which is left out. */
export function amountsBeside<Option>(
  own: string | null,
  options: Readonly<Record<string, Option>> | null | undefined,
  amountOf: (option: Option) => number,
): Readonly<Record<string, number>> {
  const others = Object.entries(options ?? {}).filter(([currency]) => currency !== own)
  return Object.fromEntries(others.map(([currency, option]) => [currency, amountOf(option)]))
}

export function inCurrencies<Part extends string>(amounts: Readonly<Record<string, number>>, part: Part) {
  return Object.fromEntries(
    Object.entries(amounts).map(([currency, amount]) => [currency, { [part]: amount }]),
  ) as Record<string, { [Key in Part]: number }>
}

export function isEmpty(map: object): boolean {
  return Object.keys(map).length === 0
}

/** True if `currency_options` contain a currency that Ratecard does not support. */
export function unsupportedCurrency(options: object | null | undefined): boolean {
  return Object.keys(options ?? {}).some((currency) => !currencies.some((one) => one === currency))
}
