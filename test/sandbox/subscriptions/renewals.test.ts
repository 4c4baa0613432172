import { describe, expect, test } from 'vitest'
import { customerShop, day, firstItem, iso, meteredPrice, utc } from '../customers/customer-shop.ts'
import { decimal } from '../shop.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

describe('test clocks and renewals of the sandbox:', () => {
  test('a subscription that starts at the end of a month renews at the end of each month, also in short months and leap years', async () => {
    const { stripe, clockId, monthly, subscribed, invoices } = await customerShop(utc('2027-12-31T12:00:00'))
    const made = await subscribed(await monthly(1000))
    for (const moment of ['2028-02-29', '2028-04-29'])
      await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc(`${moment}T12:00:00`) })
    const moving = await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2028-06-01T00:00:00') })
    expect(moving.status).toBe('advancing')
    expect(await stripe.testHelpers.testClocks.retrieve(clockId)).toMatchObject({
      status: 'ready',
      frozen_time: utc('2028-06-01T00:00:00'),
    })
    expect((await invoices()).map((invoice) => iso(invoice.created))).toEqual([
      '2027-12-31',
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
      '2028-04-30',
      '2028-05-31',
    ])
    const item = firstItem(await stripe.subscriptions.retrieve(made.id))
    expect([iso(item.current_period_start), iso(item.current_period_end)]).toEqual(['2028-05-31', '2028-06-30'])
  })

  test('prorations are pending invoice items, and are not billed if they are deleted or the subscription ends first', async () => {
    const start = utc('2027-01-01T00:00:00')
    const { stripe, clockId, customer, monthly, subscribed, invoices } = await customerShop(start)
    const made = await subscribed(await monthly(1000))
    const waiting = async () => (await stripe.invoiceItems.list({ customer, pending: true })).data.reverse()
    const change = (quantity: number) =>
      stripe.subscriptions.update(made.id, { items: [{ id: firstItem(made).id, quantity }] })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-01-11T00:00:00') })
    await change(2)
    const [credit, debit] = await waiting()
    expect([credit?.amount, debit?.amount]).toEqual([-678, 1354])
    expect(debit).toMatchObject({
      ...{ proration: true, discountable: false, invoice: null, quantity: 2 },
      parent: { subscription_details: { subscription: made.id, subscription_item: firstItem(made).id } },
    })
    await stripe.invoiceItems.del(debit?.id ?? '')
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
    const [, renewal] = await invoices()
    expect(renewal?.lines.data.map((line) => line.amount)).toEqual([-678, 2000])
    expect(renewal?.lines.data[0]?.parent?.subscription_item_details?.invoice_item).toBe(credit?.id)
    expect((await stripe.invoiceItems.retrieve(credit?.id ?? '')).invoice).toBe(renewal?.id)
    expect(await waiting()).toEqual([])
    await change(3)
    expect(await waiting()).toHaveLength(2)
    await stripe.subscriptions.cancel(made.id)
    expect(await waiting()).toEqual([])
  })

  test('an amount below the minimum charge is added to the customer’s balance until the sum can be charged', async () => {
    const { stripe, clockId, customer, monthly, subscribed, invoices } = await customerShop(utc('2027-01-01T00:00:00'))
    await subscribed(await monthly(30))
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
    const seen = (await invoices()).map((one) => [one.total, one.starting_balance, one.amount_due, one.ending_balance])
    expect(seen).toEqual([
      [30, 0, 0, 30],
      [30, 30, 60, 0],
    ])
    expect((await invoices()).map((one) => [one.status, one.amount_paid])).toEqual([
      ['paid', 0],
      ['paid', 60],
    ])
    expect((await stripe.charges.list({ customer })).data.map((charge) => charge.amount)).toEqual([60])
    const intent = stripe.paymentIntents.create({ amount: 49, currency: 'usd' })
    expect(await refusal(intent)).toMatchObject({ status: 400, code: 'amount_too_small', param: 'amount' })
  })

  test.each([
    ['year', 1, '2028-02-29', ['2028-02-29', '2029-02-28', '2030-02-28']],
    ['week', 2, '2027-01-01', ['2027-01-01', '2027-01-15', '2027-01-29']],
    ['day', 10, '2027-01-01', ['2027-01-01', '2027-01-11', '2027-01-21']],
    ['month', 3, '2027-11-30', ['2027-11-30', '2028-02-29', '2028-05-30']],
  ] as const)(
    'a subscription that is billed every %s × %i from %s on renews on the right days',
    async (interval, count, from, expected) => {
      const { stripe, clockId, monthly, subscribed, invoices } = await customerShop(utc(`${from}T00:00:00`))
      await subscribed(await monthly(1000, { recurring: { interval, interval_count: count } }))
      for (const moment of expected.slice(1)) {
        await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc(`${moment}T01:30:00`) })
      }
      expect((await invoices()).map((invoice) => iso(invoice.created))).toEqual(expected)
      expect((await invoices()).every((invoice) => invoice.status === 'paid')).toBe(true)
    },
  )

  test('the invoice of a renewal is a draft for an hour, and is paid afterwards', async () => {
    const { stripe, clockId, monthly, subscribed, invoices } = await customerShop(utc('2027-01-01T00:00:00'))
    await subscribed(await monthly(1000))
    const advance = (moment: string) => stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc(moment) })
    await advance('2027-02-01T00:00:00')
    const draft = (await invoices()).at(-1)
    expect(draft).toMatchObject({
      status: 'draft',
      number: null,
      billing_reason: 'subscription_cycle',
      amount_due: 1000,
    })
    expect([iso(draft?.period_start), iso(draft?.period_end)]).toEqual(['2027-01-01', '2027-02-01'])
    await advance('2027-02-01T01:00:00')
    expect((await invoices()).at(-1)).toMatchObject({ id: draft?.id, status: 'paid', amount_paid: 1000 })
    expect(await refusal(advance('2027-01-15T00:00:00'))).toMatchObject({ param: 'frozen_time' })
  })

  test('a trial is free, an event announces the end of the trial, and the first charge follows at that end', async () => {
    const { stripe, clockId, monthly, subscribed, invoices } = await customerShop(utc('2027-01-01T00:00:00'))
    const made = await subscribed(await monthly(1000), { trial_period_days: 14 })
    expect(made).toMatchObject({ status: 'trialing', trial_end: made.created + 14 * day })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: made.created + 15 * day })
    expect(await invoices()).toMatchObject([
      { total: 0, status: 'paid' },
      { total: 1000, status: 'paid', created: made.trial_end },
    ])
    expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({
      status: 'active',
      billing_cycle_anchor: made.trial_end,
    })
    const [told] = (await stripe.events.list({ type: 'customer.subscription.trial_will_end' })).data
    expect(told?.created).toBe(made.created + 11 * day)
  })

  test.each([
    // 300 + 100 × 10 + 500 + 1150 × 2.515 = 4692.25
    ['graduated', 1250, 4692, [100, 0, 1150, 0]],
    // 500 + 1250 × 2.515 = 3643.75
    ['volume', 1250, 3644, [1250, 0]],
    // The flat fee of the first tier is charged without usage too.
    ['graduated', 0, 300, [0]],
  ] as const)(
    'usage is billed at the end of the period, with %s tiers and %i units, in one line per tier',
    async (mode, used, expected, quantities) => {
      const shop = await customerShop(utc('2027-01-01T00:00:00'))
      const { stripe, clockId, customer, invoices } = shop
      const tiers = [
        { up_to: 100, unit_amount: 10, flat_amount: 300 },
        { up_to: 'inf' as const, unit_amount_decimal: decimal('2.515'), flat_amount: 500 },
      ]
      const price = await meteredPrice(shop, { billing_scheme: 'tiered', tiers_mode: mode, tiers })
      await stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
      if (used > 0) {
        const payload = { stripe_customer_id: customer, value: String(used) }
        await stripe.billing.meterEvents.create({ event_name: 'calls', payload })
      }
      await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
      const [invoice] = await invoices()
      expect(invoice?.total).toBe(expected)
      expect(invoice?.lines.data.map((line) => line.quantity)).toEqual(quantities)
      expect(invoice?.lines.data.reduce((sum, line) => sum + line.amount, 0)).toBe(expected)
    },
  )

  test('usage before a swap of prices with proration_behavior none is not billed, and later usage has the new price', async () => {
    const shop = await customerShop(utc('2027-01-01T00:00:00'))
    const { stripe, clockId, customer, product, invoices } = shop
    const price = await meteredPrice(shop)
    const meter = price.recurring?.meter ?? ''
    const recurring = { interval: 'month' as const, usage_type: 'metered' as const, meter }
    const dear = await stripe.prices.create({ currency: 'usd', product, unit_amount: 100, recurring })
    const use = (value: string) =>
      stripe.billing.meterEvents.create({ event_name: 'calls', payload: { stripe_customer_id: customer, value } })
    const made = await stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
    await use('10')
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-01-10T00:00:00') })
    const items = [{ id: firstItem(made).id, price: dear.id }]
    await stripe.subscriptions.update(made.id, { items, proration_behavior: 'none' })
    await use('3')
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
    expect((await invoices()).map((invoice) => invoice.total)).toEqual([300])
    await use('7')
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-10T00:00:00') })
    await stripe.subscriptions.update(made.id, {
      items: [{ id: firstItem(made).id, price: price.id }],
      proration_behavior: 'always_invoice',
    })
    expect((await invoices()).map((invoice) => invoice.total)).toEqual([300, 700])
  })

  test.each([
    ['once', {}, [900, 1000, 1000, 1000]],
    ['repeating', { duration_in_months: 2 }, [900, 900, 1000, 1000]],
    ['forever', {}, [900, 900, 900, 900]],
  ] as const)(
    'a coupon with the duration %s reduces exactly the invoices of that duration',
    async (duration, more, expected) => {
      const { stripe, clockId, monthly, subscribed, invoices } = await customerShop(utc('2027-01-01T00:00:00'))
      const coupon = await stripe.coupons.create({ duration, percent_off: 10, ...more })
      const made = await subscribed(await monthly(1000), { discounts: [{ coupon: coupon.id }] })
      await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-03-01T00:00:00') })
      await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-04-02T00:00:00') })
      expect((await invoices()).map((invoice) => invoice.total)).toEqual(expected)
      expect((await stripe.coupons.retrieve(coupon.id)).times_redeemed).toBe(1)
      expect((await stripe.subscriptions.retrieve(made.id)).discounts).toHaveLength(duration === 'forever' ? 1 : 0)
    },
  )

  test('a coupon’s amount is split over the invoice lines without a remainder, and a total is never below zero', async () => {
    const { stripe, monthly, subscribed, customer } = await customerShop()
    const coupon = await stripe.coupons.create({ duration: 'once', amount_off: 100, currency: 'usd' })
    const code = await stripe.promotionCodes.create({
      promotion: { type: 'coupon', coupon: coupon.id },
      code: 'HUNDRED',
    })
    const prices = [await monthly(333), await monthly(333), await monthly(334)]
    const made = await stripe.subscriptions.create({
      customer,
      items: prices.map((price) => ({ price: price.id })),
      discounts: [{ promotion_code: code.id }],
    })
    const invoice = await stripe.invoices.retrieve(made.latest_invoice as string)
    expect(invoice).toMatchObject({ subtotal: 1000, total: 900 })
    const parts = invoice.lines.data.map((line) => line.discount_amounts?.[0]?.amount ?? 0)
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(100)
    const small = await subscribed(await monthly(40), { discounts: [{ coupon: coupon.id }] })
    expect(await stripe.invoices.retrieve(small.latest_invoice as string)).toMatchObject({ total: 0, status: 'paid' })
  })

  test('a subscription whose renewal payment was declined is past due until the invoice is paid', async () => {
    const { stripe, customer, clockId, monthly, subscribed, invoices } = await customerShop(utc('2027-01-01T00:00:00'))
    const made = await subscribed(await monthly(1000))
    const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: bad.id } })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
    const open = (await invoices()).at(-1)
    expect(open).toMatchObject({ status: 'open', attempt_count: 1, amount_remaining: 1000 })
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('past_due')
    expect(await refusal(stripe.invoices.pay(open?.id ?? ''))).toMatchObject({ status: 402, code: 'card_declined' })
    const good = await stripe.paymentMethods.attach('pm_card_visa', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: good.id } })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-08T00:00:00') })
    // A manual attempt does not change the schedule of automatic retries.
    expect((await invoices()).at(-1)).toMatchObject({ status: 'paid', attempt_count: 2 })
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('active')
  })

  test('an invoice preview equals the later charge, and creates no object', async () => {
    const { stripe, customer, clockId, monthly, subscribed, invoices } = await customerShop(utc('2027-01-01T00:00:00'))
    const [low, high] = [await monthly(1000), await monthly(3000)]
    const made = await subscribed(low)
    const before = await stripe.events.list({ limit: 1 })
    expect(await stripe.invoices.createPreview({ customer })).toMatchObject({
      total: 1000,
      status: 'draft',
      number: null,
    })
    const items = [{ id: firstItem(made).id, price: high.id, quantity: 2 }]
    const details = { items, proration_behavior: 'none' as const }
    const upcoming = await stripe.invoices.createPreview({ subscription: made.id, subscription_details: details })
    expect(upcoming.total).toBe(6000)
    const planned = await stripe.invoices.createPreview({
      customer,
      subscription_details: { items: [{ price: high.id }] },
    })
    expect(planned).toMatchObject({ total: 3000, billing_reason: 'upcoming' })
    expect((await stripe.events.list({ limit: 1 })).data[0]?.id).toBe(before.data[0]?.id)
    expect(await invoices()).toHaveLength(1)
    await stripe.subscriptions.update(made.id, details)
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
    const real = (await invoices()).at(-1)
    expect(real).toMatchObject({ total: upcoming.total, created: upcoming.created })
    await stripe.subscriptions.cancel(made.id)
    expect(await refusal(stripe.invoices.createPreview({ customer }))).toMatchObject({
      status: 404,
      code: 'invoice_upcoming_none',
    })
  })

  test('a customer without a test clock uses the clock of the account, which a control request can advance', async () => {
    const { url, apiKey, monthly, subscribed, invoices } = await customerShop()
    await subscribed(await monthly(1000))
    const headers = { Authorization: `Bearer ${apiKey}` }
    const reply = await fetch(`${url}/_sandbox/clock`, { method: 'POST', headers, body: '{"advance_seconds":5443200}' })
    expect(reply.status).toBe(200)
    expect((await invoices()).map((invoice) => invoice.status)).toEqual(['paid', 'paid', 'paid'])
  })

  test('the deletion of a test clock deletes its customers', async () => {
    const { stripe, customer, clockId, monthly, subscribed } = await customerShop(utc('2027-01-01T00:00:00'))
    const made = await subscribed(await monthly(1000))
    await stripe.testHelpers.testClocks.del(clockId)
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ deleted: true })
    expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({ status: 'canceled' })
  })
})

