// States for every member in Stripe's types how it is handled, in one table per kind. The types enforce completeness: a member that a new
// SDK release adds is a compile error until it has a row. At run time, a member without a row counts as not expressible in a document.
import type { Stripe } from 'stripe'
import type { FieldName } from '../../../catalog/fields/tables.ts'
import type { ResourceKind } from '../../../catalog/kinds.ts'
import type { CarriedValue, ObservedResource } from '../../../catalog/resource.ts'

export type MemberRow<Field extends string = string> =
  /** The member corresponds to a field of the document. */
  | { readonly field: Field }
  /** The member needs no handling, because it is derived from other members or maintained by Stripe itself. */
  | { readonly derived: string }
  /** An object with this member is neither adopted nor pulled, because the member changes what the object bills or applies to. */
  | { readonly refused: string }
  /**
   * The document cannot express the member. Updates leave it unchanged, and plans list it where it could be lost. `carriedWith`: Stripe
   * accepts the member at creation together with this field of the document, so a replacement object gets it too.
   */
  | { readonly notExpressible: string; readonly carriedWith?: Field }
  /**
   * The member is an object, a list or a map with a table of its own. `within` is the table of an object's members; `each` is the table of
   * every list item or map value.
   */
  | { readonly within: MemberTable<Field> }
  | { readonly each: MemberTable<Field> }

export type MemberTable<Field extends string = string> = Readonly<Record<string, MemberRow<Field>>>

type Rows<T, Field extends string> = { readonly [Member in keyof T & string]-?: MemberRow<Field> }

const is = <Field extends string>(field: Field) => ({ field })
const derivedFrom = (from: string) => ({ derived: from })
const refusedBecause = (why: string) => ({ refused: why })
const carried = <Field extends string>(why: string, carriedWith: Field) => ({ notExpressible: why, carriedWith })
const membersWithin = <T, Field extends string>(rows: Rows<T, Field>) => ({ within: rows })
const membersOfEach = <T, Field extends string>(rows: Rows<T, Field>) => ({ each: rows })

const itself = derivedFrom('the object itself')
const byStripe = derivedFrom('Stripe’s own record')
const activity = derivedFrom('from whether the document contains the object')

type Field<K extends ResourceKind> = FieldName<K>

const product: Rows<Stripe.Product, Field<'product'>> = {
  id: itself,
  object: itself,
  active: activity,
  created: byStripe,
  default_price: is('defaultPrice'),
  deleted: byStripe,
  description: is('description'),
  images: is('images'),
  livemode: byStripe,
  marketing_features: membersOfEach<Stripe.Product.MarketingFeature, Field<'product'>>({
    name: is('marketingFeatures'),
  }),
  metadata: is('metadata'),
  name: is('name'),
  package_dimensions: is('packageDimensions'),
  shippable: is('shippable'),
  statement_descriptor: is('statementDescriptor'),
  tax_code: is('taxCode'),
  tax_details: membersWithin<Stripe.Product.TaxDetails, Field<'product'>>({
    performance_location: carried('where a service is performed', 'name'),
    tax_code: is('taxCode'),
  }),
  type: is('type'),
  unit_label: is('unitLabel'),
  updated: byStripe,
  url: is('url'),
}

const tier: Rows<Stripe.Price.Tier, Field<'price'>> = {
  flat_amount: is('tiers'),
  flat_amount_decimal: is('tiers'),
  unit_amount: is('tiers'),
  unit_amount_decimal: is('tiers'),
  up_to: is('tiers'),
}

const price: Rows<Stripe.Price, Field<'price'>> = {
  id: itself,
  object: itself,
  active: activity,
  billing_scheme: is('billingScheme'),
  created: byStripe,
  currency: is('currency'),
  currency_options: membersOfEach<Stripe.Price.CurrencyOptions, Field<'price'>>({
    custom_unit_amount: refusedBecause('in another currency the customer chooses the amount'),
    tax_behavior: is('currencyOptions'),
    tiers: membersOfEach<Stripe.Price.CurrencyOptions.Tier, Field<'price'>>({
      flat_amount: is('currencyOptions'),
      flat_amount_decimal: is('currencyOptions'),
      unit_amount: is('currencyOptions'),
      unit_amount_decimal: is('currencyOptions'),
      up_to: is('currencyOptions'),
    }),
    unit_amount: is('currencyOptions'),
    unit_amount_decimal: is('currencyOptions'),
  }),
  custom_unit_amount: membersWithin<Stripe.Price.CustomUnitAmount, Field<'price'>>({
    maximum: is('customUnitAmount'),
    minimum: is('customUnitAmount'),
    preset: is('customUnitAmount'),
  }),
  deleted: byStripe,
  livemode: byStripe,
  lookup_key: is('lookupKey'),
  metadata: is('metadata'),
  nickname: is('nickname'),
  product: is('product'),
  recurring: membersWithin<Stripe.Price.Recurring, Field<'price'>>({
    interval: is('interval'),
    interval_count: is('intervalCount'),
    meter: is('meter'),
    trial_period_days: carried('a trial of the price itself; a checkout has one of its own', 'interval'),
    usage_type: is('usageType'),
  }),
  tax_behavior: is('taxBehavior'),
  tiers: membersOfEach<Stripe.Price.Tier, Field<'price'>>(tier),
  tiers_mode: is('tiersMode'),
  transform_quantity: membersWithin<Stripe.Price.TransformQuantity, Field<'price'>>({
    divide_by: is('transformQuantity'),
    round: is('transformQuantity'),
  }),
  type: derivedFrom('`interval`'),
  unit_amount: is('unitAmount'),
  unit_amount_decimal: is('unitAmount'),
}

