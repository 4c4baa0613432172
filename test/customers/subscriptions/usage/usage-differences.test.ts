// What the nightly comparison of usage calls a difference.
import { describe, expect, test } from 'vitest'
import {
  daysToCompare,
  usageDiffers,
} from '../../../../packages/ratecard/src/customers/subscriptions/usage/usage-differences.ts'

const none = { reports: 0, sum: 0 }
const at = (text: string) => Date.parse(`${text}Z`)

describe('a comparison of recorded usage with the processor’s count', () => {
  test.each([
    ['sum', 10, 10, none, false],
    ['sum', 10, 9, none, true],
    ['sum', 9, 10, none, true],
    ['count', 3, 4, none, true],
    ['last', 5, 5, none, false],
    ['last', 5, 4, none, true],
  ] as const)(
    'by the formula %s, of %d here and %d at the processor, with %j unconfirmed, finds a difference: %s',
    (formula, counted, recorded, uncertain, is) => {
      expect(usageDiffers(formula, { counted, recorded }, uncertain)).toBe(is)
    },
  )

  test('finds no difference if unconfirmed reports can explain it, in both directions', () => {
    for (const recorded of [7, 13]) {
      expect(usageDiffers('sum', { counted: 10, recorded }, { reports: 1, sum: 3 })).toBe(false)
      expect(usageDiffers('sum', { counted: 10, recorded }, { reports: 1, sum: 2 })).toBe(true)
      expect(usageDiffers('count', { counted: 10, recorded }, { reports: 3, sum: 0 })).toBe(false)
      expect(usageDiffers('count', { counted: 10, recorded }, { reports: 2, sum: 99 })).toBe(true)
    }
    expect(usageDiffers('last', { counted: 10, recorded: 900 }, { reports: 1, sum: 1 })).toBe(false)
  })

  test('finds no difference if the processor rounded the sum', () => {
    expect(usageDiffers('sum', { counted: 0.3, recorded: 0.1 + 0.2 }, none)).toBe(false)
    expect(usageDiffers('sum', { counted: 1e9, recorded: 1e9 - 1 }, none)).toBe(true)
  })

  test('treats a sum below zero as zero, which is the quantity that the processor bills', () => {
    expect(usageDiffers('sum', { counted: -5, recorded: 0 }, none)).toBe(false)
    expect(usageDiffers('sum', { counted: -5, recorded: 1 }, none)).toBe(true)
  })
})

describe('the days that the comparison of usage covers', () => {
  const now = at('2026-11-23T03:00:01')

  test('are thirty whole days that end before yesterday', () => {
    expect(daysToCompare(now, 0)).toEqual({ from: at('2026-10-23T00:00:00'), to: at('2026-11-22T00:00:00') })
  })

  test('begin on the day after the first usage that was counted', () => {
    expect(daysToCompare(now, at('2026-11-10T15:00:00'))).toEqual({
      from: at('2026-11-11T00:00:00'),
      to: at('2026-11-22T00:00:00'),
    })
  })

  test('are none if the first usage was today, yesterday or the day before', () => {
    expect(daysToCompare(now, at('2026-11-20T23:59:59'))).not.toBeNull()
    expect(daysToCompare(now, at('2026-11-21T00:00:00'))).toBeNull()
  })
})
