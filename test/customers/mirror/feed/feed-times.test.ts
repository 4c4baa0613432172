import { describe, expect, it } from 'vitest'
import { comparisonDue } from '../../../../packages/ratecard/src/customers/mirror/feed/compare.ts'
import {
  pageIntervalMs,
  pollIntervalMs,
} from '../../../../packages/ratecard/src/customers/mirror/feed/read-allocation.ts'

const at = (text: string): number => Date.parse(`${text}Z`)

describe('the nightly comparison of the mirror', () => {
  it.each([
    ['2026-11-23T02:59:59', '2026-11-22T03:00:00', false],
    ['2026-11-23T03:00:00', '2026-11-22T03:00:00', true],
    ['2026-11-23T23:00:00', '2026-11-23T03:00:01', false],
    ['2026-11-24T01:00:00', '2026-11-23T04:00:00', false],
    ['2026-11-24T01:00:00', '2026-11-22T23:00:00', true],
  ])('is due at %s after a previous comparison at %s: %s', (now, last, due) => {
    expect(comparisonDue(at(now), at(last))).toBe(due)
  })

  it('is due if there was no previous comparison', () => {
    expect(comparisonDue(at('2026-11-23T00:00:00'), null)).toBe(true)
  })
})

describe('the interval between two polls of the mirror', () => {
  const minute = 60_000
  it.each([
    [0, 0, 5],
    [8_000, 0, 5],
    [9_000, 0, 10],
    [9_900, 0, 60],
    [10_000, 0, 60],
    [40_000, 0, 60],
    // 500 reads for each payment.
    [40_000, 100, 5],
    [45_000, 100, 10],
  ])('after %i reads and %i payments in thirty days is: %i minutes', (reads, payments, minutes) => {
    expect(Math.round(pollIntervalMs(5 * minute, { reads, payments }) / minute)).toBe(minutes)
  })

  it('is never shorter than the configured interval', () => {
    expect(pollIntervalMs(7_200_000, { reads: 10_000, payments: 0 })).toBe(7_200_000)
  })
})

describe('the interval between two pages of a list that the mirror reads', () => {
  const minute = 60_000
  it.each([
    [8_000, 0, 0],
    [9_000, 0, 10],
    [40_000, 0, 60],
    [40_000, 100, 0],
    [45_000, 100, 10],
  ])('after %i reads and %i payments in thirty days is: %i minutes', (reads, payments, minutes) => {
    expect(Math.round(pageIntervalMs(5 * minute, { reads, payments }) / minute)).toBe(minutes)
  })
})
