// Cards that need 3-D Secure: the state of a payment, an invoice and a subscription before and after the cardholder authenticates.
import type Stripe from 'stripe'
import { expect } from 'vitest'
import { sandboxForTest, sandboxTest as test, type TestSandbox } from '../../support/sandbox.ts'

const day = 86_400

async function typesSince({ stripe }: TestSandbox, from = 0): Promise<string[]> {
  const { data } = await stripe.events.list({ limit: 100 })
  return data
    .map(({ type }) => type)
    .toReversed()
    .slice(from)
}

/** Submits the cardholder's choice on the bank's page. */
async function answer(action: Stripe.PaymentIntent.NextAction | Stripe.SetupIntent.NextAction | null, press: string) {
  const sdk = action?.use_stripe_sdk as { readonly stripe_js?: string } | undefined
  const url = action?.redirect_to_url?.url ?? sdk?.stripe_js ?? ''
  expect(await (await fetch(url)).text()).toContain('Your bank asks')
  return fetch(url, { method: 'POST', body: new URLSearchParams({ action: press }), redirect: 'manual' })
}

async function subscriber(sandbox: TestSandbox, clock?: string): Promise<{ customer: string; price: string }> {
  const { stripe } = sandbox
  const customer = await stripe.customers.create({
    payment_method: 'pm_card_threeDSecure2Required',
    invoice_settings: { default_payment_method: 'pm_card_threeDSecure2Required' },
    ...(clock === undefined ? {} : { test_clock: clock }),
  })
  const product = await stripe.products.create({ name: 'Pro' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'eur',
    unit_amount: 1200,
    recurring: { interval: 'month' },
  })
  return { customer: customer.id, price: price.id }
}

async function intentOf({ stripe }: TestSandbox, customer: string): Promise<Stripe.PaymentIntent> {
  const [intent] = (await stripe.paymentIntents.list({ customer })).data
  if (intent === undefined) throw new Error('There is no payment intent')
  return intent
}

test('a subscription is incomplete until the cardholder authenticates, then active', async ({ sandbox }) => {
  const { stripe } = sandbox
  const { customer, price } = await subscriber(sandbox)
  const before = (await typesSince(sandbox)).length
  const made = await stripe.subscriptions.create({ customer, items: [{ price }], expand: ['latest_invoice'] })
  expect(made.status).toBe('incomplete')
  expect(made.latest_invoice).toMatchObject({ status: 'open', amount_due: 1200, attempt_count: 1, attempted: true })
  const intent = await intentOf(sandbox, customer)
  expect(intent).toMatchObject({ status: 'requires_action', amount: 1200, latest_charge: null })
  expect(intent.next_action?.type).toBe('use_stripe_sdk')
  expect(await typesSince(sandbox, before)).toEqual([
    ...['invoice.created', 'invoice.finalized', 'payment_intent.created', 'payment_intent.requires_action'],
    ...['invoice.payment_action_required', 'invoice.payment_failed', 'customer.subscription.created'],
  ])
  const told = (await typesSince(sandbox)).length
  expect((await answer(intent.next_action, 'complete')).status).toBe(200)
  expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({ status: 'active' })
  expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
    ...{ status: 'succeeded', amount_received: 1200, next_action: null },
  })
  expect(await typesSince(sandbox, told)).toEqual([
    ...['charge.succeeded', 'payment_intent.succeeded', 'invoice.payment_succeeded', 'invoice.paid'],
    'invoice_payment.paid',
    'customer.subscription.updated',
  ])
  const [last] = (await stripe.events.list({ type: 'customer.subscription.updated', limit: 1 })).data
  expect(last?.data.previous_attributes).toEqual({ status: 'incomplete' })
})

test('a card that requires authentication fails to pay an invoice through the API (402), and pays it on the hosted page', async () => {
  const sandbox = await sandboxForTest()
  const { stripe } = sandbox
  const { id: customer } = await stripe.customers.create()
  const card = await stripe.paymentMethods.attach('pm_card_threeDSecure2Required', { customer })
  await stripe.invoiceItems.create({ customer, amount: 2000, currency: 'usd' })
  const drafted = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
  await expect(stripe.invoices.pay(drafted.id, { payment_method: card.id })).rejects.toMatchObject({
    ...{ statusCode: 402, type: 'StripeCardError', code: 'invoice_payment_intent_requires_action' },
  })
  const open = await stripe.invoices.retrieve(drafted.id)
  expect(open).toMatchObject({ status: 'open', attempt_count: 1, amount_remaining: 2000 })
  const page = await fetch(open.hosted_invoice_url ?? '', {
    method: 'POST',
    body: new URLSearchParams({ number: '4000 0000 0000 3220' }),
  })
  expect(page.status).toBe(200)
  expect(await stripe.invoices.retrieve(drafted.id)).toMatchObject({ status: 'paid', amount_paid: 2000 })
})

