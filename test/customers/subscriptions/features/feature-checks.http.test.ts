// What a tenant may use: limits in the document, sold, checked, lowered, and kept by who bought earlier.
import { beforeAll, describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, billing, startTestApp } from '../../../support/app.ts'
import { mirrored, mirrorSettings } from '../../../support/mirror.ts'
import { buy, cookieOf, sessionOf } from '../../../support/shop/selling.ts'
import { startedForAll } from '../../../support/started.ts'

const log: string[] = []
const test = startedForAll(() => startTestApp({ mirror: mirrorSettings, onLog: (line) => log.push(line) }))

interface ListChoices {
  readonly projects?: number
  readonly amount?: number
  readonly grandfathered?: boolean
}
const priceList = (
  version: string,
  { projects = 10, amount = 2000, grandfathered = false }: ListChoices = {},
): BillingConfig => ({
  version,
  features: [
    { id: 'sso', name: 'Single sign-on' },
    { id: 'projects', name: 'Projects', type: 'limit', unit: 'projects' },
    { id: 'seats', name: 'Seats', type: 'limit' },
  ],
  products: [
    {
      ...{ id: 'pro', name: 'Pro', subscription_group: 'plan' },
      features: ['sso', { id: 'projects', limit: projects }, { id: 'seats', limit: 2, per_quantity: true }],
      ...(grandfathered && { grandfather_features: true }),
      prices: [{ id: 'pro_monthly', amount, currency: 'usd', interval: 'month' }],
    },
    {
      ...{ id: 'team', name: 'Team', subscription_group: 'plan' },
      features: ['sso', { id: 'projects', limit: 'unlimited' }],
      prices: [
        { id: 'team_monthly', amount: 9000, currency: 'usd', interval: 'month' },
        { id: 'team_hidden', amount: 1000, currency: 'usd', interval: 'month', public: false },
      ],
    },
    {
      ...{ id: 'more_projects', name: 'More projects', features: [{ id: 'projects', limit: 5 }] },
      prices: [{ id: 'more_monthly', amount: 500, currency: 'usd', interval: 'month' }],
    },
  ],
})
const ask = async (payload: object) => {
  const answer = await test.asAdmin({
    method: 'POST',
    url: `${billing}/entitlements/check`,
    payload: { tenant_id: 'acme', ...payload },
  })
  return [answer.statusCode, answer.json<Record<string, unknown>>()] as const
}
const limitOf = async (tenant: string) => (await ask({ feature: 'projects', tenant_id: tenant }))[1]['limit']

beforeAll(async () => {
  expect((await test.push(priceList('1.0.0'))).statusCode).toBe(200)
  await sessionOf(test, 'acme')
  await mirrored(test)
})

