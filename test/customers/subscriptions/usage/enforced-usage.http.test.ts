// Usage that is held against an allowance: refused before it is recorded, exact under concurrency, counted at once.
import { beforeAll, describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, billing, startTestApp } from '../../../support/app.ts'
import { mirrored, mirrorSettings } from '../../../support/mirror.ts'
import { buy, sessionOf } from '../../../support/shop/selling.ts'
import { startedForAll } from '../../../support/started.ts'

const test = startedForAll(() => startTestApp({ mirror: mirrorSettings }))
const priceList: BillingConfig = {
  version: '1.0.0',
  meters: [
    { id: 'api_calls', display_name: 'API calls', event_name: 'api_call' },
    { id: 'exports', display_name: 'Exports', event_name: 'export' },
  ],
  features: [
    { id: 'calls', name: 'API calls', type: 'metered', meter: 'api_calls' },
    { id: 'exports', name: 'Exports', type: 'metered', meter: 'exports' },
    // A feature of another plan with the same meter.
    { id: 'team_calls', name: 'API calls of teams', type: 'metered', meter: 'api_calls' },
  ],
  products: [
    {
      ...{ id: 'pro', name: 'Pro' },
      features: [
        { id: 'calls', limit: 100 },
        { id: 'exports', limit: 5, beyond: 'allow' },
      ],
      prices: [{ id: 'pro_monthly', amount: 2000, currency: 'usd', interval: 'month' }],
    },
    {
      ...{ id: 'team', name: 'Team', features: [{ id: 'team_calls', limit: 9 }] },
      prices: [{ id: 'team_monthly', amount: 9000, currency: 'usd', interval: 'month' }],
    },
  ],
}
const report = async (tenant: string, payload: object) => {
  const answer = await test.asAdmin({
    method: 'POST',
    url: `${billing}/usage`,
    payload: { meter: 'api_calls', value: 1, tenant_id: tenant, ...payload },
  })
  return { status: answer.statusCode, ...answer.json<{ code?: string; already_counted?: boolean }>() }
}
const check = async (tenant: string, feature: string) =>
  (
    await test.asAdmin({
      method: 'POST',
      url: `${billing}/entitlements/check`,
      payload: { feature, tenant_id: tenant },
    })
  ).json<Record<string, unknown>>()
const sent = () => test.sandbox.control.requests().filter(({ path }) => path.includes('meter_event')).length

beforeAll(async () => {
  expect((await test.push(priceList)).statusCode).toBe(200)
  for (const tenant of ['acme', 'crowd', 'faulty']) {
    await sessionOf(test, tenant)
    await buy(test, tenant, { price_id: 'pro_monthly' })
  }
  await sessionOf(test, 'nothing')
  await mirrored(test)
})

