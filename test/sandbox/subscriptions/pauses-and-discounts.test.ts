import { describe, expect, test } from 'vitest'
import type Stripe from 'stripe'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { sandboxForTest } from '../../support/sandbox.ts'
import { checkExchange } from '../../support/stripe-contract.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, day, firstItem, iso, utc, type CustomerShop } from '../customers/customer-shop.ts'

const january = utc('2027-01-01T00:00:00')
const february = utc('2027-02-01T00:00:00')
const march = utc('2027-03-01T00:00:00')

async function advance({ stripe, clockId }: { stripe: Stripe; clockId: string }, to: number) {
  await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: to })
}

async function latest({ stripe }: CustomerShop, subscription: string): Promise<Stripe.Invoice> {
  const found = await stripe.subscriptions.retrieve(subscription, { expand: ['latest_invoice'] })
  return found.latest_invoice as Stripe.Invoice
}

/** Creates a subscription whose first renewal was voided, and checks that the customer's balance was not used. */
async function voidedWithBalance(balance: number, pause: { readonly resumes_at?: number } = {}) {
  const shop = await customerShop(january)
  const { stripe, customer, subscribed, monthly } = shop
  const made = await subscribed(await monthly(1000))
  await stripe.customers.update(customer, { balance })
  await stripe.subscriptions.update(made.id, { pause_collection: { behavior: 'void', ...pause } })
  await advance(shop, february + 2 * 3600)
  expect(await latest(shop, made.id)).toMatchObject({ status: 'void', total: 1000 })
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ balance })
  return { shop, made }
}

describe('a subscription with pause_collection', () => {
  test.each([
    ['keep_as_draft', 'draft'],
    ['mark_uncollectible', 'uncollectible'],
    ['void', 'void'],
  ] as const)('and the behavior %s has invoices that are %s', async (behavior, status) => {
    const shop = await customerShop(january)
    const { stripe, subscribed, monthly } = shop
    const made = await subscribed(await monthly(1000))
    const paused = await stripe.subscriptions.update(made.id, { pause_collection: { behavior } })
    expect(paused).toMatchObject({ status: 'active', pause_collection: { behavior, resumes_at: null } })
    await advance(shop, february + 2 * 3600)
    expect(await latest(shop, made.id)).toMatchObject({
      status,
      auto_advance: false,
      amount_due: 1000,
      amount_paid: 0,
      billing_reason: 'subscription_cycle',
    })
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('active')
    const resumed = await stripe.subscriptions.update(made.id, { pause_collection: '' })
    expect(resumed.pause_collection).toBeNull()
    await advance(shop, march + 2 * 3600)
    expect(await latest(shop, made.id)).toMatchObject({ status: 'paid', amount_paid: 1000 })
  })

  test('and the behavior void does not use the customer’s balance for its invoices, even if the balance would cover them', async () => {
    await voidedWithBalance(-5000)
  })

  test('is active after a trial without a card, and its invoice is a draft', async () => {
    const shop = await customerShop(january)
    const { stripe, monthly, clockId } = shop
    const { id: customer } = await stripe.customers.create({ test_clock: clockId })
    const made = await stripe.subscriptions.create({
      customer,
      items: [{ price: (await monthly(1000)).id }],
      trial_period_days: 7,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    })
    await stripe.subscriptions.update(made.id, { pause_collection: { behavior: 'keep_as_draft' } })
    await advance(shop, january + 8 * day)
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('active')
    expect(await latest(shop, made.id)).toMatchObject({ status: 'draft', total: 1000 })
  })

  test('is charged again from resumes_at, and its void invoices do not use the customer’s balance', async () => {
    const resumes_at = february + 10 * day
    const { shop, made } = await voidedWithBalance(-300, { resumes_at })
    const { stripe } = shop
    await advance(shop, resumes_at)
    expect((await stripe.subscriptions.retrieve(made.id)).pause_collection).toBeNull()
    await advance(shop, march + 2 * 3600)
    expect(await latest(shop, made.id)).toMatchObject({ status: 'paid', amount_paid: 700 })
    const past = stripe.subscriptions.update(made.id, { pause_collection: { behavior: 'void', resumes_at: january } })
    expect(await refusal(past)).toMatchObject({ param: 'pause_collection[resumes_at]' })
  })
})

