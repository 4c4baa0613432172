import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, day, firstItem, meteredPrice, utc } from '../customers/customer-shop.ts'

const start = utc('2027-01-01T00:00:00')

describe('subscription schedules of the sandbox:', () => {
  test('the next phase begins with the next period, without proration and with the phase’s own quantity', async () => {
    const { stripe, clockId, monthly, subscribed, invoices } = await customerShop(start)
    const [list, negotiated] = [await monthly(1000), await monthly(700)]
    const made = await subscribed(list, { items: [{ price: list.id, quantity: 7 }] })
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    expect(schedule).toMatchObject({
      status: 'active',
      subscription: made.id,
      phases: [{ items: [{ price: list.id, quantity: 7 }] }],
    })
    const [now] = schedule.phases
    await stripe.subscriptionSchedules.update(schedule.id, {
      end_behavior: 'release',
      phases: [
        { items: [{ price: list.id, quantity: 7 }], start_date: now?.start_date ?? 0, end_date: now?.end_date ?? 0 },
        { items: [{ price: negotiated.id, quantity: 7 }] },
      ],
    })
    expect(await invoices()).toHaveLength(1)
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
    expect((await invoices()).map((invoice) => invoice.total)).toEqual([7000, 4900])
    const item = firstItem(await stripe.subscriptions.retrieve(made.id))
    expect(item).toMatchObject({ id: firstItem(made).id, quantity: 7, price: { id: negotiated.id } })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-03-02T00:00:00') })
    expect((await stripe.subscriptions.retrieve(made.id)).schedule).toBeNull()
    expect(await stripe.subscriptionSchedules.retrieve(schedule.id)).toMatchObject({
      status: 'released',
      released_subscription: made.id,
    })
    expect((await invoices()).map((invoice) => invoice.total)).toEqual([7000, 4900, 4900])
  })

  test.each([
    ['create_prorations', [1000, 2500], []],
    ['always_invoice', [1000, 500, 2000], ['subscription_update']],
    ['none', [1000, 2000], []],
  ] as const)(
    'a phase that begins in mid-period prorates with its proration_behavior: %s',
    async (behavior, totals, reasons) => {
      const { stripe, clockId, monthly, subscribed, invoices } = await customerShop(utc('2027-01-01T00:00:00'))
      const [list, dearer] = [await monthly(1000), await monthly(2000)]
      const made = await subscribed(list)
      const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
      const middle = utc('2027-01-16T12:00:00')
      await stripe.subscriptionSchedules.update(id, {
        phases: [
          { items: [{ price: list.id }], start_date: phases[0]?.start_date ?? 0, end_date: middle },
          { items: [{ price: dearer.id }], end_date: utc('2027-03-01T00:00:00'), proration_behavior: behavior },
        ],
      })
      await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
      const all = await invoices()
      expect(all.map((invoice) => invoice.total)).toEqual(totals)
      expect(all.map((invoice) => invoice.billing_reason).filter((one) => one === 'subscription_update')).toEqual(
        reasons,
      )
      const parts = all.flatMap((invoice) => invoice.lines.data).filter((line) => line.amount === -500)
      expect(parts.map((line) => line.description)).toEqual(
        behavior === 'none' ? [] : ['Unused time on P after 16 Jan 2027'],
      )
    },
  )

  test('a phase that replaces a metered item bills usage before the phase at the old price', async () => {
    const shop = await customerShop(start)
    const { stripe, clockId, customer, product, invoices } = shop
    const old = await meteredPrice(shop)
    const recurring = { interval: 'month' as const, usage_type: 'metered' as const, meter: old.recurring?.meter ?? '' }
    const next = await stripe.prices.create({ currency: 'usd', product, unit_amount: 2, recurring })
    const made = await stripe.subscriptions.create({ customer, items: [{ price: old.id }] })
    const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const { start_date, end_date } = phases[0] ?? { start_date: 0, end_date: 0 }
    await stripe.subscriptionSchedules.update(id, {
      phases: [{ items: [{ price: old.id }], start_date, end_date }, { items: [{ price: next.id }] }],
    })
    const use = () =>
      stripe.billing.meterEvents.create({
        event_name: 'calls',
        payload: { stripe_customer_id: customer, value: '100' },
      })
    await use()
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
    await use()
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-03-02T00:00:00') })
    expect((await invoices()).map((invoice) => invoice.total)).toEqual([500, 200])
  })

  test('a subscription with a schedule can be changed only through the schedule, until the schedule is released', async () => {
    const { stripe, monthly, subscribed } = await customerShop(start)
    const [from, to] = [await monthly(1000), await monthly(700)]
    const made = await subscribed(from)
    const { id } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const items = [{ id: firstItem(made).id, price: to.id, quantity: 1 }]
    const change = () => stripe.subscriptions.update(made.id, { items, proration_behavior: 'none' })
    const managed = `The subscription is managed by the subscription schedule \`${id}\``
    expect(await refusal(change())).toMatchObject({
      message: `${managed}, and updating any items directly is not allowed. Please update the schedule instead.`,
    })
    expect(await refusal(stripe.subscriptionItems.update(firstItem(made).id, { quantity: 2 }))).toMatchObject({
      status: 400,
    })
    expect(await stripe.subscriptions.update(made.id, { metadata: { a: 'b' } })).toMatchObject({ metadata: { a: 'b' } })
    expect(await refusal(stripe.subscriptionSchedules.create({ from_subscription: made.id }))).toMatchObject({
      status: 400,
    })
    expect(await stripe.subscriptionSchedules.release(id)).toMatchObject({ status: 'released' })
    expect(firstItem(await change()).price.id).toBe(to.id)
  })

  test('cancelling the schedule cancels the subscription', async () => {
    const { stripe, monthly, subscribed } = await customerShop(start)
    const made = await subscribed(await monthly(1000))
    const { id } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    expect(await stripe.subscriptionSchedules.cancel(id)).toMatchObject({ status: 'canceled' })
    expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({ status: 'canceled' })
    expect(await refusal(stripe.subscriptionSchedules.release(id))).toMatchObject({ status: 400 })
  })

  test('a price that is archived before its phase begins is still billed', async () => {
    const { stripe, clockId, monthly, subscribed, invoices } = await customerShop(start)
    const [from, to] = [await monthly(1000), await monthly(700)]
    const made = await subscribed(from)
    const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const { start_date, end_date } = phases[0] ?? { start_date: 0, end_date: 0 }
    await stripe.subscriptionSchedules.update(id, {
      end_behavior: 'cancel',
      phases: [{ items: [{ price: from.id }], start_date, end_date }, { items: [{ price: to.id }] }],
    })
    await stripe.prices.update(to.id, { active: false })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-02-02T00:00:00') })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2027-03-02T00:00:00') })
    expect((await invoices()).map((invoice) => invoice.total)).toEqual([1000, 700])
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('canceled')
  })

  test('a schedule whose end is moved into the running period credits the rest of the period', async () => {
    const { stripe, customer, monthly, subscribed } = await customerShop(start)
    const price = await monthly(3100)
    const made = await subscribed(price)
    const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const { start_date, end_date } = phases[0] ?? { start_date: 0, end_date: 0 }
    const ending = (at: number) =>
      stripe.subscriptionSchedules.update(id, {
        ...{ end_behavior: 'cancel', phases: [{ items: [{ price: price.id }], start_date, end_date: at }] },
      })
    const pending = async () =>
      (await stripe.invoiceItems.list({ customer, pending: true })).data.map(({ amount }) => amount)
    await ending(end_date)
    expect(await pending()).toEqual([])
    await ending(end_date - 86_400)
    expect(await pending()).toEqual([-100])
    expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({ cancel_at: end_date - 86_400 })
  })

  describe('a setting that a later phase omits', () => {
    /**
     * Updates a schedule whose subscription has a discount of 50 % forever and a trial until 15 January. `params` are the other parameters
     * of the phase.
     */
    async function changed(params: Partial<Stripe.SubscriptionScheduleUpdateParams.Phase>) {
      const { stripe, monthly, subscribed } = await customerShop(start)
      const price = await monthly(1000)
      const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
      const made = await subscribed(price, { discounts: [{ coupon: coupon.id }], trial_period_days: 14 })
      const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
      const { start_date, end_date, trial_end, discounts } = phases[0] ?? { start_date: 0, end_date: 0 }
      expect({ trial_end, discounts }).toEqual({
        trial_end: made.trial_end,
        discounts: [{ coupon: null, discount: made.discounts[0], promotion_code: null }],
      })
      const update = stripe.subscriptionSchedules.update(id, {
        phases: [{ items: [{ price: price.id }], start_date, end_date, ...params }],
      })
      return { stripe, made, end_date, update }
    }

    test('ends when the phase begins if it is a trial or a discount', async () => {
      const { stripe, made, update } = await changed({})
      await update
      const after = await stripe.subscriptions.retrieve(made.id, { expand: ['latest_invoice'] })
      expect(after).toMatchObject({ status: 'active', discounts: [], latest_invoice: { total: 1000 } })
    })

    test('is kept if the phase repeats it', async () => {
      const trialEnd = start + 14 * day
      const { stripe, made, update } = await changed({ trial_end: trialEnd })
      await update
      expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({ status: 'trialing', trial_end: trialEnd })
    })

    test('is refused if the phase repeats it with invalid values, e.g. a trial beyond the phase or an unknown discount', async () => {
      const long = await changed({ trial_end: start + 40 * day })
      expect(await refusal(long.update)).toMatchObject({ param: 'phases[0][trial_end]' })
      const foreign = await changed({ discounts: [{ discount: 'di_unknown' }] })
      expect(await refusal(foreign.update)).toMatchObject({
        param: 'phases[0][discounts][0][discount]',
        code: 'resource_missing',
      })
    })
  })
})
