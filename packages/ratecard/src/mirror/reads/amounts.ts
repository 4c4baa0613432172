// Amounts as answers contain them: a decimal in minor units as text, and the rounded amount as people read it.
import { decimalText } from '../../money/decimal.ts'
import { formatMinor } from '../../money/format.ts'
import { fraction, fractionDecimal, roundFraction } from '../../money/fraction.ts'
import type { Fraction } from '../../money/fraction.ts'

export type Amount = Fraction | number

/** The amount and its text. Exact until here: the decimal has at most 12 places, and the text whole minor units. */
export function shown(amount: Amount, currency: string): readonly [amount: string, formatted: string] {
  const exact = typeof amount === 'number' ? fraction(amount) : amount
  return [decimalText(fractionDecimal(exact)), formatMinor(roundFraction(exact), currency)]
}

/** Members of a further amount of an object: `churn` and `churnFormatted`. */
export function further<const Name extends string>(name: Name, amount: Amount, currency: string) {
  const [text, formatted] = shown(amount, currency)
  return { [name]: text, [`${name}Formatted`]: formatted } as { readonly [_ in Name | `${Name}Formatted`]: string }
}

/** Members of the leading amount of an object: `mrr` and `formatted`. */
export function leading<const Name extends string>(name: Name, amount: Amount, currency: string) {
  const [text, formatted] = shown(amount, currency)
  return { [name]: text, formatted } as { readonly [_ in Name | 'formatted']: string }
}
