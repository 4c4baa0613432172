// Entitlements are read from the mirror without a call to the processor, and equal those of the processor.
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createService, type Service } from '../../../packages/ratecard/src/server/service/service.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { startSandbox, type Sandbox } from '../../../packages/sandbox/src/server.ts'
import { mirrorSettings } from '../../support/mirror.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { TestClock } from '../../support/sandbox.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'

const day = 86_400_000
const clock = new TestClock(Date.UTC(2026, 3, 1, 12))
const caller = { author: null, by: null, requestId: null }
const tenants = ['ada', 'bob', 'cleo', 'dan'] as const
let sandbox: Sandbox
let stack: Stack
let requests = 0

const features = ['api', 'sso', 'audit'].map((id) => ({ id, name: id.toUpperCase() }))
const priceList = (version: string, ofPro: readonly string[]): BillingConfig => ({
  version,
  features,
  products: [
    {
      ...{ id: 'pro', name: 'Pro', features: [...ofPro] },
      prices: [{ id: 'pro_monthly', amount: 1000, currency: 'usd', interval: 'month' }],
    },
  ],
})

/** Returns a service with a mirror that is up to date. The feed is stopped, so that every request is counted. */
async function mirrored(): Promise<Service> {
  clock.advance(1000)
  const service = createService({
    settings: { requireVersionBump: false, workers: 'off' },
    ...{ store: stack.store, processor: stack.processor, processorName: 'sandbox', processorMode: 'sandbox', clock },
    mirror: mirrorSettings,
  })
  service.feed?.feeder.start()
  for (;;) {
    service.feed?.feeder.wake()
    const status = await service.feed?.mirror.status()
    if (status?.state === 'ready' && (status.asOf ?? 0) >= clock.now()) break
    await wait(20)
  }
  await service.feed?.feeder.stop()
  // The feed may have been stopped during a read. The processor answers that read before this one.
  await stack.stripe.customers.list({ limit: 1 })
  return service
}

/** Returns the features of every tenant: from the mirror without a request, and from the processor. */
async function bothAnswers() {
  const service = await mirrored()
  const before = requests
  const ours: Record<string, readonly string[]> = {}
  for (const tenant of tenants) ours[tenant] = (await service.tenantEntitlements(tenant)).features.map(({ id }) => id)
  expect(requests - before).toBe(0)
  const theirs: Record<string, readonly string[]> = {}
  for (const tenant of tenants)
    theirs[tenant] = (await stack.service.tenantEntitlements(tenant)).features.map(({ id }) => id)
  expect(requests - before).toBeGreaterThan(0)
  await service.close()
  return { ours, theirs }
}

beforeAll(async () => {
  sandbox = await startSandbox({
    ...{ port: 0, dataDir: null, clock },
    observe: () => requests++,
  })
  stack = await startStack({ sandbox, clock })
  await stack.service.push(priceList('1.0.0', ['api', 'sso']), nobody)
  const [entry] = await stack.store.mappings.byConfigId('price', 'pro_monthly')
  const items = [{ price: entry?.processorId ?? '' }]
  for (const tenant of tenants) {
    const customer = await payingCustomer(stack.stripe, { name: tenant })
    await stack.service.createTenant({ id: tenant, name: tenant, processorCustomerId: customer }, caller)
    if (tenant === 'dan') continue
    const trial = tenant === 'bob' ? { trial_period_days: 60 } : {}
    const { id } = await stack.stripe.subscriptions.create({ customer, items, ...trial })
    if (tenant === 'cleo') await stack.stripe.subscriptions.cancel(id)
  }
}, 60_000)
afterAll(async () => {
  await stack.close()
  await sandbox.close()
})

describe('entitlements that are read from the mirror', () => {
  test('equal the processor’s entitlements for each status of a subscription, without a request to the processor', async () => {
    const { ours, theirs } = await bothAnswers()
    expect(ours).toEqual({ ada: ['api', 'sso'], bob: ['api', 'sso'], cleo: [], dan: [] })
    expect(ours).toEqual(theirs)
  })

  test('change at the start of the next period if a feature is attached or detached, as at the processor', async () => {
    clock.advance(10 * day)
    await stack.service.push(priceList('1.1.0', ['api', 'audit']), nobody)
    const within = await bothAnswers()
    expect(within.ours).toMatchObject({ ada: ['api', 'sso'], bob: ['api', 'sso'] })
    expect(within.ours).toEqual(within.theirs)
    clock.advance(25 * day)
    await stack.stripe.customers.list({ limit: 1 })
    const after = await bothAnswers()
    expect(after.ours).toMatchObject({ ada: ['api', 'audit'], bob: ['api', 'sso'] })
    expect(after.ours).toEqual(after.theirs)
  })

  test('are kept after their product is no longer sold, as at the processor', async () => {
    const { products: _, ...rest } = priceList('1.2.0', [])
    await stack.service.push({ ...rest, products: [{ id: 'other', name: 'Other' }] }, nobody)
    const within = await bothAnswers()
    clock.advance(31 * day)
    await stack.stripe.customers.list({ limit: 1 })
    const renewed = await bothAnswers()
    expect([within.ours, renewed.ours]).toEqual([within.theirs, renewed.theirs])
    expect(renewed.ours).toMatchObject({ ada: ['api', 'audit'] })
  })

  test('have a timestamp, and can be read with a tenant’s session without a request to the processor', async () => {
    const service = await mirrored()
    const { value } = await service.createSession('ada', null)
    const session = await service.authenticateSession(value)
    if (session === null) throw new Error('The session is not valid')
    const principal = { kind: 'session', session } as const
    const before = requests
    expect(await service.sessionEntitlements(principal)).toMatchObject({
      asOf: clock.now(),
      features: [{ id: 'api' }, { id: 'audit' }],
    })
    await service.sessionPrices(principal)
    await service.money()
    await service.listTenants({ limit: 10, offset: 0, state: 'active' })
    await service.priceSubscribers('pro_monthly', { limit: 10, offset: 0, generation: 'all' })
    expect(requests - before).toBe(0)
    await service.close()
  })
})
