// From a paid plan to a free one, which exists only in the service: the commonest downgrade there is.
import { describe, expect, onTestFinished, test } from 'vitest'
import { admin, billing } from '../../support/app.ts'
import { begin, day, planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import type { Answer, ChangingShop, Subscriber } from '../../support/shop/changing-shop.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { nobody, urls } from '../../support/shop/selling.ts'

const withFree = planDocument('1.0.0', ({ products }) => {
  products.push({
    id: 'free',
    name: 'Free',
    subscription_group: 'plan',
    prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }],
  })
})

async function openShop(): Promise<ChangingShop> {
  const shop = await startChangingShop({}, withFree)
  onTestFinished(() => shop.close())
  return shop
}

interface Shown {
  readonly id: string
  readonly home: string
  readonly status: string
  readonly created_at: string
  readonly cancel_at: string | null
  readonly scheduled: { readonly at: string; readonly items: readonly Answer[] } | null
  readonly items: readonly { readonly price_id: string }[]
}

async function shownOf(shop: ChangingShop, { tenant }: Subscriber) {
  const response = await shop.asAdmin({ url: `${admin}/tenants/${tenant}/subscriptions` })
  return response.json<{ billing_status: string; subscriptions: Shown[] }>()
}

const toFree = { items: [{ price_id: 'free' }] }
const at = (days: number) => new Date((begin + days * day) * 1000).toISOString()

