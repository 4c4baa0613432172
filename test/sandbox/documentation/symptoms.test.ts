import { expect } from 'vitest'
import Stripe from 'stripe'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, customerTest as test, day, firstItem, meteredPrice, utc } from '../customers/customer-shop.ts'

async function declineCode(call: Promise<unknown>): Promise<[string | undefined, string | undefined]> {
  try {
    await call
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) return [error.code, error.decline_code]
    throw error
  }
  throw new Error('The card was not declined')
}

test('the error about a declined card in the sandbox contains a decline_code', async ({
  shop: { stripe, customer },
}) => {
  const attached = (card: string) => declineCode(stripe.paymentMethods.attach(card, { customer }))
  expect(await attached('pm_card_chargeDeclined')).toEqual(['card_declined', 'generic_decline'])
  const poor = 'pm_card_visa_chargeDeclinedInsufficientFunds'
  expect(await attached(poor)).toEqual(['card_declined', 'insufficient_funds'])
  const paid = stripe.paymentIntents.create({
    ...{ amount: 1000, currency: 'usd', payment_method: poor, confirm: true },
  })
  expect(await declineCode(paid)).toEqual(['card_declined', 'insufficient_funds'])
  const { data } = await stripe.charges.list({ limit: 1 })
  expect(data[0]?.outcome).toMatchObject({ reason: 'insufficient_funds' })
})

test('a subscription with a trial and without a card contains a pending_setup_intent', async ({
  shop: { stripe, monthly, subscribed },
}) => {
  const price = await monthly(1000)
  expect((await subscribed(price, { trial_period_days: 7 })).pending_setup_intent).toBeNull()
  const { id: customer } = await stripe.customers.create()
  const made = await stripe.subscriptions.create({
    ...{ customer, items: [{ price: price.id }], trial_period_days: 7, expand: ['pending_setup_intent'] },
    payment_settings: { save_default_payment_method: 'on_subscription' },
  })
  const intent = made.pending_setup_intent as Stripe.SetupIntent
  expect(intent).toMatchObject({ object: 'setup_intent', customer, status: 'requires_payment_method' })
  const done = await stripe.setupIntents.confirm(intent.id, { payment_method: 'pm_card_visa' })
  expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({
    ...{ default_payment_method: done.payment_method, pending_setup_intent: null, status: 'trialing' },
  })
})

test('a proration credit contains the ids of the invoice lines that it credits', async () => {
  const { stripe, clockId, monthly, subscribed, invoices } = await customerShop(utc('2026-01-01T00:00:00'))
  const made = await subscribed(await monthly(3100))
  await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2026-01-11T00:00:00') })
  const items = [{ id: firstItem(made).id, price: (await monthly(6200)).id }]
  await stripe.subscriptions.update(made.id, { items, proration_behavior: 'always_invoice' })
  const [first, second] = await invoices()
  const credited = second?.lines.data.map(({ amount, parent }) => [
    amount,
    parent?.subscription_item_details?.proration_details?.credited_items ?? null,
  ])
  const named = { invoice: first?.id, invoice_line_items: first?.lines.data.map(({ id }) => id) }
  expect(credited).toEqual([
    [-2100, named],
    [4200, null],
  ])
})

test('a malformed email address of a customer is refused', async ({ shop: { stripe, customer } }) => {
  const wrong = { code: 'email_invalid', message: 'Invalid email address: nobody', status: 400 }
  expect(await refusal(stripe.customers.create({ email: 'nobody' }))).toMatchObject({ ...wrong, param: 'email' })
  expect(await refusal(stripe.customers.update(customer, { email: 'nobody' }))).toMatchObject(wrong)
  expect(await stripe.customers.update(customer, { email: '' })).toMatchObject({ email: null })
})

test('the event that announces the end of a trial is emitted without an update event if no other member changed', async () => {
  const { stripe, clockId, monthly, subscribed } = await customerShop(utc('2026-01-01T00:00:00'))
  await subscribed(await monthly(1000), { trial_period_days: 7 })
  await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2026-01-05T00:00:00') })
  const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type)
  expect(types).toContain('customer.subscription.trial_will_end')
  expect(types).not.toContain('customer.subscription.updated')
})

test('reported usage can be cancelled within 24 hours', async ({ shop: sandbox }) => {
  const { stripe, customer, clock } = sandbox
  await meteredPrice(sandbox)
  const { data: meters } = await stripe.billing.meters.list()
  for (const [identifier, value] of Object.entries({ a: '3', b: '4' })) {
    const payload = { stripe_customer_id: customer, value }
    await stripe.billing.meterEvents.create({ event_name: 'calls', identifier, payload })
  }
  const cancelled = (identifier: string) =>
    stripe.billing.meterEventAdjustments.create({ event_name: 'calls', type: 'cancel', cancel: { identifier } })
  expect(await cancelled('a')).toMatchObject({ object: 'billing.meter_event_adjustment', cancel: { identifier: 'a' } })
  const start = Math.floor(clock.now() / 1000 / day) * day
  const { data } = await stripe.billing.meters.listEventSummaries(meters[0]?.id ?? '', {
    ...{ customer, start_time: start, end_time: start + day },
  })
  expect(data.map(({ aggregated_value: value }) => value)).toEqual([4])
  expect(await refusal(cancelled('a'))).toMatchObject({ status: 400, code: 'resource_missing' })
  clock.advance(day * 1000)
  expect(await refusal(cancelled('b'))).toMatchObject({ status: 400, param: 'cancel[identifier]' })
})

test('the payment methods of a customer are listed', async ({ shop: { stripe, customer } }) => {
  const { data } = await stripe.customers.listPaymentMethods(customer)
  expect(data).toMatchObject([{ object: 'payment_method', customer }])
  expect((await stripe.customers.listPaymentMethods(customer, { type: 'sepa_debit' })).data).toEqual([])
  expect(await refusal(stripe.customers.listPaymentMethods('cus_none'))).toMatchObject({ status: 404 })
})
