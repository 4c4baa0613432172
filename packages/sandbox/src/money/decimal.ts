// Exact decimals for money: bigints scaled by 10^12, which is the precision of the real API. No floating point.

export const scale = 10n ** 12n

/** Parses a decimal: an optional minus sign, digits, and at most 12 decimal places. Throws a RangeError for any other text. */
export function parseDecimal(text: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,12}))?$/.exec(text) ?? []
  if (sign === undefined) throw new RangeError(`"${text.slice(0, 40)}" is not a decimal of at most 12 places`)
  const magnitude = BigInt(whole) * scale + BigInt(fraction.padEnd(12, '0'))
  return sign === '-' ? -magnitude : magnitude
}

/** Returns the shortest text of a decimal, without trailing zeros or negative zero. */
export function decimalText(value: bigint): string {
  const magnitude = value < 0n ? -value : value
  const fraction = (magnitude % scale).toString().padStart(12, '0').replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${magnitude / scale}${fraction === '' ? '' : `.${fraction}`}`
}

/** Divides and rounds half up, i.e. halves towards positive infinity. */
export function divideHalfUp(value: bigint, divisor: bigint): bigint {
  return divideDown(2n * value + divisor, 2n * divisor)
}

/** Divides and rounds down, i.e. towards negative infinity. `divisor` must be positive. */
export function divideDown(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value < 0n && value % divisor !== 0n ? quotient - 1n : quotient
}
