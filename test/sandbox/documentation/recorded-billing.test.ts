// Differences between sandbox and real API that were found and fixed, about billing, invoices and cancellations, one per test. For the
// sources see recorded.test.ts.
import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { sandboxForTest } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, firstItem, meteredPrice, utc } from '../customers/customer-shop.ts'

const april = utc('2027-04-01T00:00:00')
const at = (text: string): number => utc(`2027-${text}`)
const linesOf = (invoice: Stripe.Invoice | undefined) => invoice?.lines.data.map((line) => line.amount)
const emptied = '' as unknown as string

async function shopInApril() {
  const shop = await customerShop(april)
  const to = (text: string) => shop.stripe.testHelpers.testClocks.advance(shop.clockId, { frozen_time: at(text) })
  const latest = async () => (await shop.invoices()).at(-1)
  const balance = async () => ((await shop.stripe.customers.retrieve(shop.customer)) as Stripe.Customer).balance
  return { ...shop, to, latest, balance }
}

describe('prorations of the sandbox:', () => {
  test('a credit is a share of the amount that was charged, including a seat that was added without proration (source: Stripe’s pages)', async () => {
    const { stripe, to, subscribed, monthly, latest } = await shopInApril()
    const made = await subscribed(await monthly(1000))
    const item = firstItem(made).id
    const change = (quantity: number, proration_behavior: 'always_invoice' | 'none') =>
      stripe.subscriptions.update(made.id, { items: [{ id: item, quantity }], proration_behavior })
    await to('04-11T00:00:00')
    await change(5, 'none')
    await to('04-16T00:00:00')
    await change(1, 'always_invoice')
    expect(linesOf(await latest())).toEqual([-500, 500])
    await to('04-21T00:00:00')
    // A third of the 5.00 that were paid for the rest of the month.
    await change(4, 'always_invoice')
    expect(linesOf(await latest())).toEqual([-334, 1333])
  })

  test('in classic billing mode the credit is a share of the item’s current amount (source: Stripe’s pages)', async () => {
    const { stripe, to, subscribed, monthly, latest } = await shopInApril()
    const made = await subscribed(await monthly(1000), { billing_mode: { type: 'classic' } })
    const items = (quantity: number) => [{ id: firstItem(made).id, quantity }]
    await stripe.subscriptions.update(made.id, { items: items(5), proration_behavior: 'none' })
    await to('04-16T00:00:00')
    await stripe.subscriptions.update(made.id, { items: items(1), proration_behavior: 'always_invoice' })
    expect(linesOf(await latest())).toEqual([-2500, 500])
  })

  test('after a coupon with the duration once, a credit is a share of the discounted amount (source: Stripe’s pages)', async () => {
    const { stripe, to, subscribed, monthly, latest } = await shopInApril()
    const once = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
    const made = await subscribed(await monthly(1000), { discounts: [{ coupon: once.id }] })
    await to('04-16T00:00:00')
    const items = [{ id: firstItem(made).id, price: (await monthly(2000)).id }]
    await stripe.subscriptions.update(made.id, { items, proration_behavior: 'always_invoice' })
    expect(linesOf(await latest())).toEqual([-250, 1000])
  })
})

describe('usage in the sandbox:', () => {
  test('usage that is reported while the invoice is a draft is billed on that invoice (source: Stripe’s pages)', async () => {
    const shop = await shopInApril()
    const { stripe, customer, to, subscribed, latest } = shop
    const coupon = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
    await subscribed(await meteredPrice(shop), { discounts: [{ coupon: coupon.id }] })
    const use = (value: string, timestamp: number) =>
      stripe.billing.meterEvents.create({
        event_name: 'calls',
        payload: { stripe_customer_id: customer, value },
        timestamp,
      })
    await use('100', april)
    await to('05-01T00:10:00')
    expect((await latest())?.total).toBe(450)
    await use('40', at('04-30T23:00:00'))
    await to('05-01T02:00:00')
    expect(await latest()).toMatchObject({ status: 'paid', subtotal: 700, total: 630, amount_paid: 630 })
    // Later usage in April is not billed any more.
    await use('1000', at('04-30T23:00:00'))
    await to('06-01T02:00:00')
    expect((await latest())?.total).toBe(0)
  })

  test('with a daily window, the event that was received last counts, not the event with the latest timestamp (source: Stripe’s pages)', async () => {
    const { stripe, customer, product, to, subscribed, latest } = await shopInApril()
    const meter = await stripe.billing.meters.create({
      ...{ default_aggregation: { formula: 'sum' }, display_name: 'Seats', event_name: 'seats' },
      event_time_window: 'day',
    })
    const recurring = { interval: 'month' as const, usage_type: 'metered' as const, meter: meter.id }
    await subscribed(await stripe.prices.create({ currency: 'usd', product, unit_amount: 100, recurring }))
    const use = (value: string, timestamp: number) =>
      stripe.billing.meterEvents.create({
        event_name: 'seats',
        payload: { stripe_customer_id: customer, value },
        timestamp,
      })
    await use('10', april + 200)
    await use('4', april + 100)
    await to('05-01T02:00:00')
    expect((await latest())?.total).toBe(400)
  })
})