describe('the parameter proration_date of the sandbox', () => {
  test('prorates a subscription change from the given time, in the preview and in the update', async () => {
    const shop = await customerShop(january)
    const { stripe, subscribed, monthly } = shop
    const made = await subscribed(await monthly(3100))
    const price = (await monthly(6200)).id
    const items = [{ id: firstItem(made).id, price, quantity: 1 }]
    await advance(shop, january + 20 * day)
    const proration_date = january + 10 * day
    const change = { items, proration_behavior: 'always_invoice', proration_date } as const
    const preview = await stripe.invoices.createPreview({ subscription: made.id, subscription_details: change })
    expect(preview.lines.data.map(({ amount }) => amount)).toEqual([-2100, 4200])
    expect(preview.lines.data.map(({ period }) => iso(period.start))).toEqual(['2027-01-11', '2027-01-11'])
    const changed = await stripe.subscriptions.update(made.id, change)
    expect(await latest(shop, changed.id)).toMatchObject({ total: 2100, billing_reason: 'subscription_update' })
    const outside = stripe.subscriptionItems.update(firstItem(made).id, { quantity: 2, proration_date: january - 1 })
    expect(await refusal(outside)).toMatchObject({ param: 'proration_date' })
    await stripe.subscriptionItems.update(firstItem(made).id, {
      quantity: 2,
      proration_behavior: 'always_invoice',
      proration_date: january + 30 * day,
    })
    expect((await latest(shop, made.id)).total).toBe(200)
  })
})

test('a subscription change with error_if_incomplete is not made if its invoice cannot be paid', async () => {
  const shop = await customerShop()
  const { stripe, customer, subscribed, monthly } = shop
  const made = await subscribed(await monthly(1000))
  const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } })
  const price = (await monthly(9000)).id
  const change = stripe.subscriptions.update(made.id, {
    items: [{ id: firstItem(made).id, price }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'error_if_incomplete',
  })
  expect(await refusal(change)).toMatchObject({ status: 402, code: 'card_declined' })
  expect(firstItem(await stripe.subscriptions.retrieve(made.id)).price.unit_amount).toBe(1000)
})

