import { describe, expect } from 'vitest'
import type Stripe from 'stripe'
import { processorId } from '../../packages/ratecard/src/catalog/resource.ts'
import { at, benchTest as it, customerBench, idOf, meteredPair, type CustomerBench } from './suite/customer-bench.ts'

type Pair = readonly [Stripe.Price, Stripe.Price]

function schedule(bench: CustomerBench, subscription: { readonly id: string }, pairs: readonly Pair[], key?: string) {
  const swaps = pairs.map(([from, to]) => ({ from: idOf(from), to: idOf(to) }))
  return bench.processor.scheduleSwaps({ subscription: subscription.id, swaps }, bench.writing(key))
}

async function priced(bench: CustomerBench, ...amounts: number[]): Promise<Stripe.Price[]> {
  return Promise.all(amounts.map((amount) => bench.monthly(amount)))
}

const held = async (bench: CustomerBench, made: { readonly id: string }) =>
  (await bench.live(made)).items.map(({ price, quantity }) => [price.id, quantity])

describe('a scheduled swap of prices', () => {
  it('keeps seven seats, bills nothing now, bills the new price from the next period on, and then releases its schedule', async () => {
    const bench = await customerBench()
    const [list, negotiated] = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const made = await bench.subscribed(list, { items: [{ price: list.id, quantity: 7 }] })
    await bench.until('2027-01-10T00:00:00')
    const before = await bench.live(made)
    expect(await schedule(bench, made, [[list, negotiated]])).toEqual({ effectiveAt: at('2027-02-01') })
    const waiting = await bench.live(made)
    expect(waiting).toEqual({ ...before, schedule: waiting.schedule })
    expect(await bench.processor.scheduledPrices(waiting, bench.signal)).toEqual(new Map([[list.id, negotiated.id]]))
    expect(await bench.totals()).toEqual([7000])
    await bench.until('2027-02-02T00:00:00')
    expect(await held(bench, made)).toEqual([[negotiated.id, 7]])
    expect(await bench.processor.scheduledPrices(await bench.live(made), bench.signal)).toEqual(new Map())
    await bench.until('2027-03-02T00:00:00')
    expect((await bench.live(made)).schedule).toBeNull()
    expect(await bench.totals()).toEqual([7000, 4900, 4900])
  })

  it('bills a metered item’s usage before the swap at the old price, and usage after the swap at the new price', async () => {
    const bench = await customerBench()
    const [dear, cheap] = await meteredPair(bench)
    const made = await bench.stripe.subscriptions.create({ customer: bench.customer, items: [{ price: dear.id }] })
    await bench.use('100')
    await bench.until('2027-01-10T00:00:00')
    await schedule(bench, made, [[dear, cheap]])
    await bench.use('10')
    await bench.until('2027-02-02T00:00:00')
    expect(await held(bench, made)).toEqual([[cheap.id, null]])
    await bench.use('100')
    await bench.until('2027-03-02T00:00:00')
    expect(await bench.totals()).toEqual([550, 200])
  })

  it('moves only the named items, and the others keep their price and quantity', async ({ shop: bench }) => {
    const [dear, cheap] = await meteredPair(bench)
    const [seats, support] = (await priced(bench, 1000, 300)) as [Stripe.Price, Stripe.Price]
    const items = [{ price: seats.id, quantity: 3 }, { price: dear.id }, { price: support.id, quantity: 2 }]
    const made = await bench.subscribed(seats, { items })
    await schedule(bench, made, [[dear, cheap]])
    await bench.use('100')
    await bench.until('2027-02-02T00:00:00')
    expect(await held(bench, made)).toEqual([
      [seats.id, 3],
      [cheap.id, null],
      [support.id, 2],
    ])
    expect(await bench.totals()).toEqual([3600, 4100])
  })

  it('takes effect at the end of each item’s own period, so a monthly item does not wait for a yearly one', async () => {
    const bench = await customerBench()
    const [month, nextMonth] = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const recurring = { interval: 'year' as const }
    const year = await bench.monthly(9000, { recurring })
    const nextYear = await bench.monthly(8000, { recurring })
    const made = await bench.subscribed(month, { items: [{ price: month.id }, { price: year.id }] })
    const moved = await schedule(bench, made, [
      [month, nextMonth],
      [year, nextYear],
    ])
    expect(moved).toEqual({ effectiveAt: at('2028-01-01') })
    const to = new Map([
      [month.id, nextMonth.id],
      [year.id, nextYear.id],
    ])
    expect(await bench.processor.scheduledPrices(await bench.live(made), bench.signal)).toEqual(to)
    await bench.until('2027-02-02T00:00:00')
    expect(await held(bench, made)).toEqual([
      [nextMonth.id, 1],
      [year.id, 1],
    ])
    await bench.until('2028-01-02T00:00:00')
    expect(await bench.totals()).toEqual([10_000, ...Array.from({ length: 11 }, () => 700), 8700])
    await bench.until('2028-02-02T00:00:00')
    expect((await bench.live(made)).schedule).toBeNull()
  })

  it('keeps trial, discount and billing anchor', async ({ shop: bench }) => {
    const { stripe } = bench
    const [list, negotiated] = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'repeating', duration_in_months: 3 })
    const made = await bench.subscribed(list, { discounts: [{ coupon: coupon.id }], trial_period_days: 14 })
    await bench.until('2027-01-03T00:00:00')
    const before = await stripe.subscriptions.retrieve(made.id)
    expect(await schedule(bench, made, [[list, negotiated]])).toEqual({ effectiveAt: at('2027-01-15') })
    const after = await stripe.subscriptions.retrieve(made.id)
    expect(after).toMatchObject({ ...before, schedule: after.schedule, lastResponse: after.lastResponse })
    await bench.until('2027-01-16T00:00:00')
    expect(await bench.live(made)).toMatchObject({ status: 'active', items: [{ price: { id: negotiated.id } }] })
    await bench.until('2027-04-16T00:00:00')
    // Half price until 1 April.
    expect(await bench.totals()).toEqual([0, 350, 350, 350, 700])
  })

  it('keeps a past due subscription past due', async ({ shop: bench }) => {
    const { stripe, customer } = bench
    const [list, negotiated] = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    const made = await bench.subscribed(list, { default_payment_method: card.id, trial_period_days: 1 })
    await bench.until('2027-01-03T00:00:00')
    expect(await schedule(bench, made, [[list, negotiated]])).toEqual({ effectiveAt: at('2027-02-02') })
    expect((await bench.live(made)).status).toBe('past_due')
    await bench.until('2027-02-03T00:00:00')
    expect(await bench.totals()).toEqual([0, 1000, 700])
  })

  it('is refused without a write for a subscription that has ended or is going to end', async ({ shop: bench }) => {
    const pair = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const ending = await bench.subscribed(pair[0], { cancel_at_period_end: true })
    const ended = await bench.subscribed(pair[0])
    await bench.stripe.subscriptions.cancel(ended.id)
    const sofar = bench.posts().length
    for (const made of [ending, ended, { id: 'sub_unknown' }]) {
      await expect(schedule(bench, made, [pair])).rejects.toMatchObject({ kind: 'rejected', outcomeUnknown: false })
    }
    expect(bench.posts()).toHaveLength(sofar)
    expect(await bench.live(ending)).toMatchObject({ cancelAtPeriodEnd: true, schedule: null })
  })

  it('is refused without a write if the item is not on the price, or the new price is unknown or has another usage type', async () => {
    const bench = await customerBench()
    const [dear] = await meteredPair(bench)
    const [list, other] = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const made = await bench.subscribed(list, { items: [{ price: list.id }, { price: dear.id }] })
    const unknown = { ...other, id: 'price_unknown' }
    const once = await bench.price()
    const sofar = bench.posts().length
    const pairs: Pair[] = [
      [list, unknown],
      [list, dear],
      [dear, other],
      [list, once],
    ]
    for (const pair of pairs) await expect(schedule(bench, made, [pair])).rejects.toMatchObject({ kind: 'rejected' })
    await expect(schedule(bench, made, [[unknown, other]])).rejects.toThrow(/has no item with the price/)
    expect(bench.posts()).toHaveLength(sofar)
    expect((await bench.live(made)).schedule).toBeNull()
  })
})

