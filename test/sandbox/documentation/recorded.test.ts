// Differences between sandbox and real API that were found and fixed, one per test. The title names the source. Recordings are public
// recordings of the real API at version 2026-08-26.dahlia; the SDK's types contain the documentation of each parameter.
import { describe, expect } from 'vitest'
import { clientOf, sandboxForTest } from '../../support/sandbox.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, customerTest as test, day, firstItem, meteredPrice, utc } from '../customers/customer-shop.ts'

const january = utc('2027-01-01T00:00:00')

describe('the sandbox refuses', () => {
  test('a subscription of a customer without a payment method (source: recordings)', async ({
    shop: { stripe, monthly },
  }) => {
    const { id: customer } = await stripe.customers.create()
    const [price, free] = [await monthly(1000), await monthly(0)]
    const create = (params: object = {}) =>
      stripe.subscriptions.create({ customer, items: [{ price: price.id }], ...params })
    expect(await refusal(create())).toMatchObject({
      status: 400,
      code: 'resource_missing',
      message: expect.stringContaining('no attached payment source or default payment method'),
    })
    // A subscription that costs nothing yet may start without a payment method, and so may one that waits for its first payment.
    expect((await create({ items: [{ price: free.id }] })).status).toBe('active')
    expect((await create({ trial_period_days: 7 })).status).toBe('trialing')
    expect((await create({ payment_behavior: 'default_incomplete' })).status).toBe('incomplete')
  })

  test('a change of items, or of the end date, of an incomplete subscription (source: recordings)', async ({
    shop,
  }) => {
    const { stripe, subscribed, monthly } = shop
    const made = await subscribed(await monthly(1000), { payment_behavior: 'default_incomplete' })
    const dear = await monthly(2000)
    const wanted = { status: 400, code: 'status_transition_invalid' }
    const item = firstItem(made)
    const items = [{ id: item.id, price: dear.id }]
    expect(await refusal(stripe.subscriptions.update(made.id, { items }))).toMatchObject(wanted)
    expect(await refusal(stripe.subscriptionItems.update(item.id, { quantity: 2 }))).toMatchObject(wanted)
    expect(await refusal(stripe.subscriptions.update(made.id, { cancel_at_period_end: true }))).toMatchObject(wanted)
    expect((await stripe.subscriptions.update(made.id, { metadata: { a: 'b' } })).metadata).toEqual({ a: 'b' })
    await stripe.invoices.pay(made.latest_invoice as string)
    expect((await stripe.subscriptions.update(made.id, { items })).items.data[0]?.price.id).toBe(dear.id)
  })

  test('a subscription in a second currency for the same customer (source: public issues)', async ({
    shop: { subscribed, monthly, stripe },
  }) => {
    const first = await subscribed(await monthly(1000))
    const euros = await monthly(900, { currency: 'eur' })
    expect((await refusal(subscribed(euros))).message).toContain('with currency usd')
    await stripe.subscriptions.cancel(first.id)
    expect((await subscribed(euros)).currency).toBe('eur')
  })

  test('a price of an archived product (source: public issues)', async ({
    shop: { subscribed, monthly, stripe, product },
  }) => {
    const price = await monthly(1000)
    await stripe.products.update(product, { active: false })
    expect((await refusal(subscribed(price))).message).toContain('product is not active')
    const session = stripe.checkout.sessions.create({
      mode: 'subscription',
      success_url: 'https://example.com',
      line_items: [{ price: price.id, quantity: 1 }],
    })
    expect((await refusal(session)).message).toContain('product is not active')
  })

  test('an advance of a test clock by more than two intervals of the shortest subscription (source: the SDK’s types)', async () => {
    const { stripe, clockId, subscribed, monthly } = await customerShop(january)
    const to = (moment: string) => stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc(moment) })
    await subscribed(await monthly(1000))
    expect(await refusal(to('2027-03-02T00:00:00'))).toMatchObject({ status: 400, param: 'frozen_time' })
    expect((await to('2027-03-01T00:00:00')).status).toBe('advancing')
  })

  test('an unknown API version, and an account that is not connected (source: Stripe’s pages)', async () => {
    const { url, apiKey, stripe } = await sandboxForTest()
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(`${url}/v1/products`, { headers: { authorization: `Bearer ${apiKey}`, ...headers } })
      return {
        status: response.status,
        body: (await response.json()) as { error?: { message: string; code?: string } },
      }
    }
    expect(await ask({ 'stripe-version': '2099-01-01' })).toMatchObject({
      status: 400,
      body: { error: { message: 'Invalid Stripe API version: 2099-01-01' } },
    })
    expect((await ask({ 'stripe-version': '2024-06-20' })).status).toBe(200)
    expect(await ask({ 'stripe-account': 'acct_1Unknown' })).toMatchObject({
      status: 403,
      body: { error: { code: 'account_invalid' } },
    })
    const own = await stripe.accounts.retrieveCurrent()
    expect((await ask({ 'stripe-account': own.id })).status).toBe(200)
  })
})

