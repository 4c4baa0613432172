// Credits: granted for paid purchases and invoices, given by hand, and shown.
import { beforeAll, describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, billing, startTestApp } from '../../support/app.ts'
import { mirrored, mirrorSettings } from '../../support/mirror.ts'
import { buy, sessionOf } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(() => startTestApp({ mirror: mirrorSettings }))

const usd = { currency: 'usd' } as const
const document: BillingConfig = {
  version: '1.0.0',
  meters: [
    { id: 'calls', display_name: 'Calls', event_name: 'call' },
    { id: 'pages', display_name: 'Pages', event_name: 'page' },
  ],
  products: [
    {
      id: 'api',
      name: 'API',
      prices: [
        { id: 'calls_usage', amount: 5, ...usd, interval: 'month', usage_type: 'metered', meter: 'calls' },
        { id: 'pages_usage', amount: 9, ...usd, interval: 'month', usage_type: 'metered', meter: 'pages' },
        {
          ...{ id: 'plan', amount: 2000, ...usd, interval: 'month' as const },
          grants_credit: { amount: 1000, expires_after_days: 30, meters: ['calls'] },
        },
        { id: 'top_up', amount: 5000, ...usd, grants_credit: { amount: 6000 } },
        { id: 'setup', amount: 100, ...usd },
      ],
    },
  ],
}

interface Listed {
  readonly balance: readonly unknown[]
  readonly credits: readonly Record<string, unknown>[]
}
const credits = async (tenant: string) =>
  (await test.asAdmin({ url: `${admin}/tenants/${tenant}/credits` })).json<Listed>()
/** Lets the mirror catch up, grants what is owed, and returns the credits that the tenant has then. */
const granted = async (tenant: string) => {
  await mirrored(test)
  await test.service.waitingJobs.continueDue()
  return credits(tenant)
}
const give = async (tenant: string, payload: object, key?: string) => {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  return test.asAdmin({ method: 'POST', url: `${admin}/tenants/${tenant}/credits`, payload, headers })
}

beforeAll(async () => {
  expect((await test.push(document)).statusCode).toBe(200)
  await mirrored(test)
})

describe('a price that grants credit', () => {
  it('grants credit for a purchase, once per unit of the quantity', async () => {
    await sessionOf(test, 'buyer')
    await buy(test, 'buyer', { price_id: 'top_up', quantity: 2 })
    const { balance, credits: made } = await granted('buyer')
    expect(balance).toEqual([{ currency: 'usd', amount: 12_000, formatted: '$120.00' }])
    expect(made).toEqual([
      {
        ...{ id: expect.stringMatching(/^credgr_/), state: 'active', currency: 'usd', category: 'paid' },
        ...{ amount: 12_000, formatted: '$120.00', remaining: 12_000, remaining_formatted: '$120.00' },
        ...{ reason: 'Credit of top_up', price_id: 'top_up', paid_by: expect.stringMatching(/^cs_/), meters: null },
        ...{ effective_at: expect.any(String), expires_at: null, created_at: expect.any(String) },
      },
    ])
  })

  it('grants credit for the first invoice of a subscription, limited to the price’s meters', async () => {
    await sessionOf(test, 'subscriber')
    await buy(test, 'subscriber', { price_id: 'plan' })
    const { credits: made } = await granted('subscriber')
    expect(made).toMatchObject([
      { amount: 1000, price_id: 'plan', meters: ['calls'], paid_by: expect.stringMatching(/^in_/) as string },
    ])
    const [one] = made
    const days = (Date.parse(String(one?.['expires_at'])) - Date.parse(String(one?.['created_at']))) / 86_400_000
    expect(days).toBeCloseTo(30, 1)
  })

  it('grants credit once per payment, even if the payment’s invoice is updated afterwards', async () => {
    const before = await granted('subscriber')
    const state = await test.store.mirror.find('invoice', String(before.credits[0]?.['paid_by']))
    if (state === null) throw new Error('the mirror has no invoice')
    const begun = await test.store.mirror.beginRead()
    await test.store.mirror.save('invoice', [{ ...state, attemptCount: state.attemptCount + 1 }], begun)
    expect((await granted('subscriber')).credits).toEqual(before.credits)
  })

  it('adds the credit to the tenant’s entitlements, which are read without a request to the processor', async () => {
    await granted('buyer')
    test.sandbox.control.clearRequests()
    const answer = await test.asAdmin({ url: `${billing}/entitlements?tenant_id=buyer` })
    expect(answer.json()).toMatchObject({ credits: [{ currency: 'usd', amount: 12_000, formatted: '$120.00' }] })
    expect(test.sandbox.control.requests().filter(({ path }) => !path.startsWith('/v1/events'))).toEqual([])
  })

  it('grants no credit if the payment is for another price', async () => {
    await sessionOf(test, 'other')
    await buy(test, 'other', { price_id: 'setup' })
    expect(await granted('other')).toMatchObject({ balance: [], credits: [] })
  })
})

describe('a credit that an operator grants', () => {
  it('is shown immediately, and is in the audit log', async () => {
    await sessionOf(test, 'acme')
    const answer = await give('acme', { amount: 5000, currency: 'usd', reason: 'Sorry for Monday', meters: ['pages'] })
    expect([answer.statusCode, answer.json()]).toMatchObject([
      201,
      { amount: 5000, state: 'active', category: 'promotional', reason: 'Sorry for Monday', meters: ['pages'] },
    ])
    await mirrored(test)
    expect((await credits('acme')).credits).toEqual([answer.json()])
    const { entries } = (await test.asAdmin({ url: `${admin}/tenants/acme/audit` })).json<{
      entries: { action: string; result: object }[]
    }>()
    expect(entries[0]).toMatchObject({ action: 'credit_granted', result: { amount: 5000, reason: 'Sorry for Monday' } })
  })

  it('is granted only once per Idempotency-Key', async () => {
    await sessionOf(test, 'twice')
    const wanted = { amount: 100, currency: 'usd', reason: 'Once' }
    const [first, second] = [await give('twice', wanted, 'k1'), await give('twice', wanted, 'k1')]
    expect(second.json()).toEqual(first.json())
    await mirrored(test)
    expect((await credits('twice')).credits).toHaveLength(1)
  })

  it('is refused with an unknown meter, an expiry in the past, or without an amount', async () => {
    const wanted = { amount: 100, currency: 'usd', reason: 'x' }
    const problems = [
      { ...wanted, meters: ['page'] },
      { ...wanted, expires_at: '2020-01-01T00:00:00Z' },
      { ...wanted, amount: 0 },
      { ...wanted, currency: 'xyz' },
    ]
    const answers = []
    for (const problem of problems) {
      const answer = await give('acme', problem)
      const { code, errors } = answer.json<{ code: string; errors: { pointer: string }[] }>()
      answers.push([answer.statusCode, code, errors[0]?.pointer])
    }
    expect(answers).toEqual([
      [400, 'request_invalid', '#/meters/0'],
      [400, 'request_invalid', '#/expires_at'],
      [400, 'request_invalid', '#/amount'],
      [400, 'request_invalid', '#/currency'],
    ])
  })
})
