// One document with every field of every kind is pushed, read through the SDK field by field, pulled, and pushed again. `shown` lists where
// the SDK returns each field; a field without an entry does not compile.
import type Stripe from 'stripe'
import { expect, it, onTestFinished } from 'vitest'
import { fieldRows, type FieldName } from '../../../packages/ratecard/src/catalog/fields/tables.ts'
import { itemsOf } from '../../../packages/ratecard/src/catalog/kinds.ts'
import { resourceKinds, type ResourceKind } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { BillingConfig, Price, Product } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { validateConfig } from '../../../packages/ratecard/src/document/validation/validate.ts'
import { fieldSamples, sampleCustomers, sampleDocument, sampleIds } from '../../support/generated/field-samples.ts'
import type { Sample } from '../../support/generated/field-samples.ts'
import { nobody, startStack } from '../../support/stack.ts'

/** The place where the SDK returns a field, and its value for the second sample. A function gets the ids of the processor. */
type Shown = { readonly at: string; readonly is: unknown } | 'never shown by the processor'
type Ids = (kind: ResourceKind, id: string) => string

const ofIds = (make: (ids: Ids) => unknown): unknown => make
const seconds = (text: string): number => Date.parse(text) / 1000
const whole = (amount: number) => ({ unit_amount: amount })

