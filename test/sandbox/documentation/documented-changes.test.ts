// Behaviour that the documentation states about prorations, schedules, trials, taxes and discounts. “types” is the documentation in the
// SDK’s types.
import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { idOf } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, day, firstItem, meteredPrice, utc, type CustomerShop } from '../customers/customer-shop.ts'

const start = utc('2027-04-01T00:00:00')
const half = start + 15 * day
const end = utc('2027-05-01T00:00:00')

type ClockShop = CustomerShop & { readonly clockId: string }

const at = ({ stripe, clockId }: ClockShop, seconds: number) =>
  stripe.testHelpers.testClocks.advance(clockId, { frozen_time: seconds })

async function last({ invoices }: ClockShop): Promise<Stripe.Invoice> {
  const found = (await invoices()).at(-1)
  if (found === undefined) throw new Error('The customer has no invoices')
  return found
}

const pendingOf = async ({ stripe, customer }: ClockShop) =>
  (await stripe.invoiceItems.list({ customer, pending: true })).data

/** A subscription of 30.00 a month, in the middle of April. */
async function midApril(params: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const shop = await customerShop(start)
  const price = await shop.monthly(3000)
  const made = await shop.subscribed(price, params)
  await at(shop, half)
  return { shop, price, made, item: firstItem(made).id }
}

describe('prorations in the sandbox behave as Stripe documents:', () => {
  // Source: docs.stripe.com/billing/subscriptions/prorations (quantities)
  test('added seats are charged for the rest of the period', async () => {
    const { shop, made, item } = await midApril()
    await shop.stripe.subscriptions.update(made.id, { items: [{ id: item, quantity: 3 }] })
    const found = await pendingOf(shop)
    expect(found.map(({ amount }) => amount).sort((a, b) => a - b)).toEqual([-1500, 4500])
    expect(found.find(({ amount }) => amount > 0)).toMatchObject({
      description: 'Remaining time on 3 × P after 16 Apr 2027',
      quantity: 3,
    })
  })

  // Source: docs.stripe.com/billing/subscriptions/prorations (when prorations are applied: adding items)
  test('an added item is charged without a credit, and a removed item is credited without a charge', async () => {
    const { shop, made } = await midApril()
    const other = await shop.monthly(1000)
    const added = await shop.stripe.subscriptionItems.create({ subscription: made.id, price: other.id })
    expect((await pendingOf(shop)).map(({ amount }) => amount)).toEqual([500])
    await shop.stripe.subscriptionItems.del(added.id)
    expect((await pendingOf(shop)).map(({ amount }) => amount).sort((a, b) => a - b)).toEqual([-500, 500])
  })

  // Source: types, SubscriptionItem.current_period_start; docs.stripe.com/billing/subscriptions/change-price (same billing period)
  test('a change to another price with the same interval keeps the billing period', async () => {
    const { shop, made, item } = await midApril()
    const other = await shop.monthly(6000)
    const after = await shop.stripe.subscriptions.update(made.id, { items: [{ id: item, price: other.id }] })
    expect(firstItem(after)).toMatchObject({ current_period_start: start, current_period_end: end })
    expect(after.billing_cycle_anchor).toBe(start)
  })

  // Source: types, InvoiceCreatePreviewParams.SubscriptionDetails.proration_behavior
  test('a preview without prorations contains the next period only', async () => {
    const { shop, made, item } = await midApril()
    const other = await shop.monthly(6000)
    const seen = await shop.stripe.invoices.createPreview({
      subscription: made.id,
      subscription_details: { items: [{ id: item, price: other.id }], proration_behavior: 'none' },
    })
    expect(seen.lines.data.map(({ amount, period }) => [amount, period.start])).toEqual([[6000, end]])
  })

  // Source: docs.stripe.com/billing/customer/balance (negative invoices credit the balance); types, Invoice.ending_balance
  test('a credit that exceeds the charges is added to the balance of the customer', async () => {
    const { shop, made, item } = await midApril()
    const low = await shop.monthly(1000)
    const items = [{ id: item, price: low.id }]
    await shop.stripe.subscriptions.update(made.id, { items, proration_behavior: 'always_invoice' })
    expect(await last(shop)).toMatchObject({ total: -1000, amount_due: 0, status: 'paid', ending_balance: -1000 })
    expect(await shop.stripe.customers.retrieve(shop.customer)).toMatchObject({ balance: -1000 })
  })

  // Source: docs.stripe.com/billing/subscriptions/trials (changes during a trial are free)
  test('changes during a trial create no prorations', async () => {
    const { shop, made, item } = await midApril({ trial_period_days: 20 })
    await shop.stripe.subscriptions.update(made.id, { items: [{ id: item, quantity: 5 }] })
    expect(await pendingOf(shop)).toEqual([])
    await at(shop, start + 21 * day)
    expect(await last(shop)).toMatchObject({ total: 15_000 })
  })

  // Source: docs.stripe.com/billing/taxes (prorations are taxed as the items)
  test('charges and credits are both taxed with the tax rates of the subscription', async () => {
    const shop = await customerShop(start)
    const rate = await shop.stripe.taxRates.create({ display_name: 'VAT', percentage: 20, inclusive: false })
    const made = await shop.subscribed(await shop.monthly(3000), { default_tax_rates: [rate.id] })
    await at(shop, half)
    const items = [{ id: firstItem(made).id, price: (await shop.monthly(6000)).id }]
    await shop.stripe.subscriptions.update(made.id, { items, proration_behavior: 'always_invoice' })
    const invoice = await last(shop)
    expect(invoice.lines.data.map(({ taxes }) => taxes?.[0]?.amount)).toEqual([-300, 600])
    expect(invoice).toMatchObject({ subtotal: 1500, total: 1800, total_taxes: [{ amount: 300 }] })
  })

  // Source: types, InvoiceLineItem.period; docs.stripe.com/billing/subscriptions/prorations
  test('the lines of a proration cover the time from the change to the end of the period', async () => {
    const { shop, made, item } = await midApril()
    await shop.stripe.subscriptions.update(made.id, {
      items: [{ id: item, quantity: 2 }],
      proration_behavior: 'always_invoice',
    })
    for (const { period } of (await last(shop)).lines.data) expect(period).toEqual({ start: half, end })
  })
})

