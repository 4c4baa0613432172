// Converts amounts per billing interval to amounts per month. Used for every amount that is shown per month: in the impact of a plan, in
// price migrations, and for the MRR.
import type { Price } from '../schema/schema.ts'
import { fraction, type Fraction } from '../../base/money/fraction.ts'

/** Number of billing intervals in a month, as a fraction: a year has 12 months, 52 weeks or 365 days. */
const intervalsInMonth = {
  day: [365, 12],
  week: [52, 12],
  month: [1, 1],
  year: [1, 12],
} as const satisfies Record<NonNullable<Price['interval']>, readonly [number, number]>

/** Returns the factor that converts the amount of one billing period to that of a month, e.g. 1/3 for a period of 3 months. */
export function monthFactor(interval: NonNullable<Price['interval']>, intervalCount: number): Fraction {
  const [times, parts] = intervalsInMonth[interval]
  return fraction(times, parts * intervalCount)
}
