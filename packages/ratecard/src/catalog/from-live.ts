// Live objects in the document's words, one function per kind. Values only; ids are chosen by the caller.
import { isSupportedCurrency } from './guess-id.ts'
import type { Coupon, Meter, Price, Product, PromotionCode, Webhook } from '../config/schema.ts'
import { documentAmount, documentMoment, documentTier } from './document-fields.ts'
import type { FieldsOf, ProcessorId } from './resource.ts'

/** The document's id of another resource; undefined when the document does not hold it. */
export type Names = (kind: 'product' | 'price' | 'meter' | 'coupon', id: ProcessorId) => string | undefined

/** Why an object has no form in the document. */
export class Unrepresentable extends Error {}

const metadataOf = (metadata: Readonly<Record<string, string>>) =>
  Object.keys(metadata).length === 0 ? {} : { metadata: { ...metadata } }

export function meterFromLive(id: string, fields: FieldsOf<'meter', ProcessorId>): Meter {
  return {
    id,
    display_name: fields.displayName,
    event_name: fields.eventName,
    default_aggregation: { formula: fields.formula },
    customer_mapping: { type: 'by_id', event_payload_key: fields.customerKey },
    value_settings: { event_payload_key: fields.valueKey },
  }
}

export function productFromLive(id: string, fields: FieldsOf<'product', ProcessorId>): Product {
  return {
    id,
    name: fields.name,
    ...(fields.description === '' ? {} : { description: fields.description }),
    type: fields.type,
    ...metadataOf(fields.metadata),
  }
}

export function priceFromLive(id: string, fields: FieldsOf<'price', ProcessorId>, names: Names): Price {
  const { currency } = fields
  if (!isSupportedCurrency(currency)) throw new Unrepresentable(`the currency ${currency} is not supported`)
  const meter = fields.meter === null ? undefined : names('meter', fields.meter)
  if (fields.usageType === 'metered' && meter === undefined)
    throw new Unrepresentable('its meter is missing or deactivated')
  const amount = fields.unitAmount === null ? undefined : documentAmount(fields.unitAmount)
  return {
    id,
    ...(typeof amount === 'number' ? { amount } : {}),
    ...(typeof amount === 'string' ? { unit_amount_decimal: amount } : {}),
    currency,
    ...(fields.interval === null ? {} : { interval: fields.interval }),
    ...(fields.intervalCount === 1 ? {} : { interval_count: fields.intervalCount }),
    ...(fields.usageType === 'metered' ? { usage_type: 'metered' as const } : {}),
    ...(meter === undefined ? {} : { meter }),
    ...(fields.tiers === null
      ? {}
      : {
          billing_scheme: 'tiered' as const,
          tiers_mode: fields.tiersMode ?? ('graduated' as const),
          tiers: fields.tiers.map(documentTier),
        }),
    ...(fields.taxBehavior === 'unspecified' ? {} : { tax_included_in_price: fields.taxBehavior === 'inclusive' }),
    ...metadataOf(fields.metadata),
  }
}

export function couponFromLive(id: string, fields: FieldsOf<'coupon', ProcessorId>, names: Names): Coupon {
  const { currency } = fields
  if (currency !== null && !isSupportedCurrency(currency))
    throw new Unrepresentable(`the currency ${currency} is not supported`)
  const products = fields.appliesTo?.map((product) => names('product', product))
  if (products?.some((product) => product === undefined) === true)
    throw new Unrepresentable('it applies to a product that is archived')
  return {
    id,
    ...(fields.name === '' ? {} : { name: fields.name }),
    ...(fields.percentOff === null ? {} : { percent_off: Number(fields.percentOff) }),
    ...(fields.amountOff === null || currency === null ? {} : { amount_off: fields.amountOff, currency }),
    duration: fields.duration,
    ...(fields.durationInMonths === null ? {} : { duration_in_months: fields.durationInMonths }),
    ...(fields.maxRedemptions === null ? {} : { max_redemptions: fields.maxRedemptions }),
    ...(fields.redeemBy === null ? {} : { redeem_by: documentMoment(fields.redeemBy) }),
    ...(products === undefined ? {} : { applies_to: products.filter((product) => product !== undefined) }),
    ...metadataOf(fields.metadata),
  }
}

export function codeFromLive(id: string, fields: FieldsOf<'promotion_code', ProcessorId>, names: Names): PromotionCode {
  const coupon = names('coupon', fields.coupon)
  if (coupon === undefined) throw new Unrepresentable('its coupon is deleted or cannot be expressed')
  const currency = fields.minimumAmountCurrency
  if (currency !== null && !isSupportedCurrency(currency))
    throw new Unrepresentable(`the currency ${currency} is not supported`)
  return {
    id,
    code: fields.code,
    coupon,
    ...(fields.active ? {} : { active: false }),
    ...(fields.maxRedemptions === null ? {} : { max_redemptions: fields.maxRedemptions }),
    ...(fields.firstTimeTransaction ? { first_time_transaction: true } : {}),
    ...(fields.minimumAmount === null || currency === null
      ? {}
      : { minimum_amount: fields.minimumAmount, minimum_amount_currency: currency }),
    ...(fields.expiresAt === null ? {} : { expires_at: documentMoment(fields.expiresAt) }),
    ...metadataOf(fields.metadata),
  }
}

export function webhookFromLive(id: string, fields: FieldsOf<'webhook', ProcessorId>): Webhook {
  return {
    id,
    url: fields.url,
    events: [...fields.events],
    ...(fields.connect ? { connect: true } : {}),
    ...(fields.description === '' ? {} : { description: fields.description }),
  }
}