describe('phases of a schedule with coupons', () => {
  test('redeem the coupons when the phase begins, and keep the discounts that the subscription already has', async () => {
    const shop = await customerShop(january)
    const { stripe, subscribed, monthly } = shop
    const [price, coupon, other] = await Promise.all([
      monthly(1000),
      stripe.coupons.create({ percent_off: 20, duration: 'forever' }),
      stripe.coupons.create({ percent_off: 50, duration: 'once' }),
    ])
    const made = await subscribed(price)
    const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const items = [{ price: price.id, quantity: 1 }]
    const [first] = phases
    const updated = await stripe.subscriptionSchedules.update(id, {
      proration_behavior: 'none',
      phases: [
        { items, start_date: first?.start_date ?? 0, end_date: first?.end_date ?? 0 },
        { items, duration: { interval: 'month' }, discounts: [{ coupon: coupon.id }] },
        {
          items: [{ ...items[0], discounts: [{ coupon: other.id }] }] as never,
          duration: { interval: 'month' },
          discounts: [{ coupon: coupon.id }],
        },
      ],
    })
    expect(updated.phases[1]?.discounts).toEqual([{ coupon: coupon.id, discount: null, promotion_code: null }])
    expect((await stripe.coupons.retrieve(coupon.id)).times_redeemed).toBe(0)
    await advance(shop, february + 2 * 3600)
    expect(await latest(shop, made.id)).toMatchObject({ total: 800 })
    await advance(shop, march + 2 * 3600)
    expect(await latest(shop, made.id)).toMatchObject({ total: 400 })
    expect((await stripe.coupons.retrieve(coupon.id)).times_redeemed).toBe(1)
    expect((await stripe.coupons.retrieve(other.id)).times_redeemed).toBe(1)
    await advance(shop, utc('2027-04-01T02:00:00'))
    expect(await latest(shop, made.id)).toMatchObject({ total: 800 })
  })

  test('coupons of schedule phases apply at once in the current phase and in a schedule that starts now; an unknown coupon is refused', async () => {
    const shop = await customerShop(january)
    const { stripe, customer, subscribed, monthly } = shop
    const [price, coupon] = await Promise.all([
      monthly(1000),
      stripe.coupons.create({ amount_off: 100, currency: 'usd', duration: 'forever' }),
    ])
    const code = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, code: 'SAVE' })
    const made = await subscribed(price)
    const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const [first] = phases
    const items = [{ price: price.id, quantity: 1 }]
    const phase = { items, start_date: first?.start_date ?? 0, end_date: first?.end_date ?? 0 }
    const set = (discounts: Stripe.SubscriptionScheduleUpdateParams.Phase.Discount[]) =>
      stripe.subscriptionSchedules.update(id, { phases: [{ ...phase, discounts }] })
    for (let turn = 0; turn < 2; turn++) await set([{ promotion_code: code.id }])
    expect((await stripe.subscriptions.retrieve(made.id)).discounts).toHaveLength(1)
    expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(1)
    expect(await refusal(set([{ coupon: 'none' }]))).toMatchObject({
      code: 'resource_missing',
      param: 'phases[0][discounts][0][coupon]',
    })
    await stripe.subscriptionSchedules.release(id)
    await stripe.subscriptions.cancel(made.id)
    const begun = await stripe.subscriptionSchedules.create({
      customer,
      start_date: 'now',
      phases: [{ items, duration: { interval: 'month' }, discounts: [{ coupon: coupon.id }] }],
    })
    await advance(shop, january + 2 * 3600)
    expect(await latest(shop, begun.subscription as string)).toMatchObject({ total: 900 })
  })
})

describe('schedule phases with coupons that are no longer valid', () => {
  test('begin without these coupons, and the test clock still advances', async () => {
    const shop = await customerShop(january)
    const { stripe, customer, monthly } = shop
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
    const single = await stripe.coupons.create({ percent_off: 10, duration: 'forever', max_redemptions: 1 })
    const promotion = { type: 'coupon', coupon: coupon.id } as const
    const over = await stripe.promotionCodes.create({ promotion, code: 'OVER', expires_at: january + 20 * day })
    const late = await stripe.promotionCodes.create({ promotion, code: 'LATE', expires_at: february + 20 * day })
    const price = await monthly(1000)
    const items = [{ price: price.id, quantity: 1 }]
    const duration = { interval: 'month' } as const
    const { id } = await stripe.subscriptionSchedules.create({
      customer,
      start_date: february,
      phases: [
        {
          items: [{ ...items[0], discounts: [{ coupon: single.id }] }] as never,
          duration,
          discounts: [{ promotion_code: over.id }, { coupon: single.id }],
        },
        { items, duration, discounts: [{ promotion_code: late.id }] },
      ],
    })
    await stripe.prices.update(price.id, { active: false })
    await advance(shop, february + 2 * 3600)
    const { subscription } = await stripe.subscriptionSchedules.retrieve(id)
    expect(await latest(shop, subscription as string)).toMatchObject({ status: 'paid', total: 900 })
    await advance(shop, march + 2 * 3600)
    expect(await latest(shop, subscription as string)).toMatchObject({ status: 'paid', total: 1000 })
    const redeemed = [await stripe.promotionCodes.retrieve(over.id), await stripe.promotionCodes.retrieve(late.id)]
    expect(redeemed.map(({ times_redeemed }) => times_redeemed)).toEqual([0, 0])
    expect((await stripe.coupons.retrieve(single.id)).times_redeemed).toBe(1)
  })

  test('are refused at once if their items could not be started', async () => {
    const { stripe, customer, subscribed, monthly } = await customerShop(january)
    const price = await monthly(1000)
    const euros = await monthly(1000, { currency: 'eur' })
    await subscribed(price)
    const later = (prices: Stripe.Price[]) =>
      stripe.subscriptionSchedules.create({
        customer,
        start_date: february,
        phases: [{ items: prices.map(({ id }) => ({ price: id })), duration: { interval: 'month' } }],
      })
    expect((await refusal(later([euros]))).message).toContain('You cannot combine currencies')
    expect((await refusal(later([price, price]))).message).toContain('with the same Price')
  })
})

