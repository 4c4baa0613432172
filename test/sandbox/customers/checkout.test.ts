import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { sandboxForTest } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, customerTest as test, day, firstItem, meteredPrice, type CustomerShop } from './customer-shop.ts'

const urls = {
  success_url: 'http://127.0.0.1:9/done?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://127.0.0.1:9/back',
}

async function session(shop: CustomerShop, params: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  const price = await shop.monthly(1200)
  const line_items = [{ price: price.id, quantity: 2 }]
  return shop.stripe.checkout.sessions.create({ mode: 'subscription', line_items, ...urls, ...params })
}

async function submit(url: string | null, fields: Record<string, string>) {
  const body = new URLSearchParams({
    action: 'pay',
    email: 'buyer@example.test',
    number: '4242 4242 4242 4242',
    ...fields,
  })
  const reply = await fetch(url ?? '', { method: 'POST', body, redirect: 'manual' })
  return { status: reply.status, location: reply.headers.get('location'), text: await reply.text() }
}

async function pageOf(url: string | null) {
  const reply = await fetch(url ?? '')
  return { status: reply.status, text: await reply.text(), headers: reply.headers }
}

describe('checkout of the sandbox:', () => {
  test('a session that is paid on its page creates a subscription', async ({ shop }) => {
    const { stripe } = shop
    const data = { metadata: { tenant: 't' }, trial_period_days: 7 }
    const open = await session(shop, { metadata: { order: '1' }, client_reference_id: 'ref', subscription_data: data })
    expect(open).toMatchObject({
      status: 'open',
      payment_status: 'unpaid',
      metadata: { order: '1' },
      amount_total: 0,
      subscription: null,
    })
    const page = await pageOf(open.url)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('7 days free')
    const paid = await submit(open.url, {})
    expect(paid).toMatchObject({ status: 303, location: `http://127.0.0.1:9/done?session=${open.id}` })
    const done = await stripe.checkout.sessions.retrieve(open.id, {
      expand: ['subscription', 'line_items.data.price.product', 'customer'],
    })
    expect(done).toMatchObject({
      status: 'complete',
      payment_status: 'no_payment_required',
      url: null,
      client_reference_id: 'ref',
      customer: { email: 'buyer@example.test' },
      subscription: { status: 'trialing', metadata: { tenant: 't' }, trial_end: done.created + 7 * day },
      line_items: { data: [{ quantity: 2, price: { product: { name: 'P' } } }] },
    })
    expect((await stripe.events.list({ type: 'checkout.session.completed' })).data[0]?.data.object).toMatchObject({
      id: open.id,
    })
    expect((await pageOf(open.url)).text).toContain('This checkout is complete')
    expect((await stripe.checkout.sessions.listLineItems(open.id)).data).toMatchObject([
      { quantity: 2, description: 'P' },
    ])
  })

  test('the page shows formatted amounts (e.g. ¥3,000) and a cancel link to `cancel_url`', async ({ shop }) => {
    const yen = await shop.monthly(1500, { currency: 'jpy', recurring: { interval: 'year' } })
    const open = await session(shop, { line_items: [{ price: yen.id, quantity: 2 }] })
    const { text } = await pageOf(open.url)
    expect(text).toContain('¥3,000')
    expect(text).toContain('per year')
    expect(text).toContain('href="http://127.0.0.1:9/back"')
    expect(text).not.toContain('Promotion code')
  })

  test('product names are escaped as HTML on the page', async ({ shop }) => {
    const product = await shop.stripe.products.create({ name: '<script>alert(1)</script> & "co"' })
    const price = await shop.monthly(100, { product: product.id })
    const { text } = await pageOf((await session(shop, { line_items: [{ price: price.id, quantity: 1 }] })).url)
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;co&quot;')
    expect(text).not.toContain('<script>')
  })

  test('a declined card leaves the session open and creates no subscription or charge', async ({ shop }) => {
    const { stripe } = shop
    const open = await session(shop)
    for (const number of ['4000000000000002', '4000000000000341']) {
      const declined = await submit(open.url, { number })
      expect(declined).toMatchObject({ status: 402, location: null })
      expect(declined.text).toContain('Your card was declined.')
    }
    expect((await submit(open.url, { number: '1234' })).text).toContain('Your card number is invalid')
    expect((await stripe.checkout.sessions.retrieve(open.id)).status).toBe('open')
    expect((await stripe.subscriptions.list({ status: 'all' })).data).toEqual([])
    expect((await stripe.customers.list()).data).toHaveLength(1)
    expect((await submit(open.url, {})).status).toBe(303)
    expect((await stripe.checkout.sessions.retrieve(open.id)).payment_status).toBe('paid')
  })

  test('a promotion code is shown on the page, applied and counted as redeemed', async ({ shop }) => {
    const { stripe } = shop
    const coupon = await stripe.coupons.create({ percent_off: 25, duration: 'forever' })
    const code = await stripe.promotionCodes.create({
      promotion: { type: 'coupon', coupon: coupon.id },
      code: 'QUARTER',
    })
    const open = await session(shop, { allow_promotion_codes: true })
    expect((await pageOf(open.url)).text).toContain('Promotion code')
    expect((await submit(open.url, { action: 'apply', code: 'nope' })).text).toContain('This code is invalid.')
    const applied = await submit(open.url, { action: 'apply', code: 'quarter' })
    expect(applied.text).toContain('-$6.00')
    expect(applied.text).toContain('$18.00')
    await submit(open.url, { code: 'quarter' })
    const done = await stripe.checkout.sessions.retrieve(open.id, { expand: ['invoice'] })
    expect(done).toMatchObject({
      amount_subtotal: 2400,
      amount_total: 1800,
      discounts: [{ promotion_code: code.id }],
      invoice: { total: 1800 },
    })
    expect((await stripe.promotionCodes.retrieve(code.id)).times_redeemed).toBe(1)
  })

  test('a one-time price is sold with a single payment', async ({ shop }) => {
    const { stripe, customer } = shop
    const price = await shop.price({ unit_amount: 4900 })
    const line_items = [{ price: price.id, quantity: 1 }]
    const open = await session(shop, {
      mode: 'payment',
      line_items,
      customer,
      payment_intent_data: { metadata: { a: 'b' } },
    })
    await submit(open.url, {})
    const done = await stripe.checkout.sessions.retrieve(open.id)
    expect(done).toMatchObject({ status: 'complete', payment_status: 'paid', customer, subscription: null })
    const payment = await stripe.paymentIntents.retrieve(done.payment_intent as string)
    expect(payment).toMatchObject({ status: 'succeeded', amount: 4900, customer, metadata: { a: 'b' } })
  })

  test('a code that reduces the amount below the minimum charge is refused, and a subscription’s invoice below the minimum is not charged', async () => {
    const shop = await customerShop()
    const { stripe } = shop
    const coupon = await stripe.coupons.create({ percent_off: 99, duration: 'forever' })
    await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: coupon.id }, code: 'NEARLY' })
    const line_items = [{ price: (await shop.price({ unit_amount: 2400 })).id, quantity: 1 }]
    const once = await session(shop, { mode: 'payment', line_items, allow_promotion_codes: true })
    for (const action of ['apply', 'pay'])
      expect((await submit(once.url, { action, code: 'nearly' })).text).toContain('must add up to at least')
    expect((await stripe.checkout.sessions.retrieve(once.id)).status).toBe('open')
    const monthly = await session(shop, { allow_promotion_codes: true })
    await submit(monthly.url, { code: 'nearly' })
    const done = await stripe.checkout.sessions.retrieve(monthly.id, { expand: ['invoice'] })
    expect(done).toMatchObject({ payment_status: 'no_payment_required', invoice: { amount_due: 0, total: 24 } })
  })

  test('a metered price, a one-time fee and a free plan can be bought', async ({ shop }) => {
    const { stripe } = shop
    const [metered, fee, free] = [await meteredPrice(shop), await shop.price(), await shop.monthly(0)]
    const mixed = await session(shop, { line_items: [{ price: metered.id }, { price: fee.id, quantity: 1 }] })
    expect(mixed.amount_total).toBe(1000)
    await submit(mixed.url, {})
    const paid = await stripe.checkout.sessions.retrieve(mixed.id, { expand: ['subscription', 'invoice'] })
    expect(paid).toMatchObject({
      invoice: { total: 1000 },
      subscription: { items: { data: [{ price: { id: metered.id } }] } },
    })
    const nothing = await session(shop, {
      line_items: [{ price: free.id, quantity: 1 }],
      payment_method_collection: 'if_required',
    })
    expect((await pageOf(nothing.url)).text).not.toContain('Card number')
    expect((await submit(nothing.url, { number: '' })).status).toBe(303)
  })

  test('a session with prices of two billing intervals is refused, although a subscription accepts such prices', async ({
    shop,
  }) => {
    const { stripe } = shop
    const [yearly, metered] = [
      await shop.price({ unit_amount: 12_000, recurring: { interval: 'year' } }),
      await meteredPrice(shop),
    ]
    const line_items = [{ price: yearly.id, quantity: 1 }, { price: metered.id }]
    expect(await refusal(session(shop, { line_items }))).toMatchObject({
      status: 400,
      message: 'Checkout does not support multiple prices with different billing intervals.',
    })
    const made = await stripe.subscriptions.create({ customer: shop.customer, items: line_items, trial_period_days: 7 })
    expect(made.items.data).toHaveLength(2)
  })

  test('sessions expire at their expiry time or on request', async ({ shop }) => {
    const { stripe, control, apiKey } = shop
    const [told, left] = [await session(shop), await session(shop)]
    expect(await stripe.checkout.sessions.expire(told.id)).toMatchObject({ status: 'expired', url: null })
    expect(await refusal(stripe.checkout.sessions.expire(told.id))).toMatchObject({ status: 400 })
    expect((await submit(told.url, {})).status).toBe(410)
    control.advance(25 * 3600, apiKey)
    expect((await stripe.checkout.sessions.list({ status: 'expired' })).data.map((one) => one.id)).toEqual([
      left.id,
      told.id,
    ])
    expect((await stripe.events.list({ type: 'checkout.session.expired' })).data).toHaveLength(2)
    expect((await pageOf(told.url?.replace('cs_test_', 'cs_test_x') ?? '')).status).toBe(404)
  })

  test.each([
    [
      'codes and discounts together',
      { allow_promotion_codes: true, discounts: [{ coupon: 'c' }] },
      'You may only specify one of these parameters: allow_promotion_codes, discounts.',
    ],
    [
      'a customer and an address',
      { customer: 'cus_1', customer_email: 'a@example.test' },
      'You may only specify one of these parameters: customer, customer_email.',
    ],
    [
      'payment mode for a subscription',
      { mode: 'payment' },
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
    ],
    [
      'a trial of 0 days',
      { subscription_data: { trial_period_days: 0 } },
      'This value must be greater than or equal to 1.',
    ],
    [
      'an expiry that is too soon',
      { expires_at: 1 },
      'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.',
    ],
    ['a URL that is not http or https', { success_url: 'javascript:alert(1)' }, 'Not a valid URL'],
  ] as const)('an invalid request for a session is refused: %s', async (_title, params, message) => {
    const shop = await customerShop()
    expect(await refusal(session(shop, params as Partial<Stripe.Checkout.SessionCreateParams>))).toMatchObject({
      message,
    })
  })
})