const coupon: Rows<Stripe.Coupon, Field<'coupon'>> = {
  id: itself,
  object: itself,
  amount_off: is('amountOff'),
  applies_to: membersWithin<Stripe.Coupon.AppliesTo, Field<'coupon'>>({ products: is('appliesTo') }),
  created: byStripe,
  currency: is('currency'),
  currency_options: membersOfEach<Stripe.Coupon.CurrencyOptions, Field<'coupon'>>({
    amount_off: is('currencyOptions'),
  }),
  deleted: byStripe,
  duration: is('duration'),
  duration_in_months: is('durationInMonths'),
  livemode: byStripe,
  max_redemptions: is('maxRedemptions'),
  metadata: is('metadata'),
  name: is('name'),
  percent_off: is('percentOff'),
  redeem_by: is('redeemBy'),
  times_redeemed: byStripe,
  valid: derivedFrom('`redeem_by` and the redemptions so far'),
}

const promotionCode: Rows<Stripe.PromotionCode, Field<'promotion_code'>> = {
  id: itself,
  object: itself,
  active: is('active'),
  code: is('code'),
  created: byStripe,
  customer: is('customer'),
  customer_account: refusedBecause('it is for one account that the document cannot name'),
  expires_at: is('expiresAt'),
  livemode: byStripe,
  max_redemptions: is('maxRedemptions'),
  metadata: is('metadata'),
  promotion: membersWithin<Stripe.PromotionCode.Promotion, Field<'promotion_code'>>({
    coupon: is('coupon'),
    type: derivedFrom('a promotion code always refers to a coupon'),
  }),
  restrictions: membersWithin<Stripe.PromotionCode.Restrictions, Field<'promotion_code'>>({
    currency_options: membersOfEach<Stripe.PromotionCode.Restrictions.CurrencyOptions, Field<'promotion_code'>>({
      minimum_amount: is('currencyOptions'),
    }),
    first_time_transaction: is('firstTimeTransaction'),
    minimum_amount: is('minimumAmount'),
    minimum_amount_currency: is('minimumAmountCurrency'),
  }),
  times_redeemed: byStripe,
}

const meter: Rows<Stripe.Billing.Meter, Field<'meter'>> = {
  id: itself,
  object: itself,
  created: byStripe,
  customer_mapping: membersWithin<Stripe.Billing.Meter.CustomerMapping, Field<'meter'>>({
    event_payload_key: is('customerKey'),
    type: derivedFrom('a meter maps customers by their id'),
  }),
  default_aggregation: membersWithin<Stripe.Billing.Meter.DefaultAggregation, Field<'meter'>>({
    formula: is('formula'),
  }),
  display_name: is('displayName'),
  event_name: is('eventName'),
  event_time_window: is('eventTimeWindow'),
  livemode: byStripe,
  status: activity,
  status_transitions: byStripe,
  updated: byStripe,
  value_settings: membersWithin<Stripe.Billing.Meter.ValueSettings, Field<'meter'>>({
    event_payload_key: is('valueKey'),
  }),
}

const feature: Rows<Stripe.Entitlements.Feature, Field<'feature'>> = {
  id: itself,
  object: itself,
  active: activity,
  livemode: byStripe,
  lookup_key: is('lookupKey'),
  metadata: is('metadata'),
  name: is('name'),
}

const webhook: Rows<Stripe.WebhookEndpoint, Field<'webhook'>> = {
  id: itself,
  object: itself,
  api_version: is('apiVersion'),
  application: is('connect'),
  created: byStripe,
  deleted: byStripe,
  description: is('description'),
  enabled_events: is('events'),
  livemode: byStripe,
  metadata: is('metadata'),
  secret: derivedFrom('the processor returns it only at creation; Ratecard stores it encrypted'),
  status: activity,
  url: is('url'),
}

