// Behaviour that the documentation states about customers, invoice items, credit notes, refunds, subscriptions, schedules and usage. “types”
// is the documentation in the SDK’s types.
import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { idOf } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, customerTest as test, day, firstItem, meteredPrice, utc } from '../customers/customer-shop.ts'

const start = utc('2027-01-01T00:00:00')

describe('customers in the sandbox behave as Stripe documents:', () => {
  // Source: types, CustomerCreateParams.email (“up to 512 characters”)
  test('the email address of a customer has at most 512 characters', async ({ shop: { stripe } }) => {
    const email = `${'a'.repeat(501)}@shop.example`
    expect(email).toHaveLength(514)
    expect(await refusal(stripe.customers.create({ email }))).toMatchObject({ status: 400, param: 'email' })
  })

  // Source: types, CustomerCreateParams.invoice_prefix (“1–12 uppercase letters or numbers”), next_invoice_sequence
  test('the number of an invoice consists of the customer’s invoice_prefix and a sequence number', async ({
    shop: { stripe },
  }) => {
    expect(await refusal(stripe.customers.create({ invoice_prefix: 'shop' }))).toMatchObject({
      param: 'invoice_prefix',
    })
    expect(await refusal(stripe.customers.create({ invoice_prefix: 'A'.repeat(13) }))).toMatchObject({ status: 400 })
    expect(await stripe.customers.create({ invoice_prefix: 'A' })).toMatchObject({ invoice_prefix: 'A' })
    const { id: customer } = await stripe.customers.create({ invoice_prefix: 'SHOP', next_invoice_sequence: 7 })
    await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    expect(await stripe.invoices.finalizeInvoice(draft.id)).toMatchObject({ number: 'SHOP-0007' })
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ next_invoice_sequence: 8 })
  })

  // Source: types, CustomerCreateParams.invoice_settings.custom_fields (“up to 4”, names of 40 and values of 140 characters)
  test('a customer can have at most four custom fields for its invoices', async ({ shop: { stripe } }) => {
    const create = (custom_fields: { name: string; value: string }[]) =>
      stripe.customers.create({ invoice_settings: { custom_fields } })
    const fields = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `n${index}`, value: 'v' }))
    expect(await refusal(create(fields(5)))).toMatchObject({ status: 400 })
    expect(await refusal(create([{ name: 'n'.repeat(41), value: 'v' }]))).toMatchObject({ status: 400 })
    expect(await refusal(create([{ name: 'n', value: 'v'.repeat(141) }]))).toMatchObject({ status: 400 })
    expect((await create(fields(4))).invoice_settings.custom_fields).toHaveLength(4)
  })

  // Source: types, CustomerResource.del (“also immediately cancels any active subscriptions”)
  test('the deletion of a customer cancels the customer’s subscriptions', async ({
    shop: { stripe, customer, subscribed, monthly },
  }) => {
    const { id } = await subscribed(await monthly(1000))
    await stripe.customers.del(customer)
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled' })
    const types = ['customer.deleted', 'customer.subscription.deleted']
    expect((await stripe.events.list({ types })).data).toHaveLength(2)
  })

  // Source: types, Customer.balance (“if positive, the customer has an amount owed that’s added to their next invoice”)
  test('a positive balance (a debt) is added to the customer’s next invoice', async ({
    shop: { stripe, customer, subscribed, monthly, invoices },
  }) => {
    await stripe.customers.update(customer, { balance: 300 })
    await subscribed(await monthly(1000))
    expect(await invoices()).toMatchObject([{ total: 1000, amount_due: 1300, ending_balance: 0 }])
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: 0 })
  })

  // Source: types, Customer.currency
  test('a customer has the currency of its first subscription', async ({
    shop: { stripe, customer, subscribed, monthly },
  }) => {
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ currency: null })
    await subscribed(await monthly(1000))
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ currency: 'usd' })
  })

  // Source: types, CustomerUpdateParams.address and shipping (an empty value removes them)
  test('an update with an empty value removes the address or shipping of a customer', async ({
    shop: { stripe, customer },
  }) => {
    const address = { line1: 'Main Street 1', country: 'US' }
    const set = await stripe.customers.update(customer, { address, shipping: { name: 'Ann', address } })
    expect(set).toMatchObject({ address, shipping: { name: 'Ann', address } })
    const removed = await stripe.customers.update(customer, { address: '', shipping: '' })
    expect(removed).toMatchObject({ address: null, shipping: null })
  })
})