describe('schedules in the sandbox behave as Stripe documents:', () => {
  const scheduled = (shop: ClockShop, phases: Stripe.SubscriptionScheduleCreateParams.Phase[], more: object = {}) =>
    shop.stripe.subscriptionSchedules.create({ customer: shop.customer, start_date: start, phases, ...more })

  // Source: types, SubscriptionScheduleCreateParams.Phase.duration
  test('a phase with a duration of three months ends on the same day of the month', async () => {
    const shop = await customerShop(start)
    const items = [{ price: (await shop.monthly(1000)).id }]
    const made = await scheduled(shop, [{ items, duration: { interval: 'month', interval_count: 3 } }])
    expect(made.phases[0]).toMatchObject({ start_date: start, end_date: utc('2027-07-01T00:00:00') })
  })

  // Source: types, SubscriptionSchedule.current_phase (“if it is active”)
  test('only an active schedule has a current phase', async () => {
    const shop = await customerShop(start)
    const items = [{ price: (await shop.monthly(1000)).id }]
    const phases = [{ items, duration: { interval: 'month' as const } }]
    const later = await scheduled(shop, phases, { start_date: start + day })
    expect(later).toMatchObject({ current_phase: null, status: 'not_started', subscription: null })
    const now = await scheduled(shop, phases)
    expect(now).toMatchObject({ current_phase: { start_date: start, end_date: end }, status: 'active' })
    await at(shop, end + 2 * day)
    expect(await shop.stripe.subscriptionSchedules.retrieve(now.id)).toMatchObject({
      ...{ current_phase: null, status: 'released', released_subscription: now.subscription, subscription: null },
    })
  })

  // Source: types, SubscriptionScheduleCreateParams.metadata, Phase.metadata (only that of a phase reaches the subscription)
  test('metadata of the schedule is not copied to the subscription, and metadata of a phase is', async () => {
    const shop = await customerShop(start)
    const items = [{ price: (await shop.monthly(1000)).id }]
    const phases = [{ items, duration: { interval: 'month' as const }, metadata: { of: 'phase' } }]
    const made = await scheduled(shop, phases, { metadata: { of: 'schedule' } })
    expect(made.metadata).toEqual({ of: 'schedule' })
    expect((await shop.stripe.subscriptions.retrieve(idOf(made.subscription))).metadata).toEqual({ of: 'phase' })
  })

  // Source: docs.stripe.com/billing/subscriptions/subscription-schedules (events: updated at each phase, completed)
  test('the start of each phase emits subscription_schedule.updated', async () => {
    const shop = await customerShop(start)
    const items = [{ price: (await shop.monthly(1000)).id }]
    const duration = { interval: 'month' as const }
    const made = await scheduled(shop, [
      { items, duration },
      { items, duration, metadata: { second: '1' } },
    ])
    await at(shop, end + day)
    const { data } = await shop.stripe.events.list({ type: 'subscription_schedule.updated', limit: 100 })
    expect(data[0]?.data.object).toMatchObject({ id: made.id, current_phase: { start_date: end } })
    expect(data[0]?.created).toBe(end)
  })

  // Source: docs.stripe.com/billing/subscriptions/subscription-schedules (“up to 10 current or future phases”)
  test('a schedule with more than ten phases is refused', async () => {
    const shop = await customerShop(start)
    const items = [{ price: (await shop.monthly(1000)).id }]
    const phases = (count: number) =>
      Array.from({ length: count }, () => ({ items, duration: { interval: 'month' as const } }))
    expect(await refusal(scheduled(shop, phases(11)))).toMatchObject({ status: 400, param: 'phases' })
    expect((await scheduled(shop, phases(10))).phases).toHaveLength(10)
  })
})