describe('billing in the sandbox:', () => {
  test('the credit and the charge of a change in mid-period are both rounded down (source: recordings)', async () => {
    const shop = await customerShop(utc('2027-04-01T00:00:00'))
    const { stripe, clockId, subscribed, monthly, invoices } = shop
    const [low, high] = [await monthly(1000), await monthly(2000)]
    const made = await subscribed(low)
    // A third of the thirty days of April is left.
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-04-21T00:00:00') })
    const items = [{ id: firstItem(made).id, price: high.id }]
    await stripe.subscriptions.update(made.id, { items, proration_behavior: 'always_invoice' })
    const lines = (await invoices()).at(-1)?.lines.data ?? []
    expect(lines.map((line) => [line.amount, line.description])).toEqual([
      [-334, 'Unused time on P after 21 Apr 2027'],
      [666, 'Remaining time on P after 21 Apr 2027'],
    ])
    for (const line of lines) {
      expect(line).toMatchObject({ discountable: false, pricing: { unit_amount_decimal: null } })
    }
  })

  test('a change of a discounted item credits the amount that was paid (source: Stripe’s pages)', async () => {
    const { stripe, clockId, subscribed, monthly, invoices } = await customerShop(utc('2027-04-01T00:00:00'))
    const [low, high] = [await monthly(1000), await monthly(2000)]
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
    const made = await subscribed(low, { discounts: [{ coupon: coupon.id }] })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-04-16T00:00:00') })
    const items = [{ id: firstItem(made).id, price: high.id }]
    await stripe.subscriptions.update(made.id, { items, proration_behavior: 'always_invoice' })
    expect((await invoices()).at(-1)).toMatchObject({ subtotal: 250, total: 250, total_discount_amounts: [] })
  })

  test('a trial that begins or ends in the middle of a subscription is billed with Stripe’s amounts (source: recordings)', async () => {
    const { stripe, customer, subscribed, monthly, invoices } = await customerShop(january)
    const made = await subscribed(await monthly(2000))
    await stripe.subscriptions.update(made.id, { trial_end: january + 10 * day })
    expect((await invoices()).at(-1)).toMatchObject({
      billing_reason: 'subscription_update',
      total: -2000,
      status: 'paid',
    })
    expect((await stripe.customers.retrieve(customer)) as { balance?: number }).toMatchObject({ balance: -2000 })
    await stripe.subscriptions.update(made.id, { trial_end: 'now' })
    const last = (await invoices()).at(-1)
    expect(last).toMatchObject({ billing_reason: 'subscription_update', total: 2000, amount_due: 0, status: 'paid' })
    expect(last?.lines.data.map((line) => line.description)).toEqual([
      'Free trial for 1 × P',
      '1 × P (at $20.00 / month)',
    ])
  })

  test('usage with a daily window counts the last event of each day (source: the SDK’s types)', async () => {
    const shop = await customerShop(january)
    const { stripe, customer, clockId, product, invoices } = shop
    const meter = await stripe.billing.meters.create({
      default_aggregation: { formula: 'sum' },
      display_name: 'Seats',
      event_name: 'seats',
      event_time_window: 'day',
    })
    const recurring = { interval: 'month' as const, usage_type: 'metered' as const, meter: meter.id }
    const price = await stripe.prices.create({ currency: 'usd', product, unit_amount: 100, recurring })
    await stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
    const use = (value: string, timestamp: number) =>
      stripe.billing.meterEvents.create({
        event_name: 'seats',
        payload: { stripe_customer_id: customer, value },
        timestamp,
      })
    await use('10', january)
    await use('4', january + 60)
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: january + 2 * day })
    await use('3', january + day)
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
    expect((await invoices()).at(-1)?.total).toBe(700)
  })

  test('an item that is added later starts its period at the time of the addition (source: recordings)', async () => {
    const { stripe, clockId, subscribed, monthly } = await customerShop(january)
    const made = await subscribed(await monthly(1000))
    const later = january + 10 * day
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: later })
    const price = await monthly(500)
    const added = await stripe.subscriptionItems.create({ subscription: made.id, price: price.id })
    expect(added).toMatchObject({ current_period_start: later, current_period_end: utc('2027-02-01T00:00:00') })
    // If it is removed at once, its whole cost is credited.
    await stripe.subscriptionItems.del(added.id)
    const upcoming = await stripe.invoices.createPreview({ subscription: made.id })
    const prorated = upcoming.lines.data.filter((line) => line.parent?.subscription_item_details?.proration)
    expect(prorated.map((line) => line.amount).reduce((sum, amount) => sum + amount, 0)).toBe(0)
  })

  test('a declined card causes an error, and the payment attempt is stored (source: recordings)', async () => {
    const { stripe, customer, subscribed, monthly, invoices } = await customerShop()
    await subscribed(await monthly(1000), { payment_behavior: 'default_incomplete' })
    const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    const open = (await invoices()).at(-1)
    expect(open).toMatchObject({ status: 'open', attempt_count: 0, attempted: false })
    const pay = stripe.invoices.pay(open?.id ?? '', { payment_method: bad.id })
    expect(await refusal(pay)).toMatchObject({ status: 402, code: 'card_declined' })
    expect((await invoices()).at(-1)).toMatchObject({ status: 'open', attempt_count: 1, attempted: true })
  })
})