describe('a scheduled swap of prices on a subscription with a schedule', () => {
  /** Creates the customer's own schedule: seven seats now, nine from 1 March on. */
  async function planned(bench: CustomerBench, list: Stripe.Price, ending: 'release' | 'cancel' = 'release') {
    const { stripe } = bench
    const made = await bench.subscribed(list, { items: [{ price: list.id, quantity: 7 }] })
    const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const begun = phases[0]?.start_date ?? 0
    await stripe.subscriptionSchedules.update(id, {
      end_behavior: ending,
      phases: [
        { items: [{ price: list.id, quantity: 7 }], start_date: begun, end_date: at('2027-03-01') / 1000 },
        { items: [{ price: list.id, quantity: 9, metadata: { own: 'yes' } }], end_date: at('2027-05-01') / 1000 },
      ],
    })
    return { made, schedule: id }
  }

  it('keeps the customer’s later change and updates the price in that change', async ({ shop: bench }) => {
    const [list, negotiated] = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const { made, schedule: id } = await planned(bench, list)
    expect(await schedule(bench, made, [[list, negotiated]])).toEqual({ effectiveAt: at('2027-02-01') })
    const after = await bench.stripe.subscriptionSchedules.retrieve(id)
    const said = after.phases.map((phase) => [phase.end_date * 1000, phase.items[0]?.price, phase.items[0]?.quantity])
    expect(said).toEqual([
      [at('2027-02-01'), list.id, 7],
      [at('2027-03-01'), negotiated.id, 7],
      [at('2027-05-01'), negotiated.id, 9],
    ])
    expect(after.phases[2]?.items[0]?.metadata).toEqual({ own: 'yes' })
    await bench.until('2027-05-02T00:00:00')
    expect(await bench.totals()).toEqual([7000, 4900, 6300, 6300, 6300])
    expect((await bench.live(made)).schedule).toBeNull()
  })

  it('writes nothing if an earlier swap scheduled the same price', async ({ shop: bench }) => {
    const pair = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const made = await bench.subscribed(pair[0])
    const first = await schedule(bench, made, [pair], 'same')
    const sofar = bench.posts().length
    expect(await schedule(bench, made, [pair], 'same')).toEqual(first)
    expect(await schedule(bench, made, [pair], 'other')).toEqual(first)
    expect(bench.posts()).toHaveLength(sofar)
  })

  it('can replace or cancel the scheduled price, but is refused if it would swap the current price for a third price', async ({
    shop: bench,
  }) => {
    const [list, first, second] = (await priced(bench, 1000, 700, 500)) as [Stripe.Price, Stripe.Price, Stripe.Price]
    const made = await bench.subscribed(list)
    await schedule(bench, made, [[list, first]])
    await expect(schedule(bench, made, [[list, second]])).rejects.toThrow(/already moves the item/)
    const next = async () => [...(await bench.processor.scheduledPrices(await bench.live(made), bench.signal))]
    expect(await next()).toEqual([[list.id, first.id]])
    expect(await schedule(bench, made, [[first, second]])).toEqual({ effectiveAt: at('2027-02-01') })
    expect(await next()).toEqual([[list.id, second.id]])
    await schedule(bench, made, [[second, list]])
    expect(await next()).toEqual([])
    await bench.until('2027-02-02T00:00:00')
    expect(await bench.totals()).toEqual([1000, 1000])
  })

  it('is refused if the schedule cancels the subscription before the swap', async ({ shop: bench }) => {
    const pair = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const made = await bench.subscribed(pair[0])
    const { id } = await bench.stripe.subscriptionSchedules.create({ from_subscription: made.id })
    await bench.stripe.subscriptionSchedules.update(id, { end_behavior: 'cancel' })
    await expect(schedule(bench, made, [pair])).rejects.toThrow(/cancels the subscription/)
    await bench.until('2027-02-02T00:00:00')
    expect((await bench.live(made)).status).toBe('canceled')
  })

  it('is refused without a write if the subscription is cancelled at a time that is not the end of its schedule', async ({
    shop: bench,
  }) => {
    const pair = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const made = await bench.subscribed(pair[0], { cancel_at: at('2027-03-15') / 1000 })
    await bench.stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const sofar = bench.posts().length
    await expect(schedule(bench, made, [pair])).rejects.toThrow(/is going to be cancelled/)
    expect(bench.posts()).toHaveLength(sofar)
  })

  it('keeps the end date of the last phase', async ({ shop: bench }) => {
    const pair = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const { made } = await planned(bench, pair[0], 'cancel')
    await schedule(bench, made, [pair])
    await bench.until('2027-05-02T00:00:00')
    expect((await bench.live(made)).status).toBe('canceled')
    expect(await bench.totals()).toEqual([7000, 4900, 6300, 6300])
  })
})

describe('scheduled prices', () => {
  it('are empty if no schedule changes the price at the end of the current period', async ({ shop: bench }) => {
    const [list, next] = (await priced(bench, 1000, 700)) as [Stripe.Price, Stripe.Price]
    const made = await bench.subscribed(list)
    const read = async () => bench.processor.scheduledPrices(await bench.live(made), bench.signal)
    expect(await read()).toEqual(new Map())
    const { id, phases } = await bench.stripe.subscriptionSchedules.create({ from_subscription: made.id })
    const begun = phases[0]?.start_date ?? 0
    const later = (end: string) => ({
      phases: [
        { items: [{ price: list.id }], start_date: begun, end_date: at(end) / 1000 },
        { items: [{ price: next.id }] },
      ],
    })
    await bench.stripe.subscriptionSchedules.update(id, later('2027-03-01'))
    expect(await read()).toEqual(new Map())
    await bench.stripe.subscriptionSchedules.update(id, later('2027-02-01'))
    expect(await read()).toEqual(new Map([[processorId(list.id), processorId(next.id)]]))
  })
})
