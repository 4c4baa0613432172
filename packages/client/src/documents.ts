// The document's own types. Documents are data, not calls: they keep their snake_case names on both sides.

export type Interval = 'day' | 'week' | 'month' | 'year'

export interface TierDocument {
  up_to: number | 'inf'
  unit_amount?: number
  unit_amount_decimal?: string
  flat_amount?: number
}

export interface PriceDocument {
  id: string
  amount?: number
  unit_amount_decimal?: string
  tiers?: TierDocument[]
  currency: string
  interval?: Interval
  interval_count?: number
  usage_type?: 'licensed' | 'metered'
  meter?: string
  billing_scheme?: 'per_unit' | 'tiered'
  tiers_mode?: 'graduated' | 'volume'
  tax_included_in_price?: boolean
  public?: boolean
  default?: boolean
  enterprise_template?: string
  enterprise_id?: string
  base_price?: string
  metadata?: Record<string, string>
  previous_ids?: string[]
  processor_id?: string
  ui?: {
    display_name?: string
    billing_period?: string
    price_display?: { custom_text?: string; show_currency?: boolean; suffix?: string }
    features?: string[]
    limits?: { text?: string; value?: number; unit?: string }[]
  }
}

export interface ProductDocument {
  id: string
  name: string
  description?: string
  type?: 'service' | 'good'
  prices?: PriceDocument[]
  ui?: {
    display_name?: string
    tagline?: string
    badge?: string
    highlighted?: boolean
    cta_text?: string
    sort_order?: number
    features?: string[]
  }
  metadata?: Record<string, string>
  previous_ids?: string[]
  processor_id?: string
}

export interface MeterDocument {
  id: string
  display_name: string
  event_name: string
  default_aggregation?: { formula: 'sum' | 'count' | 'last' }
  customer_mapping?: { type: 'by_id'; event_payload_key: string }
  value_settings?: { event_payload_key: string }
  previous_ids?: string[]
  processor_id?: string
}

export interface WebhookDocument {
  id?: string
  url: string
  events: string[]
  connect?: boolean
  description?: string
  previous_ids?: string[]
  processor_id?: string
}

export interface CouponDocument {
  id: string
  name?: string
  percent_off?: number
  amount_off?: number
  currency?: string
  duration: 'once' | 'repeating' | 'forever'
  duration_in_months?: number
  max_redemptions?: number
  redeem_by?: string | number
  applies_to?: string[]
  metadata?: Record<string, string>
  previous_ids?: string[]
  processor_id?: string
}

export interface PromotionCodeDocument {
  id: string
  code: string
  coupon: string
  active?: boolean
  max_redemptions?: number
  first_time_transaction?: boolean
  minimum_amount?: number
  minimum_amount_currency?: string
  expires_at?: string | number
  metadata?: Record<string, string>
  previous_ids?: string[]
  processor_id?: string
}

export interface BillingDocument {
  $schema?: string
  version: string
  webhooks?: WebhookDocument[]
  meters?: MeterDocument[]
  products: ProductDocument[]
  coupons?: CouponDocument[]
  promotion_codes?: PromotionCodeDocument[]
}
