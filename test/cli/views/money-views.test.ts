import { describe, expect, it } from 'vitest'
import { moneyCsv } from '../../../packages/ratecard/src/cli/views/money-csv.ts'
import { sparkline } from '../../../packages/ratecard/src/cli/views/text/sparkline.ts'
import { majorUnits } from '../../../packages/ratecard/src/base/money/format.ts'

describe('a sparkline on the command line', () => {
  it('has one bar per value, whose height is proportional to the value', () => {
    expect(sparkline([0, 50, 100])).toBe('▁▅█')
    expect(sparkline([7, 7])).toBe('██')
    expect(sparkline([0, 0])).toBe('▁▁')
  })

  it('has at most 60 bars, which show averages if there are more than 60 values', () => {
    expect(sparkline(Array.from({ length: 365 }, (_, day) => day))).toHaveLength(60)
  })
})

it('amounts in major units keep each digit, and have no thousands separators', () => {
  expect(majorUnits('123456789', 'usd')).toBe('1234567.89')
  expect(majorUnits('-5', 'usd')).toBe('-0.05')
  expect(majorUnits('833.333333333333', 'eur')).toBe('8.33333333333333')
  expect(majorUnits('1200', 'jpy')).toBe('1200')
})

it('the CSV of daily amounts starts with a header line and gives amounts in major units', () => {
  const amounts = {
    ...{ mrr: '120000', usageLastPeriod: '50', new: '20000', expansion: '0', contraction: '0', churn: '1050' },
    ...{ reactivation: '0', pastDue: '4000' },
  }
  const days = [{ day: '2026-01-31', currency: 'usd', byProduct: [], ...amounts }] as unknown as Parameters<
    typeof moneyCsv
  >[0]['days']
  expect(moneyCsv({ asOf: '2026-02-01T00:00:00Z', days, pushes: [] })).toBe(
    [
      'day,currency,mrr,usage_last_period,new,expansion,contraction,churn,reactivation,past_due',
      '2026-01-31,usd,1200.00,0.50,200.00,0.00,0.00,10.50,0.00,40.00',
      '',
    ].join('\n'),
  )
})