const taxRate: Rows<Stripe.TaxRate, Field<'tax_rate'>> = {
  id: itself,
  object: itself,
  active: is('active'),
  country: is('country'),
  created: byStripe,
  description: is('description'),
  display_name: is('displayName'),
  effective_percentage: byStripe,
  flat_amount: refusedBecause('the rate is an amount, not a percentage'),
  inclusive: is('inclusive'),
  jurisdiction: is('jurisdiction'),
  jurisdiction_level: byStripe,
  livemode: byStripe,
  metadata: is('metadata'),
  percentage: is('percentage'),
  rate_type: refusedBecause('the rate is an amount, not a percentage'),
  state: is('state'),
  tax_type: is('taxType'),
}

const portal: Rows<Stripe.BillingPortal.Configuration, Field<'portal'>> = {
  id: itself,
  object: itself,
  active: activity,
  application: byStripe,
  business_profile: membersWithin<Stripe.BillingPortal.Configuration.BusinessProfile, Field<'portal'>>({
    headline: is('headline'),
    privacy_policy_url: is('privacyPolicyUrl'),
    terms_of_service_url: is('termsOfServiceUrl'),
  }),
  created: byStripe,
  default_return_url: is('returnUrl'),
  features: membersWithin<Stripe.BillingPortal.Configuration.Features, Field<'portal'>>({
    customer_update: is('customerUpdate'),
    invoice_history: is('invoiceHistory'),
    payment_method_update: membersWithin<
      Stripe.BillingPortal.Configuration.Features.PaymentMethodUpdate,
      Field<'portal'>
    >({
      enabled: is('paymentMethodUpdate'),
      payment_method_configuration: carried('which payment methods the portal offers', 'paymentMethodUpdate'),
    }),
    subscription_cancel: membersWithin<Stripe.BillingPortal.Configuration.Features.SubscriptionCancel, Field<'portal'>>(
      {
        cancellation_reason: membersWithin<
          Stripe.BillingPortal.Configuration.Features.SubscriptionCancel.CancellationReason,
          Field<'portal'>
        >({
          enabled: is('subscriptionCancel'),
          feedback_options: carried('the seller’s own reasons', 'subscriptionCancel'),
          options: is('subscriptionCancel'),
        }),
        enabled: is('subscriptionCancel'),
        mode: is('subscriptionCancel'),
        proration_behavior: is('subscriptionCancel'),
      },
    ),
    subscription_pause: membersWithin<Stripe.BillingPortal.Configuration.Features.SubscriptionPause, Field<'portal'>>({
      duration: derivedFrom('has no effect while the feature is off'),
      enabled: carried('customers pause their subscriptions', 'paymentMethodUpdate'),
    }),
    subscription_update: is('subscriptionUpdate'),
  }),
  is_default: byStripe,
  livemode: byStripe,
  login_page: is('loginPage'),
  metadata: is('metadata'),
  name: carried('a name in the dashboard', 'headline'),
  updated: byStripe,
}

export const memberTables = {
  meter,
  feature,
  product,
  price,
  coupon,
  promotion_code: promotionCode,
  tax_rate: taxRate,
  portal,
  webhook,
} as const

type UnmanagedMembers = Pick<ObservedResource, 'unsaid' | 'carriable'>

/**
 * Returns the members of a live object that a document cannot express, as paths with Stripe's names (e.g. `recurring.trial_period_days`).
 * Omits members whose value is null, empty or false.
 */
export function unmanagedMembers(kind: ResourceKind, object: object): UnmanagedMembers {
  const found = new Map<string, CarriedValue | null>()
  collect(memberTables[kind], object, '', found)
  if (found.size === 0) return noUnmanagedMembers
  return { unsaid: [...found.keys()], carriable: [...found.values()].filter((value) => value !== null) }
}

const noUnmanagedMembers: UnmanagedMembers = { unsaid: [], carriable: [] }

function collect(table: MemberTable, object: object, prefix: string, found: Map<string, CarriedValue | null>): void {
  for (const [member, value] of Object.entries(object) as [string, unknown][]) {
    // The SDK adds `lastResponse`; it is no member of the object.
    if (member === 'lastResponse' || isNothing(value)) continue
    const path = prefix + member
    const row = Object.hasOwn(table, member) ? table[member] : undefined
    if (row === undefined || 'notExpressible' in row)
      found.set(path, row?.carriedWith === undefined ? null : { member: path, value, beside: row.carriedWith })
    else if ('within' in row && isObject(value)) collect(row.within, value, `${path}.`, found)
    else if ('each' in row && isObject(value))
      for (const item of Object.values(value)) if (isObject(item)) collect(row.each, item, `${path}.`, found)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true
  return isObject(value) && Object.values(value).every(isNothing)
}
