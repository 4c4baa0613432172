// What the seller planned for a subscription stays what it was, whatever a session of its customer cancels, resumes and changes; and a session
// undoes only what a session did.
import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { begin, day, planDocument, startChangingShop, type Subscriber } from '../../support/shop/changing-shop.ts'
import { caller, negotiated, priceIn, tenantShop } from '../../support/shop/tenant-shop.ts'
import { mirrored, mirrorSettings } from '../../support/mirror.ts'
import { startedForAll } from '../../support/started.ts'

const ladder = planDocument('1.0.0', ({ products }) => {
  const monthly = { currency: 'usd', interval: 'month', public: false } as const
  products[1]?.prices?.push({ id: 'step_2', amount: 9500, ...monthly }, { id: 'step_3', amount: 9900, ...monthly })
})
const shop = startedForAll(() => startChangingShop({ mirror: mirrorSettings }, ladder))

type Phases = Stripe.SubscriptionScheduleUpdateParams.Phase[]
type Ending = 'cancel' | 'release'

/** A customer of Pro with a schedule that the seller made at the processor. */
async function planned(id: string, phases: (price: (name: string) => Promise<string>) => Promise<Phases>, end: Ending) {
  const buyer = await shop.subscriber(id, { pro: 1 })
  const { subscriptionSchedules: schedules } = shop.stripe
  const { id: schedule } = await schedules.create({ from_subscription: buyer.subscription })
  const given = await phases((name) => shop.price(name))
  await schedules.update(schedule, { end_behavior: end, metadata: { contract: 'C-17' }, phases: given })
  return buyer
}

/** Schedule of a subscription as its customer and its seller see it: not its id, and not where its first phase begins. */
async function scheduleOf({ live }: Subscriber) {
  const { schedule } = await live()
  if (schedule === null) return null
  const { phases, end_behavior: end, metadata } = await shop.stripe.subscriptionSchedules.retrieve(String(schedule))
  return {
    end,
    metadata,
    phases: phases.map(
      ({ start_date: start, end_date, items, metadata: notes, discounts, proration_behavior }, index) => ({
        ...{ end_date, notes, discounts, ...(index === 0 ? {} : { start, proration_behavior }) },
        items: items.map(({ price, quantity, metadata: texts }) => ({ price, quantity, texts })),
      }),
    ),
  }
}

const item = async (price: Promise<string>, metadata?: Record<string, string>) => ({
  ...{ price: await price, quantity: 1 },
  ...(metadata === undefined ? {} : { metadata }),
})

const ramp = (id: string) =>
  planned(
    id,
    async (price) => [
      { items: [await item(price('pro'))], start_date: begin, end_date: begin + 30 * day },
      {
        items: [await item(price('step_2'), { line: '2' })],
        ...{ end_date: begin + 61 * day, metadata: { step: '2' }, proration_behavior: 'none' },
      },
      {
        items: [await item(price('step_3'))],
        ...{ end_date: begin + 91 * day, metadata: { step: '3' }, proration_behavior: 'always_invoice' },
      },
    ],
    'release',
  )

const term = (id: string, days = 91) =>
  planned(
    id,
    async (price) => [{ items: [await item(price('pro'))], start_date: begin, end_date: begin + days * day }],
    'cancel',
  )

