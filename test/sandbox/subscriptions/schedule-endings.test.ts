// Ends of schedules: the expiring event a week before, an end within the first period, and an abort because of an unpaid invoice.
import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { idOf, sandboxForTest, sandboxTest as test, type TestSandbox } from '../../support/sandbox.ts'

const day = 86_400
const start = Date.UTC(2027, 0, 1) / 1000

async function scheduled(
  { stripe }: TestSandbox,
  phase: Partial<Stripe.SubscriptionScheduleCreateParams.Phase>,
  end: 'cancel' | 'release' = 'cancel',
  source = 'tok_visa',
): Promise<{ readonly schedule: Stripe.SubscriptionSchedule; readonly clock: string }> {
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: start })
  const { id: customer } = await stripe.customers.create({ source, test_clock: clock })
  const product = await stripe.products.create({ name: 'Pro' })
  const price = await stripe.prices.create({
    ...{ product: product.id, currency: 'usd', unit_amount: 1500, recurring: { interval: 'month' } },
  })
  const schedule = await stripe.subscriptionSchedules.create({
    ...{ customer, start_date: start, end_behavior: end },
    phases: [{ items: [{ price: price.id, quantity: 1 }], ...phase }],
  })
  return { schedule, clock }
}

async function times({ stripe }: TestSandbox, type: string): Promise<number[]> {
  return (await stripe.events.list({ type })).data.map(({ created }) => created)
}

test('the event subscription_schedule.expiring is sent once, a week before the end of the schedule', async ({
  sandbox,
}) => {
  const { stripe } = sandbox
  const { clock, schedule } = await scheduled(sandbox, { duration: { interval: 'month' } }, 'release')
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 20 * day })
  expect(await times(sandbox, 'subscription_schedule.expiring')).toEqual([])
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 40 * day })
  expect(await times(sandbox, 'subscription_schedule.expiring')).toEqual([start + (31 - 7) * day])
  const [event] = (await stripe.events.list({ type: 'subscription_schedule.expiring' })).data
  expect(event?.data.object).toMatchObject({ id: schedule.id, status: 'active' })
  expect(event?.data.previous_attributes).toBeUndefined()
})

test('a schedule whose end date is changed emits subscription_schedule.expiring again', async ({ sandbox }) => {
  const { stripe } = sandbox
  const { clock, schedule } = await scheduled(sandbox, { duration: { interval: 'month' } }, 'release')
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 25 * day })
  const [phase] = schedule.phases
  const items = [{ price: idOf(phase?.items[0]?.price), quantity: 1 }]
  await stripe.subscriptionSchedules.update(schedule.id, {
    phases: [{ items, start_date: start, end_date: start + (31 + 28) * day }],
  })
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 70 * day })
  expect((await times(sandbox, 'subscription_schedule.expiring')).toSorted()).toEqual([
    ...[start + 24 * day, start + (31 + 28 - 7) * day],
  ])
})

test('a test clock that stops within ten days before a schedule’s end emits the expiring event, as Stripe’s command-line tool expects', async () => {
  const sandbox = await sandboxForTest()
  const { stripe } = sandbox
  const { clock } = await scheduled(sandbox, { end_date: start + 28 * day })
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 17 * day })
  expect(await times(sandbox, 'subscription_schedule.expiring')).toEqual([])
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 19 * day })
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 27 * day })
  expect(await times(sandbox, 'subscription_schedule.expiring')).toEqual([start + 19 * day])
})

test('a subscription that ends within its first period is billed for the part before its end', async ({ sandbox }) => {
  const { stripe } = sandbox
  const { clock, schedule } = await scheduled(sandbox, { end_date: start + 28 * day })
  const subscription = await stripe.subscriptions.retrieve(idOf(schedule.subscription), {
    expand: ['latest_invoice'],
  })
  expect(subscription.items.data[0]).toMatchObject({
    ...{ current_period_start: start, current_period_end: start + 28 * day },
  })
  // 28 of 31 days of 15.00 are 13.548…
  expect(subscription.latest_invoice).toMatchObject({
    ...{ amount_due: 1354, lines: { data: [{ amount: 1354, period: { start, end: start + 28 * day } }] } },
  })
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 40 * day })
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
    ...{ status: 'canceled', ended_at: start + 28 * day },
  })
  expect((await stripe.subscriptionSchedules.retrieve(schedule.id)).status).toBe('completed')
  const { data: invoices } = await stripe.invoices.list({ subscription: subscription.id })
  expect(invoices.map(({ amount_paid: paid }) => paid)).toEqual([1354])
})

test('a credit for a partial period is a share of the amount that was paid for that period', async ({ sandbox }) => {
  const { stripe } = sandbox
  const { clock, schedule } = await scheduled(sandbox, { end_date: start + 28 * day })
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 14 * day })
  await stripe.subscriptionSchedules.cancel(schedule.id)
  const [last] = (await stripe.invoices.list({ subscription: idOf(schedule.subscription) })).data
  // Half of the 13.54 that were paid for 28 days.
  expect(last?.lines.data.map(({ amount }) => amount)).toEqual([-677])
})

/** Returns the amounts (minor units) of the schedule's invoices, oldest first. */
async function billed({ stripe }: TestSandbox, schedule: Stripe.SubscriptionSchedule): Promise<number[]> {
  const { data } = await stripe.invoices.list({ subscription: idOf(schedule.subscription) })
  return data.map(({ total }) => total).reverse()
}

