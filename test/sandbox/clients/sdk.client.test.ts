// The last four major versions of Stripe's SDK, each with the API version that it pins, do the jobs of a program that sells subscriptions.
import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { payPage } from '../../support/shop/pay-page.ts'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { startSandbox, type Sandbox } from '../../../packages/sandbox/src/server.ts'
import { holds } from './holds.ts'
import { install, type Installed } from './installed.ts'
import { sdk } from './outcomes.ts'
import { startReceiver, type Delivered, type Receiver } from './receiver.ts'

/** The types are those of the newest version: the older ones have the same methods for what these jobs do. */
type Sdk = typeof Stripe

interface World {
  readonly stripe: Stripe
  readonly Sdk: Sdk
  readonly receiver: Receiver
}

let installed: Installed
let sandbox: Sandbox
let receiver: Receiver
beforeAll(async () => {
  installed = await install('sdk')
  sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  receiver = await startReceiver()
}, 420_000)
afterAll(async () => {
  receiver.close()
  await sandbox.close()
  installed.remove()
})

async function monthly({ stripe }: World, unitAmount: number): Promise<Stripe.Price> {
  const product = await stripe.products.create({ name: 'Pro' })
  return stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: unitAmount,
    recurring: { interval: 'month' },
  })
}

async function payer({ stripe }: World): Promise<Stripe.Customer> {
  const customer = await stripe.customers.create({ email: 'buyer@example.test', name: 'Buyer' })
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  return stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: card.id } })
}

async function subscribed(world: World, unitAmount = 1000) {
  const price = await monthly(world, unitAmount)
  const customer = await payer(world)
  const subscription = await world.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id, quantity: 2 }],
    expand: ['latest_invoice.payments'],
  })
  return { price, customer, subscription }
}

const firstItem = ({ items }: Stripe.Subscription): Stripe.SubscriptionItem => {
  const [item] = items.data
  if (item === undefined) throw new Error('the subscription has no items')
  return item
}

/** Waits for an event of the type in this world's account. */
async function delivered(world: World, endpoint: Stripe.WebhookEndpoint, type: string): Promise<Stripe.Event> {
  const verified = ({ payload, signature }: Delivered) => {
    try {
      return world.stripe.webhooks.constructEvent(payload, signature, endpoint.secret ?? '')
    } catch {
      // Signed for the endpoint of another account.
      return undefined
    }
  }
  return vi.waitFor(
    () => {
      const events = world.receiver.received.map(verified).filter((event) => event !== undefined)
      const found = events.find((event) => event.type === type)
      if (found === undefined) throw new Error(`${type} was not delivered`)
      return found
    },
    { timeout: 60_000, interval: 50 },
  )
}

