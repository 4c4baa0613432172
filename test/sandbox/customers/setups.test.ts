import { describe, expect } from 'vitest'
import type Stripe from 'stripe'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { sandboxForTest, sandboxTest as test } from '../../support/sandbox.ts'

async function pay(url: string | null, number: string) {
  const body = new URLSearchParams({ action: 'pay', email: 'ada@example.com', number })
  return fetch(url ?? '', { method: 'POST', body, redirect: 'manual' })
}

async function typesOf(stripe: Stripe): Promise<string[]> {
  return (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type)
}

describe('a setup intent of the sandbox', () => {
  test('saves a card for a customer without making the card the default', async ({ sandbox: { stripe } }) => {
    const { id: customer } = await stripe.customers.create()
    const made = await stripe.setupIntents.create({ customer, description: 'Later' })
    expect(made).toMatchObject({ status: 'requires_payment_method', usage: 'off_session', payment_method: null })
    expect(await refusal(stripe.setupIntents.confirm(made.id))).toMatchObject({
      code: 'setup_intent_unexpected_state',
    })
    const done = await stripe.setupIntents.confirm(made.id, { payment_method: 'pm_card_visa' })
    expect(done).toMatchObject({ status: 'succeeded', customer, description: 'Later' })
    expect(await stripe.paymentMethods.retrieve(done.payment_method as string)).toMatchObject({ customer })
    expect(await stripe.customers.retrieve(customer)).toMatchObject({
      invoice_settings: { default_payment_method: null },
    })
    expect(await typesOf(stripe)).toEqual(
      expect.arrayContaining(['setup_intent.created', 'setup_intent.succeeded', 'payment_method.attached']),
    )
    expect(await refusal(stripe.setupIntents.cancel(made.id))).toMatchObject({
      message: 'You cannot cancel this SetupIntent because it has a status of succeeded.',
    })
    expect((await stripe.setupIntents.list({ customer })).data.map(({ id }) => id)).toEqual([made.id])
  })

  test('can be updated and cancelled', async ({ sandbox: { stripe } }) => {
    const made = await stripe.setupIntents.create({ payment_method: 'pm_card_visa', usage: 'on_session' })
    expect(made).toMatchObject({ status: 'requires_confirmation', usage: 'on_session' })
    expect(await stripe.setupIntents.update(made.id, { metadata: { a: 'b' } })).toMatchObject({ metadata: { a: 'b' } })
    expect(await stripe.setupIntents.cancel(made.id, { cancellation_reason: 'abandoned' })).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'abandoned',
    })
    expect(await stripe.setupIntents.retrieve(made.id)).toMatchObject({ status: 'canceled' })
  })

  test('fails with a card that cannot be saved, and succeeds with a card whose later payments are declined', async () => {
    const { stripe } = await sandboxForTest()
    const { id: customer } = await stripe.customers.create()
    const confirmed = (payment_method: string) =>
      stripe.setupIntents.create({ customer, payment_method, confirm: true })
    expect(await refusal(confirmed('pm_card_chargeDeclined'))).toMatchObject({ status: 402, code: 'card_declined' })
    expect((await stripe.setupIntents.list()).data[0]).toMatchObject({
      status: 'requires_payment_method',
      last_setup_error: { code: 'card_declined' },
    })
    expect(await typesOf(stripe)).toContain('setup_intent.setup_failed')
    expect(await confirmed('pm_card_chargeCustomerFail')).toMatchObject({ status: 'succeeded' })
    expect((await stripe.paymentMethods.list({ customer })).data).toHaveLength(1)
  })
})

describe('a card that was set up without a customer', () => {
  test('can be attached to a customer later, but not again after it was detached', async ({ sandbox: { stripe } }) => {
    const { id: customer } = await stripe.customers.create()
    const done = await stripe.setupIntents.create({ payment_method: 'pm_card_visa', confirm: true })
    const card = done.payment_method as string
    expect(await stripe.paymentMethods.attach(card, { customer })).toMatchObject({ customer })
    await stripe.paymentMethods.detach(card)
    const again = stripe.setupIntents.create({ customer, payment_method: card, confirm: true })
    expect((await refusal(again)).message).toContain('may not be used again')
    const session = await stripe.checkout.sessions.create({
      ...{ mode: 'setup', currency: 'usd', success_url: 'http://127.0.0.1:9/done' },
    })
    await pay(session.url, '4242424242424242')
    const intent = await stripe.setupIntents.retrieve(session.setup_intent as string)
    expect(await stripe.paymentMethods.attach(intent.payment_method as string, { customer })).toMatchObject({
      customer,
    })
  })
})

