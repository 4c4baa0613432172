// Amounts at Stripe: a whole number where it is one, else a decimal. Only one of the two may be sent.
import { Stripe } from 'stripe'
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
