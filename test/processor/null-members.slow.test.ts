// One list or object of a response is null. Every request of the adapter reads such a response or fails before its next write, so no write
// is left half done.
import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import type { ProcessorError } from '../../packages/ratecard/src/processor/processor-error.ts'
import type { Processor, WriteOptions } from '../../packages/ratecard/src/processor/processor.ts'
import { parts, rewritingProxy, withPart, type Place } from '../support/programs/rewriting-proxy.ts'
import { customerBench, idOf, meteredPair, withCard, type CustomerBench } from './suite/customer-bench.ts'
import { processorOf } from './suite/bench.ts'
import { noTax } from '../support/shop/no-tax.ts'

interface World {
  readonly processor: Processor
  readonly bench: CustomerBench
  readonly subscription: Stripe.Subscription
  readonly dear: Stripe.Price
  readonly cheap: Stripe.Price
  readonly seats: Stripe.Price
  readonly other: Stripe.Price
  readonly writing: WriteOptions
}

/** A call of the adapter. */
type Act = (world: World) => Promise<unknown>

/** Creates a subscription that is paid by invoice, with taxes, discounts of both kinds, a card and a description. */
async function worldOf(): Promise<{ world: World; proxy: Awaited<ReturnType<typeof rewritingProxy>> }> {
  const bench = await customerBench()
  const { stripe, customer } = bench
  const [dear, cheap] = await meteredPair(bench)
  const [seats, other] = [await bench.monthly(1000), await bench.monthly(700)]
  const rate = await stripe.taxRates.create({ display_name: 'VAT', percentage: 20, inclusive: false })
  const coupon = await stripe.coupons.create({ percent_off: 10, duration: 'forever' })
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [
      { price: seats.id, quantity: 7, discounts: [{ coupon: coupon.id }], tax_rates: [rate.id] },
      { price: dear.id },
    ],
    collection_method: 'send_invoice',
    days_until_due: 30,
    default_tax_rates: [rate.id],
    default_payment_method: card.id,
    description: 'Contract',
    discounts: [{ coupon: coupon.id }],
    metadata: { contract: '4711' },
    invoice_settings: { custom_fields: [{ name: 'PO', value: '1' }], footer: 'Thank you' },
  })
  const proxy = await rewritingProxy(bench.port)
  const processor = processorOf(bench, { apiBase: proxy.url, firstWaitMs: 1 })
  return { proxy, world: { processor, bench, subscription, dear, cheap, seats, other, writing: bench.writing('one') } }
}

/** State of the customer’s subscription and schedule at the processor. */
async function standing({ bench, subscription }: World) {
  const live = await bench.stripe.subscriptions.retrieve(subscription.id)
  const { data } = await bench.stripe.subscriptionSchedules.list({ customer: bench.customer })
  const running = data.filter(({ status }) => status === 'active')
  return JSON.stringify([
    { ...live, schedule: null, lastResponse: undefined },
    // A term of a phase or of the schedule's defaults has the same effect.
    running.map(({ phases, default_settings: usual }) =>
      phases.map((phase) => [
        ...[phase.start_date, phase.end_date, phase.items, phase.discounts, phase.default_tax_rates],
        phase.collection_method ?? usual.collection_method,
        phase.default_payment_method ?? usual.default_payment_method,
        phase.description ?? usual.description,
        { ...usual.invoice_settings, ...phase.invoice_settings },
        phase.automatic_tax ?? usual.automatic_tax,
      ]),
    ),
  ])
}

const written = ({ bench }: World) => bench.posts().length

/** Runs the call once for each list and object of each response, with that member null. */
async function eachNull(act: Act, prepare: Act = () => Promise.resolve()): Promise<void> {
  const { world, proxy } = await worldOf()
  await prepare(world)
  world.bench.control.snapshot('start')
  const before = await standing(world)
  const replies: unknown[] = []
  proxy.rewrite(({ body }) => {
    replies.push(body)
    return body
  })
  const wanted = await act(world)
  const after = await standing(world)
  const places: (readonly [number, Place])[] = replies.flatMap((body, index) =>
    parts(body).map((place) => [index, place] as const),
  )
  expect(places.length).toBeGreaterThan(0)
  for (const [index, place] of places) {
    world.bench.control.restore('start')
    const sofar = written(world)
    proxy.rewrite((said) => (said.index === index ? withPart(said.body, place, null) : said.body))
    const where = `reply ${String(index)}, ${place.join('.')}`
    const failure = await act(world).then(
      (result) => {
        // Ids of created objects differ between runs, so only the shape is compared.
        expect([where, Object.keys(result ?? {})]).toEqual([where, Object.keys(wanted ?? {})])
        return null
      },
      (error: unknown) => error,
    )
    const now = await standing(world)
    if (failure === null) expect([where, now]).toEqual([where, after])
    else {
      // A price with `recurring: null` looks like a one-time price, which is refused without a write.
      const kinds = written(world) > sofar ? ['broken'] : ['broken', 'rejected']
      expect([where, kinds]).toEqual([where, expect.arrayContaining([(failure as ProcessorError).kind])])
      // The write is done completely or not at all.
      if (written(world) > sofar) expect([where, [before, after].includes(now)]).toEqual([where, true])
      else expect([where, now]).toEqual([where, before])
    }
  }
}

