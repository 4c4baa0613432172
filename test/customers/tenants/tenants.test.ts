import { describe, expect, test } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { nobody } from '../../support/stack.ts'
import { caller, kiln, startWorld } from './world.ts'
import { giveCard } from '../../support/shop/paying-customer.ts'
import { startedForEach } from '../../support/started.ts'
import { refusalOf } from '../../support/stores/store.ts'
import { newAudit } from '../../support/shop/tenant-records.ts'

const world = startedForEach(startWorld)

async function subscribed(tenantId: string) {
  await world.service.createTenant({ id: tenantId, name: tenantId }, caller)
  await world.pay((await world.buy(tenantId, 'kiln_monthly', { quantity: 7 })).url)
}

describe('tenants', () => {
  test('can be created without a request to the processor, found and changed, and the audit log contains each change', async () => {
    const { service } = world
    const before = world.writes()
    const made = await service.createTenant({ name: 'Acme', email: 'a@acme.example' }, caller)
    expect(made.id).toMatch(/^ten_[a-z0-9]{26}$/)
    expect(made).toMatchObject({ processorCustomerId: null, enterpriseTemplate: null, enterpriseId: null })
    await service.createTenant({ id: 'beta', name: 'Beta', processorCustomerId: 'cus_beta' }, caller)
    expect(world.writes()).toBe(before)
    expect(await service.findTenant(made.id)).toEqual(made)
    const page = { limit: 10, offset: 0 }
    expect((await service.listTenants({ ...page, processorCustomerId: 'cus_beta' })).items.map(({ id }) => id)).toEqual(
      ['beta'],
    )
    const changed = await service.updateTenant(made.id, { name: 'Acme Ltd', email: null }, caller)
    expect(changed).toMatchObject({ name: 'Acme Ltd', email: null })
    // Nothing changes, so there is no audit row.
    expect(await service.updateTenant(made.id, { name: 'Acme Ltd' }, caller)).toEqual(changed)
    const { items } = await service.tenantAudit(made.id, page)
    expect(items).toMatchObject([
      {
        action: 'tenant_updated',
        before: { name: 'Acme', email: 'a@acme.example' },
        after: { name: 'Acme Ltd', email: null },
        author: 'ada',
        by: { keyId: 'key_1', keyName: 'ci' },
        keyId: 'key_1',
        requestId: 'req_1',
      },
      {
        action: 'tenant_created',
        before: null,
        after: { name: 'Acme', email: 'a@acme.example', processor_customer_id: null },
      },
    ])
    expect(items[0]?.before).not.toHaveProperty('processor_customer_id')
  })

  test('cannot share an id or a customer, and a request for an unknown tenant gets a 404', async () => {
    const { service } = world
    await service.createTenant({ id: 'acme', name: 'Acme', processorCustomerId: 'cus_1' }, caller)
    const beta = { id: 'beta', name: 'Beta' }
    expect(await refusalOf(service.createTenant({ id: 'acme', name: 'Other' }, caller))).toBe('conflict')
    expect(await refusalOf(service.createTenant({ ...beta, processorCustomerId: 'cus_1' }, caller))).toBe('conflict')
    await service.createTenant(beta, caller)
    expect(await refusalOf(service.updateTenant('beta', { processorCustomerId: 'cus_1' }, caller))).toBe('conflict')
    const unknown = [
      () => service.findTenant('nobody'),
      () => service.updateTenant('nobody', { name: 'N' }, caller),
      () => service.removeTenant('nobody', caller),
      () => service.tenantAudit('nobody', { limit: 1, offset: 0 }),
      () => service.tenantSubscriptions('nobody'),
      () => service.upcomingInvoices('nobody'),
      () => world.buy('nobody', 'kiln_monthly'),
    ]
    for (const ask of unknown) await expect(ask()).rejects.toMatchObject({ code: 'tenant_not_found' })
  })

  test('keep their customer while a deal is being applied to them', async () => {
    const { service, store } = world
    await service.createTenant({ id: 'acme', name: 'Acme', processorCustomerId: 'cus_1' }, caller)
    const set = (template: string | null) =>
      store.exclusively('tenant:acme', ({ token }) =>
        store.tenants.setEnterprise(
          'acme',
          { enterpriseTemplate: template, enterpriseId: null, enterpriseEndsAt: null, enterpriseThen: null },
          newAudit('acme', { action: 'apply_template' }),
          token,
        ),
      )
    await set('partner')
    for (const processorCustomerId of [null, 'cus_2'])
      expect(await refusalOf(service.updateTenant('acme', { processorCustomerId }, caller))).toBe('conflict')
    await service.updateTenant('acme', { name: 'Still', processorCustomerId: 'cus_1' }, caller)
    await set(null)
    expect(await service.updateTenant('acme', { processorCustomerId: null }, caller)).toMatchObject({
      name: 'Still',
      processorCustomerId: null,
    })
  })

  test('cannot be removed while they are billed; after the removal only the audit log is left', async () => {
    const { service, stripe } = world
    await subscribed('acme')
    await world.buy('acme', 'kiln_free')
    const { subscriptions } = await service.tenantSubscriptions('acme')
    const paid = subscriptions.find(({ home }) => home === 'processor')
    await expect(service.removeTenant('acme', caller)).rejects.toMatchObject({
      code: 'conflict',
      message: `The tenant still has live subscriptions: ${paid?.id ?? ''}.`,
    })
    await stripe.subscriptions.cancel(paid?.id ?? '')
    await service.removeTenant('acme', caller)
    await expect(service.findTenant('acme')).rejects.toMatchObject({ code: 'tenant_not_found' })
    const { items } = await service.tenantAudit('acme', { limit: 1, offset: 0 })
    expect(items).toMatchObject([{ action: 'tenant_deleted', before: { name: 'acme' }, after: null }])
    // A new tenant with the same id inherits nothing.
    await service.createTenant({ id: 'acme', name: 'New' }, caller)
    expect(await service.tenantSubscriptions('acme')).toEqual({ billingStatus: 'none', subscriptions: [] })
  })

  test('are removed together with their own open checkout pages', async () => {
    const { service, stripe } = world
    await service.createTenant({ id: 'acme', name: 'Acme' }, caller)
    const pages = [await world.buy('acme', 'kiln_monthly'), await world.buy('acme', 'kiln')]
    const mug = await stripe.prices.create({ currency: 'eur', unit_amount: 500, product_data: { name: 'Mug' } })
    const foreign = await stripe.checkout.sessions.create({
      mode: 'payment',
      customer: (await service.findTenant('acme')).processorCustomerId ?? '',
      line_items: [{ price: mug.id, quantity: 1 }],
      success_url: 'http://127.0.0.1:9/',
    })
    await service.removeTenant('acme', caller)
    for (const { url } of pages) expect((await world.pay(url)).status).not.toBe(303)
    // The checkout page of another shop for the same customer stays open.
    expect((await stripe.checkout.sessions.retrieve(foreign.id)).status).toBe('open')
  })

  test('are not removed if one of their checkout pages is paid during the removal', async () => {
    const { service, sandbox, stripe } = world
    await service.createTenant({ id: 'acme', name: 'Acme' }, caller)
    const { url, sessionId } = await world.buy('acme', 'kiln_monthly')
    const { promise: paid, resolve: pay } = Promise.withResolvers<undefined>()
    sandbox.control.fail({
      kind: 'latency',
      method: 'POST',
      path: `/v1/checkout/sessions/${sessionId ?? ''}/expire`,
      until: paid,
    })
    const removal = service.removeTenant('acme', caller)
    await expect.poll(() => sandbox.control.faults()).toHaveLength(0)
    expect((await world.pay(url)).status).toBe(303)
    pay(undefined)
    await expect(removal).rejects.toMatchObject({ code: 'conflict', message: /live subscriptions/ })
    expect((await service.findTenant('acme')).name).toBe('Acme')
    expect(await stripe.checkout.sessions.retrieve(sessionId ?? '')).toMatchObject({ status: 'complete' })
  })

  test('are not removed while the processor is unavailable, and are removed if the processor does not have their customer', async () => {
    const { service, sandbox } = world
    await service.createTenant({ id: 'acme', name: 'Acme', processorCustomerId: 'cus_mistyped' }, caller)
    sandbox.control.fail({ kind: 'error_before', method: 'GET', path: '/v1/subscriptions', count: null })
    await expect(service.removeTenant('acme', caller)).rejects.toMatchObject({ code: 'processor_unavailable' })
    sandbox.control.clearFaults()
    await service.removeTenant('acme', caller)
  })
})

