// Behaviour that the documentation states about checkouts, portals, webhook endpoints, events, lists, searches and errors. “types” is the
// documentation in the SDK’s types.
import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { clientOf } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerTest as test, day } from '../customers/customer-shop.ts'

const url = 'https://shop.example/done'
type CheckoutParams = Partial<Stripe.Checkout.SessionCreateParams>

describe('checkout sessions in the sandbox behave as Stripe documents:', () => {
  const open = (stripe: Stripe, mode: 'payment' | 'subscription' | 'setup', params: CheckoutParams) =>
    stripe.checkout.sessions.create({ mode, success_url: url, ...params })
  const lineOf = ({ id: price }: Stripe.Price) => ({ line_items: [{ price, quantity: 1 }] })

  // Source: types, SessionCreateParams.expires_at (“anywhere from 30 minutes to 24 hours … by default 24 hours”)
  test('the expiry of a checkout session must be 30 minutes to 24 hours after its creation', async ({
    shop: { stripe, clock, price },
  }) => {
    const line = lineOf(await price())
    const now = Math.floor(clock.now() / 1000)
    for (const minutes of [29, 24 * 60 + 1]) {
      const wrong = open(stripe, 'payment', { ...line, expires_at: now + minutes * 60 })
      expect(await refusal(wrong), String(minutes)).toMatchObject({ status: 400, param: 'expires_at' })
    }
    expect(await open(stripe, 'payment', line)).toMatchObject({ expires_at: now + day })
  })

  // Source: types, SessionCreateParams.line_items (“a maximum of 100 line items”, “20 line items with recurring Prices”)
  test('a payment has at most 100 line items, and a subscription at most 20 recurring ones', async ({
    shop: { stripe, price, monthly },
  }) => {
    const lines = (one: Stripe.Price, count: number) => ({
      line_items: Array.from({ length: count }, () => ({ price: one.id, quantity: 1 })),
    })
    expect(await refusal(open(stripe, 'payment', lines(await price(), 101)))).toMatchObject({ status: 400 })
    expect(await open(stripe, 'payment', lines(await price(), 100))).toMatchObject({ amount_total: 100_000 })
    expect(await refusal(open(stripe, 'subscription', lines(await monthly(100), 21)))).toMatchObject({ status: 400 })
  })

  // Source: types, SessionCreateParams.currency (“required in setup mode when allowed_payment_method_types is not set”)
  test('a checkout session in setup mode requires a currency', async ({ shop: { stripe, customer } }) => {
    expect(await refusal(open(stripe, 'setup', { customer }))).toMatchObject({ status: 400, param: 'currency' })
    expect(await open(stripe, 'setup', { customer, currency: 'usd' })).toMatchObject({ amount_total: null })
  })

  // Source: types, SessionCreateParams.payment_method_collection (“only … in subscription mode”)
  test('only a checkout session in subscription mode may skip the collection of a payment method', async ({
    shop: { stripe, price },
  }) => {
    const wrong = open(stripe, 'payment', { ...lineOf(await price()), payment_method_collection: 'if_required' })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  // Source: types, SessionCreateParams.customer_creation (“only … in payment and setup mode”)
  test('a checkout session in subscription mode refuses customer_creation, because it always creates a customer', async ({
    shop: { stripe, monthly },
  }) => {
    const wrong = open(stripe, 'subscription', { ...lineOf(await monthly(100)), customer_creation: 'always' })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
  })

  // Source: types, SessionCreateParams.discounts (“only up to one”)
  test('a checkout session with more than one discount is refused', async ({ shop: { stripe, price } }) => {
    const coupon = async () => ({ coupon: (await stripe.coupons.create({ percent_off: 5 })).id })
    const line = lineOf(await price())
    const wrong = open(stripe, 'payment', { ...line, discounts: [await coupon(), await coupon()] })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
    const one = await open(stripe, 'payment', { ...line, discounts: [await coupon()] })
    expect(one).toMatchObject({ amount_subtotal: 1000, amount_total: 950, total_details: { amount_discount: 50 } })
  })

  // Source: types, SessionCreateParams.payment_intent_data (“for Checkout Sessions in payment mode”), subscription_data, setup_intent_data
  test('payment_intent_data, setup_intent_data and subscription_data are accepted in their own mode only', async ({
    shop: { stripe, price, monthly },
  }) => {
    const metadata = { a: '1' }
    const [once, recurring] = [lineOf(await price()), lineOf(await monthly(100))]
    const wrong = [
      open(stripe, 'subscription', { ...recurring, payment_intent_data: { metadata } }),
      open(stripe, 'payment', { ...once, subscription_data: { metadata } }),
      open(stripe, 'payment', { ...once, setup_intent_data: { metadata } }),
    ]
    for (const call of wrong) expect(await refusal(call)).toMatchObject({ status: 400 })
  })

  // Source: types, SessionCreateParams.mode (“subscription: use Stripe Billing to set up fixed-price subscriptions”)
  test('a checkout session in subscription mode requires a recurring price, and prices in one currency', async ({
    shop: { stripe, price, monthly },
  }) => {
    expect(await refusal(open(stripe, 'subscription', lineOf(await price())))).toMatchObject({ status: 400 })
    const currencies = await Promise.all([monthly(100), monthly(100, { currency: 'eur' })])
    const line_items = currencies.map(({ id }) => ({ price: id, quantity: 1 }))
    expect(await refusal(open(stripe, 'subscription', { line_items }))).toMatchObject({ status: 400 })
  })

  // Source: types, SessionListParams.customer and status; SessionsResource.listLineItems
  test('checkout sessions can be listed by customer and status, and their line items can be listed', async ({
    shop,
  }) => {
    const { stripe, customer, price } = shop
    const line = lineOf(await price())
    const mine = await open(stripe, 'payment', { ...line, customer })
    const expired = await open(stripe, 'payment', line)
    await stripe.checkout.sessions.expire(expired.id)
    expect((await stripe.checkout.sessions.list({ customer })).data).toMatchObject([{ id: mine.id }])
    expect((await stripe.checkout.sessions.list({ status: 'expired' })).data).toMatchObject([{ id: expired.id }])
    const lines = await stripe.checkout.sessions.listLineItems(mine.id)
    expect(lines.data).toMatchObject([{ amount_total: 1000, quantity: 1, price: { id: line.line_items[0]?.price } }])
  })
})

describe('customer portals in the sandbox behave as Stripe documents:', () => {
  const update = { enabled: true, default_allowed_updates: ['price' as const] }
  const features = { payment_method_update: { enabled: true } }

  // Source: types, Configuration.default_return_url (“can be overridden when creating the session”)
  test('a portal session returns to the default_return_url of its configuration unless it has its own return_url', async ({
    shop: { stripe, customer },
  }) => {
    const { id: configuration } = await stripe.billingPortal.configurations.create({
      features,
      default_return_url: url,
    })
    const session = (params: { return_url?: string }) =>
      stripe.billingPortal.sessions.create({ customer, configuration, ...params })
    const pageOf = async (params: { return_url?: string }) => (await fetch((await session(params)).url)).text()
    expect(await pageOf({})).toContain(`href="${url}"`)
    expect(await pageOf({ return_url: `${url}/2` })).toContain(`href="${url}/2"`)
  })

  // Source: types, Configuration.active (“can be used to create portal sessions”)
  test('a portal session with an inactive configuration is refused', async ({ shop: { stripe, customer } }) => {
    await stripe.billingPortal.configurations.create({ features })
    const { id: configuration } = await stripe.billingPortal.configurations.create({ features })
    await stripe.billingPortal.configurations.update(configuration, { active: false })
    const wrong = stripe.billingPortal.sessions.create({ customer, configuration })
    expect(await refusal(wrong)).toMatchObject({ status: 400 })
    const listed = await stripe.billingPortal.configurations.list({ active: false })
    expect(listed.data).toMatchObject([{ id: configuration, is_default: false }])
  })

  // Source: types, Configuration.features.subscription_update.products (“up to 10 products”)
  test('a portal configuration offers the prices of at most ten products', async ({ shop: { stripe, monthly } }) => {
    const products = await Promise.all(
      Array.from({ length: 11 }, async (_, index) => {
        const product = (await stripe.products.create({ name: `P${index}` })).id
        return { product, prices: [(await monthly(100, { product })).id] }
      }),
    )
    const create = (count: number) =>
      stripe.billingPortal.configurations.create({
        features: { ...features, subscription_update: { ...update, products: products.slice(0, count) } },
      })
    expect(await refusal(create(11))).toMatchObject({ status: 400 })
    expect(await create(10)).toMatchObject({ active: true })
  })

  // Source: types, ConfigurationCreateParams.features.subscription_cancel.proration_behavior (“always_invoice will result in an error”)
  test('a portal configuration refuses always_invoice for immediate cancellations', async ({ shop: { stripe } }) => {
    const subscription_cancel = { enabled: true, mode: 'immediately' as const }
    const create = (proration_behavior: 'always_invoice' | 'create_prorations') =>
      stripe.billingPortal.configurations.create({
        features: { subscription_cancel: { ...subscription_cancel, proration_behavior } },
      })
    expect(await refusal(create('always_invoice'))).toMatchObject({ status: 400 })
    expect(await create('create_prorations')).toMatchObject({ active: true })
  })

  // Source: types, Configuration.features.subscription_update.proration_behavior (“defaults to none”), trial_update_behavior (“end_trial”)
  test('subscription updates in the portal create no prorations and end a trial by default', async ({
    shop: { stripe, product, monthly },
  }) => {
    const products = [{ product, prices: [(await monthly(100)).id] }]
    const made = await stripe.billingPortal.configurations.create({
      features: { ...features, subscription_update: { ...update, products } },
    })
    expect(made.features.subscription_update).toMatchObject({
      ...{ proration_behavior: 'none', trial_update_behavior: 'end_trial', billing_cycle_anchor: 'unchanged' },
    })
  })
})

describe('webhook endpoints and events in the sandbox behave as Stripe documents:', () => {
  // Source: types, WebhookEndpoint.api_version (“you can’t change this value”) and status
  test('a webhook endpoint can be disabled and enabled, but its API version cannot be changed', async ({
    shop: { stripe },
  }) => {
    const { id } = await stripe.webhookEndpoints.create({ url, enabled_events: ['*'] })
    const change = { api_version: '2025-03-31.basil' } as object
    expect(await refusal(stripe.webhookEndpoints.update(id, change))).toMatchObject({ code: 'parameter_unknown' })
    expect(await stripe.webhookEndpoints.update(id, { disabled: true })).toMatchObject({ status: 'disabled' })
    expect(await stripe.webhookEndpoints.update(id, { disabled: false })).toMatchObject({ status: 'enabled' })
  })

  // Source: types, EventListParams.type (“using * as a wildcard”) and types (“either type or types, but not both”)
  test('events can be listed by a type with a wildcard or by several types, but not by both', async ({
    shop: { stripe, price },
  }) => {
    await price()
    await stripe.coupons.create({ percent_off: 5 })
    const names = (await stripe.events.list({ type: 'price.*' })).data.map(({ type }) => type)
    expect(names).toEqual(['price.created'])
    const both = stripe.events.list({ type: 'price.created', types: ['price.created'] })
    expect(await refusal(both)).toMatchObject({ status: 400 })
  })

  // Source: types, Event.data.previous_attributes (“contains the entire array”)
  test('the previous value of an array in an event is the whole array', async ({ shop: { stripe, product } }) => {
    const features = (...names: string[]) => ({ marketing_features: names.map((name) => ({ name })) })
    await stripe.products.update(product, features('a', 'b'))
    await stripe.products.update(product, features('a', 'c'))
    const [event] = (await stripe.events.list({ type: 'product.updated' })).data
    expect(event?.data.previous_attributes).toMatchObject(features('a', 'b'))
    const [created] = (await stripe.events.list({ type: 'product.created' })).data
    expect(created?.data).not.toHaveProperty('previous_attributes')
  })

  // Source: types, Event.Request.idempotency_key and id
  test('an event contains the id and the idempotency key of the request that caused it', async ({
    shop: { stripe },
  }) => {
    const made = await stripe.coupons.create({ percent_off: 5 }, { idempotencyKey: 'mine' })
    const [event] = (await stripe.events.list({ type: 'coupon.created' })).data
    expect(event?.request).toEqual({ id: made.lastResponse.requestId, idempotency_key: 'mine' })
  })

  // Source: types, EventsResource.list (“going back up to 30 days”): a difference that the page of the sandbox names
  test('events are still listed after 30 days, unlike in the real API', async ({ shop: { stripe, clock } }) => {
    clock.advance(31 * day * 1000)
    expect((await stripe.events.list()).data).not.toEqual([])
  })

  // Source: types, Event.pending_webhooks; EventListParams.delivery_success
  test('an event counts as delivered if there is no webhook endpoint', async ({ shop: { stripe } }) => {
    const created = { type: 'product.created' }
    expect((await stripe.events.list(created)).data).toMatchObject([{ pending_webhooks: 0 }])
    expect((await stripe.events.list({ ...created, delivery_success: false })).data).toEqual([])
  })
})

describe('lists and searches in the sandbox behave as Stripe documents:', () => {
  // Source: types, RangeQueryParam; docs.stripe.com/api/pagination
  test('a list can be filtered by a range of creation times', async ({ shop: { stripe, clock, product } }) => {
    const now = Math.floor(clock.now() / 1000)
    clock.advance(60_000)
    const { id } = await stripe.products.create({ name: 'Later' })
    const idsOf = async (created: Stripe.RangeQueryParam) =>
      (await stripe.products.list({ created })).data.map((one) => one.id)
    expect(await idsOf({ gt: now })).toEqual([id])
    expect(await idsOf({ gte: now, lt: now + 60 })).toEqual([product])
    expect(await idsOf({ lte: now })).toEqual([product])
  })

  // Source: docs.stripe.com/api/pagination/auto
  test('the SDK can read all pages of a list, forwards and backwards', async ({ shop: { stripe, product } }) => {
    for (let index = 0; index < 5; index += 1) await stripe.products.create({ name: `P${index}` })
    const forwards = await stripe.products.list({ limit: 2 }).autoPagingToArray({ limit: 100 })
    expect(forwards.map(({ name }) => name)).toEqual(['P4', 'P3', 'P2', 'P1', 'P0', 'P'])
    const after = { limit: 2, ending_before: product }
    const backwards = await stripe.products.list(after).autoPagingToArray({ limit: 100 })
    expect(backwards.map(({ name }) => name)).toEqual(['P0', 'P1', 'P2', 'P3', 'P4'])
  })

  // Source: docs.stripe.com/expand
  test('a reference can be expanded in the response to a creation, and over several levels in a list', async ({
    shop,
  }) => {
    const { stripe, customer, subscribed, monthly } = shop
    const made = await subscribed(await monthly(1000), { expand: ['latest_invoice.customer', 'customer'] })
    expect(made).toMatchObject({ customer: { id: customer }, latest_invoice: { customer: { id: customer } } })
    const listed = await stripe.subscriptions.list({ expand: ['data.latest_invoice.customer'] })
    expect(listed.data).toMatchObject([{ latest_invoice: { customer: { id: customer } } }])
  })

  // Source: docs.stripe.com/search: a space is AND, a minus negates, numbers are compared
  test('conditions of a search can be combined, negated and compared', async ({ shop: { stripe, clock } }) => {
    const now = Math.floor(clock.now() / 1000)
    const make = (name: string, plan: string) => stripe.customers.create({ name, metadata: { plan } })
    await make('Ann', 'a')
    await make('Bob', 'b')
    const found = async (query: string) =>
      (await stripe.customers.search({ query })).data.map(({ name }) => name).sort()
    expect(await found('name:"Ann" metadata["plan"]:"a"')).toEqual(['Ann'])
    expect(await found('name:"Ann" metadata["plan"]:"b"')).toEqual([])
    expect(await found('name:"ann" or name:"bob"')).toEqual(['Ann', 'Bob'])
    expect(await found('-name:"Ann" AND metadata["plan"]:"b"')).toEqual(['Bob'])
    expect(await found('-metadata["plan"]:null')).toEqual(['Ann', 'Bob'])
    expect(await found(`metadata["plan"]:"a" created>=${now}`)).toEqual(['Ann'])
    expect(await found(`metadata["plan"]:"a" created>${now}`)).toEqual([])
  })

  // Source: docs.stripe.com/search: quotes inside of values are escaped with a backslash
  test('a search finds a value that contains quotes', async ({ shop: { stripe } }) => {
    const { id } = await stripe.customers.create({ name: 'Ann "the shop" Lee' })
    expect((await stripe.customers.search({ query: 'name:"Ann \\"the shop\\" Lee"' })).data).toMatchObject([{ id }])
  })
})

describe('errors and idempotency keys in the sandbox behave as Stripe documents:', () => {
  // Source: docs.stripe.com/error-codes, parameter_invalid_empty, parameter_invalid_integer, parameter_missing, url_invalid
  test('the error code of an invalid value depends on the kind of mistake', async ({
    shop: { stripe, customer, product },
  }) => {
    expect(await refusal(stripe.products.create({ name: '' }))).toMatchObject({
      code: 'parameter_invalid_empty',
      param: 'name',
    })
    const many = 'many' as unknown as number
    expect(await refusal(stripe.invoiceItems.create({ customer, amount: many, currency: 'usd' }))).toMatchObject({
      code: 'parameter_invalid_integer',
      param: 'amount',
    })
    expect(await refusal(stripe.prices.create({ product, unit_amount: 5 } as never))).toMatchObject({
      code: 'parameter_missing',
      param: 'currency',
    })
    expect(await refusal(stripe.webhookEndpoints.create({ url: 'shop', enabled_events: ['*'] }))).toMatchObject({
      code: 'url_invalid',
      param: 'url',
    })
  })

  // Source: docs.stripe.com/error-codes, amount_too_large (“up to eight digits”)
  test('a payment of more than eight digits is refused', async ({ shop: { stripe } }) => {
    const pay = (amount: number) => stripe.paymentIntents.create({ amount, currency: 'usd' })
    expect(await refusal(pay(100_000_000))).toMatchObject({ code: 'amount_too_large', param: 'amount' })
    expect(await pay(99_999_999)).toMatchObject({ status: 'requires_payment_method' })
  })

  // Source: docs.stripe.com/api/errors: `doc_url`, `request_log_url`; types, StripeError.requestId
  test('an error contains its request id and links to its documentation', async ({ shop: { stripe } }) => {
    const error: unknown = await stripe.products.retrieve('none').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      doc_url: 'https://stripe.com/docs/error-codes/resource-missing',
      requestId: expect.stringMatching(/^req_/) as string,
    })
  })

  // Source: docs.stripe.com/api/idempotent_requests: keys identify POST requests of an account
  test('an idempotency key applies to one account, and is ignored for reads', async ({ shop }) => {
    const { stripe, product } = shop
    const options = { idempotencyKey: 'same' }
    const first = await stripe.products.create({ name: 'A' }, options)
    const second = await clientOf(shop, 'sk_test_other').products.create({ name: 'A' }, options)
    expect(second.id).not.toBe(first.id)
    expect(await stripe.products.retrieve(product, {}, options)).toMatchObject({ id: product })
    const again = await stripe.products.create({ name: 'A' }, options)
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true')
  })

  // Source: types, MetadataParam (“individual keys can be unset”); docs.stripe.com/metadata (“square brackets can’t be included in keys”)
  test('a metadata key with square brackets is refused', async ({ shop: { stripe } }) => {
    expect(await refusal(stripe.customers.create({ metadata: { 'a[b]': '1' } }))).toMatchObject({ status: 400 })
  })
})
