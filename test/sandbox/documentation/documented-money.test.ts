// Behaviour that the documentation states about invoices, payments, checkouts and usage. Source of each: the documentation in the SDK's
// types, unless the test names another.
import { describe, expect } from 'vitest'
import { idOf } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerTest as test, day, meteredPrice } from '../customers/customer-shop.ts'

const url = 'https://shop.example/done'

describe('invoices in the sandbox behave as Stripe documents:', () => {
  test('a draft invoice leaves out pending invoice items on request', async ({ shop: { stripe, customer } }) => {
    await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const empty = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'exclude' })
    expect(empty).toMatchObject({ status: 'draft', total: 0 })
    const full = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    expect(full).toMatchObject({ status: 'draft', total: 500 })
  })

  test('only a draft invoice can be deleted, and only an open or uncollectible invoice can be voided', async ({
    shop: { stripe, customer },
  }) => {
    await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const { id } = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    expect(await refusal(stripe.invoices.voidInvoice(id))).toMatchObject({ status: 400 })
    await stripe.invoices.finalizeInvoice(id)
    expect(await refusal(stripe.invoices.del(id))).toMatchObject({ status: 400 })
    await stripe.invoices.markUncollectible(id)
    expect(await stripe.invoices.voidInvoice(id)).toMatchObject({ status: 'void', auto_advance: false })
    expect(await refusal(stripe.invoices.pay(id))).toMatchObject({ status: 400 })
  })

  test('an uncollectible invoice can still be paid', async ({ shop: { stripe, customer } }) => {
    await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const { id } = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    await stripe.invoices.finalizeInvoice(id)
    await stripe.invoices.markUncollectible(id)
    expect(await stripe.invoices.pay(id)).toMatchObject({ status: 'paid', amount_paid: 500, amount_remaining: 0 })
  })

  test('a payment outside of Stripe marks an invoice as paid without a charge', async ({
    shop: { stripe, customer },
  }) => {
    await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const { id } = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    await stripe.invoices.finalizeInvoice(id)
    expect(await stripe.invoices.pay(id, { paid_out_of_band: true })).toMatchObject({ status: 'paid' })
    expect((await stripe.charges.list({ customer })).data).toEqual([])
    expect((await stripe.balanceTransactions.list()).data).toEqual([])
  })

  test('invoices can be listed by status and by subscription', async ({ shop }) => {
    const { stripe, customer, subscribed, monthly } = shop
    const { id } = await subscribed(await monthly(1000))
    await stripe.invoices.create({ customer })
    expect((await stripe.invoices.list({ status: 'draft' })).data).toMatchObject([{ billing_reason: 'manual' }])
    expect((await stripe.invoices.list({ subscription: id })).data).toMatchObject([{ total: 1000 }])
  })

  test('an invoice item of a finalized invoice cannot be changed or deleted', async ({
    shop: { stripe, customer },
  }) => {
    const item = await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const { id } = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    await stripe.invoices.finalizeInvoice(id)
    expect(await refusal(stripe.invoiceItems.del(item.id))).toMatchObject({ status: 400 })
    expect(await refusal(stripe.invoiceItems.update(item.id, { amount: 5 }))).toMatchObject({ status: 400 })
  })

  test('a credit note for more than the amount of its invoice is refused', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const { latest_invoice } = await subscribed(await monthly(1000))
    const wrong = stripe.creditNotes.create({ invoice: idOf(latest_invoice), amount: 1001, refund_amount: 1001 })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  test('the preview of an invoice is not stored and has no number', async ({
    shop: { stripe, subscribed, monthly, invoices },
  }) => {
    const subscription = (await subscribed(await monthly(1000))).id
    const preview = await stripe.invoices.createPreview({ subscription })
    expect(preview).toMatchObject({ number: null, status: 'draft', billing_reason: 'upcoming' })
    expect(await refusal(stripe.invoices.retrieve(preview.id))).toMatchObject({ status: 404 })
    expect(await invoices()).toHaveLength(1)
  })
})

