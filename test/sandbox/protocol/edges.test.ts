import type Stripe from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { clientOf, sandboxForTest, startTestSandbox } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, day } from '../customers/customer-shop.ts'

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}

test('a reset of an account drops that account’s delayed requests, and keeps the delayed requests of other accounts', async () => {
  const sandbox = await sandboxForTest()
  const { control, apiKey, stripe } = sandbox
  const other = clientOf(sandbox, 'sk_test_other')
  const options = { idempotencyKey: 'late' }
  for (const client of [stripe, other]) {
    control.fail({ kind: 'late', path: '/v1/products' })
    await expect(client.products.create({ name: 'Late' }, options)).rejects.toThrow()
  }
  control.reset(apiKey)
  expect(await control.land()).toBe(1)
  expect((await stripe.products.list()).data).toEqual([])
  expect((await other.products.list()).data).toMatchObject([{ name: 'Late' }])
  // Its idempotency key is free again.
  expect(await stripe.products.create({ name: 'New' }, options)).toMatchObject({ name: 'New' })
})

test('a request to advance the clock gets 503 if the server closes before the clock reaches its target', async () => {
  const sandbox = await startTestSandbox()
  const { url, apiKey, stripe } = sandbox
  const close = once(() => sandbox.close())
  onTestFinished(close)
  const { id: customer } = await stripe.customers.create({ payment_method: 'pm_card_visa' })
  const product = (await stripe.products.create({ name: 'Daily' })).id
  const recurring = { interval: 'day' } as const
  const price = await stripe.prices.create({ currency: 'usd', unit_amount: 100, product, recurring })
  await stripe.subscriptions.create({
    customer,
    items: [{ price: price.id }],
    collection_method: 'send_invoice',
    days_until_due: 1,
  })
  const headers = { authorization: `Bearer ${apiKey}` }
  const body = JSON.stringify({ advance_seconds: 90 * 365 * day })
  const moving = fetch(`${url}/_sandbox/clock`, { method: 'POST', headers, body })
  // Another request is served between two slices, so the clock is advancing now.
  await stripe.products.list()
  const closing = close()
  const answer = await moving
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ error: expect.stringContaining('closed while the clock') })
  await closing
})

test('the discount of a single payment without a customer has no customer id', async () => {
  const shop = await customerShop()
  const { stripe } = shop
  const price = await shop.price({ unit_amount: 4900 })
  const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price: price.id, quantity: 1 }],
    discounts: [{ coupon: coupon.id }],
    success_url: 'http://127.0.0.1:9/done',
  })
  const form = new URLSearchParams({ action: 'pay', email: 'buyer@example.test', number: '4242 4242 4242 4242' })
  expect((await fetch(session.url ?? '', { method: 'POST', body: form, redirect: 'manual' })).status).toBe(303)
  expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'complete', customer: null })
  expect((await stripe.coupons.retrieve(coupon.id)).times_redeemed).toBe(1)
  const { data } = await stripe.events.list({ type: 'customer.discount.created' })
  expect(data.map(({ data: { object } }) => (object as Stripe.Discount).customer)).toEqual([null])
})

test('a card that cannot be saved pays a first invoice without being attached to the customer', async () => {
  const { stripe, customer, subscribed, monthly } = await customerShop()
  const made = await subscribed(await monthly(1000), {
    payment_behavior: 'default_incomplete',
    payment_settings: { save_default_payment_method: 'on_subscription' },
    expand: ['latest_invoice.confirmation_secret'],
  })
  const { confirmation_secret: secret } = made.latest_invoice as Stripe.Invoice
  const intent = secret?.client_secret.split('_secret_')[0] ?? ''
  const kept = async () => (await stripe.paymentMethods.list({ customer })).data.map(({ id }) => id)
  const before = await kept()
  const declined = stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_chargeDeclined' })
  expect(await refusal(declined)).toMatchObject({ status: 402, code: 'card_declined' })
  expect(await kept()).toEqual(before)
  const paid = await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_visa' })
  expect(await kept()).toContain(paid.payment_method)
})
