// Exact fractions for amounts that no decimal can express, e.g. a month of a yearly price of 100: 25/3. Only `fractionDecimal` and
// `roundFraction` round.
import { decimalFromInteger, divideByInteger, roundQuotientHalfUp } from './decimal.ts'
import type { Decimal } from './decimal.ts'

/** In lowest terms, with a denominator above zero. Make one only with functions of this file. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** A `Decimal` of 1, which is scaled. */
const one = decimalFromInteger(1)
const notation = /^(-?\d{1,60})(?:\/(\d{1,60}))?$/

export const zeroFraction: Fraction = { numerator: 0n, denominator: 1n }

/** Throws RangeError for a denominator that is not positive. */
export function fraction(numerator: bigint | number, denominator: bigint | number = 1n): Fraction {
  const [above, below] = [BigInt(numerator), BigInt(denominator)]
  if (below <= 0n) throw new RangeError('The denominator must be positive')
  const divisor = greatestCommonDivisor(above < 0n ? -above : above, below)
  return { numerator: above / divisor, denominator: below / divisor }
}

export function fractionOfDecimal(value: Decimal): Fraction {
  return fraction(value, one)
}

export function addFractions(a: Fraction, b: Fraction): Fraction {
  if (a.denominator === b.denominator) return fraction(a.numerator + b.numerator, a.denominator)
  return fraction(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
}

export function subtractFractions(a: Fraction, b: Fraction): Fraction {
  return addFractions(a, { numerator: -b.numerator, denominator: b.denominator })
}

export function multiplyFractions(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.numerator, a.denominator * b.denominator)
}

/** Throws RangeError for a divisor that is not positive. */
export function divideFractions(a: Fraction, divisor: Fraction): Fraction {
  return fraction(a.numerator * divisor.denominator, a.denominator * divisor.numerator)
}

/** Comparison result for `Array.prototype.sort`. */
export function compareFractions(a: Fraction, b: Fraction): -1 | 0 | 1 {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator]
  return left < right ? -1 : left > right ? 1 : 0
}

export function sumFractions(values: Iterable<Fraction>): Fraction {
  let sum = zeroFraction
  for (const value of values) sum = addFractions(sum, value)
  return sum
}

/** The value, rounded half up to 12 decimals. */
export function fractionDecimal({ numerator, denominator }: Fraction): Decimal {
  return divideByInteger(decimalFromInteger(numerator), denominator)
}

/** The value as a whole number, rounded half up. */
export function roundFraction({ numerator, denominator }: Fraction): bigint {
  return roundQuotientHalfUp(decimalFromInteger(numerator), denominator)
}

/** Canonical text that `parseFraction` reads, e.g. `25/3`, or `8` for a whole number. */
export function fractionText({ numerator, denominator }: Fraction): string {
  return denominator === 1n ? numerator.toString() : `${numerator.toString()}/${denominator.toString()}`
}

/** Throws RangeError for other text. */
export function parseFraction(text: string): Fraction {
  const [, above, below = '1'] = notation.exec(text) ?? []
  if (above === undefined) throw new RangeError(`"${text.slice(0, 40)}" is not a fraction`)
  return fraction(BigInt(above), BigInt(below))
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
