// "Customers cancel in the trial and start another one, forever": each request for a trial got one.
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, billing, startTestApp } from '../../support/app.ts'
import { cookieOf, sessionOf, urls } from '../../support/shop/selling.ts'

const shop: BillingConfig = {
  version: '1.0.0',
  products: [
    {
      ...{ id: 'seat', name: 'Seat' },
      prices: [
        { id: 'seat_monthly', amount: 2000, currency: 'usd', interval: 'month', trial_period_days: 14 },
        { id: 'seat_yearly', amount: 20000, currency: 'usd', interval: 'year' },
      ],
    },
  ],
}

async function customer() {
  const app = await startTestApp({ allowedRedirects: ['http://127.0.0.1:9'] })
  onTestFinished(() => app.close())
  await app.push(shop)
  const headers = { cookie: cookieOf(await sessionOf(app, 'acme')), origin: 'http://127.0.0.1:9' }
  const checkout = (payload: object) =>
    app.inject({ method: 'POST', url: `${billing}/checkout`, headers, payload: { ...urls, ...payload } })
  const pay = async (url: string) => {
    const body = new URLSearchParams({ action: 'pay', email: 'buyer@example.test', number: '4242424242424242' })
    expect((await fetch(url, { method: 'POST', body, redirect: 'manual' })).status).toBe(303)
    const { subscriptions } = (await app.asAdmin({ url: `${admin}/tenants/acme/subscriptions` })).json<{
      subscriptions: { id: string; status: string }[]
    }>()
    return subscriptions.at(-1) ?? { id: '', status: '' }
  }
  return { app, checkout, pay }
}

test('a session that cancels its trial and requests another trial is refused, and the error names the next step', async () => {
  const { app, checkout, pay } = await customer()
  const trial = { price_id: 'seat_yearly', trial_period_days: 30 }
  const first = await pay((await checkout(trial)).json<{ url: string }>().url)
  expect(first.status).toBe('trialing')
  await app.stripe.subscriptions.cancel(first.id)
  for (const price of ['seat_yearly', 'seat_monthly']) {
    const response = await checkout({ ...trial, price_id: price })
    expect([response.statusCode, response.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'trial_used', subscription: first.id }),
    ])
    expect(response.json<{ hint: string }>().hint).toContain('Leave out "trial_period_days"')
  }
  const own = await checkout({ ...trial, allow_second_trial: true })
  expect([own.statusCode, own.json<{ code: string }>().code]).toEqual([403, 'not_allowed'])
  const page = (await checkout({ price_id: 'seat_yearly' })).json<{ url: string }>()
  expect((await pay(page.url)).status).toBe('active')
})

test('the trial of a price is given once: a second checkout page takes the payment, and the response has `trial: used`', async () => {
  const { app, checkout, pay } = await customer()
  const first = (await checkout({ price_id: 'seat_monthly' })).json<{ url: string; trial?: string }>()
  expect(first).not.toHaveProperty('trial')
  const { id, status } = await pay(first.url)
  expect(status).toBe('trialing')
  await app.stripe.subscriptions.cancel(id)
  const second = (await checkout({ price_id: 'seat_monthly' })).json<{ url: string; trial?: string }>()
  expect(second.trial).toBe('used')
  expect((await pay(second.url)).status).toBe('active')
})

test('of two checkout pages that were opened before either was paid, only one page gives a trial', async () => {
  const { checkout, pay } = await customer()
  const first = (await checkout({ price_id: 'seat_monthly' })).json<{ url: string }>()
  const second = (await checkout({ price_id: 'seat_monthly' })).json<{ url: string }>()
  expect((await pay(second.url)).status).toBe('trialing')
  const body = new URLSearchParams({ action: 'pay', email: 'buyer@example.test', number: '4242424242424242' })
  expect((await fetch(first.url, { method: 'POST', body, redirect: 'manual' })).status).not.toBe(303)
})