describe('a cancellation in the sandbox', () => {
  test('credits nothing by default, and with `prorate` leaves a pending credit for a later invoice (source: the SDK’s types)', async () => {
    const { stripe, customer, to, subscribed, monthly, latest, balance } = await shopInApril()
    const price = await monthly(1000)
    const [one, two] = [await subscribed(price), await subscribed(price)]
    await to('04-16T00:00:00')
    await stripe.subscriptions.cancel(one.id)
    expect((await stripe.invoiceItems.list({ customer, pending: true })).data).toEqual([])
    await stripe.subscriptions.cancel(two.id, { prorate: true })
    const [credit] = (await stripe.invoiceItems.list({ customer, pending: true })).data
    expect(credit).toMatchObject({ amount: -500, proration: true, description: 'Unused time on P after 16 Apr 2027' })
    await stripe.invoiceItems.create({ customer, amount: 2000, currency: 'usd' })
    const bill = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    expect(linesOf(bill)).toEqual([2000, -500])
    expect(bill.lines.data[1]?.parent?.subscription_item_details).toMatchObject({
      invoice_item: credit?.id,
      proration: true,
      subscription: two.id,
    })
    await stripe.invoices.pay(bill.id)
    expect([(await latest())?.amount_paid, await balance()]).toEqual([1500, 0])
  })

  test('through the cancellation of its schedule bills the usage and credits unused time (source: the SDK’s types)', async () => {
    const shop = await shopInApril()
    const { stripe, customer, to, monthly, latest } = shop
    const [seats, calls] = [await monthly(1000), await meteredPrice(shop)]
    const made = await stripe.subscriptions.create({ customer, items: [{ price: seats.id }, { price: calls.id }] })
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const payload = { stripe_customer_id: customer, value: '300' }
    await stripe.billing.meterEvents.create({ event_name: 'calls', payload })
    await to('04-16T00:00:00')
    await stripe.subscriptionSchedules.cancel(schedule.id)
    expect(linesOf(await latest())).toEqual([-500, 1500])
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('canceled')
  })

  test('stops further payment attempts for its open invoice (source: the SDK’s types)', async () => {
    const { stripe, customer, to, subscribed, monthly, latest } = await shopInApril()
    const made = await subscribed(await monthly(1000))
    const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: bad.id } })
    await to('05-01T02:00:00')
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ delinquent: true })
    await stripe.subscriptions.cancel(made.id)
    expect(await latest()).toMatchObject({ status: 'open', auto_advance: false, next_payment_attempt: null })
    await to('05-20T00:00:00')
    expect((await latest())?.attempt_count).toBe(1)
    await stripe.invoices.markUncollectible((await latest())?.id ?? '')
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ delinquent: false })
  })
})