const jobs: Record<keyof typeof sdk.jobs, (world: World) => Promise<void>> = {
  'builds a catalogue: a product, a tiered price, a price in two currencies, a coupon and its promotion code': async ({
    stripe,
  }) => {
    const product = await stripe.products.create({ name: 'Pro', marketing_features: [{ name: 'Fast' }] })
    const tiered = await stripe.prices.create({
      product: product.id,
      currency: 'usd',
      billing_scheme: 'tiered',
      tiers_mode: 'graduated',
      tiers: [
        { up_to: 10, unit_amount: 500 },
        { up_to: 'inf', unit_amount: 400 },
      ],
      recurring: { interval: 'month' },
      expand: ['tiers'],
    })
    expect(tiered.tiers?.map(({ up_to, unit_amount }) => [up_to, unit_amount])).toEqual([
      [10, 500],
      [null, 400],
    ])
    const price = await stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 1000,
      lookup_key: 'Pro Monthly',
      recurring: { interval: 'month' },
      currency_options: { eur: { unit_amount: 900 } },
      expand: ['currency_options'],
    })
    expect(price.currency_options?.['eur']).toMatchObject({ unit_amount: 900 })
    const coupon = await stripe.coupons.create({ percent_off: 25, duration: 'once' })
    const code = await stripe.promotionCodes.create({
      promotion: { type: 'coupon', coupon: coupon.id },
      code: 'HELLO',
    })
    expect(code).toMatchObject({ active: true, promotion: { coupon: coupon.id } })
  },
  'pages through a list, and finds an object by search': async ({ stripe }) => {
    for (let number = 0; number < 5; number += 1)
      await stripe.customers.create({ name: `N${String(number)}`, metadata: { number } })
    const names: (string | null | undefined)[] = []
    for await (const customer of stripe.customers.list({ limit: 2 })) names.push(customer.name)
    expect(names).toEqual(['N4', 'N3', 'N2', 'N1', 'N0'])
    const { data } = await stripe.customers.search({ query: "metadata['number']:'3'" })
    expect(data.map(({ name }) => name)).toEqual(['N3'])
  },
  'creates a customer with a card and a subscription, and reads its period and its paid invoice': async (world) => {
    const { subscription } = await subscribed(world)
    const item = firstItem(subscription)
    expect(item.current_period_end).toBeGreaterThan(item.current_period_start)
    const invoice = subscription.latest_invoice
    expect(invoice).toMatchObject({
      status: 'paid',
      amount_paid: 2000,
      parent: { subscription_details: { subscription: subscription.id } },
      payments: { data: [{ status: 'paid' }] },
    })
  },
  'changes a plan in the middle of a period, after a preview of the invoice': async (world) => {
    const { stripe } = world
    const { customer, subscription } = await subscribed(world)
    const { id, current_period_start: date } = firstItem(subscription)
    const items = [{ id, price: (await monthly(world, 3000)).id, quantity: 2 }]
    const preview = await stripe.invoices.createPreview({
      customer: customer.id,
      subscription: subscription.id,
      subscription_details: { items, proration_behavior: 'always_invoice', proration_date: date },
    })
    expect(preview.amount_due).toBe(4000)
    const changed = await stripe.subscriptions.update(subscription.id, {
      items,
      proration_behavior: 'always_invoice',
      proration_date: date,
      expand: ['latest_invoice'],
    })
    expect(changed.latest_invoice).toMatchObject({ amount_paid: 4000, billing_reason: 'subscription_update' })
  },
  'ends a subscription through a schedule': async (world) => {
    const { stripe } = world
    const { subscription, price } = await subscribed(world)
    const { current_period_start: start, current_period_end: end } = firstItem(subscription)
    const schedule = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id })
    const updated = await stripe.subscriptionSchedules.update(schedule.id, {
      end_behavior: 'cancel',
      phases: [{ items: [{ price: price.id }], start_date: start, end_date: end }],
    })
    expect(updated).toMatchObject({ status: 'active', end_behavior: 'cancel' })
  },
  'sells by checkout, and verifies the signed event of the payment': async (world) => {
    const { stripe } = world
    const endpoint = await stripe.webhookEndpoints.create({
      url: world.receiver.url,
      enabled_events: ['checkout.session.completed'],
    })
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: (await monthly(world, 1000)).id, quantity: 1 }],
      success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
      client_reference_id: 'user_1',
    })
    await payPage(session.url)
    const event = await delivered(world, endpoint, 'checkout.session.completed')
    expect(event.data.object).toMatchObject({ id: session.id, client_reference_id: 'user_1', payment_status: 'paid' })
    const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription'] })
    expect(paid.subscription).toMatchObject({ status: 'active' })
  },
  'opens the customer portal': async (world) => {
    const { stripe } = world
    await stripe.billingPortal.configurations.create({ features: { invoice_history: { enabled: true } } })
    const { id } = await payer(world)
    const session = await stripe.billingPortal.sessions.create({ customer: id, return_url: 'https://shop.example/' })
    expect((await fetch(session.url)).status).toBe(200)
  },
  'bills usage at the end of a period, on a test clock': async (world) => {
    const { stripe } = world
    const meter = await stripe.billing.meters.create({
      display_name: 'Calls',
      event_name: 'calls',
      default_aggregation: { formula: 'sum' },
    })
    const product = await stripe.products.create({ name: 'API' })
    const price = await stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: 700,
      recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
    })
    const start = Math.floor(Date.now() / 1000) - 3600
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start })
    const customer = await stripe.customers.create({ test_clock: clock.id })
    const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
    const { id } = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      default_payment_method: card.id,
    })
    await stripe.billing.meterEvents.create({
      event_name: 'calls',
      payload: { stripe_customer_id: customer.id, value: '3' },
      timestamp: start + 60,
    })
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: start + 32 * 86_400 })
    await vi.waitFor(
      async () => {
        expect((await stripe.testHelpers.testClocks.retrieve(clock.id)).status).toBe('ready')
      },
      { timeout: 60_000 },
    )
    const { data } = await stripe.invoices.list({ subscription: id })
    expect(data.map(({ amount_paid }) => amount_paid)).toContain(2100)
  },
  'refunds a payment': async (world) => {
    const { id } = await payer(world)
    const intent = await world.stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      customer: id,
      payment_method: 'pm_card_visa',
      confirm: true,
    })
    expect(await world.stripe.refunds.create({ payment_intent: intent.id, amount: 200 })).toMatchObject({
      amount: 200,
      status: 'succeeded',
    })
  },
  'gets the first result again under the same idempotency key': async ({ stripe }) => {
    const once = () => stripe.customers.create({ name: 'Once' }, { idempotencyKey: 'key_1' })
    const first = await once()
    expect((await once()).id).toBe(first.id)
    await expect(stripe.customers.create({ name: 'Twice' }, { idempotencyKey: 'key_1' })).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
    })
  },
  'tells a declined card from a wrong request': async ({ stripe, Sdk: { errors } }) => {
    const declined = stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_visa_chargeDeclined',
      confirm: true,
    })
    await expect(declined).rejects.toBeInstanceOf(errors.StripeCardError)
    await expect(declined).rejects.toMatchObject({ code: 'card_declined', statusCode: 402 })
    await expect(stripe.customers.retrieve('cus_nobody')).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      code: 'resource_missing',
      statusCode: 404,
    })
  },
  'pays with the payment methods that the account offers': async (world) => {
    const { id } = await payer(world)
    const intent = await world.stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      customer: id,
      payment_method: 'pm_card_visa',
      confirm: true,
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    })
    expect(intent.status).toBe('succeeded')
  },
  'reads events in its own API version': async (world) => {
    const { stripe, Sdk } = world
    const endpoint = await stripe.webhookEndpoints.create({
      url: world.receiver.url,
      enabled_events: ['customer.created'],
      api_version: Sdk.API_VERSION,
    })
    await stripe.customers.create({ name: 'New' })
    expect((await delivered(world, endpoint, 'customer.created')).api_version).toBe(Sdk.API_VERSION)
  },
}

let accounts = 0
/** Opens a new account with the SDK of the version. */
function worldOf(version: string): World {
  const [, major = ''] = /(\d+)\./.exec(version) ?? []
  const Sdk = installed.load(`stripe-${major}`) as Sdk
  const stripe = new Sdk(`sk_test_sdk_${String((accounts += 1))}`, {
    host: '127.0.0.1',
    port: sandbox.port,
    protocol: 'http',
    telemetry: false,
  })
  return { stripe, Sdk, receiver }
}

const names = Object.keys(jobs) as (keyof typeof jobs)[]

describe.each(sdk.versions)('%s', (version) => {
  test.each(names)('%s', async (name) => {
    await holds(sdk.jobs[name], () => jobs[name](worldOf(version)))
  })
})
