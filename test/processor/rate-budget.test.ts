import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { throttledBudget } from '../../packages/ratecard/src/server/composition/throttled-budget.ts'
import { budgetFor, createRateBudget, unlimitedBudget } from '../../packages/ratecard/src/processor/rate-budget.ts'
import type { RateBudget } from '../../packages/ratecard/src/processor/rate-budget.ts'

// With fake timers, the clock and the timers advance together, so these tests need no real time.
const clock = { now: () => Date.now() }
const forever = new AbortController().signal

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => vi.useRealTimers())

/** Makes `count` calls at once, and records when each one was allowed. */
function asking(budget: RateBudget, operation: string, count: number, starts: number[] = []): number[] {
  for (let i = 0; i < count; i++) void budget.take(operation, forever).then(() => starts.push(Date.now()))
  return starts
}

function mostInOneSecond(starts: readonly number[]): number {
  return Math.max(...starts.map((from) => starts.filter((at) => at >= from && at < from + 1000).length))
}

describe('a limit for the rate of requests to the processor', () => {
  it('allows no more requests in any second than the limit, and nearly as many over ten seconds', async () => {
    const budget = createRateBudget({ perSecond: 23, perOperationPerSecond: 23, clock })
    const starts = asking(budget, 'POST /v1/prices', 1000)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(mostInOneSecond(starts)).toBeLessThanOrEqual(23)
    expect(starts.length).toBeGreaterThan(10 * 23 - 23)
  })

  it('spreads requests evenly, beginning with the first request', async () => {
    const budget = createRateBudget({ perSecond: 10, perOperationPerSecond: 10, clock })
    const starts = asking(budget, 'x', 5)
    await vi.advanceTimersByTimeAsync(1000)
    expect(starts.map((at) => at - 1_000_000)).toEqual([0, 100, 200, 300, 400])
  })

  it('does not accumulate unused requests during a pause', async () => {
    const budget = createRateBudget({ perSecond: 10, perOperationPerSecond: 10, clock })
    asking(budget, 'x', 1)
    await vi.advanceTimersByTimeAsync(60_000)
    const later = asking(budget, 'x', 3)
    await vi.advanceTimersByTimeAsync(1000)
    expect(later.map((at) => at - 1_060_000)).toEqual([0, 100, 200])
  })

  it('is not exceeded even if the process was busy and timers fired late', async () => {
    const budget = createRateBudget({ perSecond: 20, perOperationPerSecond: 20, clock })
    const starts = asking(budget, 'x', 200)
    for (let i = 0; i < 12; i++) {
      await vi.advanceTimersByTimeAsync(130)
      // Time passes without a timer being served.
      vi.setSystemTime(Date.now() + 370)
    }
    expect(starts.length).toBeGreaterThan(20)
    expect(mostInOneSecond(starts)).toBeLessThanOrEqual(20)
  })

  it('counts a request at its actual start if the request started late', async () => {
    const budget = createRateBudget({ perSecond: 20, perOperationPerSecond: 20, clock })
    const starts = asking(budget, 'x', 60)
    await vi.advanceTimersByTimeAsync(45)
    vi.setSystemTime(Date.now() + 40)
    await vi.advanceTimersByTimeAsync(2000)
    expect(starts[1]).toBe(1_000_090)
    expect(mostInOneSecond(starts)).toBe(20)
  })

  it('limits each operation, and an operation at its limit does not delay other operations', async () => {
    const budget = createRateBudget({ perSecond: 80, perOperationPerSecond: 20, clock })
    const prices = asking(budget, 'POST /v1/prices', 500)
    const products = asking(budget, 'POST /v1/products', 10)
    await vi.advanceTimersByTimeAsync(1000)
    expect(products).toHaveLength(10)
    await vi.advanceTimersByTimeAsync(4000)
    expect(mostInOneSecond(prices)).toBeLessThanOrEqual(20)
    expect(prices.length).toBeGreaterThan(5 * 20 - 5)
  })

  it('limits the total of all operations', async () => {
    const budget = createRateBudget({ perSecond: 30, perOperationPerSecond: 20, clock })
    const starts: number[] = []
    for (const operation of ['a', 'b', 'c']) asking(budget, operation, 100, starts)
    await vi.advanceTimersByTimeAsync(5000)
    expect(mostInOneSecond(starts)).toBeLessThanOrEqual(30)
    expect(starts.length).toBeGreaterThan(5 * 30 - 15)
  })

  it('grants requests of one operation in the order of their arrival', async () => {
    const budget = createRateBudget({ perSecond: 50, perOperationPerSecond: 50, clock })
    const served: number[] = []
    for (let i = 0; i < 30; i++) void budget.take('x', forever).then(() => served.push(i))
    await vi.advanceTimersByTimeAsync(2000)
    expect(served).toEqual(Array.from({ length: 30 }, (_, i) => i))
  })

  it('frees the slot of a caller that aborts', async () => {
    const budget = createRateBudget({ perSecond: 10, perOperationPerSecond: 10, clock })
    const stop = new AbortController()
    asking(budget, 'x', 1)
    const given = expect(budget.take('x', stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
    const next = asking(budget, 'x', 1)
    stop.abort()
    await vi.advanceTimersByTimeAsync(100)
    await given
    expect(next).toEqual([1_000_100])
  })

  it('rejects a caller immediately if its abort signal is already aborted', async () => {
    for (const budget of [unlimitedBudget, createRateBudget({ perSecond: 1, perOperationPerSecond: 1, clock })])
      await expect(budget.take('x', AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('cannot be configured to allow zero requests', () => {
    for (const perSecond of [0, -1, 0.5, NaN])
      expect(() => createRateBudget({ perSecond, perOperationPerSecond: 1, clock })).toThrow(RangeError)
  })
})

describe('the rate limit that Ratecard keeps for an API key', () => {
  const inFiveSeconds = async (budget: RateBudget, operations: readonly string[]) => {
    const starts: number[] = []
    for (const operation of operations) asking(budget, operation, 1000, starts)
    await vi.advanceTimersByTimeAsync(5000)
    return mostInOneSecond(starts)
  }

  it('leaves requests to other programs in test mode: 23 of 25 per second are used', async () => {
    expect(await inFiveSeconds(budgetFor({ livemode: false, sandboxUnthrottled: false, clock }), ['a', 'b', 'c'])).toBe(
      23,
    )
  })

  it('is 80 of 100 requests per second in live mode, and 23 for one operation', async () => {
    const live = { livemode: true, sandboxUnthrottled: false, clock }
    expect(await inFiveSeconds(budgetFor(live), ['a'])).toBe(23)
    expect(await inFiveSeconds(budgetFor(live), ['a', 'b', 'c', 'd', 'e'])).toBe(80)
  })

  it('does not apply to usage in live mode, where Stripe allows 1,000 meter events a second, but applies to usage in test mode', async () => {
    const usageOf = (livemode: boolean) =>
      throttledBudget(
        { engine: 'sqlite', paces: { reserve: () => Promise.reject(new Error('unused')) } },
        { livemode },
        clock,
      )
    const usage = 'POST /v1/billing/meter_events'
    expect(await inFiveSeconds(usageOf(true), [usage])).toBe(1000)
    expect(await inFiveSeconds(usageOf(true), ['a', usage, 'b', 'c', 'd'])).toBe(1080)
    expect(await inFiveSeconds(usageOf(false), [usage])).toBe(23)
  })

  it('is absent for a sandbox without throttling', async () => {
    expect(await inFiveSeconds(budgetFor({ livemode: false, sandboxUnthrottled: true, clock }), ['a'])).toBe(1000)
  })
})
