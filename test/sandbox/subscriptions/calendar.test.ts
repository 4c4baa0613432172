import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { periodAt, addIntervals } from '../../../packages/sandbox/src/billing/pricing/billing-intervals.ts'

const day = 86_400
const step = fc.record({
  interval: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'year' as const),
  interval_count: fc.integer({ min: 1, max: 12 }),
})
const moment = fc.integer({ min: Date.UTC(2000, 0, 1) / 1000, max: Date.UTC(2060, 0, 1) / 1000 })

describe('billing periods of the sandbox', () => {
  test('contain each point in time exactly once, and each period begins where the previous period ends', () => {
    fc.assert(
      fc.property(moment, step, moment, (anchor, every, at) => {
        const { start, end } = periodAt(anchor, every, at)
        expect(start).toBeLessThanOrEqual(at)
        expect(end).toBeGreaterThan(at)
        expect(periodAt(anchor, every, end).start).toBe(end)
      }),
    )
  })

  test('keep the anchor’s day and time if the interval is in months, or use the last day of a shorter month', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: 1, max: 480 }), (anchor, times) => {
        const from = new Date(anchor * 1000)
        const to = new Date(addIntervals(anchor, { interval: 'month', interval_count: 1 }, times) * 1000)
        expect(to.getTime() % (day * 1000)).toBe(from.getTime() % (day * 1000))
        const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
        expect(months).toBe(times)
        const tomorrow = new Date(to.getTime() + day * 1000)
        if (to.getUTCDate() !== from.getUTCDate()) expect(tomorrow.getUTCDate()).toBe(1)
      }),
    )
  })
})
