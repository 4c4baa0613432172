import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fraction, multiplyFractions } from '../../../packages/ratecard/src/base/money/fraction.ts'
import { monthFactor } from '../../../packages/ratecard/src/document/pricing/month.ts'
import { exactMonth, shownMonth } from '../../../packages/ratecard/src/document/pricing/impact.ts'

const intervalsInYear = { day: 365, week: 52, month: 12, year: 1 } as const
const intervals = fc.constantFrom('day', 'week', 'month', 'year')
const counts = fc.integer({ min: 1, max: 1095 })

describe('the factor from a billing interval to a month', () => {
  test('makes twelve months of any interval and count equal to exactly one year', () => {
    fc.assert(
      fc.property(intervals, counts, (interval, count) => {
        const year = multiplyFractions(monthFactor(interval, count), fraction(12 * count))
        expect(year).toEqual(fraction(intervalsInYear[interval]))
      }),
    )
  })

  test('equals the factor in the impact of a plan', () => {
    fc.assert(
      fc.property(intervals, counts, fc.integer({ min: 0, max: 1_000_000 }), (interval, intervalCount, amount) => {
        const { numerator, denominator } = monthFactor(interval, intervalCount)
        const shown = shownMonth(exactMonth({ currency: 'usd', interval, intervalCount, amount }, 1), 'usd').amount
        // Rounded half up: 2 × shown is within one of 2 × exact.
        const distance = 2n * (BigInt(shown) * denominator - BigInt(amount) * numerator)
        expect(distance <= denominator && distance > -denominator).toBe(true)
      }),
    )
  })
})