const shown: { readonly [K in ResourceKind]: { readonly [Name in FieldName<K>]: Shown } } = {
  meter: {
    displayName: { at: 'display_name', is: 'API calls' },
    eventName: { at: 'event_name', is: 'api_call' },
    formula: { at: 'default_aggregation.formula', is: 'last' },
    customerKey: { at: 'customer_mapping.event_payload_key', is: 'customer' },
    valueKey: { at: 'value_settings.event_payload_key', is: 'amount' },
    eventTimeWindow: { at: 'event_time_window', is: 'day' },
  },
  feature: {
    name: { at: 'name', is: 'SSO' },
    lookupKey: { at: 'lookup_key', is: 'Second key' },
    metadata: { at: 'metadata', is: { team: 'b' } },
  },
  product: {
    features: { at: 'attached', is: ['audit_log', 'sso'] },
    name: { at: 'name', is: 'Professional' },
    description: { at: 'description', is: 'For everyone.' },
    type: { at: 'type', is: 'service' },
    taxCode: { at: 'tax_code', is: 'txcd_10000000' },
    unitLabel: { at: 'unit_label', is: 'user' },
    statementDescriptor: { at: 'statement_descriptor', is: 'EXAMPLE' },
    url: { at: 'url', is: 'https://example.com/b' },
    images: { at: 'images', is: ['https://example.com/2.png', 'https://example.com/1.png'] },
    marketingFeatures: { at: 'marketing_features', is: [{ name: 'Safe' }, { name: 'Fast' }, { name: 'Cheap' }] },
    shippable: { at: 'shippable', is: true },
    packageDimensions: { at: 'package_dimensions', is: { height: 1, length: 2.5, weight: 3, width: 4 } },
    metadata: { at: 'metadata', is: { team: 'b' } },
    defaultPrice: { at: 'default_price', is: ofIds((ids) => ids('price', 'default_of_all')) },
  },
  price: {
    product: { at: 'product', is: ofIds((ids) => ids('product', 'holder')) },
    currency: { at: 'currency', is: 'usd' },
    interval: { at: 'recurring.interval', is: 'year' },
    intervalCount: { at: 'recurring.interval_count', is: 3 },
    usageType: { at: 'recurring.usage_type', is: 'metered' },
    meter: { at: 'recurring.meter', is: ofIds((ids) => ids('meter', 'minutes')) },
    billingScheme: { at: 'billing_scheme', is: 'tiered' },
    tiersMode: { at: 'tiers_mode', is: 'volume' },
    unitAmount: { at: 'unit_amount', is: 1500 },
    tiers: {
      at: 'tiers',
      is: [
        { up_to: 10, unit_amount: 5, flat_amount: 100 },
        { up_to: null, unit_amount: null },
      ],
    },
    currencyOptions: { at: 'currency_options', is: { usd: whole(1400), gbp: { unit_amount: null } } },
    transformQuantity: { at: 'transform_quantity', is: { divide_by: 10, round: 'down' } },
    customUnitAmount: { at: 'custom_unit_amount', is: { minimum: 500, maximum: 5000, preset: 1000 } },
    lookupKey: { at: 'lookup_key', is: 'ключ/🔥' },
    nickname: { at: 'nickname', is: 'New' },
    taxBehavior: { at: 'tax_behavior', is: 'inclusive' },
    metadata: { at: 'metadata', is: { team: 'b' } },
  },
  coupon: {
    name: { at: 'name', is: 'Hello' },
    percentOff: { at: 'percent_off', is: 33.5 },
    amountOff: { at: 'amount_off', is: 600 },
    currency: { at: 'currency', is: 'usd' },
    currencyOptions: { at: 'currency_options', is: { usd: { amount_off: 600 }, gbp: { amount_off: 450 } } },
    duration: { at: 'duration', is: 'forever' },
    durationInMonths: { at: 'duration_in_months', is: 6 },
    maxRedemptions: { at: 'max_redemptions', is: 200 },
    redeemBy: { at: 'redeem_by', is: seconds('2031-03-31T23:59:59Z') },
    appliesTo: {
      at: 'applies_to.products',
      is: ofIds((ids) => expect.arrayContaining([ids('product', 'pro'), ids('product', 'team')])),
    },
    metadata: { at: 'metadata', is: { team: 'b' } },
  },
  promotion_code: {
    code: { at: 'code', is: 'WELCOME' },
    coupon: { at: 'promotion.coupon', is: ofIds((ids) => ids('coupon', 'other')) },
    active: { at: 'active', is: false },
    maxRedemptions: { at: 'max_redemptions', is: 20 },
    firstTimeTransaction: { at: 'restrictions.first_time_transaction', is: false },
    minimumAmount: { at: 'restrictions.minimum_amount', is: 2000 },
    minimumAmountCurrency: { at: 'restrictions.minimum_amount_currency', is: 'usd' },
    currencyOptions: {
      at: 'restrictions.currency_options',
      is: { usd: { minimum_amount: 1200 }, gbp: { minimum_amount: 900 } },
    },
    customer: { at: 'customer', is: ofIds((ids) => ids('product', sampleCustomers[1])) },
    expiresAt: { at: 'expires_at', is: seconds('2030-02-28T00:00:00Z') },
    metadata: { at: 'metadata', is: { team: 'b' } },
  },
  tax_rate: {
    displayName: { at: 'display_name', is: 'Sales tax' },
    percentage: { at: 'percentage', is: 8.875 },
    inclusive: { at: 'inclusive', is: false },
    country: { at: 'country', is: 'US' },
    state: { at: 'state', is: 'NY' },
    jurisdiction: { at: 'jurisdiction', is: 'US - NY' },
    description: { at: 'description', is: 'Reduced' },
    taxType: { at: 'tax_type', is: 'sales_tax' },
    active: { at: 'active', is: false },
    metadata: { at: 'metadata', is: { team: 'b' } },
  },
  portal: {
    headline: { at: 'business_profile.headline', is: 'Manage your plan' },
    privacyPolicyUrl: { at: 'business_profile.privacy_policy_url', is: 'https://example.com/privacy-2' },
    termsOfServiceUrl: { at: 'business_profile.terms_of_service_url', is: 'https://example.com/terms-2' },
    returnUrl: { at: 'default_return_url', is: 'https://example.com/b' },
    loginPage: { at: 'login_page.enabled', is: false },
    customerUpdate: { at: 'features.customer_update', is: { enabled: true, allowed_updates: ['email', 'tax_id'] } },
    invoiceHistory: { at: 'features.invoice_history', is: { enabled: true } },
    paymentMethodUpdate: { at: 'features.payment_method_update', is: { enabled: true } },
    subscriptionCancel: {
      at: 'features.subscription_cancel',
      is: {
        enabled: true,
        mode: 'immediately',
        proration_behavior: 'create_prorations',
        cancellation_reason: { enabled: true, options: ['other', 'unused'] },
      },
    },
    subscriptionUpdate: {
      at: 'features.subscription_update',
      is: ofIds((ids) => ({
        enabled: true,
        default_allowed_updates: ['price', 'quantity'],
        products: [
          {
            product: ids('product', 'pro'),
            prices: [ids('price', 'pro_monthly')],
            adjustable_quantity: { enabled: true, minimum: 2, maximum: 20 },
          },
        ],
        proration_behavior: 'always_invoice',
        billing_cycle_anchor: 'now',
        trial_update_behavior: 'continue_trial',
        schedule_at_period_end: { conditions: [{ type: 'shortening_interval' }] },
      })),
    },
    metadata: { at: 'metadata', is: { team: 'b' } },
  },
  webhook: {
    url: { at: 'url', is: 'https://b.example.com/hook' },
    events: { at: 'enabled_events', is: ['invoice.created', 'invoice.paid'] },
    connect: 'never shown by the processor',
    description: { at: 'description', is: 'Invoices' },
    apiVersion: { at: 'api_version', is: '2024-06-20' },
    metadata: { at: 'metadata', is: { team: 'b' } },
  },
}

interface Case {
  readonly kind: ResourceKind
  readonly field: string
  readonly id: string
  readonly shown: Shown
  readonly sample: Sample<ResourceKind> | 'said by another item'
}

const cases: readonly Case[] = resourceKinds.flatMap((kind) =>
  fieldRows[kind].map(([field]) => ({
    ...{ kind, field, id: `${kind}_${field.toLowerCase()}` },
    shown: (shown[kind] as Readonly<Record<string, Shown>>)[field] as Shown,
    sample: (fieldSamples[kind] as Readonly<Record<string, Case['sample']>>)[field] as Case['sample'],
  })),
)

