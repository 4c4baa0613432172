import { describe, expect } from 'vitest'
import { processorId } from '../../packages/ratecard/src/catalog/resource.ts'
import { at, benchTest as it, customerBench, idOf, meteredPair, swapsTo } from './suite/customer-bench.ts'
import type { CustomerBench } from './suite/customer-bench.ts'
import { payingCustomer } from '../support/shop/paying-customer.ts'

const ids = (list: readonly { readonly id: string }[]) => list.map((one) => one.id)

describe('subscriptions read through the adapter', () => {
  it('have times in milliseconds and exact amounts', async ({ shop: bench }) => {
    const [dear] = await meteredPair(bench)
    const seats = await bench.monthly(1250)
    const items = [{ price: seats.id, quantity: 7 }, { price: dear.id }]
    const made = await bench.subscribed(seats, { items })
    const period = { currentPeriodStart: at('2027-01-01'), currentPeriodEnd: at('2027-02-01') }
    const price = {
      active: true,
      currency: 'usd',
      interval: 'month',
      intervalCount: 1,
      billingScheme: 'per_unit',
      transformQuantity: null,
    }
    expect(await bench.live(made)).toEqual({
      id: made.id,
      customer: bench.customer,
      status: 'active',
      currency: 'usd',
      schedule: null,
      cancelAtPeriodEnd: false,
      cancelAt: null,
      canceledAt: null,
      endedAt: null,
      paused: null,
      collectionMethod: 'charge_automatically',
      testClock: expect.stringMatching(/^clock_/) as string,
      trialStart: null,
      trialEnd: null,
      soldPriceIds: [],
      taxRates: [],
      createdAt: at('2027-01-01'),
      allowsDuplicate: false,
      ends: [],
      items: [
        {
          ...period,
          id: made.items.data[0]?.id,
          quantity: 7,
          price: {
            ...price,
            id: seats.id,
            product: seats.product,
            usageType: 'licensed',
            meter: null,
            unitAmount: '1250',
          },
        },
        {
          ...period,
          id: made.items.data[1]?.id,
          quantity: null,
          price: {
            ...price,
            id: dear.id,
            product: dear.product,
            usageType: 'metered',
            meter: dear.recurring?.meter,
            unitAmount: '5',
          },
        },
      ],
    })
  })

  it('are the running ones (trialing and past due included), oldest first; ended subscriptions are found by id only', async () => {
    const bench = await customerBench()
    const { stripe, processor, signal, customer } = bench
    const price = await bench.monthly(1000)
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    const late = await bench.subscribed(price, { default_payment_method: card.id, trial_period_days: 1 })
    await bench.until('2027-01-03T00:00:00')
    const trialing = await bench.subscribed(price, { trial_period_days: 30 })
    await bench.until('2027-01-04T00:00:00')
    const gone = await bench.subscribed(price)
    await stripe.subscriptions.cancel(gone.id)
    const found = await processor.subscriptions(processorId(customer), signal)
    expect(found.map(({ id, status }) => [id, status])).toEqual([
      [late.id, 'past_due'],
      [trialing.id, 'trialing'],
    ])
    expect(found[1]?.trialEnd).toBe(at('2027-02-02'))
    expect((await bench.live(gone)).status).toBe('canceled')
    expect(await processor.subscription('sub_unknown', signal)).toBeNull()
  })

  it('are found by an archived price, even if they fill more than one page', async ({ shop: bench }) => {
    const { stripe, processor, signal } = bench
    const [price, other] = [await bench.monthly(1000), await bench.monthly(2000)]
    // This customer is on no test clock, because lists by price leave customers on test clocks out.
    const customer = await payingCustomer(stripe)
    const call = { path: '/v1/subscriptions', params: { customer, items: [{ price: price.id }] } }
    const made = await bench.control.seed(
      bench.apiKey,
      Array.from({ length: 130 }, () => call),
    )
    await bench.subscribed(other, { customer })
    await stripe.subscriptions.cancel(String(made[60]?.['id']))
    await stripe.prices.update(price.id, { active: false })
    const found = await processor.subscriptionsOfPrice(idOf(price), signal)
    expect(new Set(ids(found)).size).toBe(129)
    expect(found.every(({ items }) => items.length === 1 && items[0]?.price.id === price.id)).toBe(true)
    expect(found[0]?.items[0]?.price.active).toBe(false)
    expect(await processor.liveSubscriptions(idOf(price), signal)).toBe(129)
    expect(ids(await processor.subscriptionsOfPrice(idOf(other), signal))).toHaveLength(1)
  })

  it('cause an error for an unknown customer or price, and are an empty list for a deleted customer', async () => {
    const { stripe, processor, signal, customer } = await customerBench()
    const unknown = processor.subscriptions(processorId('cus_unknown'), signal)
    await expect(unknown).rejects.toMatchObject({ kind: 'rejected', original: { code: 'resource_missing' } })
    const lost = processor.subscriptionsOfPrice(processorId('price_unknown'), signal)
    await expect(lost).rejects.toMatchObject({ kind: 'rejected', original: { param: 'price' } })
    await stripe.customers.del(customer)
    expect(await processor.subscriptions(processorId(customer), signal)).toEqual([])
  })
})