describe('customer portal of the sandbox:', () => {
  test('a customer sees the subscriptions, cancels one for the end of the period, and revokes the cancellation', async ({
    shop,
  }) => {
    const { stripe, customer, monthly, subscribed } = shop
    const made = await subscribed(await monthly(1200))
    await stripe.billingPortal.configurations.create({ features: { subscription_cancel: { enabled: true } } })
    const portal = await stripe.billingPortal.sessions.create({ customer, return_url: 'http://127.0.0.1:9/account' })
    const { text } = await pageOf(portal.url)
    expect(text).toContain('$12.00 per month')
    expect(text).toContain('href="http://127.0.0.1:9/account"')
    const cancelled = await submit(portal.url, { action: 'cancel', subscription: made.id })
    expect(cancelled.text).toContain('Ends on ')
    expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({
      cancel_at: firstItem(made).current_period_end,
      status: 'active',
    })
    await submit(portal.url, { action: 'resume', subscription: made.id })
    expect((await stripe.subscriptions.retrieve(made.id)).cancel_at_period_end).toBe(false)
  })

  test('a portal session shows and changes its own customer’s subscriptions only', async ({ shop }) => {
    const { stripe, monthly, subscribed } = shop
    const made = await subscribed(await monthly(1200))
    const { id: other } = await stripe.customers.create()
    await stripe.billingPortal.configurations.create({ features: { subscription_cancel: { enabled: true } } })
    const portal = await stripe.billingPortal.sessions.create({ customer: other })
    expect((await submit(portal.url, { action: 'cancel', subscription: made.id })).text).toContain(
      'No such subscription',
    )
    expect((await stripe.subscriptions.retrieve(made.id)).cancel_at_period_end).toBe(false)
  })

  test('a portal session is refused until the portal settings of the account are saved', async ({
    shop: { stripe, customer },
  }) => {
    expect(await refusal(stripe.billingPortal.sessions.create({ customer }))).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message:
        'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.',
    })
    const { configurations, sessions } = stripe.billingPortal
    const first = await configurations.create({
      business_profile: { headline: 'Ours' },
      default_return_url: 'http://127.0.0.1:9/home',
      features: { invoice_history: { enabled: true } },
    })
    const second = await configurations.create({ features: { subscription_cancel: { enabled: true } } })
    expect([first.is_default, second.is_default]).toEqual([true, false])
    expect((await sessions.create({ customer })).configuration).toBe(first.id)
    expect((await sessions.create({ customer, configuration: second.id })).configuration).toBe(second.id)
    await configurations.update(second.id, { active: false, name: 'Old' })
    expect((await configurations.list({ active: false })).data.map(({ id }) => id)).toEqual([second.id])
    expect((await configurations.list({ is_default: true })).data.map(({ id }) => id)).toEqual([first.id])
    expect(await configurations.retrieve(second.id)).toMatchObject({ active: false, name: 'Old' })
    await expect(sessions.create({ customer, configuration: second.id })).rejects.toMatchObject({ statusCode: 400 })
    await expect(sessions.create({ customer, configuration: 'bpc_none' })).rejects.toMatchObject({
      code: 'resource_missing',
      param: 'configuration',
    })
  })

  test('a portal session offers only the actions that its configuration enables', async ({ shop }) => {
    const { stripe, customer, monthly, subscribed } = shop
    const made = await subscribed(await monthly(1200))
    const settings = await stripe.billingPortal.configurations.create({
      default_return_url: 'http://127.0.0.1:9/home',
      features: { invoice_history: { enabled: true } },
    })
    const { url } = await stripe.billingPortal.sessions.create({ customer })
    const { text } = await pageOf(url)
    expect(text).toContain('href="http://127.0.0.1:9/home"')
    expect(text).not.toContain('value="cancel"')
    expect((await submit(url, { action: 'cancel', subscription: made.id })).text).toContain('cannot be cancelled here')
    await stripe.billingPortal.configurations.update(settings.id, {
      features: { subscription_cancel: { enabled: true, mode: 'immediately' } },
    })
    await submit(url, { action: 'cancel', subscription: made.id })
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe('canceled')
  })

  test('an account with saved portal settings needs no separate configuration', async () => {
    const { stripe } = await sandboxForTest({ portalSavedFor: ['sk_test_sandbox'] })
    const { id: customer } = await stripe.customers.create()
    const { configuration } = await stripe.billingPortal.sessions.create({ customer })
    expect(await stripe.billingPortal.configurations.retrieve(configuration as string)).toMatchObject({
      is_default: true,
      features: { subscription_cancel: { enabled: true, mode: 'at_period_end' } },
    })
    expect((await stripe.billingPortal.sessions.create({ customer })).configuration).toBe(configuration)
  })
})

