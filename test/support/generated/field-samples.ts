// Two values for each field of the document, for properties over all fields. A field without a sample does not compile.
import type { FieldName } from '../../../packages/ratecard/src/catalog/fields/tables.ts'
import type { ItemOf, ResourceKind } from '../../../packages/ratecard/src/catalog/kinds.ts'
import type {
  BillingConfig,
  Coupon,
  Feature,
  Meter,
  Portal,
  Price,
  Product,
  PromotionCode,
  TaxRate,
  Webhook,
} from '../../../packages/ratecard/src/document/schema/schema.ts'

/** `undefined` removes a member of the base item. */
type Members<Item> = { readonly [Key in keyof Item]?: Item[Key] | undefined }

export interface Sample<K extends ResourceKind> {
  /** Members that the field depends on. */
  readonly beside?: Members<ItemOf<K>>
  readonly first: Members<ItemOf<K>>
  readonly second: Members<ItemOf<K>>
}

type Samples = {
  readonly [K in ResourceKind]: { readonly [Name in FieldName<K>]: Sample<K> | 'said by another item' }
}

const tiered: Members<Price> = { billing_scheme: 'tiered', tiers: [{ up_to: 'inf', unit_amount: 5 }] }

/** Customers used by the samples. A test creates them before its push. */
export const sampleCustomers = ['cus_sample_one', 'cus_sample_two'] as const

