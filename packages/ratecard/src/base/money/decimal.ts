// Exact decimals for money: a BigInt scaled by 10^12, because Stripe accepts 12 decimals below one minor unit. Values never become floats.
// Only functions with "round" or "divide" in their name round.

declare const brand: unique symbol
/**
 * A decimal number with at most 12 decimal places, stored as its value times 10^12. Use only the functions of this file to compare, add and
 * subtract such numbers.
 */
export type Decimal = bigint & { readonly [brand]: 'decimal' }

const places = 12
const scale = 10n ** BigInt(places)
const plain = /^(-?)(\d+)(?:\.(\d{1,12}))?$/
const wholeNumber = /^(?:0|[1-9]\d*)$/
const scientific = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/
const asDecimal = (value: bigint) => value as Decimal

export const zero = asDecimal(0n)

/** Parses a number in plain notation: an optional sign, digits, at most 12 decimal places. Throws RangeError for other text. */
export function parseDecimal(text: string): Decimal {
  const match = plain.exec(text)
  if (match === null) throw new RangeError(`"${text.slice(0, 40)}" is not a decimal of at most ${places} places`)
  const [, sign, whole = '', fraction = ''] = match
  const magnitude = BigInt(whole) * scale + BigInt(fraction.padEnd(places, '0'))
  return asDecimal(sign === '-' ? -magnitude : magnitude)
}

/** Converts a whole number to a Decimal. Throws RangeError for a number with decimals. */
export function decimalFromInteger(value: number | bigint): Decimal {
  return asDecimal(BigInt(value) * scale)
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  return asDecimal(a + b)
}

/** Multiplies by a whole number. Throws RangeError for a factor with decimals. */
export function multiplyByInteger(value: Decimal, factor: number | bigint): Decimal {
  return asDecimal(value * BigInt(factor))
}

/** Returns the quotient, rounded half up to 12 decimals. For display only; charged amounts are never divided. */
export function divideByInteger(value: Decimal, divisor: number | bigint): Decimal {
  return asDecimal(divideHalfUp(value, BigInt(divisor)))
}

const wholePercent = 100n * scale

/**
 * Returns the value reduced by `percent` per cent, rounded once, half to even. A whole number stays whole (1205 less 50 % is 602). A value
 * with decimals keeps up to 12 decimal places (0.05 less 20 % is 0.04).
 */
export function roundLessPercent(value: Decimal, percent: Decimal): Decimal {
  const exact = value * (wholePercent - percent)
  return value % scale === 0n
    ? asDecimal(divideHalfEven(exact, wholePercent * scale) * scale)
    : asDecimal(divideHalfEven(exact, wholePercent))
}

/** Compares two decimals, for `Array.prototype.sort`. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Rounds to a whole number. Halves are rounded up, i.e. towards positive infinity. */
export function roundHalfUp(value: Decimal): bigint {
  return divideHalfUp(value, scale)
}

/** Divides and rounds half up to a whole number. Rounds only once. */
export function roundQuotientHalfUp(value: Decimal, divisor: number | bigint): bigint {
  return divideHalfUp(value, scale * BigInt(divisor))
}

/** Returns the canonical text: no trailing zeros, no exponent, no negative zero. */
export function decimalText(value: Decimal): string {
  if (value % scale === 0n) return (value / scale).toString()
  const magnitude: bigint = value < 0n ? 0n - value : value
  const fraction = (magnitude % scale).toString().padStart(places, '0').replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${magnitude / scale}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * Converts a decimal to canonical notation: `"0.50"`, `0.5` and `5e-1` become `"0.5"`. A JSON number keeps the digits of its shortest text
 * (33.5 → "33.5"). The number of decimals is not limited. Throws RangeError if the value is no finite decimal.
 */
export function canonicalDecimal(value: string | number): string {
  // Fast path for whole numbers.
  if (Number.isSafeInteger(value) || (typeof value === 'string' && wholeNumber.test(value))) return String(value)
  const match = scientific.exec(String(value))
  if (match === null) throw new RangeError(`"${String(value).slice(0, 40)}" is not a decimal`)
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  const integer = digits.slice(0, Math.max(0, point)).padEnd(Math.max(0, point), '0').replace(/^0+/, '')
  const rest = (point < 0 ? '0'.repeat(-point) + digits : digits.slice(point)).replace(/0+$/, '')
  if (integer === '' && rest === '') return '0'
  return `${sign}${integer === '' ? '0' : integer}${rest === '' ? '' : `.${rest}`}`
}

function divideHalfUp(value: bigint, divisor: bigint): bigint {
  if (divisor <= 0n) throw new RangeError('The divisor must be positive')
  const doubled = 2n * value + divisor
  const quotient = doubled / (2n * divisor)
  // BigInt division rounds towards zero. A negative value must be rounded down instead; otherwise halves would be rounded away from zero.
  return doubled < 0n && doubled % (2n * divisor) !== 0n ? quotient - 1n : quotient
}

/** Divides and rounds half to even. Neither number is negative. */
function divideHalfEven(value: bigint, divisor: bigint): bigint {
  const [quotient, doubled] = [value / divisor, 2n * (value % divisor)]
  const up = doubled > divisor || (doubled === divisor && quotient % 2n === 1n)
  return up ? quotient + 1n : quotient
}