describe('subscriptions of a tenant', () => {
  test('have the price ids of the configuration, and prices that are no longer sold are marked as legacy', async () => {
    const { service } = world
    await subscribed('acme')
    await world.buy('acme', 'kiln_free')
    await world.buy('acme', 'kiln_free')
    const first = await service.tenantSubscriptions('acme')
    expect(first).toMatchObject({
      billingStatus: 'active',
      subscriptions: [
        {
          home: 'processor',
          status: 'active',
          currency: 'eur',
          items: [
            { priceId: 'kiln_monthly', quantity: 7, legacy: false, usageType: 'licensed', scheduledPriceId: null },
          ],
        },
        { home: 'local', status: 'active', items: [{ priceId: 'kiln_free', legacy: false }] },
      ],
    })
    expect(first.subscriptions).toHaveLength(2)
    await service.push(kiln('1.1.0', 5900), nobody)
    const legacy = async () =>
      (await service.tenantSubscriptions('acme')).subscriptions.flatMap(({ items }) =>
        items.map(({ priceId, legacy: isLegacy }) => [priceId, isLegacy]),
      )
    expect(await legacy()).toEqual([
      ['kiln_monthly', true],
      ['kiln_free', false],
    ])
    const [product] = kiln().products
    await service.push({ version: '2.0.0', products: [{ ...product, id: 'kiln', name: 'Kiln', prices: [] }] }, nobody)
    expect(await legacy()).toEqual([
      ['kiln_monthly', true],
      ['kiln_free', true],
    ])
    await service.reset({ ...nobody, scope: 'managed' })
    expect(await legacy()).toEqual([
      ['kiln_monthly', true],
      ['kiln_free', true],
    ])
  })

  test('have the processor’s price id for unmanaged prices', async () => {
    const { service, stripe } = world
    await subscribed('acme')
    const { processorCustomerId } = await service.findTenant('acme')
    const { id: product } = await stripe.products.create({ name: 'Foreign' })
    const recurring = { interval: 'month' } as const
    const price = await stripe.prices.create({ product, currency: 'eur', unit_amount: 100, recurring })
    await giveCard(stripe, processorCustomerId ?? '')
    await stripe.subscriptions.create({ customer: processorCustomerId ?? '', items: [{ price: price.id }] })
    expect((await service.tenantSubscriptions('acme')).subscriptions.at(-1)?.items).toMatchObject([
      { priceId: null, processorPriceId: price.id, legacy: false },
    ])
    expect((await service.upcomingInvoices('acme')).map(({ lines }) => lines[0]?.priceId)).toEqual([
      'kiln_monthly',
      null,
    ])
  })

  test('contain the next price of a subscription schedule', async () => {
    const { service, stripe, processor } = world
    await subscribed('acme')
    const [subscription] = (await service.tenantSubscriptions('acme')).subscriptions
    const [item] = subscription?.items ?? []
    const { config } = await service.fullConfig()
    const to = config.products[0]?.prices?.find(({ id }) => id === 'kiln_monthly_partner')?.processor_id ?? ''
    const options = { idempotencyKey: 'k', signal: AbortSignal.timeout(10_000) }
    const from = item?.processorPriceId ?? ''
    await processor.scheduleSwaps(
      { subscription: subscription?.id ?? '', swaps: [{ from: processorId(from), to: processorId(to) }] },
      options,
    )
    expect((await service.tenantSubscriptions('acme')).subscriptions[0]?.items).toMatchObject([
      { priceId: 'kiln_monthly', scheduledPriceId: 'kiln_monthly_partner' },
    ])
    expect((await stripe.subscriptions.retrieve(subscription?.id ?? '')).schedule).not.toBeNull()
  })

  test('contain an upcoming invoice with the processor’s amounts and the configuration’s price ids', async () => {
    const { service } = world
    await subscribed('acme')
    const [invoice] = await service.upcomingInvoices('acme')
    expect(invoice).toMatchObject({
      currency: 'eur',
      total: 34300,
      amountDue: 34300,
      formatted: '€343.00',
      lines: [{ priceId: 'kiln_monthly', quantity: 7, amount: 34300 }],
    })
    await service.createTenant({ id: 'beta', name: 'Beta' }, caller)
    expect(await service.upcomingInvoices('beta')).toEqual([])
  })
})
