// A sandbox with a shop and a customer on a test clock, and the adapter for it. Used by the tests about customers.
import type Stripe from 'stripe'
import { test } from 'vitest'
import { processorId, type ProcessorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { LiveSubscription, ItemSwap } from '../../../packages/ratecard/src/processor/customer-half.ts'
import type { Processor, WriteOptions } from '../../../packages/ratecard/src/processor/processor.ts'
import type { StripeProcessorOptions } from '../../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { customerShop, meteredPrice, utc, type CustomerShop } from '../../sandbox/customers/customer-shop.ts'
import { processorOf } from './bench.ts'

export const start = utc('2027-01-01T00:00:00')
/** Returns the time (ms) at which a day starts in UTC, e.g. `2027-02-01`. */
export const at = (text: string): number => utc(`${text}T00:00:00`) * 1000

/** A checkout request's members for a page that asks for a card. */
export const withCard = { paymentMethodCollection: 'always', trialEnd: null } as const

export interface CustomerBench extends CustomerShop {
  readonly processor: Processor
  readonly signal: AbortSignal
  writing(key?: string): WriteOptions
  /** Advances the customer's clock to this time, e.g. `2027-02-02T00:00:00`. */
  until(moment: string): Promise<void>
  totals(): Promise<number[]>
  use(value: string): Promise<void>
  live(subscription: { readonly id: string }): Promise<LiveSubscription>
  /** The writes that the sandbox logged, e.g. `POST /v1/customers`. */
  posts(): string[]
}

export async function customerBench(options: Partial<StripeProcessorOptions> = {}): Promise<CustomerBench> {
  const shop = await customerShop(start)
  const { stripe, clockId, customer } = shop
  const processor = processorOf(shop, options)
  const signal = AbortSignal.timeout(60_000)
  let calls = 0
  return {
    ...shop,
    processor,
    signal,
    writing: (idempotencyKey = `key-${++calls}`) => ({ idempotencyKey, signal }),
    until: async (moment) => {
      // Advances by at most two months at a time: a test clock moves by at most two intervals, and some items are monthly.
      const target = utc(moment)
      let { frozen_time: now } = await stripe.testHelpers.testClocks.retrieve(clockId)
      while (now < target) {
        now = Math.min(target, now + 56 * 86_400)
        await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: now })
      }
    },
    totals: async () => (await shop.invoices()).map((invoice) => invoice.total),
    use: async (value) => {
      const payload = { stripe_customer_id: customer, value }
      await stripe.billing.meterEvents.create({ event_name: 'calls', payload })
    },
    live: async ({ id }) => {
      const found = await processor.subscription(id, signal)
      if (found === null) throw new Error(`There is no subscription ${id}`)
      return found
    },
    posts: () =>
      shop.control
        .requests()
        .filter(({ method }) => method === 'POST')
        .map(({ method, path }) => `${method} ${path}`),
  }
}

export function idOf(object: { readonly id: string }): ProcessorId {
  return processorId(object.id)
}

/** Returns the swaps that move each item from the first to the second price of its pair, with the same quantities. */
export function swapsTo(live: LiveSubscription, ...pairs: (readonly [Stripe.Price, Stripe.Price])[]): ItemSwap[] {
  return live.items.flatMap(({ id, price, quantity }) => {
    const to = pairs.find(([from]) => from.id === price.id)?.[1]
    return to === undefined ? [] : [{ item: id, price: idOf(to), quantity }]
  })
}

/** Creates two metered prices of one meter: 5 cents and 2 cents per call. */
export async function meteredPair(bench: CustomerBench): Promise<readonly [Stripe.Price, Stripe.Price]> {
  const dear = await meteredPrice(bench)
  const recurring = { interval: 'month' as const, usage_type: 'metered' as const, meter: dear.recurring?.meter ?? '' }
  return [dear, await bench.monthly(2, { recurring })]
}

/** `test` with a {@link customerBench}: `async ({ shop: bench }) => …`. */
export const benchTest = test.extend('shop', () => customerBench())
