// Monthly revenue of subscriptions at list price: exact, rounded half up once, at the end. Excludes discounts, taxes, trials and metered
// usage.
import type { Price } from '../config/schema/schema.ts'
import { addDecimals, multiplyByInteger, roundQuotientHalfUp, zero } from '../money/decimal.ts'
import { formatMinor } from '../money/format.ts'
import { exactAmount } from './calculate.ts'
import type { Tariff } from './calculate.ts'
import { monthFactor } from './month.ts'

export interface BilledPrice extends Tariff {
  /** Lower case. Amounts in an unsupported currency are shown in minor units. */
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

/** Monthly revenue of subscription items on one price with the given quantities. */
export function monthlyAmount(price: BilledPrice, quantities: readonly number[]): MonthlyAmount {
  const each = quantities.reduce((sum, quantity) => addDecimals(sum, exactAmount(price, quantity)), zero)
  const { numerator, denominator } = monthFactor(price.interval, price.intervalCount)
  const rounded = roundQuotientHalfUp(multiplyByInteger(each, numerator), denominator)
  return { currency: price.currency, amount: Number(rounded), formatted: formatMinor(rounded, price.currency) }
}
