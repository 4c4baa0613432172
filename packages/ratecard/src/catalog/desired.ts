// The document as a catalog of canonical resources: what should exist. Pure; knows nothing of the processor.
import { createHash } from 'node:crypto'
import { basePriceId } from '../config/base-price.ts'
import { canonicalJson } from '../config/canonical.ts'
import { isLocalPrice, webhookId } from '../config/ids.ts'
import { toUnixSeconds } from '../config/moment.ts'
import { isPublic } from '../config/public-view.ts'
import type { BillingConfig, Coupon, Meter, Price, Product, PromotionCode, Tier, Webhook } from '../config/schema.ts'
import { canonicalDecimal } from '../money/decimal.ts'
import { configId, processorId, resourceKinds } from './resource.ts'
import type { CanonicalTier, Catalog, ConfigId, DesiredResource, PriceFields, ResourceKind } from './resource.ts'

/** Stripe's own defaults for the payload keys of a meter. */
const defaultCustomerKey = 'stripe_customer_id'
const defaultValueKey = 'value'

export const emptyCatalog: Catalog = { meter: [], product: [], price: [], coupon: [], promotion_code: [], webhook: [] }

/** Every resource of a valid document, each kind in document order. */
export function desiredCatalog(config: BillingConfig): Catalog {
  return {
    meter: (config.meters ?? []).map(desiredMeter),
    product: config.products.map(desiredProduct),
    price: config.products.flatMap((product) => (product.prices ?? []).map((price) => desiredPrice(price, product))),
    coupon: (config.coupons ?? []).map(desiredCoupon),
    promotion_code: (config.promotion_codes ?? []).map(desiredCode),
    webhook: (config.webhooks ?? []).map(desiredWebhook),
  }
}

/**
 * Two documents of one fingerprint mean the same, in the same order, whatever way they are written (explicit defaults, tier
 * amounts of zero, `$schema`, `processor_id`). The version is not part of it.
 */
export function catalogFingerprint(config: BillingConfig): string {
  const catalog = desiredCatalog(config)
  const hash = createHash('sha256')
  for (const kind of resourceKinds)
    for (const { adopt: _adopt, ...rest } of catalog[kind] as readonly DesiredResource[])
      hash.update(`${canonicalJson(rest)}\n`)
  return hash.digest('hex')
}

function resource<K extends ResourceKind>(
  kind: K,
  id: string,
  fields: DesiredResource<K>['fields'],
  adopt: string | undefined,
  ours: Record<string, unknown> = {},
): DesiredResource<K> {
  return {
    kind,
    configId: configId(id),
    home: 'processor',
    fields,
    adopt: adopt === undefined ? null : processorId(adopt),
    ours: definedOnly(ours),
  }
}

function definedOnly(fields: Record<string, unknown>): Record<string, unknown> {
  const defined: Record<string, unknown> = {}
  for (const field in fields) if (fields[field] !== undefined) defined[field] = fields[field]
  return defined
}

function desiredMeter(meter: Meter): DesiredResource<'meter'> {
  return resource(
    'meter',
    meter.id,
    {
      displayName: meter.display_name,
      eventName: meter.event_name,
      formula: meter.default_aggregation?.formula ?? 'sum',
      customerKey: meter.customer_mapping?.event_payload_key ?? defaultCustomerKey,
      valueKey: meter.value_settings?.event_payload_key ?? defaultValueKey,
    },
    meter.processor_id,
  )
}

function desiredProduct(product: Product): DesiredResource<'product'> {
  const chosen = (product.prices ?? []).find((price) => price.default === true && !isLocalPrice(price))
  return resource(
    'product',
    product.id,
    {
      name: product.name,
      description: product.description ?? '',
      type: product.type ?? 'service',
      metadata: product.metadata ?? {},
      defaultPrice: chosen === undefined ? null : configId(chosen.id),
    },
    product.processor_id,
    { ui: product.ui },
  )
}

