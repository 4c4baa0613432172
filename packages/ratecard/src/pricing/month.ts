// Conversion of a billing interval to a month, for every figure that is shown a month: the impact of a plan, price migrations, the MRR.
import type { Price } from '../config/schema/schema.ts'
import { fraction } from '../money/fraction.ts'
import type { Fraction } from '../money/fraction.ts'

/** Number of intervals in a month, as a fraction: a year has 12 months, 52 weeks and 365 days. */
const intervalsInMonth = {
  day: [365, 12],
  week: [52, 12],
  month: [1, 1],
  year: [1, 12],
} as const satisfies Record<NonNullable<Price['interval']>, readonly [number, number]>

/** Factor from the amount of one billing period to the amount of a month, e.g. 1/3 for `month` and 3. */
export function monthFactor(interval: NonNullable<Price['interval']>, intervalCount: number): Fraction {
  const [times, parts] = intervalsInMonth[interval]
  return fraction(times, parts * intervalCount)
}
