// Calls of the client library against the real server.
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Client, type ClientOptions } from '../../packages/client/src/client.ts'
import { changedConfig, sampleConfig, startTestApp } from '../support/app.ts'
import { buy, jobEnd, nobody, sessionOf } from '../support/shop/selling.ts'
import { startedForAll } from '../support/started.ts'

const test = startedForAll(startTestApp)
let baseUrl: string
let client: Client

beforeAll(async () => {
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  baseUrl = `http://127.0.0.1:${String((test.app.server.address() as AddressInfo).port)}`
  client = createClient({ baseUrl, serviceKey: test.key })
  await client.admin.push(sampleConfig())
})

const urls = { successUrl: 'http://127.0.0.1:9/done', cancelUrl: 'http://127.0.0.1:9/back' }

describe('checkout.create() of the client library', () => {
  it('sells to the tenant of the client’s session', async () => {
    const session = await sessionOf(test, 'guest')
    const shop = createClient({ baseUrl, session })
    const bought = await shop.checkout.create({
      priceId: 'pro_monthly',
      ...urls,
      trialPeriodDays: 7,
      allowPromotionCodes: true,
      quantity: 2,
    })
    expect(bought).toEqual({ url: expect.stringContaining(test.sandbox.url), sessionId: expect.stringMatching(/^cs_/) })
    expect((await test.service.findTenant('guest')).processorCustomerId).toMatch(/^cus_/)
    expect(await shop.checkout.create({ priceId: 'free', ...urls })).toEqual({ url: urls.successUrl, sessionId: null })
    await expect(shop.tenants.list()).rejects.toMatchObject({ code: 'not_allowed', status: 403 })
    const wrong = createClient({ baseUrl, session: `${session}x` })
    await expect(wrong.checkout.create({ priceId: 'free', ...urls })).rejects.toMatchObject({ code: 'session_invalid' })
  })

  it('reports mistyped members like the server, because the client sends each given member unchanged', async () => {
    const wish = { priceId: 'pro_monthly', ...urls, tenantId: 'guest', trialDays: 3 }
    await expect(client.checkout.create(wish)).rejects.toMatchObject({
      code: 'request_invalid',
      errors: [{ code: 'field_unknown', pointer: '#/trial_days' }],
    })
  })
})

describe('an idempotent write of the client library', () => {
  /** Drops the responses of the first requests, after the server has executed them. */
  function losing(answers: number): { options: ClientOptions; keys: (string | null)[] } {
    const keys: (string | null)[] = []
    const lossy: typeof fetch = async (input, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      const response = await fetch(input, init)
      await response.text()
      if (keys.length <= answers) throw new TypeError('fetch failed')
      return fetch(input, init)
    }
    return { options: { baseUrl, serviceKey: test.key, fetch: lossy }, keys }
  }

  it('is retried with one generated idempotency key when the response is lost, and executed once', async () => {
    const { options, keys } = losing(2)
    const before = (await client.tenants.list()).pagination.total
    const made = await createClient(options).tenants.create({ name: 'Once' })
    expect((await client.tenants.list()).pagination.total).toBe(before + 1)
    expect((await client.tenants.find(made.id)).name).toBe('Once')
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[\w-]{16,}$/)
  })

  it('uses the caller’s idempotency key, or else a new key per call', async () => {
    const own = losing(1)
    await createClient(own.options).tenants.create({ name: 'Mine' }, { idempotencyKey: 'mine' })
    expect(own.keys).toEqual(['mine', 'mine'])
    const fresh = losing(0)
    const other = createClient(fresh.options)
    await other.usage.record({ meter: 'api_calls', value: 1, tenantId: 'guest' })
    await other.usage.record({ meter: 'api_calls', value: 1, tenantId: 'guest' })
    expect(new Set(fresh.keys).size).toBe(2)
  })
})

