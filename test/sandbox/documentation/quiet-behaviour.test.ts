// Behaviour of the real API that programs rely on without a request that names it: values that appear later, events, errors and versions.
import { describe, expect, test } from 'vitest'
import { clientOf, idOf, sandboxForTest } from '../../support/sandbox.ts'
import { contractVersion } from '../../support/stripe-contract.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop, firstItem, meteredPrice, utc } from '../customers/customer-shop.ts'

describe('the metadata of a schedule phase in the sandbox', () => {
  test('updates the subscription and its items when the phase begins, and an empty value removes a key', async () => {
    const start = utc('2026-01-01')
    const { stripe, customer, clockId, monthly } = await customerShop(start)
    const price = (await monthly(1000)).id
    const dear = (await monthly(3000)).id
    const schedule = await stripe.subscriptionSchedules.create({
      customer,
      start_date: start,
      phases: [
        {
          items: [{ price, metadata: { seats: 'few', kept: 'yes' } }],
          metadata: { tier: 'first', gone: 'x', kept: 'yes' },
          duration: { interval: 'month', interval_count: 1 },
        },
        {
          items: [{ price: dear, metadata: { seats: 'many' } }],
          metadata: { tier: 'second', gone: '' },
          duration: { interval: 'month', interval_count: 1 },
        },
      ],
    })
    const id = idOf(schedule.subscription)
    const first = await stripe.subscriptions.retrieve(id)
    expect(first.metadata).toEqual({ tier: 'first', gone: 'x', kept: 'yes' })
    expect(firstItem(first).metadata).toEqual({ seats: 'few', kept: 'yes' })
    await stripe.testHelpers.testClocks.advance(clockId, { frozen_time: utc('2026-02-02') })
    const second = await stripe.subscriptions.retrieve(id)
    expect(second.metadata).toEqual({ tier: 'second', kept: 'yes' })
    expect(firstItem(second).metadata).toEqual({ seats: 'many', kept: 'yes' })
    expect(second.items.data[0]?.price.id).toBe(dear)
  })
})

describe('an invoice in the sandbox', () => {
  test('has the billing reason `upcoming` while it is a preview', async () => {
    const { stripe, subscribed, monthly } = await customerShop()
    const subscription = (await subscribed(await monthly(1000))).id
    expect((await stripe.invoices.createPreview({ subscription })).billing_reason).toBe('upcoming')
  })

  test('causes the event `invoice_payment.paid` with its payment', async () => {
    const { stripe, subscribed, monthly, invoices } = await customerShop()
    await subscribed(await monthly(900))
    const { data } = await stripe.events.list({ type: 'invoice_payment.paid' })
    const [invoice] = await invoices()
    expect(data).toHaveLength(1)
    expect(data[0]?.data.object).toMatchObject({
      object: 'invoice_payment',
      amount_paid: 900,
      invoice: invoice?.id,
      status: 'paid',
    })
  })

  test('has the total zero if it is the first invoice of a classic subscription with metered prices only', async () => {
    const sandbox = await customerShop()
    const { subscribed, invoices } = sandbox
    const price = await meteredPrice(sandbox)
    const made = await subscribed(price, { billing_mode: { type: 'classic' } })
    expect((await invoices()).map(({ id, total, status }) => ({ id, total, status }))).toEqual([
      { id: made.latest_invoice, total: 0, status: 'paid' },
    ])
  })
})

describe('a declined payment in the sandbox', () => {
  test('returns an error that contains the payment intent and the charge', async () => {
    const { stripe } = await customerShop()
    const declined = stripe.paymentIntents.create({
      amount: 1000,
      currency: 'usd',
      payment_method: 'pm_card_chargeDeclined',
      confirm: true,
      return_url: 'https://shop.example/done',
    })
    const error = await declined.catch((thrown: unknown) => thrown)
    const [intent] = (await stripe.paymentIntents.list()).data
    expect(error).toMatchObject({
      statusCode: 402,
      payment_intent: { id: intent?.id, object: 'payment_intent', status: 'requires_payment_method' },
      charge: idOf(intent?.latest_charge),
      payment_method: { object: 'payment_method' },
    })
  })
})

describe('`clear_usage` in the sandbox', () => {
  test('is refused for a subscription in flexible billing mode, and accepted in classic mode', async () => {
    const sandbox = await customerShop()
    const { stripe, subscribed, monthly } = sandbox
    const metered = (await meteredPrice(sandbox)).id
    const base = await monthly(1000)
    const items = [{ price: base.id }, { price: metered }]
    const flexible = await subscribed(base, { items, billing_mode: { type: 'flexible' } })
    const used = (of: typeof flexible): string => of.items.data.find(({ price }) => price.id === metered)?.id ?? ''
    expect(await refusal(stripe.subscriptionItems.del(used(flexible), { clear_usage: true }))).toMatchObject({
      status: 400,
      param: 'clear_usage',
    })
    const update = { items: [{ id: used(flexible), deleted: true, clear_usage: true }] }
    expect(await refusal(stripe.subscriptions.update(flexible.id, update))).toMatchObject({ status: 400 })
    const classic = await subscribed(base, { items, billing_mode: { type: 'classic' } })
    expect(await stripe.subscriptionItems.del(used(classic), { clear_usage: true })).toMatchObject({ deleted: true })
  })
})

describe('an API key of the sandbox', () => {
  test('can be a restricted test key', async () => {
    const sandbox = await customerShop()
    const { data } = await clientOf(sandbox, 'rk_test_sandbox').products.list()
    expect(data).toEqual([])
    expect(await refusal(clientOf(sandbox, 'rk_live_sandbox').products.list())).toMatchObject({ status: 401 })
  })
})

describe('an expanded payment in the sandbox', () => {
  test('is returned for a subscription, through its latest invoice and that invoice’s payments', async () => {
    const { stripe, subscribed, monthly } = await customerShop()
    const { id } = await subscribed(await monthly(1000))
    const { latest_invoice: invoice } = await stripe.subscriptions.retrieve(id, {
      expand: ['latest_invoice.payments'],
    })
    expect(invoice).toMatchObject({ payments: { data: [{ status: 'paid' }] } })
  })
})

describe('a request to the sandbox with a former API version', () => {
  test('gets a response in the sandbox’s own version, which the response header and one line of the log contain', async () => {
    const { url, apiKey, lines } = await sandboxForTest()
    const versionOf = async (version?: string) => {
      const headers = {
        authorization: `Bearer ${apiKey}`,
        ...(version === undefined ? {} : { 'stripe-version': version }),
      }
      return (await fetch(`${url}/v1/products`, { headers })).headers.get('ratecard-sandbox-version')
    }
    expect(await versionOf()).toBeNull()
    expect(await versionOf(contractVersion)).toBeNull()
    expect(lines).toEqual([])
    expect(await versionOf('2024-06-20')).toBe(contractVersion)
    expect(await versionOf('2024-06-20')).toBe(contractVersion)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('2024-06-20')
    expect(lines[0]).toContain(contractVersion)
  })
})
