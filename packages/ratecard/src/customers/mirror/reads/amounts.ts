// Formats amounts for responses: as exact decimal text in minor units, and as rounded text for people.
import { decimalText } from '../../../base/money/decimal.ts'
import { formatMinor } from '../../../base/money/format.ts'
import { fraction, fractionDecimal, roundFraction, type Fraction } from '../../../base/money/fraction.ts'

export type Amount = Fraction | number

/**
 * Returns an amount as decimal text and as formatted text. The decimal text is rounded to at most 12 places, and the formatted text to
 * whole minor units (e.g. cents).
 */
export function amountTexts(amount: Amount, currency: string): readonly [amount: string, formatted: string] {
  const exact = typeof amount === 'number' ? fraction(amount) : amount
  return [decimalText(fractionDecimal(exact)), formatMinor(roundFraction(exact), currency)]
}

/**
 * Returns an amount as two members: the decimal text under `name` (e.g. `churn`), and the formatted text (e.g. `churnFormatted`). For
 * amounts that are not the main amount of an object.
 */
export function furtherAmount<const Name extends string>(name: Name, amount: Amount, currency: string) {
  const [text, formatted] = amountTexts(amount, currency)
  return { [name]: text, [`${name}Formatted`]: formatted } as { readonly [_ in Name | `${Name}Formatted`]: string }
}

/** Returns two members for the main amount of an object: the decimal text under `name` (e.g. `mrr`), and `formatted` (e.g. `€12.00`). */
export function mainAmount<const Name extends string>(name: Name, amount: Amount, currency: string) {
  const [text, formatted] = amountTexts(amount, currency)
  return { [name]: text, formatted } as { readonly [_ in Name | 'formatted']: string }
}