describe('manual invoices of the sandbox:', () => {
  test('items of a draft can be added, changed and removed, and an item with a plain amount gets a price (source: recordings)', async () => {
    const { stripe, customer } = await shopInApril()
    const rate = await stripe.taxRates.create({ display_name: 'VAT', percentage: 10, inclusive: false })
    const draft = await stripe.invoices.create({ customer, default_tax_rates: [rate.id], auto_advance: false })
    const add = (amount: number, description: string) =>
      stripe.invoiceItems.create({ customer, invoice: draft.id, amount, currency: 'usd', description })
    const first = await add(1000, 'first')
    const second = await add(500, 'second')
    const { price_details: of } = first.pricing ?? {}
    expect(await stripe.prices.retrieve(of?.price as string)).toMatchObject({ unit_amount: 1000, type: 'one_time' })
    expect((await stripe.prices.list()).data).toEqual([])
    const filled = await stripe.invoices.retrieve(draft.id)
    expect(filled).toMatchObject({ subtotal: 1500, total: 1650, amount_due: 1650, status: 'draft' })
    expect(filled.lines.data.map((line) => line.description)).toEqual(['second', 'first'])
    await stripe.invoiceItems.update(second.id, { amount: 700 })
    await stripe.invoiceItems.del(first.id)
    const changed = await stripe.invoices.retrieve(draft.id)
    expect([changed.total, changed.lines.data.map(({ id }) => id)]).toEqual([770, [filled.lines.data[0]?.id]])
    await stripe.invoices.finalizeInvoice(draft.id)
    expect(await refusal(add(1, 'late'))).toMatchObject({
      code: 'invoice_not_editable',
      message: 'Invalid invoice: This invoice is no longer editable',
    })
    expect(await refusal(stripe.invoiceItems.del(second.id))).toMatchObject({
      message: "Can't delete an invoice item that is attached to an invoice that is no longer editable",
    })
  })

  test('the deletion of a draft deletes its invoice items (source: recordings)', async () => {
    const { stripe, customer } = await shopInApril()
    const item = await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    await stripe.invoices.del(draft.id)
    expect((await stripe.invoiceItems.list({ customer, pending: true })).data).toEqual([])
    expect((await stripe.invoiceItems.list({ customer, pending: false })).data).toHaveLength(1)
    expect(await refusal(stripe.invoiceItems.update(item.id, { description: 'x' }))).toMatchObject({
      message: 'This invoice item has been deleted.',
    })
  })

  test('a draft whose auto_advance is set later is finalized an hour after its creation (source: recordings)', async () => {
    const { stripe, customer, to, latest } = await shopInApril()
    await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    const told = await stripe.invoices.update(draft.id, { auto_advance: true })
    expect(told.automatically_finalizes_at).toBe(draft.created + 3600)
    await to('04-01T02:00:00')
    expect(await latest()).toMatchObject({ status: 'paid', amount_paid: 500 })
  })

  test('the customer’s address is printed on the invoices', async () => {
    const { stripe, customer } = await shopInApril()
    await stripe.customers.update(customer, { address: { country: 'DE', city: 'Bonn' } })
    expect((await stripe.invoices.create({ customer })).customer_address).toMatchObject({ country: 'DE', city: 'Bonn' })
  })

  test('invalid requests get Stripe’s messages and codes (source: recordings)', async () => {
    const { stripe, customer } = await shopInApril()
    const paid = await stripe.invoices.create({ customer })
    await stripe.invoices.finalizeInvoice(paid.id)
    const said = async (call: Promise<unknown>) => {
      const { code, message, param } = await refusal(call)
      return [message, code, param]
    }
    const open = "You can only pass in open invoices. This invoice isn't open."
    expect(await said(stripe.invoices.pay(paid.id))).toEqual(['Invoice is already paid', undefined, undefined])
    expect(await said(stripe.invoices.voidInvoice(paid.id))).toEqual([
      'Invoices with `paid` payments cannot be voided.',
      undefined,
      undefined,
    ])
    expect(await said(stripe.invoices.markUncollectible(paid.id))).toEqual([open, undefined, undefined])
    expect(await said(stripe.invoices.update(paid.id, { description: 'x' }))).toEqual([
      "Finalized invoices can't be updated in this way",
      undefined,
      'description',
    ])
    expect((await said(stripe.invoices.sendInvoice(paid.id)))[0]).toMatch(/^This invoice cannot be sent right now\./)
    expect(await said(stripe.invoices.create({ customer, collection_method: 'send_invoice' }))).toEqual([
      "If invoice collection method is 'send_invoice', you must specify 'due_date' or 'days_until_due'.",
      undefined,
      undefined,
    ])
    expect((await said(stripe.invoices.pay('in_nope')))[2]).toBe('id')
    expect((await said(stripe.invoices.retrieve('in_nope')))[2]).toBe('invoice')
    expect(await said(stripe.invoiceItems.retrieve('ii_nope'))).toEqual([
      "No such Invoice Item: 'ii_nope'(livemode=false)",
      'resource_missing',
      'id',
    ])
  })
})