describe('trials in the sandbox behave as Stripe documents:', () => {
  // Source: types, SubscriptionCreateParams.trial_end (“now can be provided to end the customer’s trial immediately”)
  test('a trial of zero days, or until now, creates an active subscription without a trial', async () => {
    const shop = await customerShop(start)
    const price = await shop.monthly(1000)
    for (const params of [{ trial_end: 'now' as const }, { trial_period_days: 0 }])
      expect(await shop.subscribed(price, params)).toMatchObject({
        status: 'active',
        trial_end: null,
        trial_start: null,
      })
  })

  // Source: types, SubscriptionCreateParams.trial_end (“Unix timestamp representing the end of the trial period”)
  test('a trial end in the past is refused', async () => {
    const shop = await customerShop(start)
    const made = shop.subscribed(await shop.monthly(1000), { trial_end: start - day })
    expect(await refusal(made)).toMatchObject({ status: 400, param: 'trial_end' })
  })

  // Source: docs.stripe.com/billing/subscriptions/trials (cancel at the end of the trial); types, Subscription.cancel_at
  test('a subscription that is cancelled for the period end during its trial ends with the trial, without a charge', async () => {
    const shop = await customerShop(start)
    const made = await shop.subscribed(await shop.monthly(1000), { trial_period_days: 10 })
    const planned = await shop.stripe.subscriptions.update(made.id, { cancel_at_period_end: true })
    expect(planned).toMatchObject({ status: 'trialing', cancel_at: start + 10 * day })
    await at(shop, start + 11 * day)
    expect(await shop.stripe.subscriptions.retrieve(made.id)).toMatchObject({
      ...{ status: 'canceled', ended_at: start + 10 * day },
    })
    expect((await shop.invoices()).map(({ total }) => total)).toEqual([0])
  })

  // Source: docs.stripe.com/billing/subscriptions/usage-based (usage in a trial is free)
  test('usage during a trial is free', async () => {
    const shop = await customerShop(start)
    const price = await meteredPrice(shop)
    await shop.stripe.subscriptions.create({
      customer: shop.customer,
      items: [{ price: price.id }],
      trial_period_days: 10,
    })
    const use = (value: number, timestamp: number) =>
      shop.stripe.billing.meterEvents.create({
        ...{ event_name: 'calls', timestamp },
        payload: { stripe_customer_id: shop.customer, value: String(value) },
      })
    await at(shop, start + 5 * day)
    await use(100, start + 4 * day)
    await at(shop, start + 15 * day)
    await use(200, start + 12 * day)
    await at(shop, start + 41 * day)
    expect(await last(shop)).toMatchObject({ billing_reason: 'subscription_cycle', total: 1000 })
  })

  // Source: types, Subscription.billing_cycle_anchor; docs.stripe.com/billing/subscriptions/trials
  test('the end of a trial becomes the billing anchor of the subscription', async () => {
    const shop = await customerShop(start)
    const made = await shop.subscribed(await shop.monthly(1000), { trial_period_days: 10 })
    expect(made.billing_cycle_anchor).toBe(start + 10 * day)
    await at(shop, start + 11 * day)
    const after = await shop.stripe.subscriptions.retrieve(made.id)
    expect(firstItem(after)).toMatchObject({
      ...{ current_period_start: start + 10 * day, current_period_end: utc('2027-05-11T00:00:00') },
    })
  })
})