describe('cancel, then resume', () => {
  it.each([
    { name: 'ramp', make: ramp },
    { name: 'fixed_term', make: term },
    { name: 'last_phase_of_a_term', make: (id: string) => term(id, 30) },
  ])('by a session leaves a $name as it was', async ({ name, make }) => {
    const buyer = await make(`back_${name}`)
    const before = await scheduleOf(buyer)
    expect(before).not.toBeNull()
    for (let time = 0; time < 3; time++) {
      await buyer.askOwn('cancel')
      expect(await buyer.askOwn('resume')).toMatchObject({ status: 'active' })
    }
    expect(await scheduleOf(buyer)).toEqual(before)
  })

  it('by a session leaves a price migration as it was', async () => {
    const own = await tenantShop(negotiated())
    const customer = await own.tenant('small')
    const { id } = await own.subscribe(customer, { pro_monthly: 7 })
    const dearer = negotiated('1.1.0', (config) => (priceIn(config, 'pro_monthly').amount = 1200))
    await own.push(dearer)
    const { id: job } = await own.service.startMigration({ priceId: 'pro_monthly', to: 'renewal' }, caller)
    await own.finished(job)
    const session = { kind: 'session', session: await own.service.createSession('small', null) } as const
    await own.service.cancelOwnSubscription({ when: 'period_end' }, session, { ...caller, idempotencyKey: null })
    await own.service.resumeSubscription({}, session, { ...caller, idempotencyKey: null })
    own.advance(32)
    expect(await own.items(id)).toEqual({ pro_monthly: 7 })
    expect((await own.invoices(customer)).map(({ total }) => total)).toEqual([7000, 8400])
  })

  it('lets the invoices of a ramp be what they would have been', async () => {
    const buyer = await ramp('paid')
    await buyer.askOwn('cancel')
    await buyer.askOwn('resume')
    for (let month = 0; month < 3; month++) await buyer.pass(31)
    expect(await buyer.totals()).toEqual([9000, 9500, 9900, 9900])
  })

  it('ends a fixed term when it would have ended', async () => {
    const buyer = await term('ends')
    await buyer.askOwn('cancel')
    await buyer.askOwn('resume')
    for (let month = 0; month < 4; month++) await buyer.pass(31)
    expect([(await buyer.live()).status, (await buyer.totals()).length]).toEqual(['canceled', 3])
  })

  it('by a service key leaves the schedule as it was, too', async () => {
    const buyer = await ramp('key')
    const before = await scheduleOf(buyer)
    await buyer.ask('cancel')
    await buyer.ask('resume')
    expect(await scheduleOf(buyer)).toEqual(before)
  })

  it('keeps a downgrade that the session had scheduled, which the session may undo', async () => {
    const buyer = await shop.subscriber('down', { pro: 1 })
    await buyer.changeOwn({ items: [{ price_id: 'basic' }] })
    const before = await scheduleOf(buyer)
    await buyer.askOwn('cancel')
    expect(await buyer.askOwn('resume')).toMatchObject({
      status: 'active',
      scheduled: { items: [{ price_id: 'basic' }] },
    })
    expect(await scheduleOf(buyer)).toEqual(before)
    expect(await buyer.askOwn('resume')).toMatchObject({ status: 'active', scheduled: null })
    expect(await scheduleOf(buyer)).toBeNull()
  })

  it('begins now what would have begun meanwhile', async () => {
    const middle = async (price: (name: string) => Promise<string>): Promise<Phases> => [
      { items: [await item(price('pro'))], start_date: begin, end_date: begin + 10 * day },
      { items: [await item(price('step_2'))], end_date: begin + 61 * day, proration_behavior: 'none' },
      { items: [await item(price('step_3'))], end_date: begin + 91 * day, proration_behavior: 'none' },
    ]
    const buyer = await planned('meanwhile', middle, 'release')
    await buyer.askOwn('cancel')
    await buyer.pass(12)
    expect(await buyer.items()).toEqual({ pro: 1 })
    expect(await buyer.askOwn('resume')).toMatchObject({ status: 'active' })
    expect(await buyer.items()).toEqual({ step_2: 1 })
    for (let month = 0; month < 2; month++) await buyer.pass(31)
    expect(await buyer.totals()).toEqual([9000, 9500, 9900])
  })

  it('leaves a ramp as it was, also if the cancellation is undone in the customer portal', async () => {
    const buyer = await ramp('portal')
    const before = await scheduleOf(buyer)
    await buyer.askOwn('cancel')
    await shop.stripe.subscriptions.update(buyer.subscription, { cancel_at_period_end: false })
    await mirrored(shop)
    await shop.service.waitingJobs.continueDue()
    expect(await scheduleOf(buyer)).toEqual(before)
    await shop.service.waitingJobs.continueDue()
    expect(await scheduleOf(buyer)).toEqual(before)
  })

  it('is refused to a session if the subscription has other items by now, and goes on without the schedule for a service key', async () => {
    const buyer = await ramp('other_items')
    await buyer.askOwn('cancel')
    const [first] = (await buyer.live()).items.data
    await shop.stripe.subscriptions.update(buyer.subscription, {
      items: [{ id: first?.id ?? '', price: await shop.price('basic') }],
      proration_behavior: 'none',
    })
    expect(await buyer.askOwn('resume')).toMatchObject({ status: 409, code: 'conflict' })
    expect(await buyer.ask('resume')).toMatchObject({ status: 'active', cancel_at: null })
  })

  it('does not let a change at once in between lose the schedule', async () => {
    const buyer = await ramp('between')
    const before = await scheduleOf(buyer)
    await buyer.askOwn('cancel')
    expect(await buyer.changeOwn({ items: [{ price_id: 'pro', quantity: 2 }] })).toMatchObject({
      ...{ status: 409, code: 'conflict', hint: expect.stringContaining('Resume it first') as string },
    })
    await buyer.askOwn('resume')
    expect(await scheduleOf(buyer)).toEqual(before)
  })
})