describe('a swap of prices on subscription items', () => {
  it('keeps seven seats, bills nothing now, and bills the new price at the renewal', async ({ shop: bench }) => {
    const [list, negotiated] = [await bench.monthly(1000), await bench.monthly(700)]
    const made = await bench.subscribed(list, { items: [{ price: list.id, quantity: 7 }] })
    const before = await bench.live(made)
    const after = await bench.processor.swapItems(made.id, swapsTo(before, [list, negotiated]), bench.writing())
    expect(after).toEqual(await bench.live(made))
    expect(after.items).toMatchObject([{ id: before.items[0]?.id, quantity: 7, price: { id: negotiated.id } }])
    expect(after.items[0]?.currentPeriodEnd).toBe(before.items[0]?.currentPeriodEnd)
    expect(await bench.totals()).toEqual([7000])
    await bench.until('2027-02-02T00:00:00')
    expect(await bench.totals()).toEqual([7000, 4900])
  })

  it('moves two items in one write, so that either both items move or neither item moves', async ({ shop: bench }) => {
    const { processor, writing } = bench
    const [a, b, c, d] = [
      await bench.monthly(1),
      await bench.monthly(2),
      await bench.monthly(3),
      await bench.monthly(4),
    ]
    const items = [
      { price: a.id, quantity: 2 },
      { price: b.id, quantity: 3 },
    ]
    const made = await bench.subscribed(a, { items })
    const euro = await bench.monthly(4, { currency: 'eur' })
    const before = await bench.live(made)
    const half = processor.swapItems(made.id, swapsTo(before, [a, c], [b, euro]), writing())
    await expect(half).rejects.toMatchObject({ kind: 'rejected', outcomeUnknown: false })
    expect(await bench.live(made)).toEqual(before)
    const sofar = bench.posts().length
    const after = await processor.swapItems(made.id, swapsTo(before, [a, c], [b, d]), writing())
    expect(after.items.map(({ price, quantity }) => [price.id, quantity])).toEqual([
      [c.id, 2],
      [d.id, 3],
    ])
    expect(bench.posts().length - sofar).toBe(1)
  })

  it('moves 21 items of two subscriptions with one write per subscription', async ({ shop: bench }) => {
    const old = await Promise.all(Array.from({ length: 21 }, (_, index) => bench.monthly(100 + index)))
    const next = await Promise.all(old.map((_, index) => bench.monthly(200 + index)))
    const pairs = old.map((price, index) => [price, next[index] ?? price] as const)
    const [first] = old
    if (first === undefined) throw new Error('No prices')
    const items = old.map((price, index) => ({ price: price.id, quantity: index + 1 }))
    await bench.subscribed(first, { items: items.slice(0, 20) })
    await bench.subscribed(first, { items: items.slice(20) })
    const found = await bench.processor.subscriptions(processorId(bench.customer), bench.signal)
    expect(found.map((one) => one.items.length).sort()).toEqual([1, 20])
    const sofar = bench.posts().length
    for (const live of found) await bench.processor.swapItems(live.id, swapsTo(live, ...pairs), bench.writing())
    expect(bench.posts().length - sofar).toBe(2)
    const after = await bench.processor.subscriptions(processorId(bench.customer), bench.signal)
    const held = after.flatMap((one) => one.items.map(({ price, quantity }) => `${price.id} ${String(quantity)}`))
    expect(held.sort()).toEqual(next.map((price, index) => `${price.id} ${index + 1}`).sort())
  })

  it('starts a new period if the new price has another interval, and returns that period', async ({ shop: bench }) => {
    const monthly = await bench.monthly(1000)
    const yearly = await bench.monthly(9000, { recurring: { interval: 'year' } })
    const made = await bench.subscribed(monthly)
    await bench.until('2027-01-10T00:00:00')
    const swaps = swapsTo(await bench.live(made), [monthly, yearly])
    const [item] = (await bench.processor.swapItems(made.id, swaps, bench.writing())).items
    expect(item).toMatchObject({ currentPeriodStart: at('2027-01-10'), currentPeriodEnd: at('2028-01-10') })
  })

  const owned = async (bench: CustomerBench) => {
    const [list, negotiated] = [await bench.monthly(1000), await bench.monthly(700)]
    const made = await bench.subscribed(list)
    return { made, swaps: swapsTo(await bench.live(made), [list, negotiated]), list, negotiated }
  }

  it.each([
    [
      'that a schedule owns',
      (bench: CustomerBench, id: string) => bench.stripe.subscriptionSchedules.create({ from_subscription: id }),
    ],
    ['that has ended', (bench: CustomerBench, id: string) => bench.stripe.subscriptions.cancel(id)],
  ])('is refused for a subscription %s', async (_name, prepare) => {
    const bench = await customerBench()
    const { made, swaps } = await owned(bench)
    await prepare(bench, made.id)
    const refused = bench.processor.swapItems(made.id, swaps, bench.writing())
    await expect(refused).rejects.toMatchObject({ kind: 'rejected', outcomeUnknown: false })
  })

  it('is refused if the price is archived or unknown', async ({ shop: bench }) => {
    const { made, swaps, negotiated, list } = await owned(bench)
    await bench.stripe.prices.update(negotiated.id, { active: false })
    const archived = bench.processor.swapItems(made.id, swaps, bench.writing())
    await expect(archived).rejects.toThrow(/inactive/)
    const unknown = swaps.map((swap) => ({ ...swap, price: processorId('price_unknown') }))
    const lost = bench.processor.swapItems(made.id, unknown, bench.writing())
    await expect(lost).rejects.toMatchObject({ kind: 'rejected', original: { code: 'resource_missing' } })
    expect((await bench.live(made)).items[0]?.price.id).toBe(list.id)
  })

  it('keeps the status and the dates of a trialing or past due subscription', async ({ shop: bench }) => {
    const { stripe, customer } = bench
    const [list, negotiated] = [await bench.monthly(1000), await bench.monthly(700)]
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    const late = await bench.subscribed(list, { default_payment_method: card.id, trial_period_days: 1 })
    await bench.until('2027-01-03T00:00:00')
    const trialing = await bench.subscribed(list, { trial_period_days: 30 })
    for (const [made, status] of [
      [late, 'past_due'],
      [trialing, 'trialing'],
    ] as const) {
      const before = await bench.live(made)
      expect(before.status).toBe(status)
      const after = await bench.processor.swapItems(made.id, swapsTo(before, [list, negotiated]), bench.writing())
      const [item] = before.items
      expect(after).toEqual({
        ...before,
        items: [{ ...item, price: { ...item?.price, id: negotiated.id, unitAmount: '700' } }],
      })
    }
  })
})