test('a schedule that has not started is cancelled when its customer is deleted', async () => {
  const shop = await customerShop(january)
  const { stripe, customer, monthly } = shop
  const items = [{ price: (await monthly(1000)).id }]
  const phases = [{ items, duration: { interval: 'month' } as const }]
  const { id } = await stripe.subscriptionSchedules.create({ customer, start_date: february, phases })
  await stripe.customers.del(customer)
  await advance(shop, february + 2 * 3600)
  expect(await stripe.subscriptionSchedules.retrieve(id)).toMatchObject({ status: 'canceled', subscription: null })
})

describe('discounts of a schedule phase that changes the items', () => {
  async function driven() {
    const shop = await customerShop(january)
    const { stripe, subscribed, monthly } = shop
    const made = await subscribed(await monthly(3100))
    const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const [first] = phases
    const current = { start_date: first?.start_date ?? 0, end_date: first?.end_date ?? 0 }
    return { shop, made, id, current, old: firstItem(made).price.id }
  }

  test('reduce the invoice of the change, which uses up a coupon with the duration `once`', async () => {
    const { shop, made, id, current } = await driven()
    const { stripe, monthly } = shop
    const half = await stripe.coupons.create({ percent_off: 50, duration: 'once' })
    const yearly = await monthly(20_000, { recurring: { interval: 'year' } })
    await stripe.subscriptionSchedules.update(id, {
      phases: [{ ...current, items: [{ price: yearly.id }], discounts: [{ coupon: half.id }] }],
    })
    expect(await latest(shop, made.id)).toMatchObject({ total: 10_000 - 3100 })
    expect((await stripe.subscriptions.retrieve(made.id)).discounts).toEqual([])
  })

  test('reduce the charge, but not the credit, if a phase begins in mid-period', async () => {
    const { shop, made, id, current, old } = await driven()
    const { stripe, monthly } = shop
    const half = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
    const middle = january + 10 * day
    const price = (await monthly(6200)).id
    await stripe.subscriptionSchedules.update(id, {
      phases: [
        { ...current, items: [{ price: old }], end_date: middle },
        {
          items: [{ price }],
          duration: { interval: 'month' },
          discounts: [{ coupon: half.id }],
          proration_behavior: 'always_invoice',
        },
      ],
    })
    await advance(shop, middle + 2 * 3600)
    expect((await latest(shop, made.id)).lines.data.map(({ amount }) => amount)).toEqual([-2100, 2100])
  })
})

