import { describe, expect, test } from 'vitest'
import { nobody } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'
import { refusalOf } from '../../support/stores/store.ts'
import { caller, forTenant, kiln, startWorld } from '../tenants/world.ts'
import type { NewCheckout } from '../../../packages/ratecard/src/api/customers/checkout.ts'

const tenant = { id: 'acme', name: 'Acme', email: 'a@acme.example' }
const world = startedForEach(() => startWorld({ tenant, allowedRedirects: ['https://shop.example'] }))

const customers = async () => (await world.stripe.customers.list({ limit: 100 })).data
const sessionOf = async (id: string | null) =>
  world.stripe.checkout.sessions.retrieve(id ?? '', { expand: ['line_items', 'subscription'] })
const wish: NewCheckout = {
  priceId: 'kiln_monthly',
  successUrl: 'http://127.0.0.1:9/done?s={CHECKOUT_SESSION_ID}',
  cancelUrl: 'https://shop.example/back',
}

describe('a checkout', () => {
  test('opens a page that takes the payment, and the subscription gets metadata with its tenant and price', async () => {
    const { service } = world
    const successUrl = wish.successUrl
    const { url, sessionId } = await world.buy('acme', 'kiln_monthly', { successUrl, quantity: 3, trialPeriodDays: 14 })
    const page = await (await fetch(url)).text()
    expect(page).toContain('14 days free')
    const metadata = {
      ratecard_version: '1.0.0',
      ratecard_revision: '1',
      ratecard_price_id: 'kiln_monthly',
      ratecard_tenant_id: 'acme',
    }
    expect((await sessionOf(sessionId)).metadata).toEqual(metadata)
    expect(await world.pay(url)).toEqual({ status: 303, location: `http://127.0.0.1:9/done?s=${sessionId ?? ''}` })
    expect((await sessionOf(sessionId)).subscription).toMatchObject({ status: 'trialing', metadata })
    expect(await service.tenantSubscriptions('acme')).toMatchObject({
      billingStatus: 'trialing',
      subscriptions: [{ items: [{ priceId: 'kiln_monthly', quantity: 3 }] }],
    })
    expect(await customers()).toMatchObject([
      { name: 'Acme', email: 'a@acme.example', metadata: { ratecard_tenant_id: 'acme' } },
    ])
  })

  test('is a single payment for a one-time price, and has no quantity for a metered price', async () => {
    const once = await world.buy('acme', 'kiln', { quantity: 2 })
    expect(await sessionOf(once.sessionId)).toMatchObject({ mode: 'payment', amount_total: 19800 })
    expect((await world.pay(once.url)).status).toBe(303)
    const metered = await world.buy('acme', 'kiln_usage')
    expect(await sessionOf(metered.sessionId)).toMatchObject({ mode: 'subscription', amount_total: 0 })
    expect((await world.pay(metered.url)).status).toBe(303)
    expect((await world.service.tenantSubscriptions('acme')).subscriptions[0]?.items).toMatchObject([
      { priceId: 'kiln_usage', quantity: null, usageType: 'metered' },
    ])
    expect(await customers()).toHaveLength(1)
  })

  test('without a tenant lets the processor create the customer, for a single payment too', async () => {
    const { service, stripe } = world
    const anybody = { kind: 'key', keyId: 'k', tenantId: null } as const
    for (const priceId of ['kiln', 'kiln_monthly']) {
      const { url, sessionId } = await service.createCheckout({ ...wish, priceId }, anybody, null)
      expect((await sessionOf(sessionId)).customer).toBeNull()
      expect((await world.pay(url)).status).toBe(303)
      const { customer } = await stripe.checkout.sessions.retrieve(sessionId ?? '')
      expect(await stripe.customers.retrieve(customer as string)).toMatchObject({ object: 'customer' })
    }
    expect(await customers()).toHaveLength(2)
  })

  test('applies a given promotion code, or lets the customer enter one', async () => {
    const applied = await world.buy('acme', 'kiln_monthly', { promotionCode: 'quarter' })
    expect((await sessionOf(applied.sessionId)).amount_total).toBe(3675)
    const typed = await world.buy('acme', 'kiln_monthly', { allowPromotionCodes: true })
    expect((await sessionOf(typed.sessionId)).allow_promotion_codes).toBe(true)
  })

  test('sends no request to the processor for a free price, and starts one subscription', async () => {
    const before = world.writes()
    for (const _again of [1, 2])
      expect(await world.buy('acme', 'kiln_free')).toEqual({ url: 'http://127.0.0.1:9/done', sessionId: null })
    expect(world.writes()).toBe(before)
    expect(await world.service.tenantSubscriptions('acme')).toMatchObject({
      billingStatus: 'free',
      subscriptions: [{ home: 'local', currency: 'eur', items: [{ priceId: 'kiln_free' }] }],
    })
    await expect(world.buy('acme', 'kiln_ask')).rejects.toMatchObject({ code: 'price_not_sellable' })
  })

  test('sells the current price after a push, and the negotiated price instead of its base price', async () => {
    const { service } = world
    await service.push(kiln('1.1.0', 5900), nobody)
    expect((await sessionOf((await world.buy('acme', 'kiln_monthly')).sessionId)).amount_total).toBe(5900)
    await service.applyEnterprise('acme', { kind: 'template', template: 'partner' }, { ...caller, dryRun: false })
    const { sessionId } = await world.buy('acme', 'kiln_monthly')
    expect(await sessionOf(sessionId)).toMatchObject({
      amount_total: 3900,
      metadata: { ratecard_price_id: 'kiln_monthly_partner', ratecard_revision: '2' },
    })
  })

  test('writes nothing at the processor if the checkout is refused', async () => {
    const before = world.writes()
    const session = await world.service.createSession('acme', null)
    const bySession = (more: Partial<NewCheckout>) =>
      world.service.createCheckout({ ...wish, ...more }, { kind: 'session', session }, null)
    const refusals: [Partial<NewCheckout>, string][] = [
      [{ priceId: 'kiln_monthly_partner' }, 'price_not_found'],
      [{ priceId: 'nothing' }, 'price_not_found'],
      [{ successUrl: 'https://evil.example/' }, 'checkout_invalid'],
      [{ cancelUrl: 'javascript:alert(1)' }, 'checkout_invalid'],
      [{ quantity: 0 }, 'checkout_invalid'],
      [{ promotionCode: 'nope' }, 'checkout_invalid'],
    ]
    for (const [more, code] of refusals) await expect(bySession(more)).rejects.toMatchObject({ code })
    await expect(
      world.service.createPortal({ returnUrl: 'http://evil.example/' }, forTenant('acme')),
    ).rejects.toMatchObject({
      code: 'checkout_invalid',
      issues: [{ pointer: '#/return_url' }],
    })
    expect(world.writes()).toBe(before)
    expect((await bySession({})).sessionId).toMatch(/^cs_test_/)
  })

  test('returns the same page for the same idempotency key, and another page for another tenant or other parameters', async () => {
    const { service } = world
    await service.createTenant({ id: 'beta', name: 'Beta' }, caller)
    const checkout = (tenantId: string, more: Partial<NewCheckout> = {}) =>
      service.createCheckout({ ...wish, ...more }, forTenant(tenantId), 'order-1')
    const first = await checkout('acme')
    expect(await checkout('acme')).toEqual(first)
    expect((await checkout('beta')).sessionId).not.toBe(first.sessionId)
    expect((await checkout('acme', { quantity: 2 })).sessionId).not.toBe(first.sessionId)
    expect((await world.buy('acme', 'kiln_monthly')).sessionId).not.toBe(
      (await world.buy('acme', 'kiln_monthly')).sessionId,
    )
  })

  test('succeeds on a retry with the same idempotency key after a processor failure', async () => {
    const checkout = () => world.service.createCheckout(wish, forTenant('acme'), 'order-1')
    world.sandbox.control.fail({ kind: 'error_before', method: 'POST', path: '/v1/checkout/sessions', count: 3 })
    await expect(checkout()).rejects.toMatchObject({ code: 'processor_timeout' })
    world.sandbox.control.clearFaults()
    expect((await checkout()).sessionId).toMatch(/^cs_test_/)
  })

  test('is refused without a published configuration', async () => {
    await world.service.reset({ ...nobody, scope: 'managed' })
    await expect(world.buy('acme', 'kiln_monthly')).rejects.toMatchObject({ code: 'config_not_found' })
  })

  test('is refused if the service’s Stripe key belongs to another account than the configuration', async () => {
    const { store, service } = world
    const bound = await store.facts.get('processor_account')
    await store.facts.set('processor_account', 'acct_other live')
    const before = world.writes()
    await expect(world.buy('acme', 'kiln_monthly')).rejects.toMatchObject({ code: 'account_mismatch' })
    expect(await refusalOf(service.createPortal({ returnUrl: 'http://127.0.0.1/' }, forTenant('acme')))).toBe(
      'account_mismatch',
    )
    expect(world.writes()).toBe(before)
    await store.facts.set('processor_account', bound ?? '')
    expect((await world.buy('acme', 'kiln_monthly')).sessionId).not.toBeNull()
  })
})

