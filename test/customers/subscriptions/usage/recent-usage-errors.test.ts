// Reports of dropped usage are cached for routes that are requested often.
import { afterEach, expect, test, vi } from 'vitest'
import type { UsageError } from '../../../../packages/ratecard/src/processor/customer-half.ts'
import { createRecentUsageErrors } from '../../../../packages/ratecard/src/customers/subscriptions/usage/recent-usage-errors.ts'

afterEach(() => {
  vi.useRealTimers()
})

const report: UsageError = { at: 1, meter: null, code: 'no_meter', count: 1, message: '', identifiers: [] }

function reports(answer: () => Promise<readonly UsageError[]>) {
  const seen = { now: 1_000_000, reads: 0 }
  const usageErrors = () => {
    seen.reads++
    return answer()
  }
  const recent = createRecentUsageErrors({
    clock: { now: () => seen.now },
    shutdown: new AbortController().signal,
    processor: { usageErrors },
  })
  return { seen, recent }
}

test('several requests for an upcoming invoice within a minute read the reports of dropped usage only once', async () => {
  const { seen, recent } = reports(() => Promise.resolve([report]))
  expect(await Promise.all([recent.recent(), recent.recent(), recent.read()])).toEqual([[report], [report], [report]])
  seen.now += 59_999
  expect([await recent.recent(), seen.reads]).toEqual([[report], 1])
  seen.now += 1
  expect([await recent.recent(), seen.reads]).toEqual([[report], 2])
  // A direct request for the reports is not answered from the cache.
  await recent.read()
  expect(seen.reads).toBe(3)
})

test('a failed read of the reports of dropped usage is not cached', async () => {
  let fails = true
  const { seen, recent } = reports(() => (fails ? Promise.reject(new Error('down')) : Promise.resolve([report])))
  await expect(recent.recent()).rejects.toThrow('down')
  fails = false
  expect([await recent.recent(), seen.reads]).toEqual([[report], 2])
})

test('a slow read of the reports of dropped usage does not delay an invoice, and its late result is cached', async () => {
  vi.useFakeTimers()
  const slow = Promise.withResolvers<readonly UsageError[]>()
  const { seen, recent } = reports(() => slow.promise)
  const first = recent.recent()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await first).toBeNull()
  slow.resolve([report])
  expect(await recent.read()).toEqual([report])
  expect([await recent.recent(), seen.reads]).toEqual([[report], 1])
})