describe('a schedule whose end in mid-period cancels the subscription', () => {
  test('bills only the part of the period before the end, and is completed', async ({ sandbox }) => {
    const { stripe } = sandbox
    const { clock, schedule } = await scheduled(sandbox, { end_date: start + (31 + 14) * day })
    const id = idOf(schedule.subscription)
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
      ...{ cancel_at: start + 45 * day, canceled_at: start, cancel_at_period_end: false },
      items: { data: [{ current_period_end: start + 31 * day }] },
    })
    await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 32 * day })
    expect((await stripe.subscriptions.retrieve(id)).items.data[0]?.current_period_end).toBe(start + 45 * day)
    await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 60 * day })
    // Half of the 28 days of February.
    expect(await billed(sandbox, schedule)).toEqual([1500, 750])
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'canceled', ended_at: start + 45 * day })
    expect(await stripe.subscriptionSchedules.retrieve(schedule.id)).toMatchObject({
      ...{ status: 'completed', completed_at: start + 45 * day, canceled_at: null },
    })
  })

  test('prorates the amount after discounts, and bills the whole period if the phase does not prorate', async ({
    sandbox,
  }) => {
    const { id: coupon } = await sandbox.stripe.coupons.create({ percent_off: 10 })
    const discounted = await scheduled(sandbox, { end_date: start + 20 * day, discounts: [{ coupon }] })
    // The coupon is used once, so a line that is discountable keeps it: 20 of 31 days of 15.00.
    expect(await billed(sandbox, discounted.schedule)).toEqual([967])
    const forever = await sandbox.stripe.coupons.create({ percent_off: 10, duration: 'forever' })
    const always = await scheduled(sandbox, { end_date: start + 20 * day, discounts: [{ coupon: forever.id }] })
    expect(await billed(sandbox, always.schedule)).toEqual([870])
    const whole = await scheduled(sandbox, { end_date: start + 20 * day, proration_behavior: 'none' })
    expect(await billed(sandbox, whole.schedule)).toEqual([1500])
  })

  test('credits the time after its end if its last phase began within the same period', async ({ sandbox }) => {
    const { stripe } = sandbox
    const { clock, schedule } = await scheduled(sandbox, { end_date: start + 10 * day }, 'release')
    const [first] = schedule.phases
    const items = [{ price: idOf(first?.items[0]?.price), quantity: 1 }]
    await stripe.subscriptionSchedules.update(schedule.id, {
      end_behavior: 'cancel',
      phases: [
        { items, start_date: start, end_date: start + 10 * day },
        { items, end_date: start + 21 * day },
      ],
    })
    const id = idOf(schedule.subscription)
    expect((await stripe.subscriptions.retrieve(id)).cancel_at).toBeNull()
    await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 11 * day })
    expect((await stripe.subscriptions.retrieve(id)).cancel_at).toBe(start + 21 * day)
    await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 30 * day })
    // 10 of 31 days of 15.00 are credited.
    expect(await billed(sandbox, schedule)).toEqual([1500, -484])
  })

  test('charges the rest of the period if its end_behavior is changed to release', async ({ sandbox }) => {
    const { stripe } = sandbox
    const { clock, schedule } = await scheduled(sandbox, { end_date: start + 20 * day })
    await stripe.subscriptionSchedules.update(schedule.id, { end_behavior: 'release' })
    const id = idOf(schedule.subscription)
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ cancel_at: null, canceled_at: null })
    await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 32 * day })
    // 20 of 31 days first; then the other 11, and February.
    expect(await billed(sandbox, schedule)).toEqual([967, 532 + 1500])
  })

  test('removes the cancellation date of the subscription on release, unless preserve_cancel_date is set', async ({
    sandbox,
  }) => {
    const { stripe } = sandbox
    const end = start + 45 * day
    const gone = await scheduled(sandbox, { end_date: end })
    await stripe.subscriptionSchedules.release(gone.schedule.id)
    expect(await stripe.subscriptions.retrieve(idOf(gone.schedule.subscription))).toMatchObject({ cancel_at: null })
    const kept = await scheduled(sandbox, { end_date: end })
    await stripe.subscriptionSchedules.release(kept.schedule.id, { preserve_cancel_date: true })
    const id = idOf(kept.schedule.subscription)
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ cancel_at: end, schedule: null })
    await stripe.testHelpers.testClocks.advance(kept.clock, { frozen_time: end + day })
    expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
  })
})

test('a schedule is cancelled when the first payment of its subscription is never made and the subscription expires', async ({
  sandbox,
}) => {
  const { stripe, control } = sandbox
  const { id: customer } = await stripe.customers.create({ source: 'tok_chargeCustomerFail' })
  const product = await stripe.products.create({ name: 'Pro' })
  const price = await stripe.prices.create({
    ...{ product: product.id, currency: 'usd', unit_amount: 1500, recurring: { interval: 'month' } },
  })
  const made = await stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
  control.advance(day)
  expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('incomplete_expired')
  expect(await stripe.subscriptionSchedules.retrieve(schedule.id)).toMatchObject({
    ...{ status: 'canceled', current_phase: null },
  })
  const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type)
  expect(types).toContain('subscription_schedule.aborted')
  expect(types).not.toContain('subscription_schedule.canceled')
})