export const fieldSamples: Samples = {
  meter: {
    displayName: { first: { display_name: 'Calls' }, second: { display_name: 'API calls' } },
    eventName: { first: { event_name: 'call' }, second: { event_name: 'api_call' } },
    formula: {
      first: { default_aggregation: { formula: 'count' } },
      second: { default_aggregation: { formula: 'last' } },
    },
    customerKey: {
      first: { customer_mapping: { type: 'by_id', event_payload_key: 'account' } },
      second: { customer_mapping: { type: 'by_id', event_payload_key: 'customer' } },
    },
    valueKey: {
      first: { value_settings: { event_payload_key: 'units' } },
      second: { value_settings: { event_payload_key: 'amount' } },
    },
    eventTimeWindow: { first: { event_time_window: 'hour' }, second: { event_time_window: 'day' } },
  },
  feature: {
    name: { first: { name: 'Single sign-on' }, second: { name: 'SSO' } },
    lookupKey: { first: { lookup_key: 'first/key' }, second: { lookup_key: 'Second key' } },
    metadata: { first: { metadata: { team: 'a' } }, second: { metadata: { team: 'b' } } },
  },
  product: {
    features: { first: { features: ['sso'] }, second: { features: ['audit_log', 'sso'] } },
    name: { first: { name: 'Pro' }, second: { name: 'Professional' } },
    description: { first: { description: 'For teams.' }, second: { description: 'For everyone.' } },
    type: { first: { type: 'good' }, second: { type: 'service' } },
    taxCode: { first: { tax_code: 'txcd_10103001' }, second: { tax_code: 'txcd_10000000' } },
    unitLabel: { first: { unit_label: 'seat' }, second: { unit_label: 'user' } },
    statementDescriptor: {
      first: { statement_descriptor: 'EXAMPLE PRO' },
      second: { statement_descriptor: 'EXAMPLE' },
    },
    url: { first: { url: 'https://example.com/a' }, second: { url: 'https://example.com/b' } },
    images: {
      first: { images: ['https://example.com/1.png', 'https://example.com/2.png'] },
      second: { images: ['https://example.com/2.png', 'https://example.com/1.png'] },
    },
    marketingFeatures: {
      first: { marketing_features: ['Fast', 'Safe'] },
      second: { marketing_features: ['Safe', 'Fast', 'Cheap'] },
    },
    shippable: { first: { shippable: false }, second: { shippable: true } },
    packageDimensions: {
      first: { package_dimensions: { height: 1, length: 2.25, weight: 3, width: 4 } },
      second: { package_dimensions: { height: 1, length: 2.5, weight: 3, width: 4 } },
    },
    metadata: { first: { metadata: { team: 'a' } }, second: { metadata: { team: 'b' } } },
    defaultPrice: 'said by another item',
  },
  price: {
    product: 'said by another item',
    currency: { first: { currency: 'eur' }, second: { currency: 'usd' } },
    interval: { first: { interval: 'week' }, second: { interval: 'year' } },
    intervalCount: { first: { interval_count: 2 }, second: { interval_count: 3 } },
    usageType: { first: { usage_type: 'licensed' }, second: { usage_type: 'metered', meter: 'calls' } },
    meter: {
      beside: { usage_type: 'metered' },
      first: { meter: 'calls' },
      second: { meter: 'minutes' },
    },
    billingScheme: { first: { amount: 1200 }, second: { amount: undefined, ...tiered } },
    tiersMode: {
      beside: { amount: undefined, ...tiered },
      first: { tiers_mode: 'graduated' },
      second: { tiers_mode: 'volume' },
    },
    unitAmount: { first: { amount: 1200 }, second: { amount: 1500 } },
    tiers: {
      beside: { amount: undefined, billing_scheme: 'tiered' },
      first: { tiers: [{ up_to: 'inf', unit_amount: 5 }] },
      second: {
        tiers: [
          { up_to: 10, unit_amount: 5, flat_amount: 100 },
          { up_to: 'inf', unit_amount_decimal: '2.5' },
        ],
      },
    },
    currencyOptions: {
      first: { currency_options: { usd: { amount: 1300 } } },
      second: { currency_options: { usd: { amount: 1400 }, gbp: { unit_amount_decimal: '1000.5' } } },
    },
    transformQuantity: {
      first: { transform_quantity: { divide_by: 10, round: 'up' } },
      second: { transform_quantity: { divide_by: 10, round: 'down' } },
    },
    customUnitAmount: {
      beside: { amount: undefined, interval: undefined },
      first: { custom_unit_amount: { minimum: 500 } },
      second: { custom_unit_amount: { minimum: 500, maximum: 5000, preset: 1000 } },
    },
    lookupKey: { first: { lookup_key: 'Pro Monthly (2022)' }, second: { lookup_key: 'ключ/🔥' } },
    nickname: { first: { nickname: 'Old' }, second: { nickname: 'New' } },
    taxBehavior: { first: {}, second: { tax_included_in_price: true } },
    metadata: { first: { metadata: { team: 'a' } }, second: { metadata: { team: 'b' } } },
  },
  coupon: {
    name: { first: { name: 'Welcome' }, second: { name: 'Hello' } },
    percentOff: { first: { percent_off: 25 }, second: { percent_off: 33.5 } },
    amountOff: {
      beside: { percent_off: undefined, currency: 'eur' },
      first: { amount_off: 500 },
      second: { amount_off: 600 },
    },
    currency: {
      beside: { percent_off: undefined, amount_off: 500 },
      first: { currency: 'eur' },
      second: { currency: 'usd' },
    },
    currencyOptions: {
      beside: { percent_off: undefined, amount_off: 500, currency: 'eur' },
      first: { currency_options: { usd: { amount_off: 550 } } },
      second: { currency_options: { usd: { amount_off: 600 }, gbp: { amount_off: 450 } } },
    },
    duration: { first: { duration: 'once' }, second: { duration: 'forever' } },
    durationInMonths: {
      beside: { duration: 'repeating' },
      first: { duration_in_months: 3 },
      second: { duration_in_months: 6 },
    },
    maxRedemptions: { first: { max_redemptions: 100 }, second: { max_redemptions: 200 } },
    redeemBy: { first: { redeem_by: '2031-02-28T23:59:59Z' }, second: { redeem_by: '2031-03-31T23:59:59Z' } },
    appliesTo: { first: { applies_to: ['pro'] }, second: { applies_to: ['pro', 'team'] } },
    metadata: { first: { metadata: { team: 'a' } }, second: { metadata: { team: 'b' } } },
  },
  promotion_code: {
    code: { first: { code: 'HELLO' }, second: { code: 'WELCOME' } },
    coupon: { first: { coupon: 'welcome' }, second: { coupon: 'other' } },
    active: { first: { active: true }, second: { active: false } },
    maxRedemptions: { first: { max_redemptions: 10 }, second: { max_redemptions: 20 } },
    firstTimeTransaction: { first: { first_time_transaction: true }, second: { first_time_transaction: false } },
    minimumAmount: {
      beside: { minimum_amount_currency: 'eur' },
      first: { minimum_amount: 1000 },
      second: { minimum_amount: 2000 },
    },
    minimumAmountCurrency: {
      beside: { minimum_amount: 1000 },
      first: { minimum_amount_currency: 'eur' },
      second: { minimum_amount_currency: 'usd' },
    },
    currencyOptions: {
      beside: { minimum_amount: 1000, minimum_amount_currency: 'eur' },
      first: { currency_options: { usd: { minimum_amount: 1100 } } },
      second: { currency_options: { usd: { minimum_amount: 1200 }, gbp: { minimum_amount: 900 } } },
    },
    customer: { first: { customer: sampleCustomers[0] }, second: { customer: sampleCustomers[1] } },
    expiresAt: { first: { expires_at: '2030-01-31T00:00:00Z' }, second: { expires_at: '2030-02-28T00:00:00Z' } },
    metadata: { first: { metadata: { team: 'a' } }, second: { metadata: { team: 'b' } } },
  },
  tax_rate: {
    displayName: { first: { display_name: 'VAT' }, second: { display_name: 'Sales tax' } },
    percentage: { first: { percentage: '19' }, second: { percentage: '8.875' } },
    inclusive: { first: { inclusive: true }, second: { inclusive: false } },
    country: { first: { country: 'DE' }, second: { country: 'US' } },
    state: { first: { state: 'CA' }, second: { state: 'NY' } },
    jurisdiction: { first: { jurisdiction: 'DE' }, second: { jurisdiction: 'US - NY' } },
    description: { first: { description: 'Standard' }, second: { description: 'Reduced' } },
    taxType: { first: { tax_type: 'vat' }, second: { tax_type: 'sales_tax' } },
    active: { first: { active: true }, second: { active: false } },
    metadata: { first: { metadata: { team: 'a' } }, second: { metadata: { team: 'b' } } },
  },
  portal: {
    headline: { first: { headline: 'Your plan' }, second: { headline: 'Manage your plan' } },
    privacyPolicyUrl: {
      first: { privacy_policy_url: 'https://example.com/privacy' },
      second: { privacy_policy_url: 'https://example.com/privacy-2' },
    },
    termsOfServiceUrl: {
      first: { terms_of_service_url: 'https://example.com/terms' },
      second: { terms_of_service_url: 'https://example.com/terms-2' },
    },
    returnUrl: { first: { return_url: 'https://example.com/a' }, second: { return_url: 'https://example.com/b' } },
    loginPage: { first: { login_page: { enabled: true } }, second: { login_page: { enabled: false } } },
    customerUpdate: {
      first: { features: { customer_update: { allowed_updates: ['email'] } } },
      second: { features: { customer_update: { allowed_updates: ['tax_id', 'email'] } } },
    },
    invoiceHistory: { first: { features: {} }, second: { features: { invoice_history: {} } } },
    paymentMethodUpdate: {
      first: { features: {} },
      second: { features: { payment_method_update: { enabled: true } } },
    },
    subscriptionCancel: {
      first: { features: { subscription_cancel: { enabled: true } } },
      second: {
        features: {
          subscription_cancel: {
            mode: 'immediately',
            proration_behavior: 'create_prorations',
            cancellation_reason: { options: ['unused', 'other'] },
          },
        },
      },
    },
    subscriptionUpdate: {
      first: {
        features: {
          payment_method_update: {},
          subscription_update: {
            default_allowed_updates: ['price'],
            products: [{ product: 'pro', prices: ['pro_monthly'] }],
          },
        },
      },
      second: {
        features: {
          payment_method_update: {},
          subscription_update: {
            default_allowed_updates: ['quantity', 'price'],
            products: [
              {
                product: 'pro',
                prices: ['pro_monthly'],
                adjustable_quantity: { enabled: true, minimum: 2, maximum: 20 },
              },
            ],
            proration_behavior: 'always_invoice',
            billing_cycle_anchor: 'now',
            trial_update_behavior: 'continue_trial',
            schedule_at_period_end: { conditions: [{ type: 'shortening_interval' }] },
          },
        },
      },
    },
    metadata: { first: { metadata: { team: 'a' } }, second: { metadata: { team: 'b' } } },
  },
  webhook: {
    url: { first: { url: 'https://a.example.com/hook' }, second: { url: 'https://b.example.com/hook' } },
    events: { first: { events: ['invoice.paid'] }, second: { events: ['invoice.paid', 'invoice.created'] } },
    connect: { first: { connect: true }, second: { connect: false } },
    description: { first: { description: 'Billing' }, second: { description: 'Invoices' } },
    apiVersion: { first: { api_version: '2025-03-31.basil' }, second: { api_version: '2024-06-20' } },
    metadata: { first: { metadata: { team: 'a' } }, second: { metadata: { team: 'b' } } },
  },
}

