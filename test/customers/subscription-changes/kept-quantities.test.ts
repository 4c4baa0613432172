// Another quantity of what one has keeps its price, and what is scheduled for it.
import { describe, expect, test } from 'vitest'
import { admin } from '../../support/app.ts'
import { begin, day, planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import type { Answer, ChangingShop, Subscriber } from '../../support/shop/changing-shop.ts'
import { startedForAll } from '../../support/started.ts'

const clock = { ms: Date.UTC(2031, 3, 1) }
const dearer = (version: string, change: Parameters<typeof planDocument>[1] = () => undefined) =>
  planDocument(version, (config) => {
    Object.assign(config.products[1]?.prices?.[0] ?? {}, { amount: 12_000 })
    change(config)
  })

const shop = startedForAll(() => startChangingShop({ clock: { now: () => clock.ms } }))
const seats = (quantity: number, more: object = {}) => ({ items: [{ price_id: 'pro', quantity }], ...more })
const monthEnd = new Date((begin + 30 * day) * 1000).toISOString()

/** A shop in which Pro costs $120.00 instead of $90.00 a month, and a tenant who has it for $90.00. */
async function raised(id: string, quantity = 5): Promise<{ readonly own: ChangingShop; readonly buyer: Subscriber }> {
  const own = await startChangingShop({ clock: { now: () => clock.ms } })
  const buyer = await own.subscriber(id, { pro: quantity })
  await own.push(dearer('1.1.0'))
  return { own, buyer }
}

/**
 * Schedules Pro at its present price for the renewal, as a migration does. The processor's list of a price's subscriptions, which a migration
 * reads, has no customers with a test clock.
 */
async function migrate(own: ChangingShop, { subscription }: Subscriber): Promise<void> {
  const { subscriptionSchedules } = own.stripe
  const { id, phases } = await subscriptionSchedules.create({ from_subscription: subscription })
  const [{ items = [], end_date: end = 0 } = {}] = phases
  const present = items.map(({ price, quantity = 1 }) => ({ price: String(price), quantity }))
  await subscriptionSchedules.update(id, {
    phases: [
      { items: present, start_date: begin, end_date: end },
      { items: [{ price: await own.price('pro'), quantity: present[0]?.quantity ?? 1 }], proration_behavior: 'none' },
    ],
  })
}

/** Price and quantity of each phase of the schedule, from the running one on. */
async function phasesOf(own: ChangingShop, buyer: Subscriber): Promise<readonly string[] | null> {
  const { schedule } = await buyer.live()
  if (schedule === null) return null
  const found = await own.stripe.subscriptionSchedules.retrieve(String(schedule), { expand: ['phases.items.price'] })
  const running = found.current_phase?.start_date ?? 0
  return found.phases
    .filter(({ start_date: start }) => start >= running)
    .map(({ items }) =>
      items
        .map(({ price, quantity }) => `${String((price as { unit_amount: number }).unit_amount)}×${String(quantity)}`)
        .join(),
    )
}

/** Previews, changes, and checks that the next invoice is the one that was shown. */
async function changed(
  own: ChangingShop,
  buyer: Subscriber,
  body: object,
  by: 'ask' | 'askOwn' = 'ask',
): Promise<Answer> {
  const shown = await buyer[by]('preview', body)
  expect(shown).toMatchObject({ status: 200 })
  const made = await buyer[by]('change', { ...body, preview: shown['preview'] })
  expect(made).toMatchObject({ due_now: shown['due_now'], next_invoice: shown['next_invoice'] })
  const { tenant } = buyer
  const upcoming = await own.asAdmin({ url: `${admin}/tenants/${tenant}/upcoming-invoice` })
  if (made['status'] !== 'payment_required')
    expect([upcoming.statusCode, upcoming.json().amount_due]).toEqual([200, shown.next_invoice?.amount])
  return made
}

describe('another quantity', () => {
  test('keeps the price of an earlier generation, for service keys and for sessions', async () => {
    const { own, buyer } = await raised('faithful')
    await buyer.pass(15)
    expect(await changed(own, buyer, seats(7))).toMatchObject({
      status: 'changed',
      due_now: { amount: 9000 },
      monthly: { before: [{ amount: '45000' }], after: [{ amount: '63000' }] },
      warnings: [],
    })
    expect(await changed(own, buyer, seats(8), 'askOwn')).toMatchObject({ due_now: { amount: 4500 } })
    expect(await changed(own, buyer, seats(3), 'askOwn')).toMatchObject({
      status: 'scheduled',
      next_invoice: { amount: 27_000 },
    })
    await buyer.pass(16)
    expect(await buyer.totals()).toEqual([45_000, 9000, 4500, 27_000])
    await own.close()
  })

  test('with `to_current` moves to the price that is sold now, and says first what is left', async () => {
    const { own, buyer } = await raised('leaving')
    const body = seats(7, { to_current: true })
    const shown = await buyer.ask('preview', body)
    expect(shown.warnings[0]).toMatchObject({ code: 'legacy_price_left' })
    expect(shown).toMatchObject({ monthly: { after: [{ amount: '84000' }] } })
    // The same request without it is another one.
    const other = await buyer.ask('change', { ...seats(7), preview: shown['preview'] })
    expect(other).toMatchObject({ status: 409, code: 'preview_stale' })
    expect(await changed(own, buyer, body)).toMatchObject({ due_now: { amount: 39_000 } })
    await own.close()
  })

  test('keeps a currency that the price is sold in no more, and a price that is hidden now', async () => {
    const own = await startChangingShop(
      {},
      planDocument('1.0.0', ({ products }) => {
        const { prices = [] } = products[1] ?? {}
        for (const one of [prices[0], prices[3]])
          Object.assign(one ?? {}, { currency_options: { eur: { amount: 8000 } } })
      }),
    )
    const buyer = await own.subscriber('euro', { pro: 2 }, { currency: 'eur' })
    await own.push(
      dearer('1.1.0', ({ products }) => void Object.assign(products[1]?.prices?.[0] ?? {}, { public: false })),
    )
    const { price_id: id } = (await buyer.askOwn('preview', seats(3))).after[0] as { price_id: string }
    expect(id).toBe('pro')
    expect(await changed(own, buyer, seats(3), 'askOwn')).toMatchObject({ due_now: { amount: 8000, currency: 'eur' } })
    expect(await buyer.ask('preview', seats(4, { to_current: true }))).toMatchObject({ status: 422 })
    await own.close()
  })

  test('keeps a negotiated price after the deal is over', async () => {
    const buyer = await shop.subscriber('golden', { pro_gold: 5 })
    // The tenant has no deal, and would buy Pro for $90.00 now.
    const [kept, left] = [
      await buyer.ask('preview', seats(6)),
      await buyer.ask('preview', seats(6, { to_current: true })),
    ]
    expect(kept).toMatchObject({
      after: [{ price_id: 'pro_gold', quantity: 6 }],
      due_now: { amount: 6000 },
      warnings: [],
    })
    expect(left).toMatchObject({ after: [{ price_id: 'pro', quantity: 6 }], warnings: [{ code: 'legacy_price_left' }] })
  })

  test('keeps a price that was removed from the configuration, and its usage', async () => {
    const overage = { id: 'overage', amount: 3, currency: 'usd', interval: 'month' } as const
    const own = await startChangingShop(
      {},
      planDocument('1.0.0', ({ products }) => {
        products[0]?.prices?.push({ ...overage, usage_type: 'metered', meter: 'calls' })
      }),
    )
    const buyer = await own.subscriber('gone', { basic: 2, overage: null })
    const items = [{ price_id: 'basic', quantity: 3 }]
    await own.push(planDocument('1.1.0', ({ products }) => void products.shift()))
    expect(await changed(own, buyer, { items }, 'askOwn')).toMatchObject({
      due_now: { amount: 3000 },
      after: [
        { price_id: 'basic', quantity: 3 },
        { price_id: 'overage', quantity: null },
      ],
    })
    const none = { status: 404, code: 'price_not_found' }
    expect(await buyer.askOwn('preview', { items, to_current: true })).toMatchObject(none)
    const other = await own.subscriber('other', { pro: 1 })
    await own.push(planDocument('1.2.0', ({ products }) => void products.splice(0, 2)))
    expect(await changed(own, other, seats(2))).toMatchObject({ after: [{ price_id: 'pro', quantity: 2 }] })
    await own.push(planDocument('1.3.0', ({ products }) => void products.shift()))
    expect(await other.ask('preview', { items })).toMatchObject(none)
    expect(await buyer.askOwn('preview', { items: [{ price_id: 'pro' }] })).toMatchObject({
      ...{ when: 'now', after: [{ price_id: 'pro', quantity: 3 }] },
      warnings: [{ code: 'legacy_price_left' }],
    })
    await own.close()
  })

  test('leaves the prices that are attached alone as well', async () => {
    const attached = (amount: number) => (config: ReturnType<typeof planDocument>) => {
      config.products.push({
        id: 'storage',
        name: 'Storage',
        prices: [{ id: 'storage', amount, currency: 'usd', interval: 'month' }],
      })
      Object.assign(config.products[1]?.prices?.[0] ?? {}, { attached_prices: ['storage'] })
    }
    const own = await startChangingShop({}, planDocument('1.0.0', attached(300)))
    const buyer = await own.subscriber('stored', { pro: 2, storage: 2 })
    await own.push(planDocument('1.1.0', attached(600)))
    expect(await changed(own, buyer, seats(3))).toMatchObject({
      due_now: { amount: 9300 },
      after: [
        { price_id: 'pro', quantity: 3 },
        { price_id: 'storage', quantity: 3 },
      ],
    })
    // Another plan with the same attached price takes the present one.
    expect(await buyer.ask('preview', seats(3, { to_current: true }))).toMatchObject({
      monthly: { after: [{ amount: '28800' }] },
    })
    await own.close()
  })
})

test('the month before and after counts discounts of items, of the customer, and of the code that the change adds', async () => {
  const { stripe } = shop
  const { id: half } = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
  const months = (answer: Answer) => [answer.monthly.before[0].amount, answer.monthly.after[0].amount] as const
  const ofItem = await shop.subscriber('half-item', { pro: 1, backup: 1 })
  const { data } = (await ofItem.live()).items
  const plan = data.find(({ price }) => price.unit_amount === 9000)
  await stripe.subscriptionItems.update(plan?.id ?? '', { discounts: [{ coupon: half }] })
  expect(months(await ofItem.ask('preview', seats(2)))).toEqual(['5100', '9600'])
  // The item gets another price, and keeps its discount.
  expect(months(await ofItem.ask('preview', { items: [{ price_id: 'basic' }], replaces: 'pro' }))).toEqual([
    '5100',
    '2100',
  ])
  const ofCustomer = await shop.subscriber('half-customer', { pro: 1 })
  // Only earlier versions of the processor's API give a customer a discount.
  await stripe.customers.update(ofCustomer.customer, { coupon: half } as object, { apiVersion: '2024-06-20' })
  expect(months(await ofCustomer.ask('preview', seats(2)))).toEqual(['4500', '9000'])
  const coded = await shop.subscriber('coded', { basic: 1 })
  const third = await coded.ask('preview', { items: [{ price_id: 'pro' }], promotion_code: 'third' })
  expect(months(third)).toEqual(['3000', '6030'])
})

describe('what is scheduled stays scheduled with the new quantity', () => {
  test('a price migration, when seats are added now and taken away at the end of the period', async () => {
    const { own, buyer } = await raised('migrated')
    await migrate(own, buyer)
    expect(await phasesOf(own, buyer)).toEqual(['9000×5', '12000×5'])
    await buyer.pass(15)
    expect(await changed(own, buyer, seats(7), 'askOwn')).toMatchObject({
      status: 'changed',
      due_now: { amount: 9000 },
      next_invoice: { amount: 84_000 },
      warnings: [],
    })
    expect(await phasesOf(own, buyer)).toEqual(['9000×7', '12000×7'])
    expect(await own.store.jobs.unfinished('subscription_change', 'migrated')).toEqual([])
    expect(await changed(own, buyer, seats(6), 'askOwn')).toMatchObject({
      ...{ status: 'scheduled', after: [{ price_id: 'pro', quantity: 6 }], next_invoice: { amount: 72_000 } },
      monthly: { after: [{ amount: '72000' }] },
    })
    expect(await phasesOf(own, buyer)).toEqual(['9000×7', '12000×6'])
    // Undone, the migration is what it was.
    expect(await buyer.askOwn('resume')).toMatchObject({ status: 'active' })
    expect(await phasesOf(own, buyer)).toEqual(['9000×7', '12000×7'])
    await buyer.pass(16)
    expect([await buyer.items(), await buyer.totals()]).toEqual([{ pro: 7 }, [45_000, 9000, 84_000]])
    await own.close()
  })

  test('a downgrade of one’s own, which can still be undone, with the quantity of now', async () => {
    const buyer = await shop.subscriber('down', { pro: 2 })
    expect(await buyer.changeOwn({ items: [{ price_id: 'basic' }], promotion_code: 'THIRD' })).toMatchObject({
      status: 'scheduled',
    })
    expect(await changed(shop, buyer, seats(4), 'askOwn')).toMatchObject({
      ...{ status: 'changed', due_now: { amount: 18_000 }, next_invoice: { amount: 8040 }, warnings: [] },
    })
    expect(await phasesOf(shop, buyer)).toEqual(['9000×4', '3000×4'])
    const shown = (await shop.asAdmin({ url: `${admin}/tenants/down/subscriptions` })).json().subscriptions[0]
    expect(shown.scheduled).toMatchObject({ at: monthEnd, items: [{ price_id: 'basic', quantity: 4 }] })
    // Fewer seats at the end of the period: of the plan that comes then.
    expect(await changed(shop, buyer, seats(3), 'askOwn')).toMatchObject({
      ...{ status: 'scheduled', after: [{ price_id: 'basic', quantity: 3 }], next_invoice: { amount: 6030 } },
    })
    expect(await phasesOf(shop, buyer)).toEqual(['9000×4', '3000×3'])
    expect(await buyer.askOwn('resume')).toMatchObject({ status: 'active', scheduled: null })
    await buyer.pass(31)
    expect([await buyer.items(), await buyer.totals()]).toEqual([{ pro: 4 }, [18_000, 18_000, 36_000]])
  })

  test('but for a quantity of the same price, which the new one replaces', async () => {
    const buyer = await shop.subscriber('again', { pro: 5 })
    await buyer.change(seats(3))
    expect(await phasesOf(shop, buyer)).toEqual(['9000×5', '9000×3'])
    expect(await changed(shop, buyer, seats(7))).toMatchObject({
      ...{ due_now: { amount: 18_000 }, next_invoice: { amount: 63_000 } },
      warnings: [{ code: 'replaces_scheduled' }],
    })
    expect((await buyer.live()).schedule).toBe(null)
    // What the seller has planned at the processor is another quantity on purpose.
    const ramp = await shop.subscriber('ramp', { pro: 5 })
    const { id } = await shop.stripe.subscriptionSchedules.create({ from_subscription: ramp.subscription })
    const [price, present] = [await shop.price('pro'), begin + 30 * day]
    await shop.stripe.subscriptionSchedules.update(id, {
      phases: [
        { items: [{ price, quantity: 5 }], start_date: begin, end_date: present },
        { items: [{ price, quantity: 20 }], end_date: present + 31 * day },
      ],
    })
    expect(await changed(shop, ramp, seats(6))).toMatchObject({
      due_now: { amount: 9000 },
      next_invoice: { amount: 180_000 },
    })
    expect(await phasesOf(shop, ramp)).toEqual(['9000×6', '9000×20'])
    expect(await ramp.ask('preview', seats(7, { promotion_code: 'third' }))).toMatchObject({
      status: 409,
      code: 'conflict',
    })
  })

  test('a change of other items, and what the seller planned: a session may add seats under it', async () => {
    const buyer = await shop.subscriber('beside', { pro: 1, backup: 2 })
    await buyer.change({ items: [], replaces: 'backup' })
    expect(await changed(shop, buyer, seats(2), 'askOwn')).toMatchObject({ next_invoice: { amount: 18_000 } })
    expect(await phasesOf(shop, buyer)).toEqual(['9000×2,600×2', '9000×2'])
    expect(await buyer.askOwn('resume')).toMatchObject({ status: 403 })
    expect(await buyer.askOwn('preview', seats(1))).toMatchObject({ status: 403, code: 'not_allowed' })
  })

  test('also where the seats are paid later, and as it was where they never are', async () => {
    const { own, buyer } = await raised('declined')
    await migrate(own, buyer)
    const { id } = await own.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: buyer.customer })
    const by = async (method: string) =>
      void (await own.stripe.customers.update(buyer.customer, { invoice_settings: { default_payment_method: method } }))
    await by(id)
    expect(await changed(own, buyer, seats(7))).toMatchObject({ status: 'payment_required' })
    expect(await phasesOf(own, buyer)).toBe(null)
    expect(await buyer.ask('resume')).toMatchObject({ status: 'active' })
    expect(await phasesOf(own, buyer)).toEqual(['9000×5', '12000×5'])
    await changed(own, buyer, seats(8))
    await by((await own.stripe.paymentMethods.attach('pm_card_visa', { customer: buyer.customer })).id)
    const [invoice] = (await own.stripe.invoices.list({ customer: buyer.customer })).data
    await own.stripe.invoices.pay(invoice?.id ?? '')
    clock.ms += 3_600_000
    await own.service.waitingJobs.continueDue()
    expect(await phasesOf(own, buyer)).toEqual(['9000×8', '12000×8'])
    expect(await own.store.jobs.unfinished('subscription_change', 'declined')).toEqual([])
    await own.close()
  })
})
