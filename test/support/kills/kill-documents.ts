// Documents of one push with every kind of change: creates, updates, renames, replaces, archives, an adoption, webhooks, codes of a
// replaced coupon.
import type Stripe from 'stripe'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'

export function firstDocument(): Promise<BillingConfig> {
  return Promise.resolve({
    version: '1.0.0',
    meters: [
      { id: 'calls', display_name: 'Calls', event_name: 'call' },
      { id: 'jobs', display_name: 'Jobs', event_name: 'job' },
    ],
    products: [
      {
        id: 'pro',
        name: 'Pro',
        prices: [
          { id: 'pro_monthly', amount: 1000, currency: 'usd', interval: 'month', default: true },
          { id: 'pro_yearly', amount: 9000, currency: 'usd', interval: 'year' },
          { id: 'pro_calls', amount: 2, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' },
        ],
      },
      { id: 'old', name: 'Old', prices: [{ id: 'old_once', amount: 500, currency: 'eur', default: true }] },
      { id: 'free', name: 'Free', prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }] },
    ],
    coupons: [
      { id: 'ten', percent_off: 10, duration: 'once' },
      { id: 'gone', percent_off: 50, duration: 'forever' },
    ],
    promotion_codes: [
      { id: 'hello', code: 'HELLO', coupon: 'ten', max_redemptions: 100 },
      { id: 'bye', code: 'BYE', coupon: 'gone' },
    ],
    tax_rates: [
      { id: 'vat', display_name: 'VAT', percentage: '19', inclusive: false },
      { id: 'city', display_name: 'City tax', percentage: '1.5', inclusive: false },
    ],
    tax: { rates: ['vat'] },
    portal: [
      {
        id: 'self_service',
        default: true,
        features: {
          payment_method_update: { enabled: true },
          subscription_update: {
            default_allowed_updates: ['price'],
            products: [{ product: 'pro', prices: ['pro_monthly', 'pro_yearly'] }],
          },
        },
      },
      { id: 'partners', features: { invoice_history: { enabled: true } } },
    ],
    webhooks: [
      { id: 'billing', url: 'https://app.example.com/billing', events: ['invoice.paid'] },
      { id: 'audit', url: 'https://app.example.com/audit', events: ['*'] },
    ],
  })
}

export async function secondDocument(stripe: Stripe): Promise<BillingConfig> {
  const product = await stripe.products.create({ name: 'Somebody’s' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'gbp',
    unit_amount: 4200,
    recurring: { interval: 'year' },
  })
  return {
    version: '2.0.0',
    meters: [
      { id: 'calls', display_name: 'API calls', event_name: 'call', default_aggregation: { formula: 'count' } },
      { id: 'space', display_name: 'Space', event_name: 'space' },
    ],
    products: [
      {
        id: 'pro',
        name: 'Pro plan',
        prices: [
          { id: 'pro_monthly', amount: 1200, currency: 'usd', interval: 'month', default: true },
          // Renamed and edited in the same push.
          {
            id: 'pro_annual',
            previous_ids: ['pro_yearly'],
            amount: 9000,
            currency: 'usd',
            interval: 'year',
            metadata: { note: 'kept' },
          },
          { id: 'pro_calls', amount: 2, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' },
          {
            id: 'pro_space',
            currency: 'usd',
            interval: 'month',
            usage_type: 'metered',
            meter: 'space',
            billing_scheme: 'tiered',
            tiers: [
              { up_to: 10, unit_amount: 0 },
              { up_to: 'inf', unit_amount_decimal: '0.5' },
            ],
          },
        ],
      },
      {
        id: 'adopted',
        name: 'Adopted',
        processor_id: product.id,
        prices: [
          {
            id: 'adopted_yearly',
            amount: 4200,
            currency: 'gbp',
            interval: 'year',
            processor_id: price.id,
            default: true,
          },
        ],
      },
      { id: 'free', name: 'Free', prices: [{ id: 'free', amount: 300, currency: 'usd', interval: 'month' }] },
    ],
    coupons: [{ id: 'ten', percent_off: 12.5, duration: 'once' }],
    promotion_codes: [{ id: 'hello', code: 'HELLO', coupon: 'ten', max_redemptions: 100 }],
    tax_rates: [
      { id: 'vat', display_name: 'VAT', percentage: '20', inclusive: false, country: 'DE' },
      { id: 'reduced', display_name: 'VAT', percentage: '7', inclusive: true },
    ],
    tax: { rates: ['vat', 'reduced'] },
    portal: [
      {
        id: 'self_service',
        default: true,
        headline: 'Your plan',
        features: {
          payment_method_update: { enabled: true },
          subscription_update: {
            default_allowed_updates: ['price'],
            products: [{ product: 'pro', prices: ['pro_monthly'] }],
          },
        },
      },
    ],
    webhooks: [
      { id: 'billing', url: 'https://app.example.com/billing/v2', events: ['invoice.paid', 'invoice.created'] },
      { id: 'trail', previous_ids: ['audit'], url: 'https://app.example.com/audit', events: ['*'] },
      { id: 'disputes', url: 'https://app.example.com/disputes', events: ['charge.dispute.created'] },
    ],
  }
}
