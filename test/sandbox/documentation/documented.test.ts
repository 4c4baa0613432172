// Behaviour that the documentation states and that programs meet first: filters, refusals, states. Source of each: the documentation in the
// SDK's types, unless the test names another.
import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, customerTest as test, day, firstItem, utc } from '../customers/customer-shop.ts'

describe('prices and products in the sandbox behave as Stripe documents:', () => {
  test('a lookup key moves to a new price with transfer_lookup_key', async ({ shop: { stripe, price } }) => {
    const first = await price({ unit_amount: 100, lookup_key: 'basic' })
    const second = await price({ unit_amount: 200, lookup_key: 'basic', transfer_lookup_key: true })
    expect((await stripe.prices.retrieve(first.id)).lookup_key).toBeNull()
    expect((await stripe.prices.list({ lookup_keys: ['basic'] })).data.map(({ id }) => id)).toEqual([second.id])
  })

  test('a list of prices by more than ten lookup keys is refused', async ({ shop: { stripe } }) => {
    const lookup_keys = Array.from({ length: 11 }, (_, index) => `key_${index}`)
    expect(await refusal(stripe.prices.list({ lookup_keys }))).toMatchObject({ status: 400, param: 'lookup_keys' })
  })

  test('prices can be listed by type', async ({ shop: { stripe, price, monthly } }) => {
    const once = await price()
    await monthly(100)
    expect((await stripe.prices.list({ type: 'one_time' })).data.map(({ id }) => id)).toEqual([once.id])
  })

  test('products can be listed by ids and by url', async ({ shop: { stripe, product } }) => {
    const other = await stripe.products.create({ name: 'Q', url: 'https://q.example' })
    expect((await stripe.products.list({ ids: [product] })).data.map(({ id }) => id)).toEqual([product])
    expect((await stripe.products.list({ url: 'https://q.example' })).data.map(({ id }) => id)).toEqual([other.id])
  })

  test('a price in fractions of a cent has a unit_amount of null', async ({ shop: { price } }) => {
    const made = await price({ unit_amount_decimal: '0.25' as unknown as Stripe.Decimal })
    expect(made.unit_amount).toBeNull()
    expect(String(made.unit_amount_decimal)).toBe('0.25')
  })

  test('a price with both a custom and a fixed amount is refused', async ({ shop: { price } }) => {
    const both = price({ unit_amount: 100, custom_unit_amount: { enabled: true } })
    expect(await refusal(both)).toMatchObject({ status: 400 })
  })
})

describe('coupons and promotion codes in the sandbox behave as Stripe documents:', () => {
  test('a coupon requires either a percentage of at most 100 or an amount with a currency', async ({
    shop: { stripe },
  }) => {
    expect(await refusal(stripe.coupons.create({ percent_off: 101 }))).toMatchObject({ param: 'percent_off' })
    expect(await refusal(stripe.coupons.create({ amount_off: 100 }))).toMatchObject({ param: 'currency' })
    const both = stripe.coupons.create({ amount_off: 100, currency: 'usd', percent_off: 5 })
    expect(await refusal(both)).toMatchObject({ status: 400 })
  })

  test('a repeating coupon requires its number of months', async ({ shop: { stripe } }) => {
    const wrong = stripe.coupons.create({ percent_off: 5, duration: 'repeating' })
    expect((await refusal(wrong)).message).toContain('duration_in_months')
  })

  test('a promotion code gets a random code if the request has none', async ({ shop: { stripe } }) => {
    const coupon = (await stripe.coupons.create({ percent_off: 5 })).id
    const { code } = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })
    expect(code).toMatch(/^[A-Z0-9]{8,}$/)
  })

  test('a promotion code for one customer is refused for another customer', async ({ shop }) => {
    const { stripe, subscribed, monthly } = shop
    const coupon = (await stripe.coupons.create({ percent_off: 5 })).id
    const other = (await stripe.customers.create({ name: 'Other' })).id
    const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon }, customer: other })
    const wrong = subscribed(await monthly(1000), { discounts: [{ promotion_code: code.id }] })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  test('a promotion code for first purchases is refused after the first purchase', async ({ shop }) => {
    const { stripe, subscribed, monthly } = shop
    const coupon = (await stripe.coupons.create({ percent_off: 5 })).id
    const { id } = await stripe.promotionCodes.create({
      promotion: { type: 'coupon', coupon },
      restrictions: { first_time_transaction: true },
    })
    const price = await monthly(1000)
    await subscribed(price)
    expect(await refusal(subscribed(price, { discounts: [{ promotion_code: id }] }))).toMatchObject({ status: 400 })
  })
})

describe('customers in the sandbox behave as Stripe documents:', () => {
  test('a list of customers by email is case-sensitive', async ({ shop: { stripe } }) => {
    await stripe.customers.create({ email: 'Ann@shop.example' })
    expect((await stripe.customers.list({ email: 'ann@shop.example' })).data).toEqual([])
    expect((await stripe.customers.list({ email: 'Ann@shop.example' })).data).toHaveLength(1)
  })

  test('a deleted customer can still be retrieved, but only with its id and the mark `deleted`', async ({
    shop: { stripe, customer },
  }) => {
    await stripe.customers.del(customer)
    expect(await stripe.customers.retrieve(customer)).toEqual(
      expect.objectContaining({ id: customer, object: 'customer', deleted: true }),
    )
  })

  test('a customer’s credit balance reduces the amount due of the next invoice', async ({ shop }) => {
    const { stripe, customer, subscribed, monthly, invoices } = shop
    await stripe.customers.update(customer, { balance: -300 })
    await subscribed(await monthly(1000))
    const [invoice] = await invoices()
    expect(invoice).toMatchObject({ total: 1000, amount_due: 700, starting_balance: -300, ending_balance: 0 })
  })

  test('empty metadata removes all keys, and an empty value removes its key', async ({
    shop: { stripe, customer },
  }) => {
    await stripe.customers.update(customer, { metadata: { a: '1', b: '2' } })
    const one = await stripe.customers.update(customer, { metadata: { a: '' } })
    expect(one.metadata).toEqual({ b: '2' })
    expect((await stripe.customers.update(customer, { metadata: '' })).metadata).toEqual({})
  })
})

