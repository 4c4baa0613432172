import { describe, expect } from 'vitest'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, customerTest as test, firstItem, meteredPrice } from '../customers/customer-shop.ts'

describe('subscriptions of the sandbox:', () => {
  test('a new subscription is active and paid, and its period is on the subscription item', async () => {
    const { stripe, customer, monthly, subscribed, invoices } = await customerShop()
    const price = await monthly(1200)
    const made = await subscribed(price, { items: [{ price: price.id, quantity: 3 }], metadata: { tenant: 't' } })
    expect(made).toMatchObject({
      status: 'active',
      customer,
      currency: 'usd',
      metadata: { tenant: 't' },
      billing_mode: { type: 'flexible' },
      items: { data: [{ quantity: 3, price: { id: price.id, unit_amount: 1200 } }] },
    })
    const item = firstItem(made)
    expect([item.current_period_start, item.current_period_end]).toEqual([made.created, made.created + 30 * 86_400])
    expect(await invoices()).toMatchObject([
      {
        id: made.latest_invoice,
        billing_reason: 'subscription_create',
        status: 'paid',
        total: 3600,
        amount_paid: 3600,
        number: expect.stringMatching(/-0001$/),
        lines: { data: [{ amount: 3600, quantity: 3, pricing: { price_details: { price: price.id } } }] },
      },
    ])
    const expanded = await stripe.subscriptions.retrieve(made.id, {
      expand: ['latest_invoice', 'items.data.price.product'],
    })
    expect(expanded).toMatchObject({
      latest_invoice: { total: 3600 },
      items: { data: [{ price: { product: { name: 'P' } } }] },
    })
  })

  test('the list of subscriptions can be filtered by customer, price and status, and omits cancelled subscriptions by default', async ({
    shop,
  }) => {
    const { stripe, customer, monthly, subscribed } = shop
    const [one, other] = [await monthly(100), await monthly(200)]
    const active = await subscribed(one)
    const gone = await subscribed(other)
    await stripe.subscriptions.cancel(gone.id)
    const ids = async (params: Parameters<typeof stripe.subscriptions.list>[0]): Promise<string[]> =>
      (await stripe.subscriptions.list(params)).data.map((found) => found.id)
    expect(await ids({ customer })).toEqual([active.id])
    expect(await ids({ customer, status: 'all' })).toEqual([gone.id, active.id])
    expect(await ids({ status: 'canceled' })).toEqual([gone.id])
    expect(await ids({ status: 'ended' })).toEqual([gone.id])
    expect(await ids({ price: one.id })).toEqual([active.id])
    expect(await ids({ price: other.id })).toEqual([])
    expect(await stripe.subscriptions.retrieve(gone.id)).toMatchObject({ status: 'canceled' })
    expect(await refusal(stripe.subscriptions.retrieve('sub_nope'))).toMatchObject({ status: 404, param: 'id' })
  })

  test('a change of the price without a quantity resets the quantity to 1', async ({ shop }) => {
    const { stripe, monthly, subscribed, invoices } = shop
    const [from, to] = [await monthly(100), await monthly(300)]
    const made = await subscribed(from, { items: [{ price: from.id, quantity: 7 }] })
    const id = firstItem(made).id
    const kept = await stripe.subscriptions.update(made.id, {
      items: [{ id, price: to.id, quantity: 7 }],
      proration_behavior: 'none',
    })
    expect(firstItem(kept)).toMatchObject({ id, quantity: 7, price: { id: to.id } })
    const reset = await stripe.subscriptions.update(made.id, {
      items: [{ id, price: from.id }],
      proration_behavior: 'none',
    })
    expect(firstItem(reset).quantity).toBe(1)
    expect(await invoices()).toHaveLength(1)
  })

  test('invalid requests get Stripe’s status, code and message', async ({ shop }) => {
    const { stripe, customer, monthly, subscribed, price } = shop
    const [usd, eur] = [await monthly(100), await monthly(100, { currency: 'eur' })]
    const [once, archived] = [await price(), await monthly(100)]
    await stripe.prices.update(archived.id, { active: false })
    const metered = await meteredPrice(shop)
    const create = (items: { price: string; quantity?: number }[]) => stripe.subscriptions.create({ customer, items })
    expect(await refusal(create([{ price: usd.id }, { price: usd.id }]))).toMatchObject({
      message: `Cannot create a Subscription with multiple Subscription Items with the same Price: ${usd.id}`,
      param: 'plan',
    })
    expect(await refusal(create([{ price: usd.id }, { price: eur.id }]))).toMatchObject({
      param: 'items[1][price]',
      message: expect.stringContaining('This `price` has `currency=eur`, but other items use `currency=usd`.'),
    })
    expect(await refusal(create([{ price: archived.id }]))).toMatchObject({
      message: 'The price specified is inactive. This field only accepts active prices.',
    })
    expect(await refusal(create([{ price: once.id }]))).toMatchObject({
      message:
        'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
    })
    expect(await refusal(create([{ price: metered.id, quantity: 2 }]))).toMatchObject({ param: 'items[0][quantity]' })
    expect(await refusal(create([{ price: 'price_nope' }]))).toMatchObject({ status: 400, code: 'resource_missing' })
    expect(
      await refusal(
        stripe.subscriptions.create({ customer, items: Array.from({ length: 21 }, () => ({ price: usd.id })) }),
      ),
    ).toMatchObject({ param: 'items' })
    const made = await subscribed(usd)
    const update = stripe.subscriptions.update(made.id, { items: [{ id: 'si_nope', price: usd.id }] })
    expect(await refusal(update)).toMatchObject({
      code: undefined,
      param: undefined,
      message: 'Invalid subscription_item id: si_nope',
    })
    for (const call of [
      () => stripe.subscriptionItems.retrieve('si_nope'),
      () => stripe.subscriptionItems.update('si_nope', { quantity: 2 }),
      () => stripe.subscriptionItems.del('si_nope'),
    ])
      expect(await refusal(call())).toEqual({
        ...{ status: 404, type: 'invalid_request_error', code: undefined, param: undefined },
        message: 'Invalid subscription_item id: si_nope',
      })
    // A canceled subscription still exists, but cannot be canceled again.
    await stripe.subscriptions.cancel(made.id)
    expect(await refusal(stripe.subscriptions.cancel(made.id))).toMatchObject({
      ...{ status: 404, code: 'resource_missing', param: 'id' },
      message: `No such subscription: '${made.id}'`,
    })
  })

  test('a change to another interval starts a new period and bills it at once, even with proration_behavior none', async () => {
    const { stripe, monthly, subscribed, invoices, control, apiKey } = await customerShop()
    const [month, year] = [await monthly(1000), await monthly(9000, { recurring: { interval: 'year' } })]
    const made = await subscribed(month)
    control.advance(10 * 86_400, apiKey)
    const changed = await stripe.subscriptions.update(made.id, {
      items: [{ id: firstItem(made).id, price: year.id, quantity: 1 }],
      proration_behavior: 'none',
    })
    expect(changed.billing_cycle_anchor).toBe(made.created + 10 * 86_400)
    expect(firstItem(changed).current_period_end).toBe(made.created + 375 * 86_400)
    expect(await invoices()).toMatchObject([
      { total: 1000 },
      { total: 9000, billing_reason: 'subscription_update', status: 'paid' },
    ])
  })

  test('a change from a free to a paid price is billed at once, even with proration_behavior none', async ({
    shop,
  }) => {
    const { stripe, monthly, subscribed, invoices } = shop
    const [free, paid] = [await monthly(0), await monthly(500)]
    const made = await subscribed(free)
    await stripe.subscriptions.update(made.id, {
      items: [{ id: firstItem(made).id, price: paid.id, quantity: 2 }],
      proration_behavior: 'none',
    })
    expect((await invoices()).map((invoice) => invoice.total)).toEqual([0, 1000])
  })

  test('a change in mid-period is prorated on an immediate invoice, on the next invoice, or not at all, as requested', async () => {
    const { stripe, monthly, subscribed, invoices, control, apiKey } = await customerShop()
    const [low, high] = [await monthly(1000), await monthly(3000)]
    const made = await subscribed(low)
    const id = firstItem(made).id
    control.advance(15 * 86_400, apiKey)
    await stripe.subscriptions.update(made.id, {
      items: [{ id, price: high.id }],
      proration_behavior: 'always_invoice',
    })
    const [, prorated] = await invoices()
    expect(prorated?.lines.data.map((line) => line.amount)).toEqual([-500, 1500])
    await stripe.subscriptions.update(made.id, { items: [{ id, quantity: 2 }] })
    expect(await invoices()).toHaveLength(2)
    control.advance(15 * 86_400, apiKey)
    const renewal = (await invoices()).at(-1)
    expect(renewal?.lines.data.map((line) => line.amount)).toEqual([-1500, 3000, 6000])
  })

  test('a cancellation for the period end can be revoked, and otherwise ends the subscription with its period', async () => {
    const { stripe, monthly, subscribed, control, apiKey, invoices } = await customerShop()
    const made = await subscribed(await monthly(1000))
    const planned = await stripe.subscriptions.update(made.id, { cancel_at_period_end: true })
    expect(planned).toMatchObject({
      cancel_at: firstItem(made).current_period_end,
      cancel_at_period_end: true,
      status: 'active',
    })
    expect(await stripe.subscriptions.update(made.id, { cancel_at_period_end: false })).toMatchObject({
      cancel_at: null,
    })
    await stripe.subscriptions.update(made.id, { cancel_at_period_end: true })
    control.advance(31 * 86_400, apiKey)
    expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({
      status: 'canceled',
      ended_at: planned.cancel_at,
    })
    expect(await invoices()).toHaveLength(1)
    expect(await refusal(stripe.subscriptions.update(made.id, { description: 'x' }))).toMatchObject({
      message: 'A canceled subscription can only update its cancellation_details and metadata.',
    })
  })

  test('the items of a subscription can be retrieved, added, updated and removed individually', async ({ shop }) => {
    const { stripe, monthly, subscribed, invoices } = shop
    const [one, other] = [await monthly(100), await monthly(200)]
    const made = await subscribed(one)
    const quiet = { proration_behavior: 'none' as const }
    const added = await stripe.subscriptionItems.create({
      subscription: made.id,
      price: other.id,
      quantity: 4,
      ...quiet,
    })
    expect(await stripe.subscriptionItems.retrieve(added.id)).toMatchObject({ quantity: 4, subscription: made.id })
    expect((await stripe.subscriptionItems.list({ subscription: made.id })).data.map((item) => item.price.id)).toEqual([
      one.id,
      other.id,
    ])
    expect(await stripe.subscriptionItems.update(added.id, { quantity: 5, ...quiet })).toMatchObject({ quantity: 5 })
    expect(await stripe.subscriptionItems.del(added.id, quiet)).toMatchObject({ deleted: true })
    expect(await refusal(stripe.subscriptionItems.del(firstItem(made).id))).toMatchObject({ param: 'items' })
    expect(await invoices()).toHaveLength(1)
  })

  test('a declined card leaves a new subscription incomplete, and the subscription expires', async () => {
    const { stripe, customer, monthly, subscribed, control, apiKey } = await customerShop()
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } })
    const price = await monthly(1000)
    const made = await subscribed(price)
    expect(made.status).toBe('incomplete')
    const strict = subscribed(await monthly(900), { payment_behavior: 'error_if_incomplete' })
    expect(await refusal(strict)).toMatchObject({ status: 402, type: 'card_error', code: 'card_declined' })
    expect((await stripe.subscriptions.list({ customer })).data).toHaveLength(1)
    control.advance(24 * 3600, apiKey)
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('incomplete_expired')
    const [first] = (await stripe.invoices.list({ customer })).data
    expect(first).toMatchObject({ status: 'void', billing_reason: 'subscription_create' })
    expect(first?.status_transitions.voided_at).not.toBeNull()
    expect(await refusal(stripe.paymentMethods.attach('pm_card_visa_chargeDeclined', { customer }))).toMatchObject({
      status: 402,
    })
  })

  test('a first invoice that expires returns the customer balance that it used', async () => {
    const { stripe, customer, monthly, subscribed, control, apiKey } = await customerShop()
    await stripe.customers.update(customer, { balance: -300 })
    const made = await subscribed(await monthly(1000), { payment_behavior: 'default_incomplete' })
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: 0 })
    control.advance(24 * 3600, apiKey)
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('incomplete_expired')
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance: -300 })
    const [told] = (await stripe.events.list({ type: 'customer.updated' })).data
    expect(told?.data.object).toMatchObject({ balance: -300 })
  })
})
