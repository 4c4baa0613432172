// Ends of schedules: the expiring event a week before, an end within the first period, and an abort because of an unpaid invoice.
import type Stripe from 'stripe'
import { expect } from 'vitest'
import { idOf, sandboxForTest, sandboxTest as test } from '../../support/sandbox.ts'
import type { TestSandbox } from '../../support/sandbox.ts'

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

test('the expiring event of a schedule is sent once, a week before its end', async ({ sandbox }) => {
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

test('a schedule with a new end sends its expiring event again', async ({ sandbox }) => {
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

test('a test clock that stops within ten days of a schedule’s end sends the expiring event, as Stripe’s command-line tool expects', async () => {
  const sandbox = await sandboxForTest()
  const { stripe } = sandbox
  const { clock } = await scheduled(sandbox, { end_date: start + 28 * day })
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 17 * day })
  expect(await times(sandbox, 'subscription_schedule.expiring')).toEqual([])
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 19 * day })
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 27 * day })
  expect(await times(sandbox, 'subscription_schedule.expiring')).toEqual([start + 19 * day])
})

test('a subscription that ends within its first period is billed for that part, and ends', async ({ sandbox }) => {
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
  await expect(stripe.subscriptionSchedules.release(schedule.id)).rejects.toThrow(
    'The sandbox does not support releasing a schedule that ends in the middle of its first period.',
  )
  await expect(stripe.subscriptionSchedules.update(schedule.id, { end_behavior: 'release' })).rejects.toThrow(
    'The sandbox does not support other phases of a schedule that ends in the middle of its first period.',
  )
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 40 * day })
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
    ...{ status: 'canceled', ended_at: start + 28 * day },
  })
  expect((await stripe.subscriptionSchedules.retrieve(schedule.id)).status).toBe('completed')
  const { data: invoices } = await stripe.invoices.list({ subscription: subscription.id })
  expect(invoices.map(({ amount_paid: paid }) => paid)).toEqual([1354])
})

test('a credit for a partial period is a share of what was paid for it', async ({ sandbox }) => {
  const { stripe } = sandbox
  const { clock, schedule } = await scheduled(sandbox, { end_date: start + 28 * day })
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 14 * day })
  await stripe.subscriptionSchedules.cancel(schedule.id)
  const [last] = (await stripe.invoices.list({ subscription: idOf(schedule.subscription) })).data
  // Half of the 13.54 that were paid for 28 days.
  expect(last?.lines.data.map(({ amount }) => amount)).toEqual([-677])
})

test('other ends in mid-period are refused with a message that names them: later ones, with discounts, without prorations', async () => {
  const sandbox = await sandboxForTest()
  const refusal = /^The sandbox does not support a last phase that ends in the middle of a period/
  const { id: coupon } = await sandbox.stripe.coupons.create({ percent_off: 10 })
  for (const phase of [
    { end_date: start + 45 * day },
    { end_date: start + 20 * day, discounts: [{ coupon }] },
    { end_date: start + 20 * day, proration_behavior: 'none' as const },
  ])
    await expect(scheduled(sandbox, phase)).rejects.toThrow(refusal)
})

test('the schedule of an unpaid subscription is aborted with it', async ({ sandbox }) => {
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