describe('lists of the sandbox:', () => {
  test('subscriptions and customers on test clocks are listed only if the request names the clock (source: the SDK’s types)', async () => {
    const { stripe, clockId, customer, subscribed, monthly } = await customerShop(january)
    const price = await monthly(1000)
    const made = await subscribed(price)
    const own = await payingCustomer(stripe)
    const ids = (page: { readonly data: readonly { readonly id: string }[] }) => page.data.map(({ id }) => id)
    expect(ids(await stripe.subscriptions.list({ price: price.id }))).toEqual([])
    expect(ids(await stripe.subscriptions.list({ customer }))).toEqual([made.id])
    expect(ids(await stripe.subscriptions.list({ test_clock: clockId }))).toEqual([made.id])
    expect(ids(await stripe.customers.list())).toEqual([own])
    expect(ids(await stripe.customers.list({ test_clock: clockId }))).toEqual([customer])
  })

  test('the lines of an invoice are listed in pages, and the invoice contains the first ten (source: the SDK’s types)', async () => {
    const { stripe, customer, monthly } = await customerShop()
    const items = []
    for (let n = 1; n <= 12; n++) items.push({ price: (await monthly(n)).id })
    const { latest_invoice: id } = await stripe.subscriptions.create({ customer, items })
    const { lines } = await stripe.invoices.retrieve(id as string)
    expect([lines.data.length, lines.has_more]).toEqual([10, true])
    const first = await stripe.invoices.listLineItems(id as string, { limit: 5 })
    expect([first.data.length, first.has_more]).toEqual([5, true])
    const rest = await stripe.invoices.listLineItems(id as string, {
      limit: 50,
      starting_after: first.data[4]?.id ?? '',
    })
    expect([rest.data.length, rest.has_more]).toEqual([7, false])
    expect(await refusal(stripe.invoices.listLineItems(id as string, { starting_after: 'il_no' }))).toMatchObject({
      status: 400,
      code: 'resource_missing',
      message: "No such line_item: 'il_no'",
    })
  })
})

describe('events of the sandbox:', () => {
  test('events of a renewal have no request id, and the event of the payment comes before that of the invoice (source: recordings)', async () => {
    const { stripe, clockId, subscribed, monthly } = await customerShop(january)
    await subscribed(await monthly(1000))
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
    const { data } = await stripe.events.list({ limit: 100 })
    const renewal = data.filter(
      ({ created }) => created >= utc('2027-02-01T00:00:00') && created < utc('2027-02-02T00:00:00'),
    )
    expect(renewal.map(({ request }) => request?.id)).toEqual(renewal.map(() => null))
    const told = renewal.map(({ type }) => type).reverse()
    expect(told.indexOf('invoice.payment_succeeded')).toBeGreaterThan(-1)
    expect(told.indexOf('invoice.paid')).toBe(told.indexOf('invoice.payment_succeeded') + 1)
  })
})

describe('a retry in the sandbox with the same idempotency key', () => {
  test('gets the same response after a declined payment (source: Stripe’s pages)', async ({ shop }) => {
    const { stripe, customer, monthly, url, apiKey, port } = shop
    const price = await monthly(1000)
    const bad = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    const form = new URLSearchParams({
      customer,
      'items[0][price]': price.id,
      default_payment_method: bad.id,
      payment_behavior: 'error_if_incomplete',
    })
    const ask = () =>
      fetch(`${url}/v1/subscriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': 'once' },
        body: form,
      })
    const [first, second] = [await ask(), await ask()]
    expect([first.status, second.status]).toEqual([402, 402])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect((await clientOf({ port }, apiKey).subscriptions.list({ customer, status: 'all' })).data).toEqual([])
  })
})

test('tiered usage is billed with one invoice line per tier (source: Stripe’s pages)', async () => {
  const shop = await customerShop(january)
  const price = await meteredPrice(shop, {
    billing_scheme: 'tiered',
    tiers_mode: 'graduated',
    tiers: [
      { up_to: 10, unit_amount: 100 },
      { up_to: 'inf', unit_amount: 50 },
    ],
  })
  const { stripe, customer, clockId, invoices } = shop
  await stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
  const payload = { stripe_customer_id: customer, value: '25' }
  await stripe.billing.meterEvents.create({ event_name: 'calls', payload })
  await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
  const lines = (await invoices()).at(-1)?.lines.data ?? []
  expect(lines.map((line) => [line.quantity, line.amount, line.description])).toEqual([
    [10, 1000, '10 × P (Tier 1 at $1.00 / month)'],
    [15, 750, '15 × P (Tier 2 at $0.50 / month)'],
  ])
})
