// What subscriptions bring in a month at their list price: exact, one rounding, half up, at the end.
// Discounts, taxes, trials and metered usage are not in it.
import type { Price } from '../config/schema/schema.ts'
import { addDecimals, multiplyByInteger, roundQuotientHalfUp, zero } from '../money/decimal.ts'
import { formatMinor } from '../money/format.ts'
import { exactAmount } from './calculate.ts'
import type { Tariff } from './calculate.ts'

export interface BilledPrice extends Tariff {
  /** Lower case; currencies beyond the supported ones are shown in minor units. */
  readonly currency: string
  readonly interval: NonNullable<Price['interval']>
  readonly intervalCount: number
}

export interface MonthlyAmount {
  readonly currency: string
  /** Minor units. */
  readonly amount: number
  readonly formatted: string
}

/** Months as a fraction of each interval's money: a year is 12 of them, and 365 days. */
const monthsOf = {
  day: [365, 12],
  week: [365, 84],
  month: [1, 1],
  year: [1, 12],
} as const satisfies Record<BilledPrice['interval'], readonly [number, number]>

/** The money a month of subscription items on one price, with these quantities. */
export function monthlyAmount(price: BilledPrice, quantities: readonly number[]): MonthlyAmount {
  const each = quantities.reduce((sum, quantity) => addDecimals(sum, exactAmount(price, quantity)), zero)
  const [times, parts] = monthsOf[price.interval]
  const rounded = roundQuotientHalfUp(multiplyByInteger(each, times), parts * price.intervalCount)
  return { currency: price.currency, amount: Number(rounded), formatted: formatMinor(rounded, price.currency) }
}