/** Members that must differ between two items of a kind. */
const ownNames: { readonly [K in ResourceKind]?: (id: string) => object } = {
  meter: (id) => ({ event_name: id }),
  promotion_code: (id) => ({ code: id.replaceAll('_', '').toUpperCase() }),
  webhook: (id) => ({ url: `https://${id.replaceAll('_', '-')}.example.com/hook` }),
}

/** One item for each field, with its sample. */
function wholeDocument(customers: readonly string[]): BillingConfig {
  const base = sampleDocument('meter', {})
  const items = new Map<ResourceKind, object[]>(resourceKinds.map((kind) => [kind, []]))
  for (const { kind, id, sample } of cases) {
    if (typeof sample === 'string') continue
    const members = { ...ownNames[kind]?.(id), ...sample.beside, ...sample.second }
    const placed = itemsOf(sampleDocument(kind, members), kind).find(({ item }) => item.id === sampleIds[kind])
    items.get(kind)?.push({ ...placed?.item, id })
  }
  const of = (kind: ResourceKind) => (items.get(kind) ?? []) as never[]
  const standing: Price = { id: 'default_of_all', amount: 900, currency: 'eur', interval: 'month', default: true }
  const holder: Product = { id: 'holder', name: 'Holder', prices: [standing, ...of('price')] }
  const bare = (product: Product): Product => ({ ...product, prices: [] })
  const document: BillingConfig = {
    ...base,
    webhooks: of('webhook'),
    meters: [...(base.meters ?? []), ...of('meter')],
    features: [...(base.features ?? []), ...of('feature')],
    products: [...base.products, holder, ...(of('product') as Product[]).map(bare)],
    coupons: [...(base.coupons ?? []), ...of('coupon')],
    promotion_codes: of('promotion_code'),
    tax_rates: of('tax_rate'),
    portal: of('portal'),
  }
  return JSON.parse(
    sampleCustomers.reduce((text, name, at) => text.replaceAll(name, customers[at] ?? ''), JSON.stringify(document)),
  ) as BillingConfig
}

async function readBack(stripe: Stripe, kind: ResourceKind, id: string): Promise<unknown> {
  switch (kind) {
    case 'meter':
      return stripe.billing.meters.retrieve(id)
    case 'feature':
      return stripe.entitlements.features.retrieve(id)
    case 'product': {
      const { data } = await stripe.products.listFeatures(id)
      const attached = data.map(({ entitlement_feature: of }) => of.lookup_key).sort()
      return { ...(await stripe.products.retrieve(id)), attached }
    }
    case 'price':
      return stripe.prices.retrieve(id, { expand: ['tiers', 'currency_options'] })
    case 'coupon':
      return stripe.coupons.retrieve(id, { expand: ['applies_to', 'currency_options'] })
    case 'promotion_code':
      return stripe.promotionCodes.retrieve(id, { expand: ['restrictions.currency_options'] })
    case 'tax_rate':
      return stripe.taxRates.retrieve(id)
    case 'portal':
      return stripe.billingPortal.configurations.retrieve(id, { expand: ['features.subscription_update.products'] })
    case 'webhook':
      return stripe.webhookEndpoints.retrieve(id)
  }
}

function valueAt(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((at, name) => (at as Readonly<Record<string, unknown>> | null | undefined)?.[name], object)
}

it('a document with every field of every kind is written to the processor completely, and a pull returns it unchanged', async () => {
  const stack = await startStack()
  onTestFinished(() => stack.close())
  const { service, stripe, store } = stack
  const customers = await Promise.all(sampleCustomers.map(async (name) => (await stripe.customers.create({ name })).id))
  const document = wholeDocument(customers)
  expect(validateConfig(document).errors).toEqual([])
  await service.push(document, nobody)

  const mappings = await store.mappings.all()
  const ids: Ids = (kind, id) => {
    const customer = sampleCustomers.findIndex((name) => name === id)
    if (customer >= 0) return customers[customer] ?? ''
    return mappings.find((entry) => entry.kind === kind && entry.configId === id)?.processorId ?? `no ${kind} ${id}`
  }
  for (const { kind, field, id, shown: where, sample } of cases) {
    if (typeof where === 'string') continue
    const holder = { product: 'holder', price: 'default_of_all' } as Readonly<Record<string, string>>
    const object = await readBack(stripe, kind, ids(kind, typeof sample === 'string' ? (holder[kind] ?? '') : id))
    const is = typeof where.is === 'function' ? (where.is as (ids: Ids) => unknown)(ids) : where.is
    expect({ kind, field, value: valueAt(object, where.at) }).toMatchObject({ kind, field, value: is })
  }

  expect((await service.push(document, nobody)).status).toBe('unchanged')
  const { document: pulled, unrepresentable } = await service.pull()
  expect(unrepresentable).toEqual([])
  expect(validateConfig(pulled).errors).toEqual([])
  expect((await service.push(pulled, nobody)).status).toBe('unchanged')
  expect((await service.drift()).inSync).toBe(true)
})