describe('invoice items in the sandbox behave as Stripe documents:', () => {
  // Source: types, InvoiceItemListParams.pending
  test('invoice items can be listed by whether they are pending or on an invoice', async ({
    shop: { stripe, customer },
  }) => {
    const billed = await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    const pending = await stripe.invoiceItems.create({ customer, amount: 700, currency: 'usd' })
    expect((await stripe.invoiceItems.list({ pending: true })).data).toMatchObject([{ id: pending.id, invoice: null }])
    expect((await stripe.invoiceItems.list({ pending: false })).data).toMatchObject([{ id: billed.id }])
  })

  // Source: types, InvoiceItemCreateParams.amount (“a negative amount will reduce the amount_due”) and discountable
  test('an invoice item with a negative amount reduces the invoice, and is not discountable', async ({
    shop: { stripe, customer },
  }) => {
    const charge = await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const credit = await stripe.invoiceItems.create({ customer, amount: -200, currency: 'usd' })
    expect([charge.discountable, credit.discountable]).toEqual([true, false])
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    expect(draft).toMatchObject({ total: 300, amount_due: 300 })
  })

  // Source: types, InvoiceItemCreateParams.invoice
  test('an invoice item can be added to a draft invoice, but not to a finalized one', async ({
    shop: { stripe, customer },
  }) => {
    const { id: invoice } = await stripe.invoices.create({ customer })
    const item = { customer, invoice, amount: 500, currency: 'usd' }
    await stripe.invoiceItems.create(item)
    expect(await stripe.invoices.finalizeInvoice(invoice)).toMatchObject({ total: 500 })
    expect(await refusal(stripe.invoiceItems.create(item))).toMatchObject({ status: 400 })
  })

  // Source: types, InvoiceItem.Period.end (“must be greater than or equal to the start”)
  test('an invoice item whose period ends before it starts is refused', async ({ shop: { stripe, customer } }) => {
    const create = (end: number) =>
      stripe.invoiceItems.create({ customer, amount: 1, currency: 'usd', period: { start, end } })
    expect(await refusal(create(start - 1))).toMatchObject({ status: 400 })
    expect(await create(start)).toMatchObject({ period: { start, end: start } })
  })

  // Source: types, InvoiceItemUpdateParams.quantity and pricing (a change of the quantity changes the amount)
  test('a change of an invoice item’s quantity changes the total of its draft invoice', async ({
    shop: { stripe, customer, price },
  }) => {
    const item = await stripe.invoiceItems.create({ customer, pricing: { price: (await price()).id }, quantity: 2 })
    expect(item.amount).toBe(2000)
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    expect(await stripe.invoiceItems.update(item.id, { quantity: 3 })).toMatchObject({ amount: 3000 })
    expect(await stripe.invoices.retrieve(draft.id)).toMatchObject({ total: 3000 })
  })
})

describe('credit notes and refunds in the sandbox behave as Stripe documents:', () => {
  // Source: types, CreditNoteCreateParams.amount (“one of amount, lines, or shipping_cost must be provided”)
  test('a credit note without an amount and without lines is refused', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const { latest_invoice } = await subscribed(await monthly(1000))
    expect(await refusal(stripe.creditNotes.create({ invoice: idOf(latest_invoice) }))).toMatchObject({ status: 400 })
  })

  // Source: types, CreditNotesResource.create (“customer balance credit … applied to their next invoice”)
  test('a credit note can be credited to the customer’s balance', async ({
    shop: { stripe, customer, subscribed, monthly },
  }) => {
    const { latest_invoice } = await subscribed(await monthly(1000))
    const invoice = idOf(latest_invoice)
    const note = await stripe.creditNotes.create({ invoice, amount: 400, credit_amount: 400, reason: 'duplicate' })
    expect(note).toMatchObject({ total: 400, type: 'post_payment', post_payment_amount: 400, reason: 'duplicate' })
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -400 })
    expect((await stripe.creditNotes.list({ invoice })).data).toMatchObject([{ id: note.id }])
    expect(await stripe.invoices.retrieve(invoice)).toMatchObject({ post_payment_credit_notes_amount: 400 })
  })

  // Source: types, CreditNotesResource.create (“the sum of … must equal the post_payment_amount”)
  test('a credit note is refused if its parts do not add up to the amount that it returns', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const { latest_invoice } = await subscribed(await monthly(1000))
    const invoice = idOf(latest_invoice)
    const create = (out_of_band_amount: number) =>
      stripe.creditNotes.create({ invoice, amount: 400, credit_amount: 100, out_of_band_amount })
    expect(await refusal(create(200))).toMatchObject({ status: 400 })
    expect(await create(300)).toMatchObject({ out_of_band_amount: 300 })
  })

  // Source: types, CreditNotesResource.create (“subtracts those refund amounts from the maximum creditable amount”)
  test('an amount that was already refunded cannot be credited by a credit note', async ({
    shop: { stripe, customer, subscribed, monthly },
  }) => {
    const { latest_invoice } = await subscribed(await monthly(1000))
    const [charge] = (await stripe.charges.list({ customer })).data
    await stripe.refunds.create({ charge: charge?.id ?? '', amount: 600 })
    const create = (amount: number) =>
      stripe.creditNotes.create({ invoice: idOf(latest_invoice), amount, credit_amount: amount })
    expect(await refusal(create(500))).toMatchObject({ status: 400 })
    expect(await create(400)).toMatchObject({ total: 400 })
  })
})

