import { describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { startedForEach } from '../../support/started.ts'
import { caller, startWorld } from '../tenants/world.ts'
import type { NewCheckout } from '../../../packages/ratecard/src/api/customers/checkout.ts'

const usd = { currency: 'usd' } as const
const monthly = (id: string, amount: number) => ({ id, amount, interval: 'month' as const, ...usd })

/** Returns a document with two plans of a group, the more expensive one with a trial, and a product outside the group. */
const plans = (version = '1.0.0'): BillingConfig => ({
  version,
  products: [
    { id: 'team', name: 'Team', subscription_group: 'plan', prices: [monthly('team_monthly', 900)] },
    {
      ...{ id: 'business', name: 'Business', subscription_group: 'plan' },
      prices: [
        { ...monthly('business_monthly', 1900), trial_period_days: 14 },
        { ...monthly('business_yearly', 19000), interval: 'year' },
      ],
    },
    { id: 'storage', name: 'Storage', prices: [{ ...monthly('storage', 500), trial_period_days: 7 }] },
  ],
})

const tenant = { id: 'acme', name: 'Acme', email: 'a@acme.example' }
const world = startedForEach(() => startWorld({ document: plans(), tenant }))

const urls = { successUrl: 'http://127.0.0.1:9/done', cancelUrl: 'http://127.0.0.1:9/back' }
const live = async () => (await world.service.tenantSubscriptions('acme')).subscriptions
const bySession = async (priceId: string, more: Partial<NewCheckout> = {}) => {
  const session = await world.service.createSession('acme', null)
  return world.service.createCheckout({ ...urls, priceId, ...more }, { kind: 'session', session }, null)
}
const byKey = (priceId: string, more: Partial<NewCheckout> = {}) => world.buy('acme', priceId, more)
const paid = async (page: { readonly url: string }) => {
  expect((await world.pay(page.url)).status).toBe(303)
  const last = (await live()).at(-1)
  return { id: last?.id ?? '', status: last?.status }
}
/** Starts a trial and cancels it. */
const tried = async (priceId: string, more: Partial<NewCheckout> = {}) => {
  const { id, status } = await paid(await byKey(priceId, more))
  expect(status).toBe('trialing')
  await world.stripe.subscriptions.cancel(id)
  return id
}
const openPages = async () => {
  const customer = (await world.service.findTenant('acme')).processorCustomerId ?? ''
  return (await world.stripe.checkout.sessions.list({ customer, status: 'open' })).data.map(({ id }) => id)
}

describe('a tenant that used up its trial of a product', () => {
  test('is refused another trial that is requested with a session, even after the subscription ended', async () => {
    const first = await tried('team_monthly', { trialPeriodDays: 30 })
    await expect(bySession('team_monthly', { trialPeriodDays: 30 })).rejects.toMatchObject({
      code: 'trial_used',
      status: 409,
      message: expect.stringContaining(first) as string,
      hint: expect.stringContaining('Leave out "trial_period_days"') as string,
      extra: { subscription: first },
    })
    expect(await openPages()).toEqual([])
    const page = await bySession('team_monthly')
    expect(page).not.toHaveProperty('trial')
    expect((await paid(page)).status).toBe('active')
  })

  test('is refused another trial that is requested with a service key, unless allow_second_trial is set', async () => {
    await tried('team_monthly', { trialPeriodDays: 30 })
    await expect(byKey('team_monthly', { trialPeriodDays: 7 })).rejects.toMatchObject({ code: 'trial_used' })
    const page = await byKey('team_monthly', { trialPeriodDays: 7, allowSecondTrial: true })
    expect(page).not.toHaveProperty('trial')
    expect((await paid(page)).status).toBe('trialing')
  })

  test('is charged immediately for a price with a trial, and the response contains `trial: used`', async () => {
    await tried('business_monthly')
    for (const sell of [bySession, byKey]) expect(await sell('business_monthly')).toMatchObject({ trial: 'used' })
    expect((await paid(await bySession('business_monthly'))).status).toBe('active')
  })

  test('gets the trial of the price again with allow_second_trial', async () => {
    await tried('business_monthly')
    const page = await byKey('business_monthly', { allowSecondTrial: true })
    expect(page).not.toHaveProperty('trial')
    expect((await paid(page)).status).toBe('trialing')
  })

  test('has also used up the trial of the other prices of that product, and of the other products of its group', async () => {
    await tried('business_monthly')
    for (const price of ['business_yearly', 'team_monthly'])
      await expect(byKey(price, { trialPeriodDays: 7 })).rejects.toMatchObject({ code: 'trial_used' })
  })

  test('may have a trial of another product, and the request may contain trial_period_days 0', async () => {
    await tried('business_monthly')
    const page = await bySession('business_monthly', { trialPeriodDays: 0 })
    expect(page).not.toHaveProperty('trial')
    expect((await paid(page)).status).toBe('active')
    expect((await paid(await bySession('storage'))).status).toBe('trialing')
  })

  test('is refused another trial even if the subscription was moved to another product in the meantime', async () => {
    const { id } = await paid(await byKey('storage'))
    const subscription = await world.stripe.subscriptions.retrieve(id)
    const other = await world.stripe.prices.create({
      ...{ unit_amount: 100, ...usd, recurring: { interval: 'month' } },
      product_data: { name: 'By hand' },
    })
    await world.stripe.subscriptions.update(id, {
      items: [{ id: subscription.items.data[0]?.id ?? '', price: other.id }],
    })
    expect(await byKey('storage')).toMatchObject({ trial: 'used' })
  })

  test('is refused another trial even if an operator created the first trial at the processor', async () => {
    await world.service.createPortal(
      { returnUrl: 'http://127.0.0.1:9/' },
      { kind: 'key', keyId: 'key_1', tenantId: 'acme' },
    )
    const customer = (await world.service.findTenant('acme')).processorCustomerId ?? ''
    const price = (await world.store.mappings.byConfigId('price', 'team_monthly')).at(-1)?.processorId ?? ''
    const { id } = await world.stripe.subscriptions.create({ customer, items: [{ price }], trial_period_days: 3 })
    await world.stripe.subscriptions.cancel(id)
    expect(await byKey('business_monthly')).toMatchObject({ trial: 'used' })
  })

  test('cannot be replaced by a new tenant with the same customer to get another trial', async () => {
    await tried('team_monthly', { trialPeriodDays: 30 })
    const processorCustomerId = (await world.service.findTenant('acme')).processorCustomerId ?? ''
    await world.service.removeTenant('acme', caller)
    await world.service.createTenant({ id: 'acme', name: 'Acme', processorCustomerId }, caller)
    await expect(byKey('team_monthly', { trialPeriodDays: 30 })).rejects.toMatchObject({ code: 'trial_used' })
  })
})

describe('a checkout that is requested with a session', () => {
  test('is refused if it contains allow_second_trial', async () => {
    await expect(bySession('storage', { allowSecondTrial: true })).rejects.toMatchObject({
      code: 'not_allowed',
      status: 403,
    })
    expect((await bySession('storage', { allowSecondTrial: false })).sessionId).toMatch(/^cs_/)
  })
})

describe('a checkout page that offers a trial', () => {
  test('closes other open pages for its product or group, but no pages for other products', async () => {
    const team = await byKey('team_monthly', { trialPeriodDays: 30 })
    const storage = await byKey('storage')
    const business = await byKey('business_monthly')
    expect((await openPages()).sort()).toEqual([storage.sessionId, business.sessionId].sort())
    expect((await world.pay(team.url)).status).not.toBe(303)
    expect((await paid(business)).status).toBe('trialing')
  })

  test('is kept open if the checkout is retried with the same idempotency key', async () => {
    const again = () =>
      world.service.createCheckout(
        { ...urls, priceId: 'storage' },
        { kind: 'key', keyId: 'key_1', tenantId: 'acme' },
        'order-1',
      )
    const first = await again()
    expect(await again()).toEqual(first)
    expect(await openPages()).toEqual([first.sessionId])
  })

  test('is closed if another page is paid while the page is being opened, and a retry offers no trial', async () => {
    const team = await byKey('team_monthly', { trialPeriodDays: 30 })
    const { processor } = world
    const create = processor.createCheckout.bind(processor)
    let raced = false
    Object.assign(processor, {
      createCheckout: async (...args: Parameters<typeof create>) => {
        if (!raced) expect((await world.pay(team.url)).status).toBe(303)
        raced = true
        return create(...args)
      },
    })
    const second = () => byKey('business_monthly', { allowDuplicate: true })
    await expect(second()).rejects.toMatchObject({ code: 'tenant_busy', retryAfter: 1 })
    expect(await openPages()).toEqual([])
    expect(await second()).toMatchObject({ trial: 'used' })
  })
})