describe('usage of a metered feature:', () => {
  it('each report is counted by the next check, which also returns the time of the next reset', async () => {
    expect(await report('acme', { value: 60, identifier: 'first' })).toMatchObject({
      status: 200,
      already_counted: false,
    })
    expect(await check('acme', 'calls')).toMatchObject({
      allowed: true,
      limit: 100,
      used: 60,
      remaining: 40,
      beyond: 'deny',
    })
    const { resets_at: resetsAt } = await check('acme', 'calls')
    expect(Date.parse(String(resetsAt))).toBeGreaterThan(Date.now())
  })

  it('a report is counted once per identifier', async () => {
    expect(await report('acme', { value: 60, identifier: 'first' })).toMatchObject({ status: 200 })
    expect(await check('acme', 'calls')).toMatchObject({ used: 60 })
  })

  it('a report that would exceed the allowance is refused before it is sent, and a report up to the allowance is accepted', async () => {
    test.sandbox.control.clearRequests()
    expect(await report('acme', { value: 41, enforce: true })).toMatchObject({ status: 409, code: 'limit_reached' })
    expect(sent()).toBe(0)
    expect(await check('acme', 'calls')).toMatchObject({ used: 60 })
    expect(await report('acme', { value: 40, enforce: true })).toMatchObject({ status: 200 })
    expect(await check('acme', 'calls')).toMatchObject({
      allowed: false,
      reason: 'limit_reached',
      used: 100,
      remaining: 0,
    })
    expect(await report('acme', { value: 1, enforce: true })).toMatchObject({ status: 409 })
  })

  it('a report beyond the allowance is recorded if `enforce` is not set, or if the product has `beyond: allow`', async () => {
    expect(await report('acme', { value: 5 })).toMatchObject({ status: 200 })
    expect(await check('acme', 'calls')).toMatchObject({ used: 105, remaining: 0, allowed: false })
    expect(await report('acme', { meter: 'exports', value: 9, enforce: true })).toMatchObject({ status: 200 })
    expect(await check('acme', 'exports')).toMatchObject({ used: 9, remaining: 0, allowed: true, beyond: 'allow' })
  })

  it('a report for a tenant without the feature is refused', async () => {
    expect(await report('nothing', { enforce: true })).toMatchObject({ status: 409, code: 'limit_reached' })
  })

  it('any number of concurrent reports never exceeds the allowance and never leaves a part of it unused', async () => {
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        report('crowd', { enforce: true, identifier: `at_once_${String(index)}` }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(answers.filter(({ code }) => code === 'limit_reached')).toHaveLength(50)
    expect(await check('crowd', 'calls')).toMatchObject({ used: 100, remaining: 0 })
  })

  it('a report that the processor refused does not count', async () => {
    test.sandbox.control.fail({ kind: 'rate_limit', path: '/v1/billing/meter_events', count: 20 })
    expect((await report('faulty', { value: 10, enforce: true })).status).toBeGreaterThanOrEqual(400)
    test.sandbox.control.clearFaults()
    expect(await check('faulty', 'calls')).toMatchObject({ used: 0 })
  })

  it('a report stays counted if its outcome is unknown and the processor accepts no retry', async () => {
    const url = '/v1/billing/meter_events'
    test.sandbox.control.fail({ kind: 'error_after', method: 'POST', path: url })
    test.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path: url, count: 20, skip: 1 })
    expect((await report('nothing', { value: 3, identifier: 'doubtful' })).status).toBeGreaterThanOrEqual(500)
    test.sandbox.control.clearFaults()
    expect(await check('nothing', 'calls')).toMatchObject({ used: 3 })
  })

  it('a report is counted once if the processor’s response was lost and the client retries the report', async () => {
    test.sandbox.control.fail({ kind: 'close_after', method: 'POST', path: '/v1/billing/meter_events', count: 20 })
    const lost = { value: 10, identifier: 'lost', enforce: true }
    expect((await report('faulty', lost)).status).toBeGreaterThanOrEqual(500)
    test.sandbox.control.clearFaults()
    expect(await check('faulty', 'calls')).toMatchObject({ used: 10 })
    expect((await report('faulty', lost)).status).toBe(200)
    expect(await check('faulty', 'calls')).toMatchObject({ used: 10 })
  })

  it('a grant is added to the purchased allowance, and the removal of the grant restores the purchased allowance', async () => {
    const url = `${admin}/tenants/acme/grants/calls`
    const given = await test.asAdmin({
      method: 'PUT',
      url,
      payload: { limit: 50, note: 'a launch', ends_at: '2099-01-01T00:00:00Z' },
    })
    expect([given.statusCode, given.json()]).toMatchObject([
      200,
      { feature: 'calls', limit: 50, replace: false, note: 'a launch' },
    ])
    expect(await check('acme', 'calls')).toMatchObject({ limit: 150, used: 105, remaining: 45 })
    expect((await test.asAdmin({ url: `${admin}/tenants/acme/grants` })).json()).toMatchObject({
      grants: [{ feature: 'calls' }],
    })
    expect((await test.asAdmin({ method: 'DELETE', url })).statusCode).toBe(204)
    expect((await test.asAdmin({ method: 'DELETE', url })).json()).toMatchObject({ code: 'grant_not_found' })
    expect(await check('acme', 'calls')).toMatchObject({ limit: 100 })
    const audit = (await test.asAdmin({ url: `${admin}/tenants/acme/audit` })).json<{ entries: { action: string }[] }>()
    expect(audit.entries.slice(0, 2).map(({ action }) => action)).toEqual(['grant_removed', 'grant_given'])
    const grant = { feature: 'calls', limit: 50, replace: false, note: 'a launch', ends_at: '2099-01-01T00:00:00.000Z' }
    expect(audit.entries[1]).toMatchObject({ result: { before: null, after: grant } })
    expect(audit.entries[0]).toMatchObject({ result: { before: grant, after: null } })
  })

  it.each([
    ['a limit of an unknown feature', 'projects', { limit: 5 }, 404, 'feature_not_found'],
    ['nothing', 'calls', {}, 400, 'request_invalid'],
    ['a negative limit', 'calls', { limit: -1 }, 400, 'request_invalid'],
    ['an end that is no time', 'calls', { limit: 1, ends_at: 'tomorrow' }, 400, 'request_invalid'],
  ])('a grant of %s is refused', async (_title, feature, payload, status, code) => {
    const answer = await test.asAdmin({ method: 'PUT', url: `${admin}/tenants/acme/grants/${feature}`, payload })
    expect([answer.statusCode, answer.json()]).toMatchObject([status, { code }])
  })
})
