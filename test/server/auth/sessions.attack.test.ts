// A customer tries to lower its own bill with its session cookie: by usage on every kind of meter, and by guessing promotion codes.
import { beforeAll, describe, expect, it } from 'vitest'
import type { BillingConfig, Meter } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { billing, sampleConfig, startTestApp } from '../../support/app.ts'
import { buy, cookieOf, sessionOf, urls } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

/**
 * `windowed`: a meter with an event time window of an hour. Its events are already summed up, so only the last event of each hour counts.
 */
const kinds = ['sum', 'count', 'last', 'windowed'] as const
type Kind = (typeof kinds)[number]
const hour = 60 * 60 * 1000
/** Above the processor’s minimum charge, because a smaller invoice has an amount due of 0. */
const centsEach = 100

let offset = 0

const meterOf = (kind: Kind): Meter => ({
  id: `by_${kind}`,
  display_name: kind,
  event_name: `used_${kind}`,
  default_aggregation: { formula: kind === 'windowed' ? 'sum' : kind },
  ...(kind === 'windowed' ? { event_time_window: 'hour' } : {}),
})

/** On these meters a later report replaces an earlier one. */
const isReplaced = (kind: Kind) => kind === 'last' || kind === 'windowed'

function meteredConfig(): BillingConfig {
  const config = sampleConfig()
  const products = kinds.map((kind) => ({
    id: `product_${kind}`,
    name: kind,
    prices: [
      {
        id: `price_${kind}`,
        amount: centsEach,
        currency: 'usd',
        interval: 'month',
        usage_type: 'metered',
        meter: `by_${kind}`,
      } as const,
    ],
  }))
  return {
    ...config,
    meters: [...(config.meters ?? []), ...kinds.map(meterOf)],
    products: [...config.products, ...products],
  }
}

const test = startedForAll(() => startTestApp({ clock: { now: () => Date.now() + offset }, rateLimit: 1_000_000 }))
beforeAll(async () => {
  expect((await test.push(meteredConfig())).statusCode).toBe(200)
})

const usage = (payload: object, headers: Readonly<Record<string, string>>) =>
  test.inject({ method: 'POST', url: `${billing}/usage`, payload, headers })
const bySeller = (tenantId: string, payload: object) =>
  test.asAdmin({ method: 'POST', url: `${billing}/usage`, payload: { ...payload, tenant_id: tenantId } })

async function owed(tenantId: string): Promise<number> {
  const invoices = await test.service.upcomingInvoices(tenantId)
  return invoices.reduce((sum, { amountDue }) => sum + amountDue, 0)
}

