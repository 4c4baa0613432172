// Converts amounts, tiers, currencies and timestamps between the document and the canonical form.
import type { Tier } from '../../document/schema/schema.ts'
import { currencies, type Currency } from '../../base/money/currencies.ts'
import { canonicalDecimal } from '../../base/money/decimal.ts'
import type { CanonicalTier } from '../kinds.ts'
import { Unrepresentable } from './field.ts'

export function isSupportedCurrency(code: string): code is Currency {
  return (currencies as readonly string[]).includes(code)
}

export function supportedCurrency(code: string): Currency {
  if (!isSupportedCurrency(code)) throw new Unrepresentable(`the currency ${code} is not supported`)
  return code
}

export function canonicalTier(tier: Tier): CanonicalTier {
  return {
    upTo: tier.up_to === 'inf' ? null : tier.up_to,
    unitAmount: zeroAsNull(tier.unit_amount_decimal ?? tier.unit_amount),
    flatAmount: zeroAsNull(tier.flat_amount_decimal ?? tier.flat_amount),
  }
}

function zeroAsNull(amount: string | number | undefined): string | null {
  if (amount === undefined) return null
  const canonical = canonicalDecimal(amount)
  return canonical === '0' ? null : canonical
}

/**
 * Converts a canonical amount to the document's form: whole minor units become a number (`1200`), fractions stay decimal text (`"0.5"`).
 */
export function documentAmount(canonical: string): number | string {
  return canonical.includes('.') ? canonical : Number(canonical)
}

export function documentTier(tier: CanonicalTier): Tier {
  const amount = tier.unitAmount === null ? undefined : documentAmount(tier.unitAmount)
  const flat = tier.flatAmount === null ? undefined : documentAmount(tier.flatAmount)
  return {
    up_to: tier.upTo ?? 'inf',
    ...(typeof amount === 'number' ? { unit_amount: amount } : {}),
    ...(typeof amount === 'string' ? { unit_amount_decimal: amount } : {}),
    ...(typeof flat === 'number' ? { flat_amount: flat } : {}),
    ...(typeof flat === 'string' ? { flat_amount_decimal: flat } : {}),
    // Each tier of a document must have a unit amount or a flat amount, so a free tier gets `unit_amount: 0`.
    ...(amount === undefined && flat === undefined ? { unit_amount: 0 } : {}),
  }
}

/** Amounts in additional currencies, by currency code. */
export type AmountsByCurrency = Readonly<Record<string, number>>

const noAmounts: AmountsByCurrency = {}

/** Converts `{ usd: { amount_off: 500 } }` to `{ usd: 500 }`. */
export function canonicalAmounts<Part extends string>(
  options: Readonly<Partial<Record<Currency, { readonly [Key in Part]: number }>>> | undefined,
  part: Part,
): AmountsByCurrency {
  if (options === undefined) return noAmounts
  return Object.fromEntries(
    Object.entries(options).map(([currency, option]: [string, { readonly [Key in Part]: number }]) => [
      currency,
      option[part],
    ]),
  )
}

/** Converts `{ usd: 500 }` back to `{ usd: { amount_off: 500 } }`; undefined if there are no amounts. */
export function documentAmounts<Part extends string>(
  amounts: AmountsByCurrency,
  part: Part,
): Partial<Record<Currency, { [Key in Part]: number }>> | undefined {
  const entries = Object.entries(amounts)
  if (entries.length === 0) return undefined
  return Object.fromEntries(entries.map(([currency, amount]) => [supportedCurrency(currency), { [part]: amount }]))
}

/** True if the live object has a currency that `want` lacks. Stripe allows adding or changing a currency in place, but not removing one. */
export function losesCurrency(want: AmountsByCurrency, live: AmountsByCurrency): boolean {
  return Object.keys(live).some((currency) => want[currency] === undefined)
}

/** Converts Unix seconds to ISO 8601, e.g. `2026-01-31T00:00:00Z`. Milliseconds are left out if they are zero. */
export function documentMoment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}