function desiredPrice(price: Price, product: Product): DesiredResource<'price'> {
  const enterprise = price.enterprise_template !== undefined || price.enterprise_id !== undefined
  return {
    ...resource('price', price.id, priceFields(price, configId(product.id)), price.processor_id, {
      ui: price.ui,
      public: isPublic(price),
      default: price.default === true,
      enterprise_template: price.enterprise_template,
      enterprise_id: price.enterprise_id,
      // The derived base counts, so that giving it explicitly is no difference.
      base_price: enterprise ? basePriceId(price, product.prices ?? []) : undefined,
    }),
    home: isLocalPrice(price) ? 'local' : 'processor',
  }
}

/** The canonical money fields of a price of the document. */
export function priceFields(price: Price, product: ConfigId): PriceFields {
  const tiered = price.tiers !== undefined
  const amount = price.unit_amount_decimal ?? price.amount
  return {
    product,
    currency: price.currency,
    interval: price.interval ?? null,
    intervalCount: price.interval === undefined ? 1 : (price.interval_count ?? 1),
    usageType: price.usage_type ?? 'licensed',
    meter: price.meter === undefined ? null : configId(price.meter),
    billingScheme: tiered ? 'tiered' : 'per_unit',
    tiersMode: tiered ? (price.tiers_mode ?? 'graduated') : null,
    unitAmount: tiered || amount === undefined ? null : canonicalDecimal(amount),
    tiers: tiered ? (price.tiers ?? []).map(canonicalTier) : null,
    taxBehavior:
      price.tax_included_in_price === undefined
        ? 'unspecified'
        : price.tax_included_in_price
          ? 'inclusive'
          : 'exclusive',
    metadata: price.metadata ?? {},
  }
}

function canonicalTier(tier: Tier): CanonicalTier {
  return {
    upTo: tier.up_to === 'inf' ? null : tier.up_to,
    unitAmount: zeroAsNull(tier.unit_amount_decimal ?? tier.unit_amount),
    flatAmount: zeroAsNull(tier.flat_amount),
  }
}

function zeroAsNull(amount: string | number | undefined): string | null {
  if (amount === undefined) return null
  const canonical = canonicalDecimal(amount)
  return canonical === '0' ? null : canonical
}

function desiredCoupon(coupon: Coupon): DesiredResource<'coupon'> {
  return resource(
    'coupon',
    coupon.id,
    {
      name: coupon.name ?? '',
      percentOff: coupon.percent_off === undefined ? null : canonicalDecimal(coupon.percent_off),
      amountOff: coupon.amount_off ?? null,
      currency: coupon.amount_off === undefined ? null : (coupon.currency ?? null),
      duration: coupon.duration,
      durationInMonths: coupon.duration_in_months ?? null,
      maxRedemptions: coupon.max_redemptions ?? null,
      redeemBy: coupon.redeem_by === undefined ? null : toUnixSeconds(coupon.redeem_by),
      appliesTo: coupon.applies_to === undefined ? null : [...new Set(coupon.applies_to)].sort().map(configId),
      metadata: coupon.metadata ?? {},
    },
    coupon.processor_id,
  )
}

function desiredCode(code: PromotionCode): DesiredResource<'promotion_code'> {
  return resource(
    'promotion_code',
    code.id,
    {
      code: code.code,
      coupon: configId(code.coupon),
      active: code.active ?? true,
      maxRedemptions: code.max_redemptions ?? null,
      firstTimeTransaction: code.first_time_transaction ?? false,
      minimumAmount: code.minimum_amount ?? null,
      minimumAmountCurrency: code.minimum_amount_currency ?? null,
      expiresAt: code.expires_at === undefined ? null : toUnixSeconds(code.expires_at),
      metadata: code.metadata ?? {},
    },
    code.processor_id,
  )
}

function desiredWebhook(webhook: Webhook): DesiredResource<'webhook'> {
  return resource(
    'webhook',
    webhookId(webhook),
    {
      url: webhook.url,
      events: [...new Set(webhook.events)].sort(),
      connect: webhook.connect ?? false,
      description: webhook.description ?? '',
    },
    webhook.processor_id,
  )
}