describe('subscriptions in the sandbox behave as Stripe documents:', () => {
  // Source: types, SubscriptionCreateParams.items (“up to 20”)
  test('a subscription with more than 20 items is refused', async ({ shop: { stripe, customer, monthly } }) => {
    const prices = await Promise.all(Array.from({ length: 21 }, (_, index) => monthly(100 + index)))
    const items = prices.map(({ id: price }) => ({ price }))
    expect(await refusal(stripe.subscriptions.create({ customer, items }))).toMatchObject({ status: 400 })
    const made = await stripe.subscriptions.create({ customer, items: items.slice(1) })
    expect(made).toMatchObject({ status: 'active' })
  })

  // Source: types, SubscriptionCreateParams.trial_end (“at most two years from billing_cycle_anchor”)
  test('a trial of more than two years is refused', async ({ shop: { clock, subscribed, monthly } }) => {
    const trial_end = Math.floor(clock.now() / 1000) + 3 * 365 * day
    expect(await refusal(subscribed(await monthly(1000), { trial_end }))).toMatchObject({
      status: 400,
      param: 'trial_end',
    })
  })

  // Source: types, CustomerSubscriptionTrialWillEndEvent (“three days before … or immediately when a trial is ended early”)
  test('the event trial_will_end is sent at once if a trial is shortened to end immediately', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const { id } = await subscribed(await monthly(1000), { trial_period_days: 30 })
    const announced = async () => (await stripe.events.list({ type: 'customer.subscription.trial_will_end' })).data
    expect(await announced()).toEqual([])
    await stripe.subscriptions.update(id, { trial_end: 'now' })
    expect(await announced()).toMatchObject([{ data: { object: { id } } }])
  })

  // Source: types, Subscription.trial_settings.end_behavior.missing_payment_method; SubscriptionsResource.resume
  test('a trial of a customer without a card ends as the setting missing_payment_method defines', async () => {
    const { stripe, clockId, monthly } = await customerShop(start)
    const { id: customer } = await stripe.customers.create({ test_clock: clockId })
    const items = [{ price: (await monthly(1000)).id }]
    const trial = (missing_payment_method: 'cancel' | 'pause') =>
      stripe.subscriptions.create({
        customer,
        items,
        trial_period_days: 7,
        trial_settings: { end_behavior: { missing_payment_method } },
      })
    const [canceled, paused] = [await trial('cancel'), await trial('pause')]
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 8 * day })
    expect(await stripe.subscriptions.retrieve(canceled.id)).toMatchObject({ status: 'canceled' })
    expect(await stripe.subscriptions.retrieve(paused.id)).toMatchObject({ status: 'paused' })
    expect((await stripe.invoices.list({ subscription: paused.id })).data).toMatchObject([{ total: 0 }])
  })

  // Source: types, Subscription.pause_collection.resumes_at
  test('paused collection resumes automatically at resumes_at', async () => {
    const { stripe, clockId, subscribed, monthly } = await customerShop(start)
    const { id } = await subscribed(await monthly(1000))
    const pause_collection = { behavior: 'void' as const, resumes_at: start + 40 * day }
    await stripe.subscriptions.update(id, { pause_collection })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 32 * day })
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active', pause_collection })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 41 * day })
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ pause_collection: null })
  })

  // Source: types, SubscriptionCancelParams.prorate and invoice_now
  test('an immediate cancellation credits the rest of the period if prorate is set', async () => {
    const { stripe, clockId, subscribed, monthly, invoices } = await customerShop(utc('2027-04-01T00:00:00'))
    const { id } = await subscribed(await monthly(3000))
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-04-16T00:00:00') })
    await stripe.subscriptions.cancel(id, { prorate: true, invoice_now: true })
    expect((await invoices()).at(-1)).toMatchObject({ total: -1500 })
  })

  // Source: docs.stripe.com/billing/subscriptions/billing-cycle: without prorations, the time up to the anchor is free
  test('the time before the billing anchor is free if proration_behavior is none', async ({
    shop: { clock, subscribed, monthly, invoices },
  }) => {
    const billing_cycle_anchor = Math.floor(clock.now() / 1000) + 10 * day
    const made = await subscribed(await monthly(1000), { billing_cycle_anchor, proration_behavior: 'none' })
    expect(firstItem(made).current_period_end).toBe(billing_cycle_anchor)
    expect((await invoices()).reduce((sum, { total }) => sum + total, 0)).toBe(0)
  })

  // Source: types, SubscriptionItemUpdateParams.proration_behavior
  test('a quantity can be changed without a proration', async ({ shop: { stripe, subscribed, monthly } }) => {
    const made = await subscribed(await monthly(1000))
    const { id } = firstItem(made)
    await stripe.subscriptionItems.update(id, { quantity: 3, proration_behavior: 'none' })
    expect((await stripe.invoiceItems.list({ pending: true })).data).toEqual([])
    expect(await stripe.invoices.createPreview({ subscription: made.id })).toMatchObject({ total: 3000 })
    await stripe.subscriptionItems.update(id, { quantity: 4 })
    expect((await stripe.invoiceItems.list({ pending: true })).data).toHaveLength(2)
  })

  // Source: types, Invoice.parent.subscription_details.metadata (“reflects the metadata of the subscription at the time of invoice creation”)
  test('an invoice keeps the metadata that its subscription had when the invoice was created', async ({
    shop: { stripe, subscribed, monthly, invoices },
  }) => {
    const { id } = await subscribed(await monthly(1000), { metadata: { plan: 'a' } })
    await stripe.subscriptions.update(id, { metadata: { plan: 'b' } })
    expect(await invoices()).toMatchObject([{ parent: { subscription_details: { metadata: { plan: 'a' } } } }])
  })
})