describe('invalid requests about subscriptions of the sandbox:', () => {
  test('errors have Stripe’s messages and codes (source: recordings)', async () => {
    const { stripe, customer, subscribed, monthly } = await shopInApril()
    const price = await monthly(1000)
    const made = await subscribed(price)
    expect(
      await refusal(stripe.subscriptions.create({ customer: 'cus_nope', items: [{ price: price.id }] })),
    ).toMatchObject({
      status: 404,
      param: 'customer',
    })
    const items = [{ price: price.id }]
    expect(await refusal(stripe.subscriptions.update(made.id, { items }))).toMatchObject({
      param: 'plan',
      message: expect.stringContaining(
        `an existing Subscription Item ${firstItem(made).id} is already using that Price.`,
      ),
    })
    expect(await refusal(stripe.subscriptions.create({ customer, items, trial_end: april - 1 }))).toMatchObject({
      message: expect.stringContaining(`You specified the value \`${april - 1}\` which is in the past.`),
    })
    await stripe.subscriptions.cancel(made.id)
    expect(await refusal(stripe.subscriptions.update(made.id, { description: 'x' }))).toMatchObject({
      code: 'invalid_canceled_subscription_fields',
    })
  })

  test('a trial cannot be ended now without a payment method (source: recordings)', async () => {
    const { stripe, customer, subscribed, monthly } = await shopInApril()
    const made = await subscribed(await monthly(1000), { trial_period_days: 7 })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: emptied } })
    const ended = stripe.subscriptions.update(made.id, { trial_end: 'now' })
    expect(await refusal(ended)).toMatchObject({ status: 400, code: 'resource_missing' })
  })

  test('the default payment method of a subscription can be cleared (source: recordings)', async () => {
    const { stripe, customer, subscribed, monthly } = await shopInApril()
    const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
    const made = await subscribed(await monthly(1000), { default_payment_method: card.id })
    const without = await stripe.subscriptions.update(made.id, { default_payment_method: emptied })
    expect(without.default_payment_method).toBeNull()
  })
})