describe('payments in the sandbox behave as Stripe documents:', () => {
  const payment = { amount: 2000, currency: 'usd', confirm: true, return_url: url }

  test('an off-session payment with a card that requires authentication fails, and the error contains the payment intent', async ({
    shop: { stripe, customer },
  }) => {
    const card = (await stripe.paymentMethods.attach('pm_card_authenticationRequired', { customer })).id
    const failed = stripe.paymentIntents.create({
      ...{ amount: 2000, currency: 'usd', confirm: true },
      customer,
      off_session: true,
      payment_method: card,
    })
    const error: unknown = await failed.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      statusCode: 402,
      code: 'authentication_required',
      payment_intent: { status: 'requires_payment_method' },
      payment_method: { id: card },
    })
  })

  test('the error of a declined setup contains the setup intent', async ({ shop: { stripe } }) => {
    const declined = stripe.setupIntents.create({
      confirm: true,
      payment_method: 'pm_card_visa_chargeDeclined',
      return_url: url,
    })
    const error: unknown = await declined.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ statusCode: 402, setup_intent: { object: 'setup_intent' } })
  })

  test('refunds of more than the amount of the charge are refused', async ({ shop: { stripe } }) => {
    const { latest_charge } = await stripe.paymentIntents.create({ ...payment, payment_method: 'pm_card_visa' })
    const charge = idOf(latest_charge)
    await stripe.refunds.create({ charge, amount: 1500 })
    expect(await refusal(stripe.refunds.create({ charge, amount: 501 }))).toMatchObject({ param: 'amount' })
    expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 1500, refunded: false })
    await stripe.refunds.create({ charge })
    expect(await refusal(stripe.refunds.create({ charge }))).toMatchObject({ code: 'charge_already_refunded' })
  })

  test('a payment intent that succeeded cannot be cancelled', async ({ shop: { stripe } }) => {
    const { id } = await stripe.paymentIntents.create({ ...payment, payment_method: 'pm_card_visa' })
    expect(await refusal(stripe.paymentIntents.cancel(id))).toMatchObject({ code: 'payment_intent_unexpected_state' })
  })

  test('a failed charge contains the bank’s decline reason', async ({ shop: { stripe } }) => {
    await refusal(
      stripe.paymentIntents.create({ ...payment, payment_method: 'pm_card_chargeDeclinedInsufficientFunds' }),
    )
    expect((await stripe.charges.list()).data).toMatchObject([
      { status: 'failed', failure_code: 'card_declined', outcome: { reason: 'insufficient_funds' } },
    ])
  })
})

