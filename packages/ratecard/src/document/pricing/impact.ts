// Calculates what subscriptions pay a month. It is computed exactly, and rounded half up once at the end. Taxes, trials and metered usage are
// not included; discounts are where the caller takes them off.
import type { Price } from '../schema/schema.ts'
import { fractionOfDecimal, multiplyFractions, roundFraction, type Fraction } from '../../base/money/fraction.ts'
import { formatMinor } from '../../base/money/format.ts'
import { exactAmount, type Tariff } from './calculate.ts'
import { monthFactor } from './month.ts'

export interface BilledPrice extends Tariff {
  /** Currency code in lower case. Amounts in an unsupported currency are shown in minor units. */
  readonly currency: string
  readonly interval: NonNullable<Price['interval']>
  readonly intervalCount: number
}

export interface MonthlyAmount {
  readonly currency: string
  /** Amount in minor units. */
  readonly amount: number
  readonly formatted: string
}

/** Returns the exact amount of a month for a quantity. */
export function exactMonth(price: BilledPrice, quantity: number): Fraction {
  return multiplyFractions(
    fractionOfDecimal(exactAmount(price, quantity)),
    monthFactor(price.interval, price.intervalCount),
  )
}

/** Rounds a sum of exact amounts half up, once. */
export function shownMonth(sum: Fraction, currency: string): MonthlyAmount {
  const rounded = roundFraction(sum)
  return { currency, amount: Number(rounded), formatted: formatMinor(rounded, currency) }
}
