// Stripe's side of a write: the object that a creation with these parameters returns, according to its documentation.
import type { Stripe } from 'stripe'

const stamp = { created: 1_790_000_000, livemode: false }

type Created<T> = T & { metadata: Record<string, string> }

function metadataOf(metadata: unknown): Record<string, string> {
  const entries = typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : []
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]).filter(([, value]) => value !== ''))
}

/** Both forms of an amount in a response of Stripe: the integer is null if the decimal is a fraction. */
function amounts(whole: number | undefined, decimal: { toString(): string } | undefined) {
  const text = decimal?.toString() ?? (whole === undefined ? null : String(whole))
  return {
    whole: text === null || text.includes('.') ? null : Number(text),
    decimal: text as unknown as Stripe.Decimal | null,
  }
}

export function livePrice(params: Stripe.PriceCreateParams): Created<Stripe.Price> {
  const unit = amounts(params.unit_amount, params.unit_amount_decimal)
  const { recurring } = params
  return {
    ...{ id: 'price_1', object: 'price', active: params.active ?? true, ...stamp },
    billing_scheme: params.billing_scheme ?? 'per_unit',
    currency: params.currency,
    custom_unit_amount: null,
    lookup_key: params.lookup_key ?? null,
    metadata: metadataOf(params.metadata),
    nickname: null,
    product: params.product ?? '',
    recurring: recurring
      ? {
          interval: recurring.interval,
          interval_count: recurring.interval_count ?? 1,
          meter: recurring.meter ?? null,
          trial_period_days: null,
          usage_type: recurring.usage_type ?? 'licensed',
        }
      : null,
    tax_behavior: params.tax_behavior ?? 'unspecified',
    tiers_mode: params.tiers_mode ?? null,
    transform_quantity: null,
    type: recurring ? 'recurring' : 'one_time',
    unit_amount: unit.whole,
    unit_amount_decimal: unit.decimal,
    ...(params.tiers === undefined ? {} : { tiers: params.tiers.map(liveTier) }),
  }
}

function liveTier(tier: Stripe.PriceCreateParams.Tier): Stripe.Price.Tier {
  const unit = amounts(tier.unit_amount, tier.unit_amount_decimal)
  const flat = amounts(tier.flat_amount, tier.flat_amount_decimal)
  return {
    ...{ unit_amount: unit.whole, unit_amount_decimal: unit.decimal },
    ...{ flat_amount: flat.whole, flat_amount_decimal: flat.decimal },
    up_to: tier.up_to === 'inf' ? null : tier.up_to,
  }
}

export function liveProduct(params: Stripe.ProductCreateParams): Created<Stripe.Product> {
  return {
    ...{ id: params.id ?? 'prod_1', object: 'product', active: true, ...stamp, updated: stamp.created },
    ...{ images: params.images ?? [], marketing_features: params.marketing_features ?? [], tax_details: null },
    package_dimensions: params.package_dimensions ?? null,
    shippable: params.shippable ?? null,
    statement_descriptor: params.statement_descriptor ?? null,
    unit_label: params.unit_label ?? null,
    url: params.url ?? null,
    default_price: null,
    description: params.description ?? null,
    tax_code: params.tax_code ?? null,
    metadata: metadataOf(params.metadata),
    name: params.name,
    type: params.type ?? 'service',
  }
}

export function liveMeter(params: Stripe.Billing.MeterCreateParams): Stripe.Billing.Meter {
  return {
    ...{ id: 'mtr_1', object: 'billing.meter', ...stamp, updated: stamp.created },
    customer_mapping: params.customer_mapping ?? { type: 'by_id', event_payload_key: 'stripe_customer_id' },
    default_aggregation: params.default_aggregation,
    display_name: params.display_name,
    event_name: params.event_name,
    event_time_window: params.event_time_window ?? null,
    status: 'active',
    status_transitions: { deactivated_at: null },
    value_settings: params.value_settings ?? { event_payload_key: 'value' },
  }
}

export function liveCoupon(params: Stripe.CouponCreateParams): Created<Stripe.Coupon> {
  return {
    ...{ id: params.id ?? 'coupon_1', object: 'coupon', ...stamp, times_redeemed: 0, valid: true },
    amount_off: params.amount_off ?? null,
    currency: params.currency ?? null,
    ...(params.currency_options === undefined ? {} : { currency_options: params.currency_options }),
    duration: params.duration ?? 'once',
    duration_in_months: params.duration_in_months ?? null,
    max_redemptions: params.max_redemptions ?? null,
    metadata: metadataOf(params.metadata),
    name: params.name ?? null,
    percent_off: params.percent_off ?? null,
    redeem_by: params.redeem_by ?? null,
    // Stripe keeps the products in the order of the request.
    ...(params.applies_to?.products === undefined ? {} : { applies_to: { products: params.applies_to.products } }),
  }
}

export function livePromotionCode(params: Stripe.PromotionCodeCreateParams): Created<Stripe.PromotionCode> {
  return {
    ...{ id: 'promo_1', object: 'promotion_code', ...stamp, customer_account: null, times_redeemed: 0 },
    customer: params.customer ?? null,
    active: params.active ?? true,
    code: params.code ?? 'RANDOM',
    expires_at: params.expires_at ?? null,
    max_redemptions: params.max_redemptions ?? null,
    metadata: metadataOf(params.metadata),
    promotion: { type: 'coupon', coupon: params.promotion.coupon ?? null },
    restrictions: {
      ...(params.restrictions?.currency_options === undefined
        ? {}
        : { currency_options: params.restrictions.currency_options as Record<string, { minimum_amount: number }> }),
      first_time_transaction: params.restrictions?.first_time_transaction ?? false,
      minimum_amount: params.restrictions?.minimum_amount ?? null,
      minimum_amount_currency: params.restrictions?.minimum_amount_currency ?? null,
    },
  }
}

export function liveTaxRate(params: Stripe.TaxRateCreateParams): Created<Stripe.TaxRate> {
  return {
    ...{ id: 'txr_1', object: 'tax_rate', ...stamp, flat_amount: null, jurisdiction_level: null },
    active: params.active ?? true,
    country: params.country ?? null,
    description: params.description ?? null,
    display_name: params.display_name,
    effective_percentage: params.percentage,
    inclusive: params.inclusive,
    jurisdiction: params.jurisdiction ?? null,
    metadata: metadataOf(params.metadata),
    percentage: params.percentage,
    rate_type: 'percentage',
    state: params.state ?? null,
    tax_type: params.tax_type ?? null,
  }
}

export function liveWebhook(params: Stripe.WebhookEndpointCreateParams): Created<Stripe.WebhookEndpoint> {
  return {
    ...{ id: 'we_1', object: 'webhook_endpoint', ...stamp, application: null, status: 'enabled', secret: 'whsec_1' },
    api_version: params.api_version ?? null,
    description: params.description || null,
    enabled_events: [...params.enabled_events],
    metadata: metadataOf(params.metadata),
    url: params.url,
  }
}
