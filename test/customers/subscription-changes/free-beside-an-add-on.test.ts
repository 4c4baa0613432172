// A free plan exists only in the service, an add-on at the processor. A change that brings a paid plan into the subscription of the add-on
// takes the place of the free plan.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin, billing } from '../../support/app.ts'
import { planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import type { ChangingShop, Subscriber } from '../../support/shop/changing-shop.ts'
import { urls } from '../../support/shop/selling.ts'

const monthly = { currency: 'usd', interval: 'month' } as const

let shop: ChangingShop
beforeAll(async () => {
  shop = await startChangingShop(
    {},
    planDocument('1.0.0', ({ products }) => {
      products.push(
        {
          id: 'free',
          name: 'Free',
          subscription_group: 'plan',
          prices: [{ id: 'free', amount: 0, ...monthly }],
        },
        { id: 'newsletter', name: 'Newsletter', prices: [{ id: 'newsletter', amount: 0, ...monthly }] },
      )
    }),
  )
})
afterAll(() => shop.close())

async function starting(id: string): Promise<Subscriber> {
  const buyer = await shop.subscriber(id, { backup: 5 })
  for (const priceId of ['free', 'newsletter']) {
    const payload = { tenant_id: id, price_id: priceId, ...urls }
    await shop.asAdmin({ method: 'POST', url: `${billing}/checkout`, payload })
  }
  return buyer
}

async function pricesOf({ tenant }: Subscriber): Promise<readonly string[]> {
  const response = await shop.asAdmin({ url: `${admin}/tenants/${tenant}/subscriptions` })
  const { subscriptions } = response.json<{ subscriptions: { items: { price_id: string }[] }[] }>()
  return subscriptions.flatMap(({ items }) => items.map(({ price_id: id }) => id)).sort()
}

const withPro = { items: [{ price_id: 'pro' }, { price_id: 'backup' }] }

async function declining({ customer }: Subscriber): Promise<void> {
  const { id } = await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  await shop.stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
}

async function pay({ customer }: Subscriber): Promise<void> {
  const { id: card } = await shop.stripe.paymentMethods.attach('pm_card_visa', { customer })
  const invoice = (await shop.stripe.invoices.list({ customer })).data[0]
  await shop.stripe.invoices.pay(invoice?.id ?? '', { payment_method: card })
}

describe('a change that adds a paid plan to the subscription of an add-on', () => {
  test('ends the free plan of the same subscription group, and no other free subscription', async () => {
    const buyer = await starting('now')
    expect(await pricesOf(buyer)).toEqual(['backup', 'free', 'newsletter'])
    expect(await buyer.change(withPro)).toMatchObject({ status: 'changed' })
    const free = (await shop.store.localSubscriptions.list('now')).find(({ priceId }) => priceId === 'free')
    expect(free?.endedAt).toBeGreaterThanOrEqual(free?.createdAt ?? Infinity)
    expect(await pricesOf(buyer)).toEqual(['backup', 'newsletter', 'pro'])
    const { entries } = (await shop.asAdmin({ url: `${admin}/tenants/now/audit` })).json<{
      entries: { action: string; result: object | null }[]
    }>()
    expect(entries.filter(({ action }) => action === 'subscription_ended')).toMatchObject([
      { result: { price_id: 'free', because: 'paid', replaced_by: buyer.subscription } },
    ])
  })

  test('ends the free plan when the paid plan begins, if the paid plan is scheduled for the end of the period', async () => {
    const buyer = await starting('later')
    expect(await buyer.change({ ...withPro, when: 'period_end' })).toMatchObject({ status: 'scheduled' })
    expect(await pricesOf(buyer)).toEqual(['backup', 'free', 'newsletter'])
    await buyer.pass(31)
    expect(await pricesOf(buyer)).toEqual(['backup', 'newsletter', 'pro'])
  })

  test('keeps the free plan if the change is undone before the paid plan begins', async () => {
    const buyer = await starting('undone')
    await buyer.change({ ...withPro, when: 'period_end' })
    await buyer.ask('resume')
    await buyer.pass(31)
    expect(await pricesOf(buyer)).toEqual(['backup', 'free', 'newsletter'])
  })

  test('ends the free plan also if another change of the same subscription is scheduled for the same date', async () => {
    const buyer = await starting('joined')
    await buyer.change({ items: [{ price_id: 'pro' }, { price_id: 'backup', quantity: 5 }], when: 'period_end' })
    const fewer = { items: [{ price_id: 'backup', quantity: 2 }], replaces: 'backup' }
    expect(await buyer.change(fewer)).toMatchObject({ status: 'scheduled' })
    await buyer.pass(31)
    expect(await pricesOf(buyer)).toEqual(['backup', 'newsletter', 'pro'])
  })

  test('ends the free plan only after the invoice of the change is paid', async () => {
    const buyer = await starting('unpaid')
    await declining(buyer)
    expect(await buyer.change(withPro)).toMatchObject({ status: 'payment_required' })
    expect(await pricesOf(buyer)).toEqual(['backup', 'free', 'newsletter'])
    await pay(buyer)
    expect(await pricesOf(buyer)).toEqual(['backup', 'newsletter', 'pro'])
  })
})

describe('a change to a free price that the processor refuses', () => {
  test('leaves no planned free subscription behind, and can be retried', async () => {
    const buyer = await shop.subscriber('refused', { pro: 1 })
    const shown = await buyer.ask('preview', { items: [{ price_id: 'free' }] })
    const body = { items: [{ price_id: 'free' }], preview: shown['preview'] as string }
    const path = `/v1/subscriptions/${buyer.subscription}`
    shop.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path, count: null })
    expect((await buyer.ask('change', body)).status).toBeGreaterThanOrEqual(400)
    shop.sandbox.control.clearFaults()
    expect(await shop.store.localSubscriptions.planned('refused')).toEqual([])
    expect(await buyer.ask('change', body)).toMatchObject({ status: 'scheduled' })
    expect(await shop.store.localSubscriptions.planned('refused')).toMatchObject([{ priceId: 'free' }])
  })

  test('keeps the planned free subscription of an earlier change', async () => {
    const buyer = await shop.subscriber('refused-again', { pro: 1 })
    await buyer.change({ items: [{ price_id: 'free' }] })
    const [planned] = await shop.store.localSubscriptions.planned('refused-again')
    const path = `/v1/subscriptions/${buyer.subscription}`
    shop.sandbox.control.fail({ kind: 'rate_limit', method: 'DELETE', path, count: null })
    expect((await buyer.change({ items: [{ price_id: 'free' }], when: 'now' })).status).toBeGreaterThanOrEqual(400)
    shop.sandbox.control.clearFaults()
    expect(await shop.store.localSubscriptions.planned('refused-again')).toEqual([planned])
  })
})