describe('the customer portal', () => {
  test('opens for a tenant, even one without purchases', async () => {
    const { url } = await world.service.createPortal({ returnUrl: 'https://shop.example/account' }, forTenant('acme'))
    expect((await fetch(url)).status).toBe(200)
    expect(await customers()).toHaveLength(1)
  })
})

describe('the customer of a tenant', () => {
  test('is created only once by concurrent checkouts, portal sessions and usage reports', async () => {
    const usage = { meter: 'readings', value: 1 }
    await Promise.all([
      ...Array.from({ length: 4 }, () => world.buy('acme', 'kiln_monthly')),
      world.service.createPortal({ returnUrl: 'http://127.0.0.1/' }, forTenant('acme')),
      world.service.recordUsage(usage, forTenant('acme')),
    ])
    const made = await customers()
    expect(made).toHaveLength(1)
    expect((await world.service.findTenant('acme')).processorCustomerId).toBe(made[0]?.id)
  })

  test.each(['close_after', 'error_after', 'cut_body'] as const)(
    'is found by a retry when the response to its creation is lost (%s)',
    async (kind) => {
      world.sandbox.control.fail({ kind, method: 'POST', path: '/v1/customers', count: 2 })
      expect((await world.buy('acme', 'kiln_monthly')).sessionId).not.toBeNull()
      const made = await customers()
      expect(made).toHaveLength(1)
      expect((await world.service.findTenant('acme')).processorCustomerId).toBe(made[0]?.id)
    },
  )

  test('is created with a new idempotency key after a processor failure that Stripe would replay for a day', async () => {
    world.sandbox.control.fail({ kind: 'error_before', method: 'POST', path: '/v1/customers', count: 1 })
    expect((await world.buy('acme', 'kiln_monthly')).sessionId).not.toBeNull()
    expect(await customers()).toHaveLength(1)
  })

  test('is not created twice if the process dies before it stores the customer’s id', async () => {
    const { processor, store, service } = world
    const { createdAt } = await service.findTenant('acme')
    const find = store.tenants.bindCustomer.bind(store.tenants)
    let died = false
    store.tenants.bindCustomer = (...args) => {
      if (died) return find(...args)
      died = true
      return Promise.reject(new Error('the process died'))
    }
    await expect(world.buy('acme', 'kiln_monthly')).rejects.toThrow('the process died')
    await service.updateTenant('acme', { name: 'Acme Ltd' }, caller)
    expect((await world.buy('acme', 'kiln_monthly')).sessionId).not.toBeNull()
    expect(await customers()).toHaveLength(1)
    expect(await processor.findCustomer('acme', createdAt, AbortSignal.timeout(10_000))).toBe(
      (await service.findTenant('acme')).processorCustomerId,
    )
  })

  test('is created once another request for the tenant has ended, or the checkout fails with tenant_busy after a timeout', async () => {
    const { store } = world
    await store.exclusively('tenant:acme', async () => {
      await expect(world.buy('acme', 'kiln_monthly')).rejects.toMatchObject({ code: 'tenant_busy' })
    })
    expect(await customers()).toEqual([])
    let buying: Promise<unknown> = Promise.resolve()
    await store.exclusively('tenant:acme', async () => {
      buying = world.buy('acme', 'kiln_monthly')
      await store.tenants.find('acme')
    })
    await buying
    expect(await customers()).toHaveLength(1)
  })
})

