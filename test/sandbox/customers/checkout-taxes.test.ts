// Taxes of checkout sessions: tax rates, automatic tax, tax ids.
import type Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { payPage } from '../../support/shop/pay-page.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerTest as test, type CustomerShop } from './customer-shop.ts'

const urls = { success_url: 'http://127.0.0.1:9/done', cancel_url: 'http://127.0.0.1:9/back' }

const rate = ({ stripe }: CustomerShop, percentage: number, inclusive: boolean) =>
  stripe.taxRates.create({ display_name: 'VAT', percentage, inclusive })

const open = ({ stripe, customer }: CustomerShop, params: Stripe.Checkout.SessionCreateParams) =>
  stripe.checkout.sessions.create({ ...urls, customer, ...params })

describe('taxes on a checkout page of the sandbox:', () => {
  test('tax rates of the subscription are shown on the page and applied to every later invoice', async ({ shop }) => {
    const { stripe, customer } = shop
    const on = await rate(shop, 19, false)
    const price = await shop.monthly(1000)
    const session = await open(shop, {
      mode: 'subscription',
      line_items: [{ price: price.id, quantity: 2 }],
      subscription_data: { default_tax_rates: [on.id] },
    })
    expect(session).toMatchObject({
      amount_subtotal: 2000,
      amount_total: 2380,
      total_details: { amount_tax: 380 },
      automatic_tax: { enabled: false },
    })
    expect((await stripe.checkout.sessions.listLineItems(session.id)).data).toMatchObject([
      { amount_subtotal: 2000, amount_tax: 380, amount_total: 2380 },
    ])
    await payPage(session.url)
    const [made] = (await stripe.subscriptions.list({ customer })).data
    expect(made?.default_tax_rates).toMatchObject([{ id: on.id }])
    expect((await shop.invoices())[0]).toMatchObject({ total: 2380, total_excluding_tax: 2000, amount_paid: 2380 })
  })

  test('an inclusive tax rate does not increase the amount of a single payment', async ({ shop }) => {
    const { stripe, product } = shop
    const within = await rate(shop, 5, true)
    const price = await stripe.prices.create({ product, currency: 'usd', unit_amount: 1050 })
    const session = await open(shop, {
      mode: 'payment',
      line_items: [{ price: price.id, quantity: 1, tax_rates: [within.id] }],
    })
    expect(session).toMatchObject({ amount_subtotal: 1050, amount_total: 1050, total_details: { amount_tax: 50 } })
    await payPage(session.url)
    const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] })
    expect(done).toMatchObject({ total_details: { amount_tax: 50 }, payment_intent: { amount_received: 1050 } })
  })

  test('an archived tax rate is refused for a new session, and still applies to a subscription that already had the rate', async ({
    shop,
  }) => {
    const gone = await rate(shop, 7, false)
    await shop.stripe.taxRates.update(gone.id, { active: false })
    const price = await shop.monthly(1000)
    const line_items = [{ price: price.id, quantity: 1 }]
    const data = { default_tax_rates: [gone.id] }
    const refused = await refusal(open(shop, { mode: 'subscription', line_items, subscription_data: data }))
    expect(refused).toMatchObject({ param: 'subscription_data[default_tax_rates][0]' })
    expect(refused.message).toContain('inactive')
  })

  test('automatic tax requires the customer’s address, or saves the address that is entered on the page', async ({
    shop,
  }) => {
    const { stripe, customer } = shop
    const price = await shop.monthly(1000)
    const params = {
      mode: 'subscription' as const,
      line_items: [{ price: price.id, quantity: 1 }],
      automatic_tax: { enabled: true },
    }
    expect((await refusal(open(shop, params))).code).toBe('customer_tax_location_invalid')
    const session = await open(shop, { ...params, customer_update: { address: 'auto' } })
    expect(session.automatic_tax).toMatchObject({ enabled: true, status: 'requires_location_inputs' })
    await payPage(session.url)
    expect((await stripe.subscriptions.list({ customer })).data[0]?.automatic_tax).toMatchObject({ enabled: true })
    expect(await stripe.customers.retrieve(customer)).toMatchObject({ address: { country: 'US' } })
    expect((await open(shop, params)).automatic_tax).toMatchObject({ status: 'complete' })
  })

  test('the collection of tax ids from an existing customer requires that the page may update the customer’s name', async ({
    shop,
  }) => {
    const price = await shop.monthly(1000)
    const params = {
      mode: 'subscription' as const,
      line_items: [{ price: price.id, quantity: 1 }],
      tax_id_collection: { enabled: true },
    }
    expect((await refusal(open(shop, params))).message).toContain('`customer_update[name]`')
    const session = await open(shop, { ...params, customer_update: { name: 'auto' } })
    expect(session.tax_id_collection).toEqual({ enabled: true, required: 'never' })
  })
})