describe('taxes in the sandbox behave as Stripe documents:', () => {
  const rateOf = ({ stripe }: ClockShop, percentage: number, inclusive = false) =>
    stripe.taxRates.create({ display_name: 'VAT', percentage, inclusive })

  // Source: docs.stripe.com/billing/taxes/tax-rates (tax is computed on the discounted amount)
  test('tax is computed on the amount after discounts', async () => {
    const shop = await customerShop(start)
    const { id: coupon } = await shop.stripe.coupons.create({ percent_off: 50, duration: 'once' })
    const rate = await rateOf(shop, 10)
    await shop.subscribed(await shop.monthly(2000), { discounts: [{ coupon }], default_tax_rates: [rate.id] })
    expect(await last(shop)).toMatchObject({
      ...{ subtotal: 2000, total_excluding_tax: 1000, total: 1100 },
      total_taxes: [{ amount: 100, taxable_amount: 1000, tax_behavior: 'exclusive' }],
    })
  })

  // Source: types, Invoice.total_excluding_tax, subtotal_excluding_tax; docs.stripe.com/billing/taxes/tax-rates (inclusive)
  test('an inclusive tax does not change the total', async () => {
    const shop = await customerShop(start)
    const rate = await rateOf(shop, 25, true)
    await shop.subscribed(await shop.monthly(1000), { default_tax_rates: [rate.id] })
    expect(await last(shop)).toMatchObject({
      ...{ subtotal: 1000, subtotal_excluding_tax: 800, total: 1000, total_excluding_tax: 800 },
      total_taxes: [{ amount: 200, tax_behavior: 'inclusive', taxable_amount: 800 }],
    })
  })

  // Source: types, SubscriptionUpdateParams.default_tax_rates (“pass an empty string to remove previously-defined tax rates”)
  test('an empty value removes the tax rates of a subscription', async () => {
    const shop = await customerShop(start)
    const rate = await rateOf(shop, 10)
    const made = await shop.subscribed(await shop.monthly(1000), { default_tax_rates: [rate.id] })
    expect((await shop.stripe.subscriptions.update(made.id, { default_tax_rates: '' })).default_tax_rates).toEqual([])
    await at(shop, end + day)
    expect(await last(shop)).toMatchObject({ total: 1000, total_taxes: [] })
  })

  // Source: docs.stripe.com/billing/taxes/tax-rates (several rates apply to the same amount)
  test('two tax rates each apply to the same taxable amount', async () => {
    const shop = await customerShop(start)
    const rates = [await rateOf(shop, 5), await rateOf(shop, 9.975)]
    await shop.subscribed(await shop.monthly(1000), { default_tax_rates: rates.map(({ id }) => id) })
    const { total, total_taxes: taxes } = await last(shop)
    expect(taxes?.map(({ amount, taxable_amount }) => [amount, taxable_amount])).toEqual([
      [50, 1000],
      [100, 1000],
    ])
    expect(total).toBe(1150)
  })
})

