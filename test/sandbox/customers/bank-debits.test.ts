// A checkout that is paid by bank debit: complete at once, and paid or unpaid once the debit succeeds or fails.
import type Stripe from 'stripe'
import { expect } from 'vitest'
import { sandboxTest as test, type TestSandbox } from '../../support/sandbox.ts'

async function session(
  { stripe }: TestSandbox,
  more: Partial<Stripe.Checkout.SessionCreateParams> = {},
  currency = 'eur',
): Promise<Stripe.Checkout.Session> {
  const product = await stripe.products.create({ name: 'Book' })
  const price = await stripe.prices.create({ product: product.id, currency, unit_amount: 1500 })
  return stripe.checkout.sessions.create({
    ...{ mode: 'payment', success_url: 'https://a.example', line_items: [{ price: price.id, quantity: 2 }] },
    ...{ allowed_payment_method_types: ['sepa_debit'], ...more },
  })
}

const pay = (url: string | null, iban: string): Promise<Response> =>
  fetch(url ?? '', {
    method: 'POST',
    body: new URLSearchParams({ action: 'pay', email: 'a@a.example', iban }),
    redirect: 'manual',
  })

async function types({ stripe }: TestSandbox): Promise<string[]> {
  return (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type).toReversed()
}

test('a checkout session paid by bank debit is complete and unpaid until the debit succeeds', async ({ sandbox }) => {
  const { stripe, clock } = sandbox
  const made = await session(sandbox)
  expect(made.payment_method_types).toEqual(['sepa_debit'])
  const before = (await types(sandbox)).length
  expect((await pay(made.url, 'AT32 1904 3002 3547 3204')).status).toBe(303)
  const waiting = await stripe.checkout.sessions.retrieve(made.id, { expand: ['payment_intent.latest_charge'] })
  expect(waiting).toMatchObject({
    ...{ status: 'complete', payment_status: 'unpaid' },
    payment_intent: {
      ...{ status: 'processing', amount: 3000, amount_received: 0 },
      latest_charge: { status: 'pending', paid: false, payment_method_details: { type: 'sepa_debit' } },
    },
  })
  expect((await types(sandbox)).slice(before)).toEqual([
    ...['payment_intent.created', 'charge.pending', 'payment_intent.processing', 'checkout.session.completed'],
  ])
  clock.advance(179_000)
  expect((await types(sandbox)).slice(before)).toHaveLength(4)
  clock.advance(1000)
  expect((await types(sandbox)).slice(before + 4)).toEqual([
    ...['charge.succeeded', 'payment_intent.succeeded', 'checkout.session.async_payment_succeeded'],
  ])
  expect((await stripe.checkout.sessions.retrieve(made.id)).payment_status).toBe('paid')
  const [event] = (await stripe.events.list({ type: 'checkout.session.async_payment_succeeded' })).data
  expect(event?.data).toMatchObject({
    object: { id: made.id, payment_status: 'paid' },
    previous_attributes: { payment_status: 'unpaid' },
  })
})

test('a failed bank debit leaves the checkout session unpaid', async ({ sandbox }) => {
  const { stripe } = sandbox
  const made = await session(sandbox)
  const before = (await types(sandbox)).length
  await pay(made.url, 'IT60X0542811101000000123456')
  const over = await stripe.checkout.sessions.retrieve(made.id, { expand: ['payment_intent.latest_charge'] })
  expect(over).toMatchObject({
    ...{ status: 'complete', payment_status: 'unpaid' },
    payment_intent: {
      ...{ status: 'requires_payment_method', amount_received: 0 },
      latest_charge: { status: 'failed', amount_captured: 0 },
    },
  })
  expect((await types(sandbox)).slice(before + 4)).toEqual([
    ...['charge.failed', 'payment_intent.payment_failed', 'checkout.session.async_payment_failed'],
  ])
})

test('a pending bank debit can be neither confirmed again nor cancelled', async ({ sandbox }) => {
  const { stripe } = sandbox
  const method = await stripe.paymentMethods.create({
    ...{ type: 'sepa_debit', sepa_debit: { iban: 'AT321904300235473204' } },
    billing_details: { name: 'Bob', email: 'bob@a.example' },
  })
  expect(method.sepa_debit).toMatchObject({ bank_code: '19043', branch_code: '', country: 'AT', last4: '3204' })
  const intent = await stripe.paymentIntents.create({
    ...{ amount: 1000, currency: 'eur', payment_method: method.id, allowed_payment_method_types: ['sepa_debit'] },
  })
  await expect(stripe.paymentIntents.confirm(intent.id)).rejects.toThrow('Missing required param: mandate_data.')
  const mandate = { customer_acceptance: { type: 'offline', offline: {} } } as const
  expect((await stripe.paymentIntents.confirm(intent.id, { mandate_data: mandate })).status).toBe('processing')
  for (const refused of [
    stripe.paymentIntents.cancel(intent.id),
    stripe.paymentIntents.confirm(intent.id, { mandate_data: mandate }),
  ])
    await expect(refused).rejects.toMatchObject({ code: 'payment_intent_unexpected_state' })
})

test('an unsupported use of bank debits is refused with a message that names the unsupported parameter', async ({
  sandbox,
}) => {
  const { stripe } = sandbox
  const holder = { name: 'Bob', email: 'bob@a.example' }
  const unknown = { type: 'sepa_debit', sepa_debit: { iban: 'FR1420041010050500013M02606' } } as const
  await expect(stripe.paymentMethods.create({ ...unknown, billing_details: holder })).rejects.toThrow(
    'The sandbox does not support an IBAN that is not one of its test accounts.',
  )
  await expect(stripe.paymentMethods.create({ ...unknown })).rejects.toThrow(
    'Missing required param: billing_details[name].',
  )
  const known = await stripe.paymentMethods.create({
    ...{ type: 'sepa_debit', sepa_debit: { iban: 'DE89370400440532013000' }, billing_details: holder },
  })
  const { id: customer } = await stripe.customers.create()
  await expect(stripe.paymentMethods.attach(known.id, { customer })).rejects.toThrow(
    'The sandbox does not support bank accounts that a customer keeps.',
  )
  await expect(
    stripe.paymentIntents.create({ amount: 1000, currency: 'eur', confirm: true, payment_method: known.id }),
  ).rejects.toThrow(/^The PaymentMethod provided \(sepa_debit\) is not allowed for this PaymentIntent/)
  const keeping = { mode: 'setup', currency: 'eur', success_url: 'https://a.example' } as const
  await expect(
    stripe.checkout.sessions.create({ ...keeping, allowed_payment_method_types: ['sepa_debit'] }),
  ).rejects.toThrow('The sandbox does not support bank debits in `setup` mode.')
  await expect(session(sandbox, {}, 'usd')).rejects.toThrow(
    'None of the allowed payment method types (sepa_debit) can be used with `usd`.',
  )
  await expect(session(sandbox, { allowed_payment_method_types: ['ideal'] })).rejects.toThrow(
    'The sandbox does not support the value `ideal` of `allowed_payment_method_types[0]`.',
  )
})
