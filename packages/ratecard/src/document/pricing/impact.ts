// Calculates the monthly revenue of subscriptions at list price. It is computed exactly, and rounded half up once at the end. Discounts,
// taxes, trials and metered usage are not included.
import type { Price } from '../schema/schema.ts'
import { addDecimals, multiplyByInteger, roundQuotientHalfUp, zero } from '../../base/money/decimal.ts'
import { formatMinor } from '../../base/money/format.ts'
import { exactAmount } from './calculate.ts'
import type { Tariff } from './calculate.ts'
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

/** Returns the monthly revenue of subscription items on one price. `quantities` contains the quantity of each item. */
export function monthlyAmount(price: BilledPrice, quantities: readonly number[]): MonthlyAmount {
  const each = quantities.reduce((sum, quantity) => addDecimals(sum, exactAmount(price, quantity)), zero)
  const { numerator, denominator } = monthFactor(price.interval, price.intervalCount)
  const rounded = roundQuotientHalfUp(multiplyByInteger(each, numerator), denominator)
  return { currency: price.currency, amount: Number(rounded), formatted: formatMinor(rounded, price.currency) }
}