describe('a discount of a customer (not of a subscription)', () => {
  /** A parameter of former API versions, which the SDK's types no longer have. */
  const coupon = (id: string) => ({ coupon: id }) as Stripe.CustomerUpdateParams
  const former = { apiVersion: '2024-06-20' } as const

  async function discounted() {
    const { stripe } = await sandboxForTest({
      check: (exchange) => ('coupon' in Object(exchange.params) ? [] : checkExchange(exchange)),
    })
    const customer = await payingCustomer(stripe)
    const { id: product } = await stripe.products.create({ name: 'P' })
    const monthly = async (unit_amount: number, params: Partial<Stripe.SubscriptionCreateParams> = {}) => {
      const recurring = { interval: 'month' } as const
      const { id: price } = await stripe.prices.create({ product, currency: 'usd', unit_amount, recurring })
      const expand = ['latest_invoice']
      return stripe.subscriptions.create({ customer, items: [{ price }], expand, ...params })
    }
    return { stripe, customer, monthly }
  }

  test('can be set with former API versions, and applies if the subscription has no discount', async () => {
    const { stripe, customer, monthly } = await discounted()
    const tenth = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
    const half = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
    expect(await refusal(stripe.customers.update(customer, coupon(tenth.id)))).toMatchObject({
      code: 'parameter_unknown',
    })
    expect(await refusal(stripe.customers.create(coupon('nope'), former))).toMatchObject({ param: 'coupon' })
    const updated = await stripe.customers.update(customer, coupon(tenth.id), former)
    const [told] = (await stripe.events.list({ type: 'customer.updated', limit: 1 })).data
    expect(told?.data.object).toMatchObject({ discount: { object: 'discount' } })
    expect(updated.discount).toMatchObject({ object: 'discount', source: { coupon: tenth.id } })
    expect((await monthly(1000)).latest_invoice).toMatchObject({ total: 900 })
    const recurring = { interval: 'month' } as const
    const { id: price } = await stripe.prices.create({
      ...{ currency: 'usd', unit_amount: 3000, recurring, product_data: { name: 'Q' } },
    })
    const session = await stripe.checkout.sessions.create({
      ...{ mode: 'subscription', customer, line_items: [{ price, quantity: 1 }] },
      success_url: 'http://127.0.0.1:9/done',
    })
    expect(session).toMatchObject({ amount_subtotal: 3000, amount_total: 2700, customer_creation: null })
    const other = await monthly(2000, { discounts: [{ coupon: half.id }] })
    expect(other.latest_invoice).toMatchObject({ total: 1000 })
    expect(await stripe.customers.deleteDiscount(customer)).toMatchObject({ object: 'discount', deleted: true })
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ discount: null })
    expect(await refusal(stripe.customers.deleteDiscount(customer))).toMatchObject({ status: 404 })
    expect(await stripe.subscriptions.deleteDiscount(other.id)).toMatchObject({ deleted: true, subscription: other.id })
    expect((await stripe.subscriptions.retrieve(other.id)).discounts).toEqual([])
  })

  test('is used up by the first invoice if its coupon has the duration `once`, and can be replaced and removed', async () => {
    const { stripe, customer, monthly } = await discounted()
    const once = await stripe.coupons.create({ percent_off: 10, duration: 'once' })
    const other = await stripe.coupons.create({ percent_off: 20, duration: 'forever' })
    await stripe.customers.update(customer, coupon(once.id), former)
    expect((await monthly(1000)).latest_invoice).toMatchObject({ total: 900 })
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ discount: null })
    await stripe.customers.update(customer, coupon(once.id), former)
    await stripe.customers.update(customer, coupon(other.id), former)
    await stripe.customers.update(customer, coupon(''), former)
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ discount: null })
    const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('customer.discount.'))).toEqual([
      'customer.discount.deleted',
      'customer.discount.updated',
      'customer.discount.created',
      'customer.discount.deleted',
      'customer.discount.created',
    ])
  })
})