describe('subscription schedules in the sandbox behave as Stripe documents:', () => {
  const phase = async (monthly: (amount: number) => Promise<Stripe.Price>) => ({
    items: [{ price: (await monthly(1000)).id }],
  })

  // Source: types, SubscriptionScheduleCreateParams.Phase.duration (“if set, end_date must not be set”)
  test('a schedule phase with both a duration and an end date is refused', async ({
    shop: { stripe, customer, monthly },
  }) => {
    const both = { duration: { interval: 'month' as const }, end_date: start }
    const phases = [{ ...(await phase(monthly)), ...both }]
    const wrong = stripe.subscriptionSchedules.create({ customer, start_date: 'now', phases })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  // Source: types, SubscriptionScheduleCreateParams.Phase.trial_end (“must be before the phase end date”)
  test('a schedule phase whose trial ends after the phase is refused', async ({
    shop: { stripe, clock, customer, monthly },
  }) => {
    const now = Math.floor(clock.now() / 1000)
    const phases = [{ ...(await phase(monthly)), end_date: now + 30 * day, trial_end: now + 40 * day }]
    const wrong = stripe.subscriptionSchedules.create({ customer, start_date: 'now', phases })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  // Source: types, SubscriptionScheduleCreateParams.from_subscription (“other parameters (such as phase values) cannot be set”)
  test('a schedule that is created from a subscription copies its items, and refuses other phases', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const made = await subscribed(await monthly(1000))
    const from = { from_subscription: made.id }
    const wrong = stripe.subscriptionSchedules.create({ ...from, phases: [await phase(monthly)] })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
    const schedule = await stripe.subscriptionSchedules.create(from)
    expect(schedule.phases).toMatchObject([{ items: [{ price: firstItem(made).price.id }] }])
  })

  // Source: types, SubscriptionSchedule.end_behavior
  test('a schedule with the end_behavior cancel cancels its subscription when it ends', async () => {
    const { stripe, customer, clockId, monthly } = await customerShop(start)
    const phases = [{ ...(await phase(monthly)), duration: { interval: 'month' as const } }]
    const params = { customer, start_date: 'now' as const, end_behavior: 'cancel' as const, phases }
    const { id, subscription } = await stripe.subscriptionSchedules.create(params)
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 32 * day })
    expect(await stripe.subscriptionSchedules.retrieve(id)).toMatchObject({ status: 'completed' })
    expect(await stripe.subscriptions.retrieve(idOf(subscription))).toMatchObject({ status: 'canceled' })
  })

  // Source: types, SubscriptionSchedulesResource.cancel and release (“only … if its status is not_started or active”)
  test('a cancelled schedule can be neither cancelled again nor released', async ({
    shop: { stripe, customer, monthly },
  }) => {
    const params = { customer, start_date: 'now' as const, phases: [await phase(monthly)] }
    const { id } = await stripe.subscriptionSchedules.create(params)
    expect(await stripe.subscriptionSchedules.cancel(id)).toMatchObject({ status: 'canceled' })
    expect(await refusal(stripe.subscriptionSchedules.cancel(id))).toMatchObject({ status: 400 })
    expect(await refusal(stripe.subscriptionSchedules.release(id))).toMatchObject({ status: 400 })
  })

  // Source: types, SubscriptionScheduleUpdateParams.Phase.start_date (“must be set on the first phase”)
  test('an update of a schedule requires the start date of the first phase', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const { id } = await subscribed(await monthly(1000))
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
    const phases = [await phase(monthly)]
    expect(await refusal(stripe.subscriptionSchedules.update(schedule.id, { phases }))).toMatchObject({ status: 400 })
  })
})

