import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addDecimals,
  canonicalDecimal,
  compareDecimals,
  decimalFromInteger,
  decimalText,
  divideByInteger,
  multiplyByInteger,
  parseDecimal,
  roundHalfUp,
} from '../../../packages/ratecard/src/base/money/decimal.ts'

// The reference implementation: a rational of two BigInts, created from the digits without the tested code.
interface Rational {
  readonly numerator: bigint
  readonly denominator: bigint
}
const rational = (text: string): Rational => {
  const [whole = '', fraction = ''] = text.split('.')
  return {
    numerator: BigInt(whole.replace('-', '') + fraction) * (text.startsWith('-') ? -1n : 1n),
    denominator: 10n ** BigInt(fraction.length),
  }
}
const same = (a: Rational, b: Rational) => a.numerator * b.denominator === b.numerator * a.denominator
const floor = ({ numerator, denominator }: Rational) => {
  const quotient = numerator / denominator
  return numerator % denominator < 0n ? quotient - 1n : quotient
}

const digits = (max: number, min = 1) =>
  fc.string({ unit: fc.integer({ min: 0, max: 9 }).map(String), minLength: min, maxLength: max })
const decimalArb = fc
  .tuple(fc.constantFrom('', '-'), digits(20), fc.option(digits(12), { nil: undefined }))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}`)
const integerArb = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })

describe('decimals:', () => {
  test('each value has exactly one notation as text', () => {
    fc.assert(
      fc.property(decimalArb, (text) => {
        const canonical = decimalText(parseDecimal(text))
        expect(same(rational(text), rational(canonical))).toBe(true)
        expect(canonical).toMatch(/^(0|-?[1-9]\d*|-?\d+\.\d*[1-9])$/)
        expect(canonicalDecimal(text)).toBe(canonical)
        expect(canonicalDecimal(canonical)).toBe(canonical)
      }),
    )
  })

  test('sums, products and comparisons equal those of exact fractions', () => {
    fc.assert(
      fc.property(decimalArb, decimalArb, integerArb, (a, b, factor) => {
        const [x, y] = [rational(a), rational(b)]
        const sum = {
          numerator: x.numerator * y.denominator + y.numerator * x.denominator,
          denominator: x.denominator * y.denominator,
        }
        expect(same(rational(decimalText(addDecimals(parseDecimal(a), parseDecimal(b)))), sum)).toBe(true)
        const product = { numerator: x.numerator * factor, denominator: x.denominator }
        expect(same(rational(decimalText(multiplyByInteger(parseDecimal(a), factor))), product)).toBe(true)
        const order = x.numerator * y.denominator - y.numerator * x.denominator
        expect(compareDecimals(parseDecimal(a), parseDecimal(b))).toBe(order < 0n ? -1 : order > 0n ? 1 : 0)
      }),
    )
  })

  test('rounding goes to the nearest whole number, halves up', () => {
    fc.assert(
      fc.property(decimalArb, (text) => {
        const { numerator, denominator } = rational(text)
        expect(roundHalfUp(parseDecimal(text))).toBe(
          floor({ numerator: 2n * numerator + denominator, denominator: 2n * denominator }),
        )
      }),
    )
    expect(
      ['0.5', '1.5', '2.5', '-0.5', '-1.5', '0.499999999999', '-0.500000000001'].map((text) =>
        roundHalfUp(parseDecimal(text)),
      ),
    ).toEqual([1n, 2n, 3n, 0n, -1n, 0n, -1n])
  })

  test('a quotient differs from the exact quotient by at most half of its last digit', () => {
    fc.assert(
      fc.property(decimalArb, fc.bigInt({ min: 1n, max: 10n ** 15n }), (text, divisor) => {
        const x = rational(text)
        const quotient = rational(decimalText(divideByInteger(parseDecimal(text), divisor)))
        const error = quotient.numerator * x.denominator * divisor - x.numerator * quotient.denominator
        const bound = quotient.denominator * x.denominator * divisor
        expect((error < 0n ? -error : error) * 2n * 10n ** 12n <= bound).toBe(true)
      }),
    )
  })

  test('the canonical text of a JSON number is read as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = canonicalDecimal(value)
        expect(text).not.toMatch(/[eE]/)
        expect(Number(text)).toBe(value === 0 ? 0 : value)
      }),
    )
  })

  test.each([
    [33.5, '33.5'],
    [12, '12'],
    [1e-7, '0.0000001'],
    [1e21, '1000000000000000000000'],
    [-0, '0'],
    ['0.50', '0.5'],
    ['007', '7'],
    ['-0.0', '0'],
    ['1.5e3', '1500'],
    ['25e-4', '0.0025'],
  ])('the number %s is written as %s', (value, text) => expect(canonicalDecimal(value)).toBe(text))

  test.each(['', ' 1', '1 ', '1,5', '+1', '.5', '5.', '0x1', '1e', 'NaN', '1_000', '１'])(
    'the text %j is refused',
    (text) => {
      expect(() => canonicalDecimal(text)).toThrow(RangeError)
      expect(() => parseDecimal(text)).toThrow(RangeError)
    },
  )

  test('a value that would lose digits is refused instead of rounded', () => {
    expect(() => parseDecimal('0.1234567890123')).toThrow(RangeError)
    expect(() => decimalFromInteger(0.5)).toThrow(RangeError)
    expect(() => multiplyByInteger(parseDecimal('1'), 0.5)).toThrow(RangeError)
    expect(() => divideByInteger(parseDecimal('1'), 0)).toThrow(RangeError)
    expect(() => canonicalDecimal(Infinity)).toThrow(RangeError)
  })
})
