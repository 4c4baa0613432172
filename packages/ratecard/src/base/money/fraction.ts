// Exact fractions for amounts that no decimal can express, e.g. 25/3 for a month of a price of 100 a year. Only `fractionDecimal` and
// `roundFraction` round.
import { decimalFromInteger, divideByInteger, roundQuotientHalfUp, type Decimal } from './decimal.ts'

/** A fraction in lowest terms with a denominator above zero. Create it only with functions of this file. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The number 1 as `Decimal`, i.e. scaled by 10^12. */
const one = decimalFromInteger(1)
const notation = /^(-?\d{1,60})(?:\/(\d{1,60}))?$/

export const zeroFraction: Fraction = { numerator: 0n, denominator: 1n }

/** Creates a fraction in lowest terms. Throws RangeError for a denominator that is not positive. */
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

/** Divides two fractions. Throws RangeError for a divisor that is not positive. */
export function divideFractions(a: Fraction, divisor: Fraction): Fraction {
  return fraction(a.numerator * divisor.denominator, a.denominator * divisor.numerator)
}

/** Compares two fractions, for `Array.prototype.sort`. */
export function compareFractions(a: Fraction, b: Fraction): -1 | 0 | 1 {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator]
  return left < right ? -1 : left > right ? 1 : 0
}

export function sumFractions(values: Iterable<Fraction>): Fraction {
  let sum = zeroFraction
  for (const value of values) sum = addFractions(sum, value)
  return sum
}

/** Converts a fraction to a Decimal, rounded half up to 12 decimals. */
export function fractionDecimal({ numerator, denominator }: Fraction): Decimal {
  return divideByInteger(decimalFromInteger(numerator), denominator)
}

/** Rounds a fraction half up to a whole number. */
export function roundFraction({ numerator, denominator }: Fraction): bigint {
  return roundQuotientHalfUp(decimalFromInteger(numerator), denominator)
}

/** Returns the canonical text that `parseFraction` reads, e.g. `25/3`, or `8` for a whole number. */
export function fractionText({ numerator, denominator }: Fraction): string {
  return denominator === 1n ? numerator.toString() : `${numerator.toString()}/${denominator.toString()}`
}

/** Parses the text that `fractionText` returns. Throws RangeError for other text. */
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
