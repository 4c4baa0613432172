import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { mirroredKinds } from '../../packages/ratecard/src/processor/mirrored.ts'
import type { Mirrored, MirroredKind, MirroredPage } from '../../packages/ratecard/src/processor/mirrored.ts'
import type { Processor } from '../../packages/ratecard/src/processor/processor.ts'
import { rewritingProxy } from '../support/programs/rewriting-proxy.ts'
import { at, customerBench, meteredPair } from './suite/customer-bench.ts'
import { customerShop } from '../sandbox/customers/customer-shop.ts'
import { processorOf } from './suite/bench.ts'

const signal = AbortSignal.timeout(100_000)

async function listed<K extends MirroredKind>(processor: Processor, kind: K): Promise<Mirrored[K][]> {
  const found: Mirrored[K][] = []
  for (let after: string | null = null; ;) {
    const page: MirroredPage<K> = await processor.mirrorPage(kind, after, signal)
    found.push(...page.objects)
    if (page.next === null) return found
    after = page.next
  }
}

async function one<K extends MirroredKind>(processor: Processor, kind: K, id: string): Promise<Mirrored[K]> {
  const found = await processor.mirrorObject(kind, id, signal)
  if (found === null) throw new Error(`There is no ${kind} ${id}`)
  return found
}

/** Creates a shop without test clocks, and the adapter for it. */
async function plainShop() {
  const shop = await customerShop()
  return { ...shop, processor: processorOf(shop) }
}

describe('subscriptions read for the mirror', () => {
  it('contain all their items and discounts, even if there are more than ten', async () => {
    const { stripe, processor, subscribed, monthly } = await plainShop()
    const prices: Stripe.Price[] = []
    for (let index = 0; index < 12; index++) prices.push(await monthly(100 + index))
    const coupon = await stripe.coupons.create({ percent_off: 12.5, duration: 'forever' })
    const [first] = prices
    if (first === undefined) throw new Error('no price')
    const items = prices.map((price, index) => ({
      price: price.id,
      quantity: index + 1,
      ...(index === 0 ? { discounts: [{ coupon: coupon.id }] } : {}),
    }))
    const { id } = await subscribed(first, { items })
    const read = await one(processor, 'subscription', id)
    expect(read.items.map((item) => item.price.unitAmount).sort()).toEqual(prices.map((_, i) => String(100 + i)).sort())
    const discounted = read.items.filter((item) => item.discounts.length > 0)
    expect(discounted).toMatchObject([
      {
        price: { id: first.id },
        discounts: [{ coupon: coupon.id, duration: 'forever', percentOff: '12.5', amountOff: {}, products: null }],
      },
    ])
    expect(await listed(processor, 'subscription')).toEqual([read])
  })

  it('are still listed after they have ended', async () => {
    const { stripe, processor, subscribed, monthly } = await plainShop()
    const { id } = await subscribed(await monthly(900))
    await stripe.subscriptions.cancel(id)
    expect(await listed(processor, 'subscription')).toMatchObject([{ id, status: 'canceled' }])
  })

  it('are listed with their customers and invoices if they are on test clocks', async () => {
    const bench = await customerBench()
    const { id } = await bench.subscribed(await bench.monthly(900))
    const testClock = (await bench.stripe.testHelpers.testClocks.list()).data[0]?.id
    const [subscription] = await listed(bench.processor, 'subscription')
    expect(subscription).toMatchObject({ id, testClock })
    expect(await listed(bench.processor, 'customer')).toMatchObject([{ id: bench.customer, testClock }])
    expect(await listed(bench.processor, 'invoice')).toMatchObject([{ subscription: id, status: 'paid' }])
  })

  it('are listed exactly once, whether the account has one test clock, several or none', async () => {
    const { stripe, processor, subscribed, monthly } = await plainShop()
    const price = await monthly(900)
    const ids = [(await subscribed(price)).id]
    for (let index = 0; index < 3; index++) {
      const clock = await stripe.testHelpers.testClocks.create({ frozen_time: Math.floor(Date.UTC(2027, 0, 1) / 1000) })
      const customer = await stripe.customers.create({ test_clock: clock.id })
      const params = { customer: customer.id, collection_method: 'send_invoice', days_until_due: 7 } as const
      ids.push((await stripe.subscriptions.create({ ...params, items: [{ price: price.id }] })).id)
    }
    expect((await listed(processor, 'subscription')).map((found) => found.id).sort()).toEqual(ids.sort())
  })

  it('contain the prices of their schedule’s later phases', async () => {
    const bench = await customerBench()
    const [from, to] = [await bench.monthly(1000), await bench.monthly(2000)]
    const { id } = await bench.subscribed(from)
    const swaps = [{ from: from.id, to: to.id }] as never
    await bench.processor.scheduleSwaps({ subscription: id, swaps }, bench.writing())
    const { scheduled, schedule } = await one(bench.processor, 'subscription', id)
    expect(schedule).toMatch(/^sub_sched_/)
    expect(scheduled).toEqual([{ from: from.id, to: to.id, at: at('2027-02-01') }])
  })

  it('contain whether they are paused, when they end, and whether they are paid by invoice', async () => {
    const { stripe, processor, subscribed, monthly } = await plainShop()
    const { id } = await subscribed(await monthly(900), { collection_method: 'send_invoice', days_until_due: 7 })
    await stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' }, cancel_at_period_end: true })
    const read = await one(processor, 'subscription', id)
    expect(read).toMatchObject({
      collectionMethod: 'send_invoice',
      paused: { behavior: 'void', resumesAt: null },
      cancelAtPeriodEnd: true,
      endedAt: null,
    })
    expect(read.cancelAt).toBe(read.items[0]?.currentPeriodEnd)
  })

  it('contain a discount’s amount in each currency, and the products to which its coupon is limited', async () => {
    const { stripe, processor, subscribed, monthly, product } = await plainShop()
    const coupon = await stripe.coupons.create({
      amount_off: 300,
      currency: 'usd',
      currency_options: { eur: { amount_off: 250 } },
      duration: 'repeating',
      duration_in_months: 3,
      applies_to: { products: [product] },
    })
    const { id } = await subscribed(await monthly(900), { discounts: [{ coupon: coupon.id }] })
    const { discounts } = await one(processor, 'subscription', id)
    expect(discounts).toMatchObject([
      { duration: 'repeating', percentOff: null, amountOff: { eur: 250, usd: 300 }, products: [product] },
    ])
    expect(discounts[0]?.endsAt).toBeGreaterThan(0)
  })

  it.each([
    ['a status that is unknown', { status: 'frozen' }],
    ['a discount without a coupon', { discounts: [{ id: 'di_odd', object: 'discount', source: { coupon: null } }] }],
  ])('are all listed even if one subscription has %s', async (_what, odd) => {
    const shop = await plainShop()
    const proxy = await rewritingProxy(shop.port)
    const processor = processorOf(shop, { apiBase: proxy.url })
    const price = await shop.monthly(900)
    const [broken, sound] = [await shop.subscribed(price), await shop.subscribed(price)]
    proxy.rewrite(({ path, body }) => {
      if (path !== '/v1/subscriptions') return body
      const { data, ...list } = body as { data: { id: string }[] }
      return { ...list, data: data.map((found) => (found.id === broken.id ? { ...found, ...odd } : found)) }
    })
    const page = await processor.mirrorPage('subscription', null, signal)
    expect(page.objects.map((found) => found.id)).toEqual([sound.id])
    expect(page.unreadable).toEqual([broken.id])
  })
})