const reads: readonly (readonly [string, Act])[] = [
  [
    'the subscriptions of a customer',
    ({ processor, bench }) => processor.subscriptions(idOf({ id: bench.customer }), bench.signal),
  ],
  [
    'the subscriptions of a price',
    ({ processor, bench, seats }) => processor.subscriptionsOfPrice(idOf(seats), bench.signal),
  ],
  [
    'the next invoice',
    ({ processor, bench, subscription }) => processor.upcomingInvoice(subscription.id, bench.signal),
  ],
  ['events', ({ processor, bench }) => processor.events({ after: '', types: [] }, bench.signal)],
]

const swapCalls: Act = ({ processor, subscription, dear, cheap, writing }) =>
  processor.scheduleSwaps({ subscription: subscription.id, swaps: [{ from: idOf(dear), to: idOf(cheap) }] }, writing)

const writes: readonly (readonly [string, Act])[] = [
  ['a change at the end of the period', swapCalls],
  [
    'a change at once',
    ({ processor, subscription, other, writing }) => {
      const item = subscription.items.data.find(({ quantity }) => quantity === 7)?.id ?? ''
      return processor.swapItems(subscription.id, [{ item, price: idOf(other), quantity: 7 }], writing)
    },
  ],
  [
    'a new customer',
    ({ processor, writing }) =>
      processor.createCustomer({ tenantId: 't', name: 'T', email: null }, writing).then(() => ({})),
  ],
  [
    'a checkout and its end',
    async ({ processor, bench, seats, writing }) => {
      const customer = idOf({ id: bench.customer })
      const page = await processor.createCheckout(
        {
          ...{ mode: 'subscription', customer, items: [{ price: idOf(seats), quantity: 1 }] },
          ...{ trialPeriodDays: null, currency: null },
          ...withCard,
          ...{ successUrl: 'https://a.example/', cancelUrl: 'https://a.example/', allowPromotionCodes: false },
          ...{ promotionCode: null, tax: noTax, metadata: { ratecard_tenant_id: 't' } },
        },
        writing,
      )
      await processor.expireCheckouts({ customer, tenantId: 't' }, bench.signal)
      return page
    },
  ],
  [
    'usage',
    ({ processor, bench, writing }) => {
      const payload = { stripe_customer_id: bench.customer, value: '1' }
      return processor.recordUsage({ eventName: 'calls', payload, timestamp: null, identifier: 'one' }, writing)
    },
  ],
]

/** Creates the customer's own schedule: more seats from the next month on. */
const planned: Act = async ({ bench, subscription }) => {
  const { stripe } = bench
  const { id, phases } = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id })
  const [first] = phases
  if (first === undefined) throw new Error('no phase')
  const items = (more: number) =>
    subscription.items.data.map(({ price, quantity }) => ({
      price: price.id,
      ...(quantity === undefined ? {} : { quantity: quantity + more }),
    }))
  await stripe.subscriptionSchedules.update(id, {
    phases: [
      { items: items(0), start_date: first.start_date, end_date: first.end_date },
      { items: items(2), duration: { interval: 'month' }, description: 'More', collection_method: 'send_invoice' },
    ],
    proration_behavior: 'none',
  })
}

describe('a null in place of a list or an object of a response', () => {
  it.each(reads)('is read as an empty value or refused as broken: %s', (_name, act) => eachNull(act))
  it.each(writes)('never leaves a write half done: %s', (_name, act) => eachNull(act))
  it('never leaves a write half done: a change at the end of the period, with a schedule that the customer already had', () =>
    eachNull(swapCalls, planned))
  it('is read as an empty value or refused as broken: the prices of a schedule’s later phases', () =>
    eachNull(
      async ({ processor, bench, subscription }) =>
        processor.scheduledPrices(await bench.live(subscription), bench.signal),
      planned,
    ))
})