const meter: Meter = { id: 'calls', display_name: 'Calls', event_name: 'call' }
const minutes: Meter = { id: 'minutes', display_name: 'Minutes', event_name: 'minute' }
const feature: Feature = { id: 'sso', name: 'Single sign-on' }
const auditLog: Feature = { id: 'audit_log', name: 'Audit log' }
const price: Price = { id: 'pro_monthly', amount: 1200, currency: 'eur', interval: 'month' }
const product: Product = { id: 'pro', name: 'Pro' }
const team: Product = { id: 'team', name: 'Team' }
const coupon: Coupon = { id: 'welcome', percent_off: 10, duration: 'once' }
const other: Coupon = { id: 'other', percent_off: 20, duration: 'once' }
const code: PromotionCode = { id: 'code_hello', code: 'HELLO', coupon: 'welcome' }
const taxRate: TaxRate = { id: 'vat', display_name: 'VAT', percentage: '19', inclusive: false }
const portal: Portal = { id: 'self_service', features: {} }
const webhook: Webhook = { id: 'hook', url: 'https://a.example.com/hook', events: ['invoice.paid'] }

/** Ids of the items that the samples change. */
export const sampleIds: Readonly<Record<ResourceKind, string>> = {
  meter: 'calls',
  feature: 'sso',
  product: 'pro',
  price: 'pro_monthly',
  coupon: 'welcome',
  promotion_code: 'code_hello',
  tax_rate: 'vat',
  portal: 'self_service',
  webhook: 'hook',
}

function withMembers<T extends object>(item: T, members: object | undefined): T {
  const whole = { ...item, ...members }
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined)) as T
}

/** A document in which one item of the kind has these members. `undefined` removes a member. */
export function sampleDocument(kind: ResourceKind, members: object): BillingConfig {
  const of = (wanted: ResourceKind) => (wanted === kind ? members : undefined)
  return {
    version: '1.0.0',
    webhooks: [withMembers(webhook, of('webhook'))],
    meters: [withMembers(meter, of('meter')), minutes],
    features: [withMembers(feature, of('feature')), auditLog],
    products: [{ ...withMembers(product, of('product')), prices: [withMembers(price, of('price'))] }, team],
    coupons: [withMembers(coupon, of('coupon')), other],
    promotion_codes: [withMembers(code, of('promotion_code'))],
    tax_rates: [withMembers(taxRate, of('tax_rate'))],
    portal: [withMembers(portal, of('portal'))],
  }
}