describe('a tenant with a subscription to a price', () => {
  const partner = { kind: 'template', template: 'partner' } as const
  const apply = () => world.service.applyEnterprise('acme', partner, { ...caller, dryRun: false })
  const subscriptions = async () => (await world.service.tenantSubscriptions('acme')).subscriptions
  const bought = async (more: Partial<NewCheckout> = {}) => {
    const { url } = await world.buy('acme', 'kiln_monthly', more)
    expect((await world.pay(url)).status).toBe(303)
    const [last] = (await subscriptions()).slice(-1)
    return last?.id ?? ''
  }

  test('is refused a second subscription to the price, unless allow_duplicate is set', async () => {
    const first = await bought()
    const refused = await world.buy('acme', 'kiln_monthly').catch((error: unknown) => error)
    expect(refused).toMatchObject({
      code: 'already_subscribed',
      status: 409,
      extra: { subscription: first, price_id: 'kiln_monthly' },
    })
    expect((refused as Error).message).toContain(first)
    // The check does not refuse another price, a one-time price or another tenant.
    await world.buy('acme', 'kiln_usage')
    await world.buy('acme', 'kiln')
    await world.service.createTenant({ id: 'other', name: 'Other' }, caller)
    await world.buy('other', 'kiln_monthly')
    await bought({ allowDuplicate: true })
    expect((await subscriptions()).map(({ duplicateOf }) => duplicateOf)).toEqual([null, null])
  })

  test('is also refused a second subscription if the first is on a former price, on a deal’s base price, or on the negotiated price', async () => {
    await bought()
    await world.service.push(kiln('1.1.0', 5900), { ...nobody, approveImpact: true })
    await expect(world.buy('acme', 'kiln_monthly')).rejects.toMatchObject({ code: 'already_subscribed' })
    await apply()
    await expect(world.buy('acme', 'kiln_monthly')).rejects.toMatchObject({ code: 'already_subscribed' })
    await expect(world.buy('acme', 'kiln_monthly_partner')).rejects.toMatchObject({ code: 'already_subscribed' })
  })

  test('may buy the price again once the subscription is cancelled', async () => {
    const first = await bought()
    await world.stripe.subscriptions.cancel(first)
    await bought()
  })

  test('closes its earlier checkout page when it opens another one, so that only one of the two can be paid', async () => {
    const pages = [await world.buy('acme', 'kiln_monthly'), await world.buy('acme', 'kiln_monthly')]
    const paid: boolean[] = []
    for (const { url } of pages) paid.push((await world.pay(url)).status === 303)
    expect(paid).toEqual([false, true])
    expect(await subscriptions()).toHaveLength(1)
  })

  test('is reported by `doctor`, with both subscriptions, if the processor has a second subscription to the price', async () => {
    const [first = '', second = ''] = await world.subscribeUnasked('acme', ['kiln_monthly', 'kiln_monthly'])
    expect((await subscriptions()).map(({ duplicateOf }) => duplicateOf)).toEqual([null, first])
    const finding = (await world.service.doctor()).find(({ check }) => check === 'subscriptions')
    expect(finding).toMatchObject({ status: 'warning' })
    expect(finding?.detail).toContain(`acme: ${second} beside ${first}, both to "kiln_monthly"`)
    await world.stripe.subscriptions.cancel(second)
    expect((await world.service.doctor()).find(({ check }) => check === 'subscriptions')).toEqual({
      check: 'subscriptions',
      status: 'ok',
      detail: 'no tenant is billed twice for one product or subscription group',
    })
  })

  test('cannot pay the list price on a checkout page that was opened before its deal', async () => {
    const before = await world.buy('acme', 'kiln_monthly')
    const dry = await world.service.applyEnterprise('acme', partner, { ...caller, dryRun: true })
    expect(dry.checkoutsClosed).toBe(0)
    expect((await sessionOf(before.sessionId)).status).toBe('open')
    expect(await apply()).toMatchObject({ pricesSwapped: 0, checkoutsClosed: 1 })
    expect((await sessionOf(before.sessionId)).status).toBe('expired')
    expect((await world.pay(before.url)).status).not.toBe(303)
    const after = await world.buy('acme', 'kiln_monthly')
    // Applying the same deal again closes nothing; removing it closes pages with its prices.
    expect(await apply()).toMatchObject({ checkoutsClosed: 0 })
    expect((await sessionOf(after.sessionId)).status).toBe('open')
    await world.service.applyEnterprise('acme', { kind: 'none' }, { ...caller, dryRun: false })
    expect((await sessionOf(after.sessionId)).status).toBe('expired')
    const audit = await world.service.tenantAudit('acme', { limit: 10, offset: 0 })
    expect(audit.items.map(({ result }) => result?.['checkouts_closed'])).toEqual([1, 0, 1, undefined])
  })

  test('is moved to the negotiated price if the tenant paid the list price just before the deal was applied', async () => {
    const page = await world.buy('acme', 'kiln_monthly')
    await world.pay(page.url)
    expect(await apply()).toMatchObject({ pricesSwapped: 1, checkoutsClosed: 0 })
  })
})
