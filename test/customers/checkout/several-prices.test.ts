// "Base fee and usage became three subscriptions with three invoices": now one page sells them, and one invoice bills them.
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, billing, startTestApp, type TestApp } from '../../support/app.ts'
import { cookieOf, sessionOf, urls } from '../../support/shop/selling.ts'

const monthly = (id: string, amount: number, more: Partial<Price> = {}): Price => ({
  ...{ id, amount, currency: 'usd', interval: 'month' },
  ...more,
})
const gold = { enterprise_template: 'gold' }
const { amount: _amount, ...calls } = monthly('calls', 0, { usage_type: 'metered', meter: 'calls' })
const perCall = (unit: number): Partial<Price> => ({
  billing_scheme: 'tiered',
  tiers: [
    { up_to: 1000, unit_amount: 0 },
    { up_to: 'inf', unit_amount: unit },
  ],
})

/** A seat price with its usage (the first 1,000 calls are included) and its support; a setup fee; an add-on. */
const shop: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  products: [
    {
      ...{ id: 'pro', name: 'Pro', subscription_group: 'plan' },
      prices: [
        monthly('pro', 4900, { attached_prices: ['calls', 'support'] }),
        monthly('pro_gold', 3900, gold),
        { id: 'setup', amount: 9900, currency: 'usd' },
      ],
    },
    { id: 'team', name: 'Team', subscription_group: 'plan', prices: [monthly('team', 9900)] },
    {
      ...{ id: 'usage', name: 'Calls' },
      prices: [
        { ...calls, ...perCall(2) },
        { ...calls, ...perCall(1), ...gold, id: 'calls_gold' },
      ],
    },
    { id: 'support', name: 'Support', prices: [monthly('support', 500)] },
    { id: 'storage', name: 'Storage', prices: [monthly('storage', 1500)] },
  ],
}

async function customer() {
  const app = await startTestApp({ allowedRedirects: ['https://shop.example'] })
  onTestFinished(() => app.close())
  expect((await app.push(shop)).statusCode).toBe(200)
  const headers = { cookie: cookieOf(await sessionOf(app, 'acme')), origin: 'https://shop.example' }
  const post = (path: string, payload: object) => app.inject({ method: 'POST', url: path, headers, payload })
  const checkout = (payload: object) => post(`${billing}/checkout`, { ...urls, ...payload })
  return { app, post, checkout }
}

async function pay(url: string): Promise<number> {
  const body = new URLSearchParams({ action: 'pay', email: 'buyer@example.test', number: '4242424242424242' })
  return (await fetch(url, { method: 'POST', body, redirect: 'manual' })).status
}

/** The items of all subscriptions of the tenant: one list for each. */
async function itemsOf(app: TestApp) {
  const { subscriptions } = (await app.asAdmin({ url: `${admin}/tenants/acme/subscriptions` })).json<{
    subscriptions: { items: { price_id: string; quantity: number | null }[] }[]
  }>()
  return subscriptions.map(({ items }) => Object.fromEntries(items.map((item) => [item.price_id, item.quantity])))
}

/** Totals of all invoices, oldest first. */
async function totals(app: TestApp): Promise<number[]> {
  return (await app.stripe.invoices.list({ limit: 100 })).data.map(({ total }) => total).reverse()
}

/** A month later: past the renewal and the hour in which its invoice is a draft. */
const renew = (app: TestApp) => app.sandbox.control.advance(31 * 86_400 + 7200)

test('seats, usage, support, an add-on and a setup fee are sold as one subscription, with one invoice each month', async () => {
  const { app, post, checkout } = await customer()
  const items = [{ price_id: 'pro', quantity: 3 }, { price_id: 'storage' }, { price_id: 'setup' }]
  expect(await pay((await checkout({ items })).json<{ url: string }>().url)).toBe(303)
  expect(await itemsOf(app)).toEqual([{ pro: 3, calls: null, support: 3, storage: 1 }])
  const first = 3 * 4900 + 3 * 500 + 1500 + 9900
  expect(await totals(app)).toEqual([first])

  for (const value of [1500, 8500])
    expect((await post(`${billing}/usage`, { meter: 'calls', value })).statusCode).toBe(200)
  renew(app)
  const used = (1500 + 8500 - 1000) * 2
  expect(await totals(app)).toEqual([first, 3 * 4900 + 3 * 500 + 1500 + used])
})