describe('a change to a free price', () => {
  test('shows the last invoice where usage is to be billed, and is silent about usage where there is none', async () => {
    const metered = planDocument('1.0.0', ({ products }) => {
      products[0]?.prices?.push({ id: 'free', amount: 0, currency: 'usd', interval: 'month' })
      Object.assign(products[1]?.prices?.[0] ?? {}, { attached_prices: ['usage'] })
    })
    const shop = await startChangingShop({}, metered)
    onTestFinished(() => shop.close())
    for (const [id, calls, warnings] of [
      ['idle', 0, []],
      ['busy', 70, [{ code: 'usage_apart' }]],
    ] as const) {
      const buyer = await shop.subscriber(id, { pro: 1, usage: null })
      await buyer.pass(10)
      const payload = { stripe_customer_id: buyer.customer, value: String(calls) }
      const event = { event_name: 'call', payload, timestamp: begin + 5 * day }
      if (calls > 0) await shop.stripe.billing.meterEvents.create(event)
      const shown = await buyer.change(toFree)
      const next = { amount: calls * 2, at: at(30) }
      expect(shown).toMatchObject({ status: 'scheduled', due_now: { amount: 0 }, next_invoice: next, warnings })
      await buyer.pass(21)
      expect(await buyer.totals()).toEqual([9000, calls * 2])
    }
  })

  test('costs nothing, ends the paid plan at the end of its period, and starts the free plan then', async () => {
    const shop = await openShop()
    const buyer = await shop.subscriber('t', { pro: 1 })
    await buyer.pass(10)
    const shown = await buyer.askOwn('preview', toFree)
    expect(shown).toMatchObject({
      status: 200,
      when: 'period_end',
      effective_at: at(30),
      before: [{ price_id: 'pro', quantity: 1 }],
      after: [{ price_id: 'free', quantity: 1 }],
      due_now: { amount: 0 },
      next_invoice: null,
      monthly: { before: [{ amount: '9000' }], after: [{ amount: '0' }] },
      warnings: [],
    })
    const changed = await buyer.askOwn('change', { ...toFree, preview: shown['preview'] })
    expect(changed).toMatchObject({ status: 'scheduled', effective_at: at(30) })
    const [paid] = (await shownOf(shop, buyer)).subscriptions
    expect(paid).toMatchObject({ cancel_at: at(30), scheduled: { at: at(30), items: [{ price_id: 'free' }] } })

    await buyer.pass(21)
    const after = await shownOf(shop, buyer)
    expect(after.billing_status).toBe('free')
    expect(after.subscriptions).toMatchObject([
      { home: 'local', status: 'active', created_at: at(30), items: [{ price_id: 'free' }] },
    ])
    expect(await buyer.totals()).toEqual([9000])
    // It begins once, and is not begun again after it was left for a paid plan.
    await shop.asAdmin({
      method: 'DELETE',
      url: `${admin}/tenants/t/subscriptions/${after.subscriptions[0]?.id ?? ''}`,
    })
    expect((await shownOf(shop, buyer)).subscriptions).toEqual([])
  })

  test('is revoked when the customer resumes the paid plan, and the paid plan renews', async () => {
    const shop = await openShop()
    const buyer = await shop.subscriber('t', { pro: 1 })
    await buyer.changeOwn(toFree)
    expect(await buyer.askOwn('resume')).toMatchObject({ cancel_at: null, scheduled: null })
    await buyer.pass(31)
    expect((await shownOf(shop, buyer)).subscriptions).toMatchObject([{ home: 'processor', status: 'active' }])
    expect(await buyer.totals()).toEqual([9000, 9000])
  })

  test('is dropped when the customer cancels the subscription', async () => {
    const shop = await openShop()
    const buyer = await shop.subscriber('t', { pro: 1 })
    await buyer.change(toFree)
    expect(await buyer.askOwn('cancel')).toMatchObject({ cancel_at: at(30), scheduled: null })
    await buyer.pass(31)
    expect((await shownOf(shop, buyer)).subscriptions).toEqual([])
  })

  test('can be made after a cancellation, and takes effect at the end date of the cancelled subscription', async () => {
    const shop = await openShop()
    const buyer = await shop.subscriber('t', { pro: 1 })
    await buyer.askOwn('cancel')
    expect(await buyer.change(toFree)).toMatchObject({ status: 'scheduled', effective_at: at(30) })
    await buyer.pass(31)
    expect((await shownOf(shop, buyer)).subscriptions).toMatchObject([{ home: 'local', created_at: at(30) }])
  })

  test('takes effect immediately only with a service key, and refunds nothing', async () => {
    const shop = await openShop()
    const buyer = await shop.subscriber('t', { pro: 1 })
    await buyer.pass(10)
    expect(await buyer.askOwn('preview', { ...toFree, when: 'now' })).toMatchObject({
      status: 403,
      code: 'not_allowed',
    })
    expect(await buyer.change({ ...toFree, when: 'now' })).toMatchObject({ status: 'changed', effective_at: at(10) })
    expect((await buyer.live()).status).toBe('canceled')
    expect((await shownOf(shop, buyer)).subscriptions).toMatchObject([{ home: 'local', created_at: at(10) }])
    expect(await buyer.totals()).toEqual([9000])
  })

  test('replaces a scheduled downgrade to a paid plan', async () => {
    const shop = await openShop()
    const buyer = await shop.subscriber('t', { pro: 1 })
    await buyer.change({ items: [{ price_id: 'basic' }] })
    const shown = await buyer.ask('preview', toFree)
    expect(shown['warnings']).toMatchObject([{ code: 'replaces_scheduled' }])
    await buyer.ask('change', { ...toFree, preview: shown['preview'] })
    await buyer.pass(31)
    expect((await shownOf(shop, buyer)).subscriptions).toMatchObject([{ home: 'local' }])
    expect(await buyer.totals()).toEqual([9000])
  })

  test('is refused if the subscription has an add-on, because the add-on would end together with the plan', async () => {
    const shop = await openShop()
    const buyer = await shop.subscriber('t', { pro: 1, backup: 1 })
    expect(await buyer.ask('preview', { ...toFree, replaces: 'pro' })).toMatchObject({
      status: 422,
      code: 'change_invalid',
      errors: [{ pointer: '#/items', hint: expect.stringContaining('"replaces": "backup"') as string }],
    })
    expect(await buyer.ask('preview', { items: [{ price_id: 'free' }, { price_id: 'basic' }] })).toMatchObject({
      status: 422,
      code: 'change_invalid',
    })
  })

  test('takes effect on its date, even if no request reads the subscriptions', async () => {
    const at = { ms: begin * 1000 }
    const shop = await startChangingShop({ clock: { now: () => at.ms } }, withFree)
    onTestFinished(() => shop.close())
    const customer = await payingCustomer(shop.stripe, { name: 't' })
    await shop.service.createTenant({ id: 't', name: 't', processorCustomerId: customer }, nobody)
    await shop.stripe.subscriptions.create({ customer, items: [{ price: await shop.price('pro') }] })
    const principal = { kind: 'key', keyId: 'key', tenantId: 't' } as const
    await shop.service.changeSubscription({ items: [{ priceId: 'free' }] }, principal, {
      ...nobody,
      idempotencyKey: null,
    })
    const free = async () => (await shop.store.localSubscriptions.list('t')).map(({ priceId }) => priceId)
    at.ms += 29 * day * 1000
    await shop.service.waitingJobs.continueDue()
    expect(await free()).toEqual([])
    at.ms += 2 * day * 1000
    await shop.service.waitingJobs.continueDue()
    expect(await free()).toEqual(['free'])
    expect(await shop.store.localSubscriptions.planned('t')).toEqual([])
  })

  test('can be followed by a new paid plan, which ends the free plan', async () => {
    const shop = await openShop()
    const buyer = await shop.subscriber('t', { pro: 1 })
    await buyer.change({ ...toFree, when: 'now' })
    const bought = await shop.asAdmin({
      method: 'POST',
      url: `${billing}/checkout`,
      payload: { price_id: 'basic', tenant_id: 't', ...urls },
    })
    const { url } = bought.json<{ url: string }>()
    const body = new URLSearchParams({ action: 'pay', email: 'buyer@example.test', number: '4242424242424242' })
    await fetch(url, { method: 'POST', body, redirect: 'manual' })
    expect((await shownOf(shop, buyer)).subscriptions).toMatchObject([
      { home: 'processor', items: [{ price_id: 'basic' }] },
    ])
  })
})