describe('subscriptions in the sandbox behave as Stripe documents:', () => {
  test('a trial begins with an invoice of 0', async ({ shop: { subscribed, monthly, invoices } }) => {
    const made = await subscribed(await monthly(1000), { trial_period_days: 7 })
    expect(made).toMatchObject({ status: 'trialing', trial_start: made.start_date })
    expect(made.trial_end).toBe(made.start_date + 7 * day)
    expect(await invoices()).toMatchObject([{ total: 0, status: 'paid', billing_reason: 'subscription_create' }])
  })

  test('a trial with both trial_end and trial_period_days is refused', async ({ shop: { subscribed, monthly } }) => {
    const wrong = subscribed(await monthly(1000), { trial_period_days: 7, trial_end: 1_900_000_000 })
    expect(await refusal(wrong)).toMatchObject({ status: 400, param: 'trial_end' })
  })

  test('a change with `always_invoice` is billed immediately on a separate invoice', async ({ shop }) => {
    const { stripe, subscribed, monthly, invoices } = shop
    const made = await subscribed(await monthly(1000))
    await stripe.subscriptions.update(made.id, {
      items: [{ id: firstItem(made).id, quantity: 3 }],
      proration_behavior: 'always_invoice',
    })
    expect((await invoices()).at(-1)).toMatchObject({ billing_reason: 'subscription_update', total: 2000 })
  })

  test('subscriptions can be listed by price, status and collection method', async ({ shop }) => {
    const { stripe, subscribed, monthly } = shop
    const [one, two] = [await monthly(1000), await monthly(2000)]
    const first = await subscribed(one)
    const second = await subscribed(two, { collection_method: 'send_invoice', days_until_due: 3 })
    const third = await subscribed(two)
    await stripe.subscriptions.cancel(third.id)
    const idsOf = async (params: Stripe.SubscriptionListParams) =>
      (await stripe.subscriptions.list(params)).data.map(({ id }) => id)
    expect(await idsOf({ price: one.id })).toEqual([first.id])
    expect(await idsOf({ status: 'ended' })).toEqual([third.id])
    expect(await idsOf({ collection_method: 'send_invoice' })).toEqual([second.id])
    expect(await idsOf({ status: 'all' })).toHaveLength(3)
  })

  test('a payment method of another customer is refused', async ({ shop }) => {
    const { stripe, subscribed, monthly } = shop
    const other = (await stripe.customers.create({ name: 'Other' })).id
    const card = (await stripe.paymentMethods.attach('pm_card_visa', { customer: other })).id
    expect(await refusal(subscribed(await monthly(1000), { default_payment_method: card }))).toMatchObject({
      status: 400,
      param: 'default_payment_method',
    })
  })

  test('a subscription that is paid by invoice requires days_until_due', async ({ shop: { subscribed, monthly } }) => {
    const wrong = subscribed(await monthly(1000), { collection_method: 'send_invoice' })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  test('a cancelled subscription contains the comment and feedback of its cancellation', async ({
    shop: { stripe, subscribed, monthly },
  }) => {
    const { id } = await subscribed(await monthly(1000))
    const cancellation_details = { comment: 'Bye', feedback: 'too_expensive' as const }
    expect(await stripe.subscriptions.cancel(id, { cancellation_details })).toMatchObject({
      status: 'canceled',
      cancellation_details: { ...cancellation_details, reason: 'cancellation_requested' },
    })
  })

  test('the last item of a subscription cannot be removed', async ({ shop: { stripe, subscribed, monthly } }) => {
    const made = await subscribed(await monthly(1000))
    expect(await refusal(stripe.subscriptionItems.del(firstItem(made).id))).toMatchObject({ status: 400 })
  })

  test('a one-time price is refused as a subscription item', async ({ shop: { subscribed, price } }) => {
    expect(await refusal(subscribed(await price()))).toMatchObject({ status: 400, param: 'items[0][price]' })
  })

  test('a released schedule leaves its subscription running', async ({ shop: { stripe, subscribed, monthly } }) => {
    const { id } = await subscribed(await monthly(1000))
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
    const released = await stripe.subscriptionSchedules.release(schedule.id)
    expect(released).toMatchObject({ status: 'released', released_subscription: id, subscription: null })
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active', schedule: null })
  })

  test('a schedule with a later start date creates its subscription on that date', async () => {
    const start = utc('2027-01-01T00:00:00')
    const { stripe, customer, clockId, monthly } = await customerShop(start)
    const made = await stripe.subscriptionSchedules.create({
      customer,
      start_date: start + 10 * day,
      phases: [{ items: [{ price: (await monthly(1000)).id }] }],
    })
    expect(made).toMatchObject({ status: 'not_started', subscription: null, current_phase: null })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: start + 11 * day })
    const begun = await stripe.subscriptionSchedules.retrieve(made.id, { expand: ['subscription'] })
    expect(begun).toMatchObject({ status: 'active', subscription: { start_date: start + 10 * day } })
  })
})