describe('a subscription in the sandbox', () => {
  const begun = async (params: Partial<Stripe.SubscriptionCreateParams>) => {
    const shop = await shopInApril()
    await shop.to('04-11T00:00:00')
    const made = await shop.subscribed(await shop.monthly(1000), params)
    return { ...shop, made, first: await shop.latest() }
  }

  test('can align billing periods to an anchor date, and prorates the time until that date (source: the SDK’s types)', async () => {
    const { made, first, to, latest } = await begun({ billing_cycle_anchor: at('05-01T00:00:00') })
    expect([made.billing_cycle_anchor, firstItem(made).current_period_end]).toEqual([
      at('05-01T00:00:00'),
      at('05-01T00:00:00'),
    ])
    // Twenty of thirty days.
    expect(linesOf(first)).toEqual([666])
    await to('05-01T02:00:00')
    expect(linesOf(await latest())).toEqual([1000])
    const free = await begun({ billing_cycle_anchor: at('05-01T00:00:00'), proration_behavior: 'none' })
    expect(free.first).toBeUndefined()
    const late = begun({ billing_cycle_anchor: at('05-12T00:00:00') })
    expect(await refusal(late)).toMatchObject({
      param: 'billing_cycle_anchor',
      message: expect.stringContaining('cannot be later than next natural billing date'),
    })
  })

  test('can be backdated (source: Stripe’s pages)', async () => {
    const back = { backdate_start_date: at('02-01T00:00:00') }
    const { made, first } = await begun({ ...back, billing_cycle_anchor: at('05-01T00:00:00') })
    expect(made.start_date).toBe(back.backdate_start_date)
    expect(linesOf(first)).toEqual([1000, 1000, 1000])
    expect(firstItem(made).current_period_start).toBe(april)
    const { first: charged } = await begun({ ...back, proration_behavior: 'none' })
    expect(linesOf(charged)).toEqual([1000])
    // From 1 to 11 February are ten of the 31 days of the period.
    const { first: whole } = await begun(back)
    expect(linesOf(whole)).toEqual([322, 1000, 1000, 1000])
  })

  test('can include inline prices and one-time invoice items (source: the SDK’s types)', async () => {
    const { stripe, customer, product, latest } = await shopInApril()
    const data = { currency: 'usd', product }
    const made = await stripe.subscriptions.create({
      customer,
      items: [{ price_data: { ...data, unit_amount: 700, recurring: { interval: 'month' } }, quantity: 2 }],
      add_invoice_items: [{ price_data: { ...data, unit_amount: 55 } }],
    })
    expect(firstItem(made).price).toMatchObject({ active: false, unit_amount: 700 })
    expect(linesOf(await latest())).toEqual([1400, 55])
    expect((await stripe.prices.list()).data).toEqual([])
  })

  test('can be paid by confirming the payment intent of its first invoice (source: Stripe’s pages)', async () => {
    const { stripe, customer, subscribed, monthly } = await shopInApril()
    const made = await subscribed(await monthly(1000), {
      payment_behavior: 'default_incomplete',
      payment_settings: { save_default_payment_method: 'on_subscription' },
      expand: ['latest_invoice.confirmation_secret'],
    })
    const { confirmation_secret: secret } = made.latest_invoice as Stripe.Invoice
    expect(secret?.type).toBe('payment_intent')
    const intent = secret?.client_secret.split('_secret_')[0] ?? ''
    const bad = stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_chargeCustomerFail' })
    expect(await refusal(bad)).toMatchObject({ status: 402, code: 'card_declined' })
    const paid = await stripe.paymentIntents.confirm(intent, { payment_method: 'pm_card_mastercard' })
    const active = await stripe.subscriptions.retrieve(made.id)
    expect([paid.status, active.status, active.default_payment_method]).toEqual([
      'succeeded',
      'active',
      paid.payment_method,
    ])
    expect((await stripe.paymentMethods.retrieve(paid.payment_method as string)).customer).toBe(customer)
  })

  test('can be resumed from a pause once it has a payment method (source: the SDK’s types)', async () => {
    const { stripe, customer, to, subscribed, monthly, latest } = await shopInApril()
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: emptied } })
    const made = await subscribed(await monthly(1000), {
      trial_period_days: 3,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    })
    expect(await refusal(stripe.subscriptions.resume(made.id))).toMatchObject({
      message: 'You can only resume a subscription if it is `paused`.',
    })
    await to('04-05T00:00:00')
    expect(await refusal(stripe.subscriptions.resume(made.id))).toMatchObject({ code: 'resource_missing' })
    const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
    await stripe.subscriptions.update(made.id, { metadata: { a: 'b' } })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } })
    const resumed = await stripe.subscriptions.resume(made.id)
    expect([resumed.status, resumed.billing_cycle_anchor]).toEqual(['active', at('04-05T00:00:00')])
    expect(await latest()).toMatchObject({ status: 'paid', total: 1000 })
    expect((await stripe.events.list({ type: 'customer.subscription.resumed' })).data).toHaveLength(1)
  })

  test('accepts `billing_cycle_anchor: now` in an update with former API versions only', async () => {
    // These parameters are not in the contract of the current version.
    const { stripe } = await sandboxForTest({ check: () => [] })
    const customer = await payingCustomer(stripe)
    const { id: product } = await stripe.products.create({ name: 'P' })
    const recurring = { interval: 'month' as const }
    const price = await stripe.prices.create({ currency: 'usd', product, unit_amount: 1000, recurring })
    const made = await stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
    const now = { billing_cycle_anchor: 'now' } as unknown as Stripe.SubscriptionUpdateParams
    const former = { apiVersion: '2025-09-30.clover' }
    expect(await stripe.subscriptions.update(made.id, now, former)).toMatchObject({ status: 'active' })
    expect(await refusal(stripe.subscriptions.update(made.id, now))).toMatchObject({ param: 'billing_cycle_anchor' })
  })
})

test('a credit note refunds the charged card, or names an earlier refund (source: the SDK’s types)', async () => {
  const { stripe, subscribed, monthly, latest } = await shopInApril()
  await subscribed(await monthly(1000))
  const invoice = (await latest())?.id ?? ''
  const note = await stripe.creditNotes.create({ invoice, amount: 400, refund_amount: 400 })
  expect(note.refunds).toMatchObject([{ amount_refunded: 400, type: 'refund' }])
  const refund = await stripe.refunds.retrieve(note.refunds[0]?.refund as string)
  expect(await stripe.charges.retrieve(refund.charge as string)).toMatchObject({ amount_refunded: 400 })
  const own = await stripe.refunds.create({ charge: refund.charge as string, amount: 100 })
  const linked = await stripe.creditNotes.create({ invoice, amount: 100, refunds: [{ refund: own.id }] })
  expect(linked.refunds).toMatchObject([{ amount_refunded: 100, refund: own.id }])
  // A refund that one credit note refers to cannot be used by another.
  const again = [{ refund: own.id, amount_refunded: 100 }]
  const twice = stripe.creditNotes.create({ invoice, amount: 100, refunds: again })
  expect(await refusal(twice)).toMatchObject({ param: 'refunds[0][amount_refunded]' })
})
