// Exact decimals for money: a BigInt scaled by 10^12, the processor's own limit for sub-minor amounts.
// Nothing here ever passes through a float, and nothing rounds but the functions that say so.

declare const brand: unique symbol
/** A decimal with at most 12 places, times 10^12. Compare, add and subtract only through this file. */
export type Decimal = bigint & { readonly [brand]: 'decimal' }

const places = 12
const scale = 10n ** BigInt(places)
const plain = /^(-?)(\d+)(?:\.(\d{1,12}))?$/
const wholeNumber = /^(?:0|[1-9]\d*)$/
const scientific = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/
const scaled = (value: bigint) => value as Decimal

export const zero = scaled(0n)

/** Reads plain notation: an optional sign, digits, at most 12 decimals. Throws RangeError for anything else. */
export function parseDecimal(text: string): Decimal {
  const match = plain.exec(text)
  if (match === null) throw new RangeError(`"${text.slice(0, 40)}" is not a decimal of at most ${places} places`)
  const [, sign, whole = '', fraction = ''] = match
  const magnitude = BigInt(whole) * scale + BigInt(fraction.padEnd(places, '0'))
  return scaled(sign === '-' ? -magnitude : magnitude)
}

/** Takes whole numbers only; throws RangeError for a number with decimals. */
export function decimalFromInteger(value: number | bigint): Decimal {
  return scaled(BigInt(value) * scale)
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  return scaled(a + b)
}

/** Takes whole factors only; throws RangeError for a number with decimals. */
export function multiplyByInteger(value: Decimal, factor: number | bigint): Decimal {
  return scaled(value * BigInt(factor))
}

/** The quotient rounded half up to 12 decimals. For display; amounts that are charged are never divided. */
export function divideByInteger(value: Decimal, divisor: number | bigint): Decimal {
  return scaled(divideHalfUp(value, BigInt(divisor)))
}

/** Negative, zero or positive, as `Array.prototype.sort` wants it. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Half goes up, towards positive infinity. */
export function roundHalfUp(value: Decimal): bigint {
  return divideHalfUp(value, scale)
}

/** The quotient as a whole number, rounded half up: the one rounding of an amount that is a fraction of another. */
export function roundQuotientHalfUp(value: Decimal, divisor: number | bigint): bigint {
  return divideHalfUp(value, scale * BigInt(divisor))
}

/** Canonical text: no trailing zeros, no exponent, no negative zero. */
export function decimalText(value: Decimal): string {
  if (value % scale === 0n) return (value / scale).toString()
  const magnitude: bigint = value < 0n ? 0n - value : value
  const fraction = (magnitude % scale).toString().padStart(places, '0').replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${magnitude / scale}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * The one way to write a decimal: `"0.50"`, `0.5` and `5e-1` are all `"0.5"`. JSON numbers keep the digits of their shortest
 * text, so 33.5 is "33.5". Places are not limited. Throws RangeError when it is no finite decimal.
 */
export function canonicalDecimal(value: string | number): string {
  // What nearly every amount is.
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
  // BigInt division truncates; below zero the floor is wanted, or halves would round away from zero.
  return doubled < 0n && doubled % (2n * divisor) !== 0n ? quotient - 1n : quotient
}
