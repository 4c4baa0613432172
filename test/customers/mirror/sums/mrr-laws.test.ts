import fc from 'fast-check'
import type Stripe from 'stripe'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSealer, generateMasterKey } from '../../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../../packages/ratecard/src/store/sql/open-store.ts'
import { payingCustomer } from '../../../support/shop/paying-customer.ts'
import { sandboxForTest } from '../../../support/sandbox.ts'
import { checkExchange } from '../../../support/stripe-contract.ts'
import { processorOf } from '../../../processor/suite/bench.ts'
import { feedOf } from '../mirror-world.ts'

/** Intervals per year, written independently of the product's table. */
const inYear = { day: 365, week: 52, month: 12, year: 1 } as const

const cases = fc.record({
  interval: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'year' as const),
  intervalCount: fc.integer({ min: 1, max: 3 }),
  items: fc.array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 12 }),
      amount: fc.integer({ min: 100, max: 20_000 }),
      kind: fc.constantFrom('unit' as const, 'graduated' as const, 'volume' as const, 'packages' as const),
      off: fc.option(fc.integer({ min: 1, max: 60 }), { nil: null }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  discounts: fc.array(
    fc.record({
      duration: fc.constantFrom('forever' as const, 'once' as const),
      off: fc.oneof(
        fc.record({ percent_off: fc.integer({ min: 1, max: 100 }) }),
        fc.record({ amount_off: fc.integer({ min: 1, max: 30_000 }), currency: fc.constant('usd') }),
      ),
      ofFirstProduct: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
  ofCustomer: fc.option(fc.integer({ min: 1, max: 90 }), { nil: null }),
})
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never

async function priceOf(stripe: Stripe, { interval, intervalCount }: Case, item: Case['items'][number]) {
  const product = await stripe.products.create({ name: 'Law' })
  const tiers = {
    billing_scheme: 'tiered',
    tiers: [
      { up_to: 5, unit_amount: item.amount, flat_amount: 700 },
      { up_to: 'inf', unit_amount: Math.ceil(item.amount / 2) },
    ],
  } as const
  const kinds = {
    unit: { unit_amount: item.amount },
    packages: { unit_amount: item.amount, transform_quantity: { divide_by: 5, round: 'up' } },
    graduated: { ...tiers, tiers_mode: 'graduated' },
    volume: { ...tiers, tiers_mode: 'volume' },
  } as const
  return stripe.prices.create({
    currency: 'usd',
    product: product.id,
    recurring: { interval, interval_count: intervalCount },
    ...(kinds[item.kind] as Partial<Stripe.PriceCreateParams>),
  })
}

async function subscribe(stripe: Stripe, clock: string, spec: Case): Promise<Stripe.Subscription> {
  const customer = await payingCustomer(stripe, { test_clock: clock })
  const coupon = (params: Stripe.CouponCreateParams) => stripe.coupons.create(params)
  if (spec.ofCustomer !== null) {
    const own = await coupon({ percent_off: spec.ofCustomer, duration: 'forever' })
    // Current API versions cannot give a customer a coupon, but keep the coupons that customers have.
    await stripe.rawRequest('POST', `/v1/customers/${customer}`, { coupon: own.id }, { apiVersion: '2024-06-20' })
  }
  const prices = await Promise.all(spec.items.map((item) => priceOf(stripe, spec, item)))
  const items = await Promise.all(
    spec.items.map(async ({ quantity, off }, index) => ({
      price: prices[index]?.id ?? '',
      quantity,
      ...(off === null
        ? {}
        : { discounts: [{ coupon: (await coupon({ percent_off: off, duration: 'forever' })).id }] }),
    })),
  )
  const discounts = await Promise.all(
    spec.discounts.map(async ({ duration, off, ofFirstProduct }) => {
      const products = ofFirstProduct ? { applies_to: { products: [prices[0]?.product as string] } } : {}
      return { coupon: (await coupon({ ...off, duration, ...products })).id }
    }),
  )
  return stripe.subscriptions.create({ customer, items, ...(discounts.length === 0 ? {} : { discounts }) })
}

/** Ignores the coupon of a customer, which the contract of the current API version lacks. */
const formerCoupons = (exchange: Parameters<typeof checkExchange>[0]) =>
  'coupon' in Object(exchange.params) ? [] : checkExchange(exchange)

async function lawWorld() {
  const { stripe, ...sandbox } = await sandboxForTest({ check: formerCoupons })
  const store = await openStore({ url: null, file: ':memory:', sealer: createSealer(generateMasterKey()) })
  onTestFinished(() => store.close())
  return { stripe, ...feedOf({ store, processor: processorOf({ stripe, ...sandbox }), clock: sandbox.clock }) }
}

describe('the monthly recurring revenue (MRR) of a customer', () => {
  it('equals the amount of the customer’s next ordinary invoice divided by its number of months', async () => {
    const world = await lawWorld()
    const { stripe } = world
    await world.fill()
    const start = Math.floor(Date.now() / 1000)
    for (const spec of fc.sample(cases, { numRuns: 14, seed: 20 })) {
      const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start })
      const { id } = await subscribe(stripe, clock.id, spec)
      const before = await stripe.subscriptions.retrieve(id)
      await stripe.testHelpers.testClocks.advance(clock.id, {
        frozen_time: (before.items.data[0]?.current_period_end ?? 0) + 2 * 3600,
      })
      const { data } = await stripe.invoices.list({ subscription: id })
      const renewal = data.find(({ billing_reason: reason }) => reason === 'subscription_cycle')
      if (renewal === undefined) throw new Error('The subscription was not renewed')
      const month = (renewal.total * inYear[spec.interval]) / (12 * spec.intervalCount)
      await world.settle()
      const standing = await world.store.mirror.standing(renewal.customer as never)
      const mrr = Number(standing?.monthly['usd'] ?? '0')
      // The invoice rounds each line and each discount to whole cents, so it may differ by that many.
      const roundings = spec.items.length * (2 + spec.discounts.length)
      expect(Math.abs(mrr - month), JSON.stringify(spec)).toBeLessThanOrEqual(
        (roundings * inYear[spec.interval]) / (12 * spec.intervalCount),
      )
    }
  }, 120_000)
})