describe('meter events of the sandbox:', () => {
  test('an identifier is counted once, and timestamps too far in the past or future are refused', async () => {
    const shop = await customerShop()
    const { stripe, customer, clock } = shop
    const price = await meteredPrice(shop)
    const now = Math.floor(clock.now() / 1000)
    const send = (more: object) => {
      const payload = { stripe_customer_id: customer, value: '2' }
      return stripe.billing.meterEvents.create({ event_name: 'calls', payload, ...more })
    }
    await send({ identifier: 'a' })
    expect(await refusal(send({ identifier: 'a' }))).toMatchObject({
      message: 'An event already exists with identifier a.',
    })
    expect(await refusal(send({ timestamp: now - 36 * day }))).toMatchObject({ param: 'timestamp' })
    expect(await refusal(send({ timestamp: now + 600 }))).toMatchObject({ param: 'timestamp' })
    expect(await refusal(send({ event_name: 'nope' }))).toMatchObject({ param: 'event_name' })
    expect(await refusal(send({ payload: { value: '1' } }))).toMatchObject({ param: 'payload' })
    expect(await refusal(send({ payload: { stripe_customer_id: customer, value: 'x' } }))).toMatchObject({
      status: 400,
    })
    await send({ timestamp: now - 60 })
    const meter = price.recurring?.meter ?? ''
    const start = now - (now % day)
    const window = { customer, start_time: start - day, end_time: start + day, value_grouping_window: 'day' as const }
    const total = (await stripe.billing.meters.listEventSummaries(meter, window)).data
    expect(total.reduce((sum, summary) => sum + summary.aggregated_value, 0)).toBe(4)
  })
})