test('the checkout of a price also sells its attached prices', async () => {
  const { app, checkout } = await customer()
  expect(await pay((await checkout({ price_id: 'pro', quantity: 2 })).json<{ url: string }>().url)).toBe(303)
  expect([await itemsOf(app), await totals(app)]).toEqual([[{ pro: 2, calls: null, support: 2 }], [2 * 4900 + 2 * 500]])
})

test('a tenant with a deal is sold the negotiated price of each item', async () => {
  const { app, post, checkout } = await customer()
  await app.asAdmin({
    ...{ method: 'POST', url: `${admin}/enterprise/apply-template` },
    payload: { tenant_id: 'acme', enterprise_template: 'gold' },
  })
  expect(await pay((await checkout({ price_id: 'pro', quantity: 3 })).json<{ url: string }>().url)).toBe(303)
  expect(await itemsOf(app)).toEqual([{ pro_gold: 3, calls_gold: null, support: 3 }])
  expect((await post(`${billing}/usage`, { meter: 'calls', value: 10_000 })).statusCode).toBe(200)
  renew(app)
  const base = 3 * 3900 + 3 * 500
  expect(await totals(app)).toEqual([base, base + 9000])
})

test('an item that the tenant already has, in its own subscription or through another price, is not sold again', async () => {
  const { app, checkout } = await customer()
  expect(await pay((await checkout({ price_id: 'pro' })).json<{ url: string }>().url)).toBe(303)
  for (const [payload, mine] of [
    [{ items: [{ price_id: 'storage' }, { price_id: 'calls' }] }, 'calls'],
    [{ items: [{ price_id: 'storage' }, { price_id: 'team' }] }, 'pro'],
    [{ price_id: 'support' }, 'support'],
  ] as const) {
    const refused = await checkout(payload)
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { code: 'already_subscribed', price_id: mine }])
  }
  expect(await pay((await checkout({ price_id: 'storage' })).json<{ url: string }>().url)).toBe(303)
  expect(await itemsOf(app)).toEqual([{ pro: 1, calls: null, support: 1 }, { storage: 1 }])
})

test('of two checkout pages with plans of one subscription group, only the later one can be paid', async () => {
  const { app, checkout } = await customer()
  const first = (await checkout({ items: [{ price_id: 'storage' }, { price_id: 'team' }] })).json<{ url: string }>()
  const second = (await checkout({ items: [{ price_id: 'pro' }] })).json<{ url: string }>()
  expect([await pay(first.url), await pay(second.url)]).toEqual([410, 303])
  expect(await itemsOf(app)).toEqual([{ pro: 1, calls: null, support: 1 }])
})

test('POST calculate lists the attached prices that are sold with a price, at the same quantity and in the same currency', async () => {
  const { app } = await customer()
  const calculate = async (id: string) =>
    (
      await app.inject({ method: 'POST', url: `${billing}/config/prices/${id}/calculate`, payload: { quantity: 3 } })
    ).json<object>()
  expect(await calculate('pro')).toMatchObject({
    amount: 3 * 4900,
    attached: [
      {
        price_id: 'calls',
        quantity: null,
        amount: null,
        formatted: 'graduated: up to 1000 $0.00, then $0.02 / month (metered: calls)',
      },
      { price_id: 'support', quantity: 3, amount: 3 * 500, formatted: '$15.00' },
    ],
  })
  expect(await calculate('team')).not.toHaveProperty('attached')
})

test('a checkout of two products of one group, of hidden prices or of 21 items is refused, and creates nothing', async () => {
  const { app, checkout } = await customer()
  const both = await checkout({ items: [{ price_id: 'pro' }, { price_id: 'team' }] })
  expect([both.statusCode, both.json()]).toMatchObject([
    422,
    { code: 'checkout_invalid', errors: [{ pointer: '#/items/1/price_id' }] },
  ])
  const hidden = await checkout({ items: [{ price_id: 'storage' }, { price_id: 'pro_gold' }] })
  expect([hidden.statusCode, hidden.json()]).toMatchObject([404, { detail: 'There is no price "pro_gold".' }])
  const many = await checkout({ items: Array.from({ length: 21 }, () => ({ price_id: 'setup' })) })
  expect(many.statusCode).toBe(400)
  expect((await app.stripe.checkout.sessions.list()).data).toEqual([])
})
