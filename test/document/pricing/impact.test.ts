import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sumFractions } from '../../../packages/ratecard/src/base/money/fraction.ts'
import { exactMonth, shownMonth, type BilledPrice } from '../../../packages/ratecard/src/document/pricing/impact.ts'

/** What quantities of a price cost a month in all. */
const monthlyAmount = (price: BilledPrice, quantities: readonly number[]) =>
  shownMonth(sumFractions(quantities.map((quantity) => exactMonth(price, quantity))), price.currency)

const usd = (rest: Partial<BilledPrice>): BilledPrice => ({
  currency: 'usd',
  interval: 'month',
  intervalCount: 1,
  amount: 9900,
  ...rest,
})

describe('the monthly amount of subscriptions', () => {
  test.each([
    ['month', 1, 990_00, 990_00],
    ['month', 3, 1_00, 33],
    ['year', 1, 120_00, 10_00],
    ['year', 2, 1_00, 4],
    ['week', 1, 7_00, 30_33],
    ['week', 2, 7_00, 15_17],
    ['day', 1, 12, 365],
    ['day', 30, 12_00, 12_17],
  ] as const)('is, for a price per %s × %i of %i: %i', (interval, intervalCount, amount, monthly) => {
    expect(monthlyAmount(usd({ interval, intervalCount, amount }), [1])).toMatchObject({ amount: monthly })
  })

  test('is the sum over all quantities, with a formatted text', () => {
    expect(monthlyAmount(usd({}), [1, 11])).toEqual({ currency: 'usd', amount: 118_800, formatted: '$1,188.00' })
  })

  test('is rounded once, half up, after the sum, so that thirds of cents add up to whole cents', () => {
    const quarterly = usd({ intervalCount: 3, amount: 1 })
    expect(monthlyAmount(quarterly, [1]).amount).toBe(0)
    expect(monthlyAmount(quarterly, [1, 1, 1]).amount).toBe(1)
    expect(monthlyAmount(usd({ intervalCount: 2, amount: 1 }), [1]).amount).toBe(1)
  })

  test('is calculated for each quantity separately if the price has tiers', () => {
    const graduated: BilledPrice = {
      currency: 'jpy',
      interval: 'year',
      intervalCount: 1,
      tiers: [
        { up_to: 5, unit_amount: 1200, flat_amount: 600 },
        { up_to: 'inf', unit_amount: 600 },
      ],
      tiers_mode: 'graduated',
    }
    // A twelfth of (600 + 5 × 1200 + 2 × 600) + (600 + 3 × 1200).
    expect(monthlyAmount(graduated, [7, 3])).toEqual({ currency: 'jpy', amount: 1000, formatted: '¥1,000' })
  })

  test('keeps fractions of minor units exactly', () => {
    const { amount: _amount, ...priced } = usd({ unit_amount_decimal: '0.333333333333' })
    expect(monthlyAmount(priced, [3_000_000]).amount).toBe(1_000_000)
  })

  test('differs from the exact amount by at most half a minor unit, for any interval', () => {
    const intervals = { day: 365 / 12, week: 52 / 12, month: 1, year: 1 / 12 } as const
    fc.assert(
      fc.property(
        fc.constantFrom('day', 'week', 'month', 'year'),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 5 }),
        (interval, intervalCount, amount, quantities) => {
          const exact =
            (quantities.reduce((sum, quantity) => sum + quantity, 0) * amount * intervals[interval]) / intervalCount
          const told = monthlyAmount(usd({ interval, intervalCount, amount }), quantities).amount
          expect(Math.abs(told - exact)).toBeLessThan(0.5 + exact * 1e-12 + 1e-6)
        },
      ),
    )
  })
})
