// Generated from the schema of the document by scripts/reference/document-types.ts; do not edit.

export type Interval = 'day' | 'week' | 'month' | 'year'

export interface TierDocument {
  up_to: number | 'inf'
  unit_amount?: number
  unit_amount_decimal?: string
  flat_amount?: number
  flat_amount_decimal?: string
}

export interface PriceDocument {
  id: string
  amount?: number
  unit_amount_decimal?: string
  tiers?: TierDocument[]
  currency: string
  interval?: 'day' | 'week' | 'month' | 'year'
  interval_count?: number
  usage_type?: 'licensed' | 'metered'
  meter?: string
  billing_scheme?: 'per_unit' | 'tiered'
  tiers_mode?: 'graduated' | 'volume'
  tax_included_in_price?: boolean
  currency_options?: {
    usd?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    eur?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    gbp?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    cad?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    aud?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    jpy?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    inr?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    brl?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    mxn?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    sgd?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    hkd?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    nzd?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    chf?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    sek?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    dkk?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    nok?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    pln?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    czk?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    ils?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
    zar?: {
      amount?: number
      unit_amount_decimal?: string
      tiers?: TierDocument[]
      tax_included_in_price?: boolean
    }
  }
  transform_quantity?: {
    divide_by: number
    round: 'up' | 'down'
  }
  custom_unit_amount?: {
    minimum?: number
    maximum?: number
    preset?: number
  }
  nickname?: string
  trial_period_days?: number
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
    price_display?: {
      custom_text?: string
      show_currency?: boolean
      suffix?: string
    }
    features?: string[]
    limits?: Array<{
      text?: string
      value?: number
      unit?: string
    }>
  }
}

export interface ProductDocument {
  id: string
  name: string
  description?: string
  type?: 'service' | 'good'
  tax_code?: string
  unit_label?: string
  statement_descriptor?: string
  url?: string
  images?: string[]
  marketing_features?: string[]
  shippable?: boolean
  package_dimensions?: {
    height: number
    length: number
    weight: number
    width: number
  }
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
  default_aggregation?: {
    formula: 'sum' | 'count' | 'last'
  }
  customer_mapping?: {
    type: 'by_id'
    event_payload_key: string
  }
  value_settings?: {
    event_payload_key: string
  }
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