describe('invoices read for the mirror', () => {
  it('contain all their lines, even if there are more than ten', async () => {
    const { stripe, processor, customer } = await plainShop()
    for (let index = 0; index < 14; index++)
      await stripe.invoiceItems.create({ customer, amount: 100 + index, currency: 'usd', description: `n${index}` })
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    const { lines, total } = await one(processor, 'invoice', draft.id)
    expect(lines).toHaveLength(14)
    expect(lines.reduce((sum, line) => sum + line.amount, 0)).toBe(total)
    expect((await listed(processor, 'invoice'))[0]?.lines).toHaveLength(14)
  })

  it('have the same payment id as the refunds of their payment', async () => {
    const { stripe, processor, subscribed, monthly, invoices } = await plainShop()
    await subscribed(await monthly(900))
    const [invoice] = await invoices()
    const [intent] = (await stripe.paymentIntents.list()).data
    const refund = await stripe.refunds.create({ payment_intent: intent?.id ?? '', amount: 400 })
    const paid = await one(processor, 'invoice', invoice?.id ?? '')
    expect(paid).toMatchObject({ status: 'paid', amountPaid: 900, payments: [intent?.id] })
    const [read] = await listed(processor, 'refund')
    expect(read).toMatchObject({ id: refund.id, amount: 400, currency: 'usd', status: 'succeeded' })
    expect(read?.payments).toContain(paid.payments[0])
  })

  it('are null once the processor has deleted them', async () => {
    const { stripe, processor, customer } = await plainShop()
    const draft = await stripe.invoices.create({ customer })
    await stripe.invoices.del(draft.id)
    expect(await processor.mirrorObject('invoice', draft.id, signal)).toBeNull()
  })

  it('contain, after a declined payment, the number of attempts, the time of the next attempt, and the amount still due', async () => {
    const bench = await customerBench()
    const { stripe, customer } = bench
    const { id } = await bench.subscribed(await bench.monthly(900))
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } })
    await bench.until('2027-02-01T02:00:00')
    const open = (await listed(bench.processor, 'invoice')).find((invoice) => invoice.status === 'open')
    expect(open).toMatchObject({ subscription: id, amountRemaining: 900, attemptCount: 1, payments: [] })
    expect(open?.nextAttemptAt).toBeGreaterThan(at('2027-02-01'))
    expect(await one(bench.processor, 'subscription', id)).toMatchObject({ status: 'past_due' })
  })
})

