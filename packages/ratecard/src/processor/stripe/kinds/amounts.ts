// Amounts at Stripe: a whole number where it is one, else a decimal. Only one of the two may be sent.
import { Stripe } from 'stripe'
import { currencies } from '../../../money/currencies.ts'
import { canonicalDecimal } from '../../../money/decimal.ts'

/** What an API answer says of one amount; null when it says none. The decimal is exact, the integer null for fractions. */
export function observedAmount(whole: number | null, decimal: Stripe.Decimal | string | null): string | null {
  const said = decimal ?? whole
  return said === null ? null : canonicalDecimal(typeof said === 'number' ? said : said.toString())
}

/** In a tier no amount and an amount of zero cost the same. */
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

/** Whole and small enough to be an exact JavaScript number. */
function isWhole(amount: string): boolean {
  return /^\d{1,15}$/.test(amount)
}

/** Amounts in the currencies beside an object's own, which is among them at Stripe. */
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

/** Whether there is an amount in a currency that we do not support. */
export function unsupportedCurrency(options: object | null | undefined): boolean {
  return Object.keys(options ?? {}).some((currency) => !currencies.some((one) => one === currency))
}