describe('the payment page API that Stripe’s own command-line tools call:', () => {
  async function paymentPage() {
    const shop = await customerShop()
    const { stripe } = shop
    const price = await stripe.prices.create({ currency: 'usd', unit_amount: 1500, product_data: { name: 'Thing' } })
    const shipping = { name: 'Buyer', address: { line1: '1 Street' } }
    const open = await stripe.checkout.sessions.create({
      ...{ mode: 'payment', line_items: [{ price: price.id, quantity: 2 }], ...urls },
      payment_intent_data: { shipping },
    })
    const card = async (token: string) =>
      (
        await stripe.paymentMethods.create({
          ...{ type: 'card', card: { token } },
          billing_details: { email: 'buyer@example.test' },
        })
      ).id
    const read = (id: string) => stripe.rawRequest('GET', `/v1/payment_pages/${id}`)
    const confirm = (id: string, params: Record<string, unknown>) =>
      stripe.rawRequest('POST', `/v1/payment_pages/${id}/confirm`, params)
    return { shop, open, card, read, confirm }
  }

  test('a card pays the session, as on the hosted page', async () => {
    const { shop, open, card, read, confirm } = await paymentPage()
    const page = await read(open.id)
    expect(page).toMatchObject({
      ...{ id: expect.stringMatching(/^ppage_/) as unknown, object: 'checkout.session', session_id: open.id },
      ...{ status: 'open', payment_status: 'unpaid', mode: 'payment', currency: 'usd', livemode: false },
      total_summary: { due: 3000, subtotal: 3000, total: 3000 },
    })
    const { id } = page as unknown as { readonly id: string }
    expect(await read(id)).toMatchObject({ id, session_id: open.id })
    const paid = await confirm(id, { payment_method: await card('tok_visa'), expected_amount: 3000 })
    expect(paid).toMatchObject({ id, status: 'complete', payment_status: 'paid', total_summary: { due: 0 } })
    const done = await shop.stripe.checkout.sessions.retrieve(open.id, { expand: ['payment_intent.latest_charge'] })
    const shipping = { name: 'Buyer', address: { line1: '1 Street', country: null }, carrier: null }
    expect(done).toMatchObject({
      ...{ status: 'complete', customer_details: { email: 'buyer@example.test' } },
      payment_intent: { amount_received: 3000, shipping, latest_charge: { paid: true, shipping } },
    })
  })

  test('a session that cannot be paid is refused, and stays unchanged', async () => {
    const { shop, open, card, read, confirm } = await paymentPage()
    const good = await card('tok_visa')
    for (const [params, error] of [
      [
        { payment_method: good, expected_amount: 2999 },
        { statusCode: 400, code: 'checkout_amount_mismatch', param: 'expected_amount' },
      ],
      [{ payment_method: 'pm_none' }, { statusCode: 400, code: 'resource_missing', param: 'payment_method' }],
      [{ expected_amount: 3000 }, { statusCode: 400, code: 'parameter_missing', param: 'payment_method' }],
      [{ payment_method: await card('tok_chargeDeclined') }, { statusCode: 402, code: 'card_declined' }],
      [
        { payment_method: good, return_url: 'https://a.example' },
        { statusCode: 400, message: 'The sandbox does not support the parameter `return_url`.' },
      ],
    ] as const) {
      await expect(confirm(open.id, params)).rejects.toMatchObject(error)
    }
    expect((await shop.stripe.checkout.sessions.retrieve(open.id)).status).toBe('open')
    for (const id of ['cs_test_none', 'ppage_none']) {
      await expect(read(id)).rejects.toMatchObject({ statusCode: 404, code: 'resource_missing' })
    }
    await confirm(open.id, { payment_method: good })
    await expect(confirm(open.id, { payment_method: good })).rejects.toMatchObject({
      code: 'checkout_succeeded_session',
    })
    const { open: other, ...its } = await paymentPage()
    await its.shop.stripe.checkout.sessions.expire(other.id)
    await expect(its.confirm(other.id, { payment_method: await its.card('tok_visa') })).rejects.toMatchObject({
      code: 'checkout_not_active_session',
    })
  })

  test('after a payment, the subscription and the saved card belong to the customer', async () => {
    const { shop, card, confirm } = await paymentPage()
    const { stripe, customer } = shop
    const plan = await session(shop, { customer })
    const paying = await card('tok_visa')
    await confirm(plan.id, { payment_method: paying, expected_amount: 2400 })
    const done = await stripe.checkout.sessions.retrieve(plan.id, { expand: ['subscription'] })
    expect(done.subscription).toMatchObject({ status: 'active', default_payment_method: paying })
    const kept = await stripe.checkout.sessions.create({ mode: 'setup', currency: 'usd', customer, ...urls })
    await confirm(kept.id, { payment_method: paying, expected_amount: 0 })
    expect((await stripe.paymentMethods.retrieve(paying)).customer).toBe(customer)
  })
})