describe('the end of a trial with a missing_payment_method rule', () => {
  test.each([
    ['pause', 'paused'],
    ['cancel', 'canceled'],
  ] as const)(
    'for a customer without a card and the rule %s makes the subscription %s',
    async (missing_payment_method, status) => {
      const shop = await customerShop(january)
      const { stripe, monthly, clockId } = shop
      const { id: customer } = await stripe.customers.create({ test_clock: clockId })
      const made = await stripe.subscriptions.create({
        customer,
        items: [{ price: (await monthly(1000)).id }],
        trial_period_days: 7,
        trial_settings: { end_behavior: { missing_payment_method } },
      })
      expect(made.trial_settings).toMatchObject({ end_behavior: { missing_payment_method } })
      await advance(shop, january + 8 * day)
      expect((await stripe.subscriptions.retrieve(made.id)).status).toBe(status)
      expect((await stripe.invoices.list({ customer })).data.map(({ total }) => total)).toEqual([0])
      await advance(shop, march)
      expect((await stripe.subscriptions.retrieve(made.id)).status).toBe(status)
      if (status === 'canceled') return
      const change = stripe.subscriptions.update(made.id, { description: 'New' })
      expect(await refusal(change)).toMatchObject({
        message: 'The sandbox does not support changes of a paused subscription.',
      })
      const item = made.items.data[0]?.id ?? ''
      const others = [
        stripe.subscriptionItems.update(item, { quantity: 5 }),
        stripe.subscriptionSchedules.create({ from_subscription: made.id }),
      ]
      for (const other of others) expect((await refusal(other)).message).toContain('changes of a paused subscription')
      const { id: configuration } = await stripe.billingPortal.configurations.create({
        features: { subscription_cancel: { enabled: true, mode: 'at_period_end' } },
      })
      const portal = await stripe.billingPortal.sessions.create({ customer, configuration })
      const body = new URLSearchParams({ action: 'cancel', subscription: made.id })
      const page = await fetch(portal.url, { method: 'POST', body, redirect: 'manual' })
      expect(await page.text()).toContain('changes of a paused subscription')
      expect((await stripe.subscriptions.retrieve(made.id)).cancel_at).toBeNull()
    },
  )

  test('cannot be requested together with a change of items, because that change would be lost', async () => {
    const { stripe, monthly, clockId } = await customerShop(january)
    const { id: customer } = await stripe.customers.create({ test_clock: clockId })
    const made = await stripe.subscriptions.create({
      ...{ customer, items: [{ price: (await monthly(1000)).id }], trial_period_days: 7 },
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    })
    const items = [{ id: made.items.data[0]?.id ?? '', quantity: 3 }]
    expect(await refusal(stripe.subscriptions.update(made.id, { trial_end: 'now', items }))).toMatchObject({
      param: 'items',
    })
    expect(await stripe.subscriptions.update(made.id, { trial_end: 'now' })).toMatchObject({ status: 'paused' })
  })

  test('bills the customer as usual if the customer has a card', async () => {
    const shop = await customerShop(january)
    const { stripe, subscribed, monthly } = shop
    const trial_settings = { end_behavior: { missing_payment_method: 'pause' } } as const
    const made = await subscribed(await monthly(1000), { trial_period_days: 7, trial_settings })
    await advance(shop, january + 8 * day)
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('active')
  })
})

test('a card created without a customer can be attached once; an unsupported test card is refused with a message that names the card', async () => {
  const { stripe } = await sandboxForTest()
  const { id: customer } = await stripe.customers.create()
  const billing_details = { email: 'ada@example.com', address: { city: 'London' } }
  const made = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' }, billing_details })
  expect(made).toMatchObject({
    customer: null,
    billing_details: { email: 'ada@example.com', address: { city: 'London' } },
  })
  expect(await stripe.paymentMethods.attach(made.id, { customer })).toMatchObject({ customer })
  await stripe.paymentMethods.detach(made.id)
  expect(await refusal(stripe.paymentMethods.attach(made.id, { customer }))).toMatchObject({
    message:
      'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.',
  })
  expect(await refusal(stripe.paymentMethods.attach('pm_card_bypassPending', { customer }))).toMatchObject({
    message: 'The sandbox does not support the test card `pm_card_bypassPending`.',
  })
})