describe('checkout and portal sessions in the sandbox behave as Stripe documents:', () => {
  const base = { success_url: url }

  test('an expired checkout session has no url, and cannot be expired again', async ({ shop: { stripe, price } }) => {
    const line_items = [{ price: (await price()).id, quantity: 1 }]
    const { id } = await stripe.checkout.sessions.create({ ...base, mode: 'payment', line_items })
    expect(await stripe.checkout.sessions.expire(id)).toMatchObject({ status: 'expired', url: null })
    expect(await refusal(stripe.checkout.sessions.expire(id))).toMatchObject({ status: 400 })
  })

  test('a checkout session with a recurring price requires the mode subscription', async ({
    shop: { stripe, monthly },
  }) => {
    const line_items = [{ price: (await monthly(1000)).id, quantity: 1 }]
    const wrong = stripe.checkout.sessions.create({ ...base, mode: 'payment', line_items })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  test('a checkout session with both customer and customer_email is refused', async ({
    shop: { stripe, customer, price },
  }) => {
    const line_items = [{ price: (await price()).id, quantity: 1 }]
    const both = { customer, customer_email: 'a@shop.example' }
    const wrong = stripe.checkout.sessions.create({ ...base, ...both, mode: 'payment', line_items })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  test('the trial of a checkout session must end at least 48 hours in the future', async ({
    shop: { stripe, clock, monthly },
  }) => {
    const line_items = [{ price: (await monthly(1000)).id, quantity: 1 }]
    const trial_end = Math.floor(clock.now() / 1000) + day
    const wrong = stripe.checkout.sessions.create({
      ...base,
      mode: 'subscription',
      line_items,
      subscription_data: { trial_end },
    })
    expect(await refusal(wrong)).toMatchObject({ status: 400, param: 'subscription_data[trial_end]' })
  })

  test('`customer_update` requires a customer', async ({ shop: { stripe, customer, price } }) => {
    const line_items = [{ price: (await price()).id, quantity: 1 }]
    const session = { ...base, mode: 'payment' as const, line_items, customer_update: { name: 'auto' as const } }
    expect(await refusal(stripe.checkout.sessions.create(session))).toMatchObject({ status: 400 })
    expect(await stripe.checkout.sessions.create({ ...session, customer })).toMatchObject({ customer })
  })

  test('a portal flow may name only a subscription of the session’s own customer', async ({ shop }) => {
    const { stripe, customer, subscribed, monthly } = shop
    await stripe.billingPortal.configurations.create({ features: { subscription_cancel: { enabled: true } } })
    const { id } = await subscribed(await monthly(1000))
    const flow = { type: 'subscription_cancel' as const, subscription_cancel: { subscription: id } }
    const session = await stripe.billingPortal.sessions.create({ customer, flow_data: flow })
    expect(session.flow).toMatchObject({ ...flow, after_completion: { type: 'portal_homepage' } })
    const other = (await stripe.customers.create({ name: 'Other' })).id
    const wrong = stripe.billingPortal.sessions.create({ customer: other, flow_data: flow })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })
})

describe('usage in the sandbox behaves as Stripe documents:', () => {
  test('a meter event is refused if it is more than 35 days old or more than 5 minutes in the future', async ({
    shop,
  }) => {
    const { stripe, clock, customer } = shop
    await meteredPrice(shop)
    const now = Math.floor(clock.now() / 1000)
    const payload = { stripe_customer_id: customer, value: '1' }
    const at = (timestamp: number) => stripe.billing.meterEvents.create({ event_name: 'calls', payload, timestamp })
    expect(await refusal(at(now - 36 * day))).toMatchObject({ status: 400 })
    expect(await refusal(at(now + 600))).toMatchObject({ status: 400 })
    expect(await at(now - 34 * day)).toMatchObject({ object: 'billing.meter_event' })
  })

  test('a second meter event with the same identifier is refused', async ({ shop }) => {
    const { stripe, customer } = shop
    await meteredPrice(shop)
    const payload = { stripe_customer_id: customer, value: '1' }
    const event = { event_name: 'calls', identifier: 'same', payload }
    await stripe.billing.meterEvents.create(event)
    expect(await refusal(stripe.billing.meterEvents.create(event))).toMatchObject({ status: 400 })
  })

  test('an event name can be used by only one active meter', async ({ shop }) => {
    await meteredPrice(shop)
    const again = shop.stripe.billing.meters.create({
      default_aggregation: { formula: 'count' },
      display_name: 'Again',
      event_name: 'calls',
    })
    expect(await refusal(again)).toMatchObject({ status: 400 })
  })
})

describe('requests to the sandbox behave as Stripe documents:', () => {
  test('an idempotency key is refused with parameters other than those of its first request', async ({
    shop: { stripe },
  }) => {
    const options = { idempotencyKey: 'same' }
    const first = await stripe.products.create({ name: 'A' }, options)
    expect((await stripe.products.create({ name: 'A' }, options)).id).toBe(first.id)
    expect(await refusal(stripe.products.create({ name: 'B' }, options))).toMatchObject({ type: 'idempotency_error' })
  })

  test('an expansion that is more than four levels deep is refused', async ({ shop: { stripe, customer } }) => {
    const expand = ['a.b.c.d.e']
    expect(await refusal(stripe.customers.retrieve(customer, { expand }))).toMatchObject({ param: 'expand' })
  })

  test('a list with two page cursors is refused', async ({ shop: { stripe, product } }) => {
    const both = stripe.products.list({ starting_after: product, ending_before: product })
    expect(await refusal(both)).toMatchObject({ status: 400 })
  })

  test('a list of events filtered by more than twenty types is refused', async ({ shop: { stripe } }) => {
    const types = Array.from({ length: 21 }, () => 'product.created')
    expect(await refusal(stripe.events.list({ types }))).toMatchObject({ param: 'types' })
    expect((await stripe.events.list({ types: ['product.created'] })).data).toMatchObject([{ type: 'product.created' }])
  })

  test('the percentage of a tax rate cannot be changed', async ({ shop: { stripe } }) => {
    const { id } = await stripe.taxRates.create({ display_name: 'VAT', percentage: 19, inclusive: false })
    const change = { percentage: 20 } as object
    expect(await refusal(stripe.taxRates.update(id, change))).toMatchObject({ code: 'parameter_unknown' })
  })

  test('a test clock cannot go back, and its deletion deletes its customers', async ({ shop: { stripe, clock } }) => {
    const frozen_time = Math.floor(clock.now() / 1000)
    const { id } = await stripe.testHelpers.testClocks.create({ frozen_time })
    const customer = (await stripe.customers.create({ test_clock: id })).id
    const back = stripe.testHelpers.testClocks.advance(id, { frozen_time: frozen_time - 1 })
    expect(await refusal(back)).toMatchObject({ status: 400 })
    await stripe.testHelpers.testClocks.del(id)
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ deleted: true })
  })
})