describe('meters in the sandbox behave as Stripe documents:', () => {
  const used = async (stripe: Stripe, customer: string, value: string, identifier?: string) =>
    stripe.billing.meterEvents.create({
      event_name: 'calls',
      payload: { stripe_customer_id: customer, value },
      ...(identifier === undefined ? {} : { identifier }),
    })
  const meterOf = (price: Stripe.Price) => price.recurring?.meter ?? ''

  // Source: types, MetersResource.deactivate (“no more meter events will be accepted … You can’t attach a deactivated meter to a price”)
  test('a deactivated meter accepts no events and no new prices', async ({ shop }) => {
    const { stripe, customer, monthly } = shop
    const meter = meterOf(await meteredPrice(shop))
    await stripe.billing.meters.deactivate(meter)
    expect(await refusal(used(stripe, customer, '1'))).toMatchObject({ status: 400 })
    const recurring = { interval: 'month' as const, usage_type: 'metered' as const, meter }
    expect(await refusal(monthly(1, { recurring }))).toMatchObject({ status: 400 })
  })

  // Source: types, MeterEventCreateParams.payload (“must contain the fields …”)
  test('a meter event requires a customer and a numeric value', async ({ shop }) => {
    const { stripe, customer } = shop
    await meteredPrice(shop)
    const create = (payload: Record<string, string>) =>
      stripe.billing.meterEvents.create({ event_name: 'calls', payload })
    expect(await refusal(create({ value: '1' }))).toMatchObject({ status: 400 })
    expect(await refusal(create({ stripe_customer_id: customer }))).toMatchObject({ status: 400 })
    expect(await refusal(used(stripe, customer, 'many'))).toMatchObject({ status: 400 })
  })

  // Source: types, MeterListEventSummariesParams.start_time, end_time and value_grouping_window
  test('event summaries must begin and end on whole minutes, hours or days', async ({ shop }) => {
    const { stripe, customer } = shop
    const meter = meterOf(await meteredPrice(shop))
    await used(stripe, customer, '5')
    const from = Date.UTC(2026, 10, 1) / 1000
    const list = (start_time: number, end_time: number, value_grouping_window?: 'day' | 'hour') =>
      stripe.billing.meters.listEventSummaries(meter, {
        ...{ customer, start_time, end_time },
        ...(value_grouping_window === undefined ? {} : { value_grouping_window }),
      })
    expect(await refusal(list(from + 1, from + 60))).toMatchObject({ status: 400 })
    expect(await refusal(list(from, from + 90 * 60, 'hour'))).toMatchObject({ status: 400 })
    expect(await refusal(list(from, from + 3600, 'day'))).toMatchObject({ status: 400 })
    expect((await list(from, from + day)).data).toMatchObject([{ aggregated_value: 5 }])
  })

  // Source: types, Meter.default_aggregation.formula
  test('a meter aggregates its events by count, last value or sum', async ({ shop: { stripe, customer } }) => {
    const from = Date.UTC(2026, 10, 1) / 1000
    const total = async (formula: 'count' | 'last' | 'sum') => {
      const { id } = await stripe.billing.meters.create({
        default_aggregation: { formula },
        display_name: formula,
        event_name: formula,
      })
      for (const value of ['7', '4'])
        await stripe.billing.meterEvents.create({
          event_name: formula,
          payload: { stripe_customer_id: customer, value },
          timestamp: value === '7' ? from - 120 : from - 60,
        })
      const window = { customer, start_time: from - 180, end_time: from }
      return (await stripe.billing.meters.listEventSummaries(id, window)).data.map((one) => one.aggregated_value)
    }
    expect([await total('count'), await total('last'), await total('sum')]).toEqual([[2], [4], [11]])
  })
})