describe('other objects read for the mirror:', () => {
  it('prices have their tiers in every currency; archived prices are included, and one-time prices are not', async () => {
    const { stripe, processor, product, monthly, price } = await plainShop()
    await price()
    const tiers = (unit: number) => [
      { up_to: 10, unit_amount: unit, flat_amount: 500 },
      { up_to: 'inf' as const, unit_amount: unit - 50 },
    ]
    const tiered = await monthly(0, {
      unit_amount: undefined as never,
      billing_scheme: 'tiered',
      tiers_mode: 'volume',
      tiers: tiers(100),
      currency_options: { eur: { tiers: tiers(90) } },
    })
    const archived = await stripe.prices.create({
      product,
      currency: 'eur',
      unit_amount: 1200,
      recurring: { interval: 'year' },
    })
    await stripe.prices.update(archived.id, { active: false })
    const prices = await listed(processor, 'price')
    expect(prices.map((found) => found.id)).toEqual([tiered.id, archived.id])
    expect(prices[0]).toMatchObject({
      tiersMode: 'volume',
      amounts: {
        usd: { unitAmount: null, tiers: [{ upTo: 10, unitAmount: '100', flatAmount: '500' }, { upTo: null }] },
        eur: { tiers: [{ unitAmount: '90' }, { unitAmount: '40' }] },
      },
    })
    expect(prices[1]).toMatchObject({ interval: 'year', amounts: { eur: { unitAmount: '1200', tiers: null } } })
  })

  it('metered prices have the usage type metered', async () => {
    const bench = await customerBench()
    const [dear] = await meteredPair(bench)
    expect(await one(bench.processor, 'price', dear.id)).toMatchObject({ usageType: 'metered' })
  })

  it('customers have their balance, and a deleted customer is marked as deleted', async () => {
    const { stripe, processor, customer } = await plainShop()
    expect(await one(processor, 'customer', customer)).toMatchObject({ balance: {}, deleted: false, testClock: null })
    await stripe.customers.del(customer)
    expect(await one(processor, 'customer', customer)).toMatchObject({ deleted: true })
    expect(await listed(processor, 'customer')).toEqual([])
  })

  it('credit notes have their invoice and their amount', async () => {
    const { stripe, processor, subscribed, monthly, invoices } = await plainShop()
    await subscribed(await monthly(900), { collection_method: 'send_invoice', days_until_due: 7 })
    const [invoice] = await invoices()
    await stripe.invoices.finalizeInvoice(invoice?.id ?? '')
    const note = await stripe.creditNotes.create({ invoice: invoice?.id ?? '', amount: 200 })
    expect(await listed(processor, 'credit_note')).toMatchObject([
      { id: note.id, invoice: invoice?.id, status: 'issued', total: 200, currency: 'usd' },
    ])
    expect(await one(processor, 'invoice', invoice?.id ?? '')).toMatchObject({ amountRemaining: 700, status: 'open' })
  })

  it('a list continues at its page cursor, and starts again if the cursor’s object was deleted', async () => {
    const { stripe, processor, customer } = await plainShop()
    for (let index = 0; index < 100; index++) await stripe.customers.create({ name: `n${String(index)}` })
    const { objects, next } = await processor.mirrorPage('customer', null, signal)
    expect(objects).toHaveLength(100)
    expect((await processor.mirrorPage('customer', next, signal)).objects.map(({ id }) => id)).toEqual([customer])
    expect((await processor.mirrorPage('customer', 'all:cus_gone', signal)).objects).toHaveLength(100)
  })

  it('every list is empty for an account without objects', async () => {
    const { processor, stripe, customer } = await plainShop()
    await stripe.customers.del(customer)
    for (const kind of mirroredKinds) expect(await listed(processor, kind)).toEqual([])
  })
})
