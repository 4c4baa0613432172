import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalText } from '../../../packages/ratecard/src/base/money/decimal.ts'
import {
  addFractions,
  compareFractions,
  divideFractions,
  fraction,
  fractionDecimal,
  fractionText,
  multiplyFractions,
  parseFraction,
  subtractFractions,
  sumFractions,
} from '../../../packages/ratecard/src/base/money/fraction.ts'

const fractions = fc
  .tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.bigInt({ min: 1n, max: 10_000n }))
  .map(([above, below]) => fraction(above, below))
const positive = fractions.filter(({ numerator }) => numerator > 0n)

describe('an exact fraction', () => {
  test('is added, multiplied and compared like a rational number', () => {
    fc.assert(
      fc.property(fractions, fractions, fractions, positive, (a, b, c, d) => {
        expect(addFractions(a, b)).toEqual(addFractions(b, a))
        expect(subtractFractions(addFractions(a, b), b)).toEqual(a)
        expect(multiplyFractions(a, addFractions(b, c))).toEqual(
          addFractions(multiplyFractions(a, b), multiplyFractions(a, c)),
        )
        expect(multiplyFractions(divideFractions(a, d), d)).toEqual(a)
        expect(Math.sign(compareFractions(a, b))).toBe(Math.sign(Number(subtractFractions(a, b).numerator)))
      }),
    )
  })

  test('is the same after conversion to text and back', () => {
    fc.assert(
      fc.property(fractions, (value) => {
        expect(parseFraction(fractionText(value))).toEqual(value)
      }),
    )
  })

  test('is added without rounding: twelve months of a yearly price are one year', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), (year) => {
        const months = Array.from({ length: 12 }, () => fraction(year, 12))
        expect(decimalText(fractionDecimal(sumFractions(months)))).toBe(year.toString())
      }),
    )
  })

  test.each(['', '1/0', '1.5', '1/2/3', ' 1', '1/-2'])('cannot be read from the text %j', (text) => {
    expect(() => parseFraction(text)).toThrow(RangeError)
  })
})