test('a failed authentication leaves the subscription incomplete, and the subscription expires after 23 hours', async () => {
  const sandbox = await sandboxForTest()
  const { stripe } = sandbox
  const { customer, price } = await subscriber(sandbox)
  const made = await stripe.subscriptions.create({ customer, items: [{ price }] })
  const intent = await intentOf(sandbox, customer)
  const told = (await typesSince(sandbox)).length
  await answer(intent.next_action, 'fail')
  expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
    ...{ status: 'requires_payment_method', payment_method: null, next_action: null },
    last_payment_error: { code: 'payment_intent_authentication_failure', type: 'invalid_request_error' },
  })
  expect(await typesSince(sandbox, told)).toEqual(['payment_intent.payment_failed', 'invoice.payment_failed'])
  expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('incomplete')
  sandbox.control.advance(day)
  expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('incomplete_expired')
})

test('a renewal that needs authentication is past due, counts as one attempt without retries, and is paid after authentication', async () => {
  const sandbox = await sandboxForTest()
  const { stripe } = sandbox
  const start = Math.floor(sandbox.clock.now() / 1000)
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: start })
  const { customer, price } = await subscriber(sandbox, clock)
  const made = await stripe.subscriptions.create({ customer, items: [{ price }] })
  await answer((await intentOf(sandbox, customer)).next_action, 'complete')
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 31 * day })
  expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('past_due')
  const renewal = await intentOf(sandbox, customer)
  expect(renewal.status).toBe('requires_action')
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 35 * day })
  const waiting = await stripe.subscriptions.retrieve(made.id, { expand: ['latest_invoice'] })
  expect(waiting.latest_invoice).toMatchObject({ attempt_count: 2, status: 'open' })
  expect((await typesSince(sandbox)).filter((type) => type === 'invoice.payment_action_required')).toHaveLength(2)
  await answer(renewal.next_action, 'complete')
  expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('active')
})

test('a payment that needs authentication redirects to the caller’s return_url with the result of the authentication', async ({
  sandbox: { stripe },
}) => {
  const intent = await stripe.paymentIntents.create({
    ...{ amount: 2000, currency: 'usd', confirm: true, payment_method: 'pm_card_authenticationRequired' },
    return_url: 'https://a.example/back?order=7',
  })
  expect(intent.next_action).toMatchObject({
    type: 'redirect_to_url',
    redirect_to_url: { return_url: 'https://a.example/back?order=7' },
  })
  const left = await answer(intent.next_action, 'complete')
  expect(left.status).toBe(303)
  const back = new URL(left.headers.get('location') ?? '')
  expect(Object.fromEntries(back.searchParams)).toEqual({
    ...{ order: '7', payment_intent: intent.id, redirect_status: 'succeeded' },
    payment_intent_client_secret: intent.client_secret,
  })
  expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ status: 'succeeded', amount_received: 2000 })
})

test('an off-session payment with a card that requires authentication is declined with the code authentication_required', async ({
  sandbox,
}) => {
  const { stripe } = sandbox
  const asked = { amount: 2000, currency: 'usd', confirm: true, off_session: true }
  await expect(
    stripe.paymentIntents.create({ ...asked, payment_method: 'pm_card_authenticationRequired' }),
  ).rejects.toMatchObject({ statusCode: 402, code: 'authentication_required' })
  expect(await typesSince(sandbox)).toEqual([
    ...['payment_intent.created', 'charge.failed', 'payment_intent.payment_failed'],
  ])
})

test('a setup intent waits for authentication, and then its card is attached to the customer', async ({
  sandbox: { stripe },
}) => {
  const { id: customer } = await stripe.customers.create()
  const intent = await stripe.setupIntents.create({
    ...{ customer, confirm: true, payment_method: 'pm_card_authenticationRequired' },
  })
  expect(intent.status).toBe('requires_action')
  expect((await stripe.paymentMethods.list({ customer })).data).toEqual([])
  await answer(intent.next_action, 'complete')
  expect((await stripe.setupIntents.retrieve(intent.id)).status).toBe('succeeded')
  expect((await stripe.paymentMethods.list({ customer })).data).toHaveLength(1)
})

test('a subscription without a first charge, and a checkout page, refuse a card that requires authentication as not supported', async ({
  sandbox,
}) => {
  const { stripe } = sandbox
  const { customer, price } = await subscriber(sandbox)
  await expect(stripe.subscriptions.create({ customer, items: [{ price }], trial_period_days: 7 })).rejects.toThrow(
    /^The sandbox does not support subscriptions that begin free/,
  )
  await expect(
    stripe.subscriptions.create({ customer, items: [{ price }], payment_behavior: 'error_if_incomplete' }),
  ).rejects.toMatchObject({ statusCode: 402, code: 'subscription_payment_intent_requires_action' })
  const session = await stripe.checkout.sessions.create({
    ...{ mode: 'subscription', success_url: 'https://a.example', line_items: [{ price, quantity: 1 }] },
  })
  const page = await fetch(session.url ?? '', {
    method: 'POST',
    body: new URLSearchParams({ action: 'pay', email: 'a@a.example', number: '4000 0000 0000 3220' }),
  })
  expect(await page.text()).toContain('The sandbox does not support a card that needs authentication')
})