describe('a session undoes only what a session did', () => {
  const refused = {
    status: 403,
    code: 'not_allowed',
    detail: expect.stringContaining('decided by the seller') as string,
  }

  it('not a cancellation by a service key', async () => {
    const buyer = await shop.subscriber('fraud', { pro: 1 })
    await buyer.ask('cancel', { reason: 'fraud' })
    expect(await buyer.askOwn('resume')).toMatchObject(refused)
    expect((await buyer.live()).cancel_at_period_end).toBe(true)
    expect(await buyer.ask('resume')).toMatchObject({ status: 'active', cancel_at: null })
  })

  it('not a cancellation of its own that the seller has repeated', async () => {
    const buyer = await shop.subscriber('twice', { pro: 1 })
    await buyer.askOwn('cancel')
    await buyer.ask('cancel', { reason: 'fraud' })
    expect(await buyer.askOwn('resume')).toMatchObject(refused)
  })

  it('not a cancellation at the processor, even after one of its own', async () => {
    const buyer = await shop.subscriber('dashboard', { pro: 1 })
    await buyer.askOwn('cancel')
    await shop.stripe.subscriptions.update(buyer.subscription, { cancel_at_period_end: false })
    await buyer.pass(1)
    await shop.stripe.subscriptions.update(buyer.subscription, { cancel_at_period_end: true })
    expect(await buyer.askOwn('resume')).toMatchObject(refused)
  })

  it('not a pause', async () => {
    const buyer = await shop.subscriber('pause', { pro: 1 })
    await buyer.ask('pause')
    expect(await buyer.askOwn('resume')).toMatchObject(refused)
    await buyer.askOwn('cancel')
    expect(await buyer.askOwn('resume')).toMatchObject(refused)
  })

  it('not a scheduled change by a service key, also if it would schedule another one in its place', async () => {
    const buyer = await shop.subscriber('seats', { pro: 10 })
    await buyer.change({ items: [{ price_id: 'pro', quantity: 50 }], when: 'period_end' })
    const before = await scheduleOf(buyer)
    expect(await buyer.askOwn('resume')).toMatchObject(refused)
    for (const body of [
      { items: [{ price_id: 'pro', quantity: 10 }] },
      { items: [{ price_id: 'pro', quantity: 9 }] },
      { items: [{ price_id: 'pro', quantity: 11 }] },
    ])
      expect(await buyer.askOwn('preview', body)).toMatchObject({ status: 403, code: 'not_allowed' })
    await buyer.askOwn('cancel')
    await buyer.askOwn('resume')
    expect(await scheduleOf(buyer)).toEqual(before)
    expect(await buyer.askOwn('resume')).toMatchObject(refused)
  })

  it('not a change by a service key that waits for its payment, but its own', async () => {
    const cards = { decline: 'pm_card_chargeCustomerFail', default: 'pm_card_visa' }
    for (const by of ['change', 'changeOwn'] as const) {
      const buyer = await shop.subscriber(`unpaid_${by.toLowerCase()}`, { basic: 1 })
      const card = await shop.stripe.paymentMethods.attach(cards.decline, { customer: buyer.customer })
      await shop.stripe.customers.update(buyer.customer, { invoice_settings: { default_payment_method: card.id } })
      expect(await buyer[by]({ items: [{ price_id: 'pro' }] })).toMatchObject({ status: 'payment_required' })
      expect(await buyer.askOwn('resume')).toMatchObject(by === 'change' ? refused : { status: 'active' })
    }
  })
})

describe('the steps of a ramp', () => {
  it('are not lost to a change that a session schedules and undoes', async () => {
    const buyer = await ramp('scheduled_over')
    const before = await scheduleOf(buyer)
    expect(await buyer.changeOwn({ items: [{ price_id: 'basic' }] })).toMatchObject({ status: 409, code: 'conflict' })
    expect(await scheduleOf(buyer)).toEqual(before)
  })

  it('are not taken off by a session that goes back to its present items', async () => {
    const one = async (price: (name: string) => Promise<string>): Promise<Phases> => [
      { items: [await item(price('pro'))], start_date: begin, end_date: begin + 30 * day },
      { items: [await item(price('step_2'))], end_date: begin + 61 * day, proration_behavior: 'none' },
    ]
    const buyer = await planned('back_to_present', one, 'release')
    expect(await buyer.changeOwn({ items: [{ price_id: 'basic' }] })).toMatchObject({ status: 'scheduled' })
    expect(await buyer.changeOwn({ items: [{ price_id: 'pro' }] })).toMatchObject({ status: 409, code: 'conflict' })
    expect(await buyer.askOwn('resume')).toMatchObject({
      status: 'active',
      scheduled: { items: [{ price_id: 'step_2' }] },
    })
    await buyer.pass(31)
    expect(await buyer.totals()).toEqual([9000, 9500])
  })

  it('come back after an upgrade by a session that was never paid', async () => {
    const buyer = await ramp('declined')
    const before = await scheduleOf(buyer)
    const card = await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: buyer.customer })
    await shop.stripe.customers.update(buyer.customer, { invoice_settings: { default_payment_method: card.id } })
    expect(await buyer.changeOwn({ items: [{ price_id: 'pro', quantity: 2 }] })).toMatchObject({
      status: 'payment_required',
    })
    expect(await buyer.askOwn('resume')).toMatchObject({ status: 'active' })
    expect(await scheduleOf(buyer)).toEqual(before)
  })
})