describe('a check whether a tenant may use a feature', () => {
  it('names the public prices that would allow the use if the tenant’s own prices do not allow it', async () => {
    expect(await ask({ feature: 'sso' })).toEqual([
      200,
      {
        ...{ allowed: false, reason: 'not_included', feature: 'sso', type: 'switch', limit: null, used: null },
        ...{ remaining: null, resets_at: null, beyond: null, offered_by: ['pro_monthly', 'team_monthly'] },
        as_of: expect.any(String) as string,
      },
    ])
    expect((await ask({ feature: 'projects', used: 7 }))[1]).toMatchObject({
      ...{ allowed: false, reason: 'not_included', limit: 0, used: 7, remaining: 0 },
      offered_by: ['pro_monthly', 'team_monthly'],
    })
  })

  it('allows use up to the purchased limit, per seat if the limit is per seat, without a request to the processor', async () => {
    await buy(test, 'acme', { price_id: 'pro_monthly', quantity: 3 })
    await mirrored(test)
    test.sandbox.control.clearRequests()
    expect((await ask({ feature: 'projects', used: 9 }))[1]).toMatchObject({
      allowed: true,
      limit: 10,
      used: 9,
      remaining: 1,
      offered_by: [],
    })
    expect((await ask({ feature: 'projects', used: 9, requested: 2 }))[1]).toMatchObject({
      ...{ allowed: false, reason: 'limit_reached', remaining: 1 },
      offered_by: ['team_monthly', 'more_monthly'],
    })
    expect((await ask({ feature: 'seats', used: 6 }))[1]).toMatchObject({ allowed: false, limit: 6 })
    expect((await ask({ feature: 'sso' }))[1]).toMatchObject({ allowed: true, reason: null })
    // The feed of the mirror reads events on its own.
    expect(test.sandbox.control.requests().filter(({ path }) => !path.startsWith('/v1/events'))).toEqual([])
  })

  it('accepts several features at once, and returns the results in their order', async () => {
    const [status, body] = await ask({ checks: [{ feature: 'sso' }, { feature: 'projects', used: 10 }] })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      checks: [
        { feature: 'sso', allowed: true },
        { feature: 'projects', allowed: false },
      ],
    })
  })

  it('is allowed with a session for the session’s own tenant only', async () => {
    const headers = { cookie: cookieOf(await sessionOf(test, 'acme')) }
    const payload = { feature: 'projects', used: 1 }
    const answer = await test.inject({ method: 'POST', url: `${billing}/entitlements/check`, headers, payload })
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { allowed: true, remaining: 9 }])
    const other = { ...payload, tenant_id: 'other' }
    expect(
      (await test.inject({ method: 'POST', url: `${billing}/entitlements/check`, headers, payload: other })).statusCode,
    ).toBe(403)
  })

  it.each([
    ['an unknown feature', { feature: 'project' }, 404, 'feature_not_found'],
    ['no feature', {}, 400, 'request_invalid'],
    ['a feature beside checks', { feature: 'sso', checks: [{ feature: 'sso' }] }, 400, 'request_invalid'],
    ['too many checks', { checks: Array.from({ length: 51 }, () => ({ feature: 'sso' })) }, 400, 'request_invalid'],
    ['a negative number', { feature: 'projects', used: -1 }, 400, 'request_invalid'],
    ['an unknown tenant', { feature: 'sso', tenant_id: 'nobody' }, 404, 'tenant_not_found'],
  ])('is refused with %s', async (_title, payload, status, code) => {
    expect(await ask(payload)).toMatchObject([status, { code }])
  })

  it('adds an extra grant to the limits that the offered prices would have', async () => {
    await sessionOf(test, 'granted')
    const url = `${admin}/tenants/granted/grants/projects`
    expect((await test.asAdmin({ method: 'PUT', url, payload: { limit: 50 } })).statusCode).toBe(200)
    expect((await ask({ feature: 'projects', used: 59, tenant_id: 'granted' }))[1]).toMatchObject({
      ...{ allowed: false, limit: 50 },
      offered_by: ['pro_monthly', 'team_monthly'],
    })
  })

  it('is logged at the level debug, while requests that may change data are logged at info', async () => {
    log.length = 0
    await ask({ feature: 'projects' })
    await ask({ checks: [{ feature: 'projects' }] })
    await test.asAdmin({ method: 'POST', url: `${admin}/tenants`, payload: { id: 'logged', name: 'Logged' } })
    const lines = log.map((line) => JSON.parse(line) as { readonly level: number; readonly msg: string })
    expect(lines.flatMap(({ level, msg }) => (msg === 'answered' ? [level] : []))).toEqual([20, 20, 30])
  })

  it('is not affected by a grant whose end date is in the past, because such a grant is refused', async () => {
    await sessionOf(test, 'late')
    const url = `${admin}/tenants/late/grants/projects`
    const refused = await test.asAdmin({ method: 'PUT', url, payload: { limit: 5, ends_at: '2020-01-01T00:00:00Z' } })
    expect([refused.statusCode, refused.json()]).toMatchObject([
      400,
      { detail: 'The grant would have ended already.', errors: [{ pointer: '#/ends_at' }] },
    ])
  })

  it('returns the same members as a feature in the list of entitlements', async () => {
    const list = (await test.asAdmin({ url: `${admin}/tenants/acme/entitlements` })).json<{
      features: Record<string, unknown>[]
    }>()
    const check = (await ask({ feature: 'seats' }))[1]
    const { as_of: _, ...members } = check
    expect(list.features.find(({ id }) => id === 'seats')).toEqual({ id: 'seats', name: 'Seats', ...members })
  })
})

describe('a push that lowers a limit that a product includes', () => {
  it('contains a warning with the number of affected tenants, and takes effect immediately', async () => {
    const lowered = priceList('1.1.0', { projects: 4 })
    const plan = (await test.push(lowered, '?dry_run=true')).json<{ warnings: { code: string; detail: string }[] }>()
    expect(plan.warnings).toMatchObject([
      {
        code: 'features_lowered',
        pointer: '#/products/0/features',
        detail: 'The product "pro" gives less than before (projects: 10 → 4), which concerns 1 tenant.',
      },
    ])
    expect((await test.push(lowered)).statusCode).toBe(200)
    expect(await limitOf('acme')).toBe(4)
    expect((await test.push(priceList('1.2.0', { projects: 10 }))).json()).toMatchObject({ warnings: [] })
    expect(await limitOf('acme')).toBe(10)
  })

  it('keeps the earlier limit for subscribers of earlier versions of the price, if the document has that option', async () => {
    const change = { projects: 3, amount: 2500, grandfathered: true }
    const pushed = (await test.push(priceList('2.0.0', change))).json<{ warnings: { code: string }[] }>()
    // Nobody loses anything, so there is nothing to warn of.
    expect(pushed.warnings.map(({ code }) => code)).not.toContain('features_lowered')
    expect(await limitOf('acme')).toBe(10)
    await sessionOf(test, 'later')
    await buy(test, 'later', { price_id: 'pro_monthly' })
    await mirrored(test)
    expect(await limitOf('later')).toBe(3)
    expect((await test.push(priceList('2.1.0', { ...change, projects: 2 }))).statusCode).toBe(200)
    expect([await limitOf('acme'), await limitOf('later')]).toEqual([10, 2])
  })
})