describe.each(kinds)('usage reported with a customer session on a %s meter', (kind) => {
  const tenantId = `customer_${kind}`
  const other = `neighbour_${kind}`
  const meter = `by_${kind}`
  const now = () => Date.now() + offset
  const at = (ms: number) => new Date(now() + ms).toISOString()

  const attempts = (): object[] => [
    ...[-1, -1000, '-1', '-0.5', 0, '0', '0.000000000001', 0.5, 1e15, null, true, '1e3', [], {}].map((value) => ({
      value,
    })),
    ...[0, 1].flatMap((value) =>
      [4 * 60_000, 1_000, hour, 40 * 24 * hour, -hour, -34 * 24 * hour, -40 * 24 * hour].map((ms) => ({
        value,
        timestamp: at(ms),
      })),
    ),
    // The identifiers that the seller uses, before and after its own report.
    ...['report-1', 'report-2'].flatMap((identifier) => [0, 0].map((value) => ({ value, identifier }))),
    { value: 0, tenant_id: other },
    { value: 0, tenant_id: 'nobody' },
    { value: 0, formula: 'last' },
  ]

  it('never lowers the tenant’s bill', async () => {
    const cookie = cookieOf(await sessionOf(test, tenantId))
    await sessionOf(test, other)
    for (const id of [tenantId, other]) {
      await buy(test, id, { price_id: `price_${kind}` })
      expect((await bySeller(id, { meter, value: 100, identifier: 'report-1' })).statusCode).toBe(200)
    }
    const neighbour = await owed(other)
    let least = await owed(tenantId)
    expect(least).toBe(kind === 'count' ? centsEach : 100 * centsEach)
    for (const attempt of attempts()) {
      const answer = await usage({ meter, ...attempt }, { cookie })
      expect(answer.statusCode, JSON.stringify(attempt)).toBeLessThan(500)
      if (isReplaced(kind)) expect(answer.statusCode, JSON.stringify(attempt)).toBeGreaterThanOrEqual(400)
      const present = await owed(tenantId)
      expect(present, JSON.stringify([attempt, answer.json()])).toBeGreaterThanOrEqual(least)
      least = present
    }
    // The seller's next report counts, although the customer used its identifier first.
    expect((await bySeller(tenantId, { meter, value: 120, identifier: 'report-2' })).json().already_counted).toBe(false)
    const more = { sum: 120, count: 1, last: 20, windowed: 20 }[kind] * centsEach
    expect(await owed(tenantId)).toBe(least + more)
    expect(await owed(other)).toBe(neighbour)
  })

  it(
    isReplaced(kind)
      ? 'is refused with not_allowed'
      : 'is refused with a future timestamp or with the id of another tenant',
    async () => {
      const cookie = cookieOf(await sessionOf(test, tenantId))
      const future = await usage({ meter, value: 1, timestamp: at(60_000) }, { cookie })
      const present = await usage({ meter, value: 1 }, { cookie })
      if (isReplaced(kind)) {
        for (const answer of [future, present])
          expect([answer.statusCode, answer.json().code]).toEqual([403, 'not_allowed'])
        return
      }
      expect([future.statusCode, future.json().code, future.json().errors[0].pointer]).toEqual([
        400,
        'request_invalid',
        '#/timestamp',
      ])
      expect(present.statusCode).toBe(200)
      const foreign = await usage({ meter, value: 1, tenant_id: other }, { cookie })
      expect([foreign.statusCode, foreign.json().code]).toEqual([403, 'not_allowed'])
    },
  )
})

describe('attempts to redeem promotion codes', () => {
  const checkout = (code: string | undefined, headers: Readonly<Record<string, string>>, more: object = {}) =>
    test.inject({
      method: 'POST',
      url: `${billing}/checkout`,
      payload: { price_id: 'pro_monthly', ...urls, ...(code === undefined ? {} : { promotion_code: code }), ...more },
      headers,
    })

  it('are limited to ten failed attempts an hour per tenant; further attempts get 429 with Retry-After', async () => {
    const cookie = cookieOf(await sessionOf(test, 'guesser'))
    const second = cookieOf(await sessionOf(test, 'guesser'))
    // The codes are sent concurrently from two sessions of the tenant: together they have ten attempts.
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, n) => checkout(`GUESS${String(n)}`, { cookie: n % 2 === 0 ? cookie : second })),
    )
    const codes = answers.map((answer) => String(answer.json().code))
    expect(codes.filter((code) => code === 'checkout_invalid')).toHaveLength(10)
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(15)
    const limited = await checkout('HELLO25', { cookie })
    expect([limited.statusCode, limited.json().code]).toEqual([429, 'rate_limited'])
    const wait = Number(limited.headers['retry-after'])
    expect(wait).toBeGreaterThan(3_500)
    expect(wait).toBeLessThanOrEqual(3_600)
    // A checkout without a code, with a service key, or for another tenant is not limited.
    expect((await checkout(undefined, { cookie })).statusCode).toBe(200)
    const byKey = await checkout('hello25', { 'x-service-key': test.key }, { tenant_id: 'guesser' })
    expect(byKey.statusCode).toBe(200)
    expect((await checkout('hello25', { cookie: cookieOf(await sessionOf(test, 'buyer')) })).statusCode).toBe(200)
    offset += hour
    expect((await checkout('hello25', { cookie })).statusCode).toBe(200)
  })

  it('are not limited for a service key', async () => {
    await sessionOf(test, 'many')
    const key = { 'x-service-key': test.key }
    for (let n = 0; n < 15; n++)
      expect((await checkout(`GUESS${String(n)}`, key, { tenant_id: 'many' })).json().code).toBe('checkout_invalid')
  })
})
