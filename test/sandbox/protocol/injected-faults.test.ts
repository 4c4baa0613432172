import { describe, expect, test } from 'vitest'
import { Faults } from '../../../packages/sandbox/src/control/faults.ts'
import { RateLimit } from '../../../packages/sandbox/src/protocol/requests/rate-limit.ts'

describe('fault injection in the sandbox', () => {
  test('fails a request with the oldest matching fault, and with no other fault', () => {
    const faults = new Faults()
    faults.add({ kind: 'conflict' })
    faults.add({ kind: 'rate_limit' })
    const kinds = [1, 2, 3].map(() => faults.inject('POST', '/v1/prices', 'acct').fault?.kind)
    expect(kinds).toEqual(['conflict', 'rate_limit', undefined])
  })

  test('matches the whole path, and only asterisks are wildcards', () => {
    const faults = new Faults()
    faults.add({ kind: 'conflict', path: '/v1/prices', count: null })
    faults.add({ kind: 'rate_limit', path: '/v1/b.lling/*', count: null })
    const kindOf = (path: string): string | undefined => faults.inject('GET', path, 'acct').fault?.kind
    expect(kindOf('/v1/prices')).toBe('conflict')
    expect(kindOf('/v1/prices/p')).toBeUndefined()
    expect(kindOf('/v1/b.lling/x')).toBe('rate_limit')
    expect(kindOf('/v1/billing/x')).toBeUndefined()
  })

  test('delays a request by the sum of all matching latencies', () => {
    const faults = new Faults()
    faults.add({ kind: 'latency', latencyMs: 10 })
    faults.add({ kind: 'latency', latencyMs: 5, count: 2 })
    expect(faults.inject('GET', '/', 'acct').latencyMs).toBe(15)
    expect(faults.inject('GET', '/', 'acct').latencyMs).toBe(5)
    expect(faults.inject('GET', '/', 'acct').latencyMs).toBe(0)
  })
})

describe('rate limits of the sandbox', () => {
  test('allow, in any time range, at most its seconds times the limit per second, plus the limit of one second', () => {
    const rate = new RateLimit('live')
    let passed = 0
    for (let ms = 0; ms < 10_000; ms += 2) if (rate.take('acct', `op ${ms % 40}`, ms) === undefined) passed++
    expect(passed).toBeGreaterThanOrEqual(1000)
    expect(passed).toBeLessThanOrEqual(1100)
  })

  test('allow 1,000 meter events a second in live mode, separate from other requests, and count them with other requests in test mode', () => {
    const meterEvents = 'POST /v1/billing/meter_events'
    const passed = (rate: RateLimit) =>
      Array.from({ length: 1100 }, () => rate.take('acct', meterEvents, 0)).filter((reason) => reason === undefined)
    const live = new RateLimit('live')
    expect(passed(live)).toHaveLength(1000)
    expect(live.take('acct', 'POST /v1/prices', 0)).toBeUndefined()
    expect(passed(new RateLimit('sandbox'))).toHaveLength(25)
  })

  test('allow no extra request after the clock was set back', () => {
    const rate = new RateLimit('sandbox')
    for (let index = 0; index < 25; index++) expect(rate.take('acct', 'op', 10_000)).toBeUndefined()
    expect(rate.take('acct', 'op', 0)).toBe('global-rate')
    expect(rate.take('acct', 'op', 10)).toBe('global-rate')
  })
})
