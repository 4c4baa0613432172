// Values of objects in public recordings of the real API and in the examples of Stripe's pages, beside those of `recorded-shapes.test.ts`.
import { describe, expect, test } from 'vitest'
import { sandboxForTest } from '../../support/sandbox.ts'
import { meteredPrice } from '../customers/customer-shop.ts'
import { shop } from '../shop.ts'

/** Returns the object as the API returned it: the SDK has replaced decimals. */
const plain = (object: object) => JSON.parse(JSON.stringify(object)) as object

describe('the sandbox returns the values of Stripe’s recordings:', () => {
  test('a checkout session in payment mode has invoice_creation disabled, and a session in setup mode has it null', async () => {
    const { stripe, product } = await shop()
    const price = await stripe.prices.create({ product, currency: 'usd', unit_amount: 3800 })
    const urls = { success_url: 'https://shop.example' }
    const line_items = [{ price: price.id, quantity: 1 }]
    const paying = await stripe.checkout.sessions.create({ mode: 'payment', line_items, ...urls })
    expect(paying.invoice_creation).toEqual({
      enabled: false,
      invoice_data: {
        ...{ account_tax_ids: null, custom_fields: null, description: null, footer: null, issuer: null, metadata: {} },
        rendering_options: null,
      },
    })
    expect(paying.payment_method_collection).toBe('if_required')
    const { id: customer } = await stripe.customers.create({ email: 'a@example.test' })
    const saving = await stripe.checkout.sessions.create({ mode: 'setup', currency: 'usd', customer, ...urls })
    expect(saving).toMatchObject({
      ...{ amount_subtotal: null, amount_total: null, invoice_creation: null, saved_payment_method_options: null },
      ...{ payment_status: 'no_payment_required', payment_method_collection: 'always', total_details: null },
      customer_details: { email: 'a@example.test', tax_exempt: null, tax_ids: null },
    })
  })

  test('a charge has a description that depends on the cause: subscription creation, subscription update or manual invoice', async () => {
    const { stripe, control } = await sandboxForTest()
    const { id: product } = await stripe.products.create({ name: 'P' })
    const recurring = { interval: 'month' } as const
    const price = await stripe.prices.create({ product, currency: 'usd', unit_amount: 1000, recurring })
    const { id: customer } = await stripe.customers.create({ source: 'tok_visa' })
    await stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
    control.advance(32 * 86_400)
    await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const draft = await stripe.invoices.create({
      customer,
      description: 'Thank you',
      pending_invoice_items_behavior: 'include',
    })
    await stripe.invoices.pay(draft.id)
    const { data } = await stripe.charges.list({ customer })
    expect(data.map(({ description }) => description)).toEqual([
      ...['Payment for Invoice', 'Subscription update', 'Subscription creation'],
    ])
  })

  test('a tier in fractions of a cent has only a decimal amount, and a tier with a flat amount has no unit amount', async () => {
    const { stripe, product } = await shop()
    const { id } = await meteredPrice({ stripe, product } as Awaited<ReturnType<typeof shop>>, {
      ...{ billing_scheme: 'tiered', tiers_mode: 'graduated' },
      tiers: [
        { up_to: 100_000, flat_amount: 999 },
        { up_to: 'inf', unit_amount_decimal: '0.02' as never },
      ],
    })
    const price = await stripe.prices.retrieve(id, { expand: ['tiers'] })
    expect(plain(price)).toMatchObject({
      ...{ unit_amount: null, unit_amount_decimal: null, tiers_mode: 'graduated' },
      tiers: [
        { flat_amount: 999, flat_amount_decimal: '999', unit_amount: null, unit_amount_decimal: null, up_to: 100_000 },
        { flat_amount: null, flat_amount_decimal: null, unit_amount: null, unit_amount_decimal: '0.02', up_to: null },
      ],
    })
  })

  test('a portal configuration lists the default cancellation reasons in Stripe’s order', async () => {
    const { stripe } = await sandboxForTest()
    const made = await stripe.billingPortal.configurations.create({
      features: {
        customer_update: { allowed_updates: ['email', 'tax_id'], enabled: true },
        invoice_history: { enabled: true },
      },
    })
    expect(made).toMatchObject({
      ...{ active: true, application: null, default_return_url: null },
      business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
      features: {
        customer_update: { allowed_updates: ['email', 'tax_id'], enabled: true },
        invoice_history: { enabled: true },
        payment_method_update: { enabled: false },
        subscription_cancel: {
          cancellation_reason: {
            enabled: false,
            options: ['too_expensive', 'missing_features', 'switched_service', 'unused', 'other'],
          },
          ...{ enabled: false, mode: 'at_period_end', proration_behavior: 'none' },
        },
        subscription_update: { default_allowed_updates: [], enabled: false, proration_behavior: 'none' },
      },
      login_page: { enabled: false, url: null },
    })
  })

  test('a tax rate has null for country, state and tax type if the request contains none', async () => {
    const { stripe } = await sandboxForTest()
    const rate = {
      description: 'VAT Germany',
      display_name: 'VAT',
      inclusive: false,
      jurisdiction: 'DE',
      percentage: 16,
    }
    const made = await stripe.taxRates.create(rate)
    expect(made).toMatchObject({
      ...rate,
      active: true,
      country: null,
      effective_percentage: 16,
      state: null,
      tax_type: null,
    })
    expect((await stripe.taxRates.update(made.id, { active: false })).active).toBe(false)
  })

  test('a credit grant has the priority 50 by default, and usage within one hour has one event summary', async () => {
    const base = await shop()
    const { stripe } = base
    const { id: customer } = await stripe.customers.create({ email: 'a@example.test' })
    const grant = await stripe.billing.creditGrants.create({
      ...{ name: 'Purchased', customer, category: 'paid' },
      amount: { monetary: { currency: 'usd', value: 1000 }, type: 'monetary' },
      applicability_config: { scope: { price_type: 'metered' } },
    })
    expect(grant).toMatchObject({
      ...{ expires_at: null, livemode: false, metadata: {}, priority: 50, test_clock: null, voided_at: null },
      amount: { monetary: { currency: 'usd', value: 1000 }, type: 'monetary' },
    })
    const price = await meteredPrice(base)
    const meter = String(price.recurring?.meter)
    const payload = { stripe_customer_id: customer, value: '10' }
    const { timestamp } = await stripe.billing.meterEvents.create({ event_name: 'calls', payload })
    const hour = Math.floor(timestamp / 3600) * 3600
    const { data } = await stripe.billing.meters.listEventSummaries(meter, {
      ...{ customer, start_time: hour - 3600, end_time: hour + 7200, value_grouping_window: 'hour' },
    })
    expect(data.filter(({ aggregated_value: value }) => value !== 0)).toMatchObject([
      { aggregated_value: 10, id: expect.stringMatching(/^mtrusg_test_/), livemode: false, meter },
    ])
    const [summary] = data
    expect((summary?.end_time ?? 0) - (summary?.start_time ?? 0)).toBe(3600)
  })
})