describe('a checkout session in setup mode', () => {
  const urls = { success_url: 'http://127.0.0.1:9/done', cancel_url: 'http://127.0.0.1:9/back' }

  test('attaches the card to the customer without a payment', async ({ sandbox: { stripe } }) => {
    const { id: customer } = await stripe.customers.create()
    const session = await stripe.checkout.sessions.create({
      ...urls,
      mode: 'setup',
      currency: 'usd',
      customer,
      setup_intent_data: { description: 'For later', metadata: { of: 'ours' } },
    })
    expect(session).toMatchObject({
      mode: 'setup',
      amount_total: null,
      amount_subtotal: null,
      payment_status: 'no_payment_required',
      status: 'open',
    })
    const intent = session.setup_intent as string
    expect(await stripe.setupIntents.retrieve(intent)).toMatchObject({
      status: 'requires_payment_method',
      customer,
      description: 'For later',
      metadata: { of: 'ours' },
    })
    expect(await refusal(stripe.setupIntents.cancel(intent))).toMatchObject({ status: 400 })
    expect((await (await fetch(session.url ?? '')).text()).includes('Save card')).toBe(true)
    expect((await pay(session.url, '4000000000000002')).status).toBe(402)
    expect((await pay(session.url, '4242424242424242')).status).toBe(303)
    const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['setup_intent'] })
    expect(done).toMatchObject({ status: 'complete', setup_intent: { status: 'succeeded', customer } })
    expect((await stripe.paymentMethods.list({ customer })).data).toHaveLength(1)
    expect(await stripe.customers.retrieve(customer)).toMatchObject({
      invoice_settings: { default_payment_method: null },
    })
    expect((await stripe.subscriptions.list({ customer })).data).toEqual([])
    expect((await stripe.paymentIntents.list()).data).toEqual([])
    expect(await typesOf(stripe)).toEqual(
      expect.arrayContaining(['checkout.session.completed', 'setup_intent.succeeded']),
    )
  })

  test('creates a customer only on request, and cancels its setup intent when the session expires', async ({
    sandbox,
  }) => {
    const { stripe } = sandbox
    const create = (params: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
      stripe.checkout.sessions.create({ ...urls, mode: 'setup', currency: 'eur', ...params })
    const without = await create()
    await pay(without.url, '4242424242424242')
    expect(await stripe.checkout.sessions.retrieve(without.id)).toMatchObject({ status: 'complete', customer: null })
    const always = await create({ customer_creation: 'always' })
    await pay(always.url, '4242424242424242')
    const { customer } = await stripe.checkout.sessions.retrieve(always.id)
    expect((await stripe.paymentMethods.list({ customer: customer as string })).data).toHaveLength(1)
    const expired = await create()
    await stripe.checkout.sessions.expire(expired.id)
    expect((await stripe.setupIntents.retrieve(expired.setup_intent as string)).status).toBe('canceled')
  })

  test.each([
    ['items', { line_items: [{ price: 'price_none', quantity: 1 }] }, 'line_items'],
    ['discounts', { allow_promotion_codes: true }, 'allow_promotion_codes'],
    ['a plan', { subscription_data: { trial_period_days: 3 } }, 'subscription_data'],
  ] as const)('refuses %s', async (_title, params, name) => {
    const { stripe } = await sandboxForTest()
    const wanted = { ...urls, mode: 'setup', currency: 'usd', ...params } as Stripe.Checkout.SessionCreateParams
    expect(await refusal(stripe.checkout.sessions.create(wanted))).toMatchObject({ param: name })
  })

  test('requires a currency', async ({ sandbox: { stripe } }) => {
    expect(await refusal(stripe.checkout.sessions.create({ ...urls, mode: 'setup' }))).toMatchObject({
      code: 'parameter_missing',
      param: 'currency',
    })
  })
})