describe('the client library', () => {
  it('takes a tenant from its first checkout to its negotiated price and back to the list price', async () => {
    const acme = await client.tenants.create(
      { id: 'acme', name: 'Acme', email: 'bill@acme.test' },
      { author: 'Zoë', message: 'Signed' },
    )
    expect(acme).toMatchObject({ id: 'acme', processorCustomerId: null, enterpriseTemplate: null })
    await buy(test, 'acme', { price_id: 'pro_monthly', quantity: 7 })
    const { processorCustomerId } = await client.tenants.find('acme')
    expect((await client.tenants.list({ processorCustomerId: processorCustomerId ?? '' })).tenants).toMatchObject([
      { id: 'acme' },
    ])
    expect(await client.tenants.subscriptions('acme')).toMatchObject({
      tenantId: 'acme',
      billingStatus: 'active',
      subscriptions: [
        { cancelAtPeriodEnd: false, items: [{ priceId: 'pro_monthly', usageType: 'licensed', quantity: 7 }] },
      ],
    })
    expect(await client.tenants.upcomingInvoice('acme')).toMatchObject({
      amountDue: 8400,
      formatted: '$84.00',
      lines: [{ priceId: 'pro_monthly', amount: 8400 }],
      invoices: [{ amountDue: 8400, lines: [{ priceId: 'pro_monthly' }] }],
    })

    const deal = { tenantId: 'acme', enterpriseTemplate: 'gold' }
    const dry = await client.enterprise.applyTemplate(deal, { dryRun: true })
    expect(dry).toMatchObject({ tenantId: 'acme', dryRun: true, pricesSwapped: 1 })
    const applied = await client.enterprise.applyTemplate(deal, { author: 'Sales' })
    expect(applied).toMatchObject({
      tenantId: 'acme',
      pricesSwapped: 1,
      swaps: [{ from: 'pro_monthly', to: 'pro_monthly_gold', effective: 'now' }],
      skipped: [],
    })
    expect((await client.tenants.audit('acme', { limit: 1 })).entries).toMatchObject([{ author: 'Sales' }])
    expect((await client.enterprise.coverage()).rows[0]).toMatchObject({
      basePriceId: 'pro_monthly',
      cells: [{ target: 'template:gold', priceId: 'pro_monthly_gold' }, {}],
    })
    expect((await client.enterprise.remove({ tenantId: 'acme' })).pricesSwapped).toBe(1)
    await expect(client.tenants.remove('acme')).rejects.toMatchObject({ code: 'conflict' })
  })

  it('plans a migration, starts it, and follows its job', async () => {
    const raised = changedConfig('1.1.0', ({ products }) => {
      for (const price of products.flatMap(({ prices = [] }) => prices))
        if (price.id === 'pro_monthly') price.amount = 1500
    })
    await client.admin.push(raised, { approveImpact: true })
    expect(await client.migrations.plan({ priceId: 'pro_monthly', to: 'now' })).toMatchObject({
      priceId: 'pro_monthly',
      lines: [{ tenantId: 'acme', monthlyBefore: 8400, monthlyAfter: 10_500, effective: 'now' }],
      totals: [{ currency: 'usd', before: 8400, after: 10_500 }],
    })
    const job = await client.migrations.start({ priceId: 'pro_monthly', to: 'now' }, { author: 'Ops' })
    expect(job).toMatchObject({ kind: 'migration', subject: 'pro_monthly', author: 'Ops' })
    await jobEnd(test, job.id)
    expect(await client.jobs.find(job.id)).toMatchObject({
      state: 'done',
      stepsDone: 1,
      steps: [{ state: 'succeeded' }],
    })
    const { jobs, pagination } = await client.jobs.list({ kind: 'migration' })
    expect([jobs.map(({ id }) => id), pagination.hasMore]).toEqual([[job.id], false])
    await expect(client.jobs.cancel(job.id)).rejects.toMatchObject({ code: 'job_not_running' })
  })
})

describe('sessions of tenants, created with the client library,', () => {
  it('are valid until they are revoked', async () => {
    await test.service.createTenant({ id: 'visitor', name: 'V' }, nobody)
    const session = await client.sessions.create({ tenantId: 'visitor', ttlSeconds: 60 })
    expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).toBe(60_000)
    const visitor = createClient({ baseUrl, session: session.value })
    expect((await visitor.portal.create({ returnUrl: urls.successUrl })).url).toMatch(/^http/)
    await client.sessions.revoke(session.id)
    await expect(visitor.portal.create({ returnUrl: urls.successUrl })).rejects.toMatchObject({ status: 401 })
  })
})

describe('usage.record() of the client library', () => {
  it('accepts Date objects and decimals', async () => {
    const timestamp = new Date(Math.floor(Date.now() / 1000) * 1000)
    const usage = { meter: 'api_calls', value: '0.5', tenantId: 'guest', timestamp, identifier: 'u-1' }
    expect(await client.usage.record(usage)).toEqual({
      ...usage,
      timestamp: timestamp.toISOString(),
      alreadyCounted: false,
      billed: null,
    })
  })
})