describe('discounts in the sandbox behave as Stripe documents:', () => {
  const couponOf = async ({ stripe }: ClockShop, params: Stripe.CouponCreateParams) =>
    (await stripe.coupons.create(params)).id

  // Source: docs.stripe.com/billing/subscriptions/coupons (“discounts apply in the order of the array”)
  test('several discounts of a subscription apply one after the other, in the order of the request', async () => {
    const shop = await customerShop(start)
    const percent = await couponOf(shop, { percent_off: 20, duration: 'once' })
    const amount = await couponOf(shop, { amount_off: 1000, currency: 'usd', duration: 'once' })
    const price = await shop.monthly(10_000)
    const totalOf = async (coupons: string[]) => {
      await shop.subscribed(price, { discounts: coupons.map((coupon) => ({ coupon })) })
      return (await last(shop)).total
    }
    expect([await totalOf([percent, amount]), await totalOf([amount, percent])]).toEqual([7000, 7200])
  })

  // Source: types, SubscriptionUpdateParams.discounts (“pass an empty string to remove all”); events customer.discount.deleted
  test('an empty value removes the discounts of a subscription and emits customer.discount.deleted', async () => {
    const shop = await customerShop(start)
    const coupon = await couponOf(shop, { percent_off: 50, duration: 'forever' })
    const made = await shop.subscribed(await shop.monthly(1000), { discounts: [{ coupon }] })
    expect((await shop.stripe.subscriptions.update(made.id, { discounts: '' })).discounts).toEqual([])
    const { data } = await shop.stripe.events.list({ type: 'customer.discount.deleted' })
    expect(data[0]?.data.object).toMatchObject({ id: made.discounts[0], subscription: made.id })
  })

  // Source: types, Coupon.duration_in_months
  test('a coupon that repeats for two months reduces two monthly invoices', async () => {
    const shop = await customerShop(start)
    const coupon = await couponOf(shop, { percent_off: 50, duration: 'repeating', duration_in_months: 2 })
    await shop.subscribed(await shop.monthly(1000), { discounts: [{ coupon }] })
    await at(shop, utc('2027-05-15T00:00:00'))
    await at(shop, utc('2027-06-15T00:00:00'))
    expect((await shop.invoices()).map(({ total }) => total)).toEqual([500, 500, 1000])
  })

  // Source: docs.stripe.com/billing/subscriptions/coupons (amount_off needs the currency of the subscription)
  test('a coupon with an amount in another currency is refused', async () => {
    const shop = await customerShop(start)
    const coupon = await couponOf(shop, { amount_off: 100, currency: 'eur', duration: 'once' })
    const made = shop.subscribed(await shop.monthly(1000), { discounts: [{ coupon }] })
    expect(await refusal(made)).toMatchObject({ status: 400 })
  })

  // Source: types, InvoiceLineItem.discounts (“Line item discounts are applied before invoice discounts”)
  test('a discount of an item reduces the lines of that item, before the discounts of the subscription', async () => {
    const shop = await customerShop(start)
    const own = await couponOf(shop, { percent_off: 10, duration: 'forever' })
    const shared = await couponOf(shop, { percent_off: 50, duration: 'forever' })
    const price = await shop.monthly(1000)
    const made = await shop.stripe.subscriptions.create({
      ...{ customer: shop.customer, items: [{ price: price.id, discounts: [{ coupon: own }] }] },
      discounts: [{ coupon: shared }],
    })
    const invoice = await last(shop)
    expect(invoice.lines.data[0]).toMatchObject({
      discounts: firstItem(made).discounts,
      discount_amounts: [{ amount: 100 }, { amount: 450 }],
    })
    expect(invoice.discounts).toEqual(made.discounts)
  })

  // Source: types, SubscriptionCreateParams.discounts; docs.stripe.com/billing/subscriptions/coupons (“up to 20”)
  test('a subscription with more than twenty discounts is refused', async () => {
    const shop = await customerShop(start)
    const coupon = await couponOf(shop, { percent_off: 1, duration: 'forever' })
    const price = await shop.monthly(1000)
    const discounts = (count: number) => Array.from({ length: count }, () => ({ coupon }))
    expect(await refusal(shop.subscribed(price, { discounts: discounts(21) }))).toMatchObject({ status: 400 })
    expect((await shop.subscribed(price, { discounts: discounts(20) })).discounts).toHaveLength(20)
  })
})
