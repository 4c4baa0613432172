// Subscriptions for a term: a schedule, e.g. from the processor's dashboard, cancels them at its end. No change loses that end.
import { expect, test } from 'vitest'
import { begin, day, planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import type { Answer, Subscriber } from '../../support/shop/changing-shop.ts'
import { startedForAll } from '../../support/started.ts'

const shop = startedForAll(() =>
  startChangingShop(
    {},
    planDocument('1.0.0', ({ products }) => {
      products.push({
        id: 'free',
        name: 'Free',
        subscription_group: 'plan',
        prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }],
      })
    }),
  ),
)

/** 1 July 2031: three months after the begin. */
const termEnd = begin + 91 * day

/** A customer of Pro whose schedule cancels the subscription at `end`. */
async function termOf(id: string, end = termEnd) {
  const buyer = await shop.subscriber(id, { pro: 1 })
  const { subscriptionSchedules: schedules } = shop.stripe
  const { id: schedule } = await schedules.create({ from_subscription: buyer.subscription })
  const items = [{ price: await shop.price('pro'), quantity: 1 }]
  await schedules.update(schedule, {
    end_behavior: 'cancel',
    phases: [{ items, start_date: begin, end_date: end }],
  })
  return { ...buyer, schedule }
}

/** Lets four months pass. A test clock advances by at most two periods at once. */
async function fourMonths({ pass }: Pick<Subscriber, 'pass'>) {
  for (let month = 0; month < 4; month++) await pass(31)
}

const basic = { items: [{ price_id: 'basic' }] }
const toFree = { items: [{ price_id: 'free' }] }
const seats = { items: [{ price_id: 'pro', quantity: 2 }] }

test('a fixed-term subscription ends at the end of its term although a downgrade was scheduled and taken back', async () => {
  const buyer = await termOf('back')
  expect(await buyer.changeOwn(basic)).toMatchObject({ status: 'scheduled', warnings: [{ code: 'ends_anyway' }] })
  await buyer.askOwn('resume')
  expect(await buyer.live()).toMatchObject({ schedule: buyer.schedule })
  await fourMonths(buyer)
  expect([(await buyer.live()).status, await buyer.totals()]).toEqual(['canceled', [9000, 9000, 9000]])
})

test('a fixed-term subscription ends at the end of its term although a downgrade takes effect within the term', async () => {
  const buyer = await termOf('down')
  await buyer.change(basic)
  await fourMonths(buyer)
  expect([(await buyer.live()).status, await buyer.totals()]).toEqual(['canceled', [9000, 3000, 3000]])
})

test('an immediate change of a fixed-term subscription is refused, and the hint advises to use the end of the period', async () => {
  const buyer = await termOf('seats')
  expect(await buyer.askOwn('preview', seats)).toMatchObject({
    ...{ status: 409, code: 'conflict' },
    detail: expect.stringContaining(new Date(termEnd * 1000).toISOString()) as string,
    hint: expect.stringContaining('"when": "period_end"') as string,
  })
  expect(await buyer.change({ ...seats, when: 'period_end' })).toMatchObject({
    ...{ status: 'scheduled', next_invoice: { amount: 18_000 } },
  })
  await fourMonths(buyer)
  expect([(await buyer.live()).status, await buyer.totals()]).toEqual(['canceled', [9000, 18_000, 18_000]])
})

test('a change that would take effect at the end of a fixed-term subscription is refused', async () => {
  const buyer = await termOf('last', begin + 30 * day)
  expect(await buyer.askOwn('preview', basic)).toMatchObject({
    ...{ status: 409, code: 'conflict', detail: expect.stringContaining('cancels it') as string },
  })
})

test('a fixed-term subscription still ends at the end of its term after the processor refused a cancellation', async () => {
  const buyer = await termOf('refused')
  const path = `/v1/subscriptions/${buyer.subscription}`
  shop.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path, count: null })
  expect((await buyer.askOwn('cancel')).status).toBeGreaterThanOrEqual(400)
  shop.sandbox.control.clearFaults()
  await fourMonths(buyer)
  expect([(await buyer.live()).status, await buyer.totals()]).toEqual(['canceled', [9000, 9000, 9000]])
})

test('a cancellation ends a fixed-term subscription at the end of the period, and changes nothing if the term ends then anyway', async () => {
  const buyer = await termOf('sooner')
  expect(await buyer.askOwn('cancel')).toMatchObject({ cancel_at_period_end: true })
  await fourMonths(buyer)
  expect([(await buyer.live()).status, await buyer.totals()]).toEqual(['canceled', [9000]])
  const last = await termOf('then', begin + 30 * day)
  expect((await last.askOwn('cancel')).status).toBe('active')
  expect(await last.live()).toMatchObject({ schedule: last.schedule })
  await fourMonths(last)
  expect([(await last.live()).status, await last.totals()]).toEqual(['canceled', [9000]])
})

/** Requests an act that the processor refuses after the schedule was taken off. */
async function refused(buyer: Subscriber, ask: () => Promise<Answer>) {
  const path = `/v1/subscriptions/${buyer.subscription}`
  shop.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path, count: null })
  expect((await ask()).status).toBeGreaterThanOrEqual(400)
  shop.sandbox.control.clearFaults()
}

const refusals = [
  { act: 'cancellation', ask: (buyer: Subscriber) => buyer.askOwn('cancel') },
  { act: 'change to a free plan', ask: (buyer: Subscriber) => buyer.change(toFree) },
]

test.each(refusals)(
  'a $act that the processor refuses keeps the scheduled downgrade and the end date of a fixed-term subscription',
  async ({ act, ask }) => {
    const buyer = await termOf(`both ${act}`.replaceAll(' ', '_'))
    await buyer.change(basic)
    await refused(buyer, () => ask(buyer))
    const { subscriptions } = await shop.service.tenantSubscriptions(buyer.tenant)
    expect(subscriptions[0]?.scheduled?.items).toMatchObject([{ priceId: 'basic' }])
    await fourMonths(buyer)
    expect([(await buyer.live()).status, await buyer.totals()]).toEqual(['canceled', [9000, 3000, 3000]])
  },
)

test.each(refusals)(
  'a $act that the processor refuses keeps the end date of a fixed-term subscription whose downgrade was taken back',
  async ({ act, ask }) => {
    const buyer = await termOf(`alike ${act}`.replaceAll(' ', '_'))
    await buyer.changeOwn(basic)
    await buyer.askOwn('resume')
    await refused(buyer, () => ask(buyer))
    await fourMonths(buyer)
    expect([(await buyer.live()).status, await buyer.totals()]).toEqual(['canceled', [9000, 9000, 9000]])
  },
)

test('a change to a free plan in the last period of a fixed term keeps the schedule, and the free plan begins when the term ends', async () => {
  const end = begin + 20 * day
  const buyer = await termOf('free_at_last', end)
  const at = new Date(end * 1000).toISOString()
  expect(await buyer.change(toFree)).toMatchObject({ status: 'scheduled', effective_at: at })
  expect(await buyer.live()).toMatchObject({ schedule: buyer.schedule, cancel_at: end })
  await buyer.pass(31)
  const { subscriptions } = await shop.service.tenantSubscriptions(buyer.tenant)
  expect(subscriptions).toMatchObject([{ home: 'local', items: [{ priceId: 'free' }] }])
})
