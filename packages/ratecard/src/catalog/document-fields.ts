// Canonical fields in the document's own words: what people read in plans, drift reports and pulled documents.
import { resourceKinds } from './resource.ts'
import type { CanonicalTier, ResourceKind } from './resource.ts'
import type { Tier } from '../config/schema.ts'

const documentNames: Record<string, string> = {
  displayName: 'display_name',
  eventName: 'event_name',
  formula: 'default_aggregation.formula',
  customerKey: 'customer_mapping.event_payload_key',
  valueKey: 'value_settings.event_payload_key',
  defaultPrice: 'default_price',
  intervalCount: 'interval_count',
  usageType: 'usage_type',
  billingScheme: 'billing_scheme',
  tiersMode: 'tiers_mode',
  unitAmount: 'amount',
  taxBehavior: 'tax_included_in_price',
  percentOff: 'percent_off',
  amountOff: 'amount_off',
  durationInMonths: 'duration_in_months',
  maxRedemptions: 'max_redemptions',
  redeemBy: 'redeem_by',
  appliesTo: 'applies_to',
  firstTimeTransaction: 'first_time_transaction',
  minimumAmount: 'minimum_amount',
  minimumAmountCurrency: 'minimum_amount_currency',
  expiresAt: 'expires_at',
}

/** Fields that name other resources, and of which kind. */
export const referenceFields: Partial<Record<ResourceKind, Readonly<Record<string, ResourceKind>>>> = {
  product: { defaultPrice: 'price' },
  price: { product: 'product', meter: 'meter' },
  coupon: { appliesTo: 'product' },
  promotion_code: { coupon: 'coupon' },
}

/** The same as pairs, made once. */
export const referenceEntries = Object.fromEntries(
  resourceKinds.map((kind) => [kind, Object.entries<ResourceKind>(referenceFields[kind] ?? {})]),
) as unknown as Readonly<Record<ResourceKind, readonly (readonly [string, ResourceKind])[]>>

/** The document's name of a canonical field; sub-minor amounts have a name of their own. */
export function documentName(field: string, ...values: readonly unknown[]): string {
  if (field === 'unitAmount' && values.some((value) => typeof value === 'string' && value.includes('.')))
    return 'unit_amount_decimal'
  return documentNames[field] ?? field
}

/** A canonical value as the document writes it; undefined is absent. */
export function documentValue(field: string, value: unknown): unknown {
  if (value === null || value === '') return undefined
  if (field === 'unitAmount' && typeof value === 'string') return documentAmount(value)
  if (field === 'percentOff' && typeof value === 'string') return Number(value)
  if (field === 'tiers' && Array.isArray(value)) return (value as CanonicalTier[]).map(documentTier)
  if (field === 'taxBehavior') return value === 'unspecified' ? undefined : value === 'inclusive'
  if ((field === 'redeemBy' || field === 'expiresAt') && typeof value === 'number') return documentMoment(value)
  return value
}

/** Whole minor units as a number, fractions as decimal text. */
export function documentAmount(canonical: string): number | string {
  return canonical.includes('.') ? canonical : Number(canonical)
}

/** Unix seconds as ISO 8601 without needless milliseconds. */
export function documentMoment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

export function documentTier(tier: CanonicalTier): Tier {
  const amount = tier.unitAmount === null ? undefined : documentAmount(tier.unitAmount)
  const flat = tier.flatAmount === null ? undefined : Number(tier.flatAmount)
  return {
    up_to: tier.upTo ?? 'inf',
    ...(typeof amount === 'number' ? { unit_amount: amount } : {}),
    ...(typeof amount === 'string' ? { unit_amount_decimal: amount } : {}),
    ...(flat === undefined ? {} : { flat_amount: flat }),
    // A tier says at least one of the two; a free tier says so.
    ...(amount === undefined && flat === undefined ? { unit_amount: 0 } : {}),
  }
}
