// Generated from the contract (packages/ratecard/src/wire) by scripts/reference/client-types.ts; do not edit.

import type { Issue } from './issue.ts'

/** Products, prices, features, meters, webhooks, coupons and promotion codes. */
export interface BillingDocument {
  /** URL of this schema, for your editor. Ignored. */
  $schema?: string
  /** Version of the document, MAJOR.MINOR.PATCH. Raise it with every change. */
  version: string
  /** Webhook endpoints that the processor delivers events to. */
  webhooks?: WebhookDocument[]
  /** Meters for usage-based prices. */
  meters?: MeterDocument[]
  /** Features that products entitle their subscribers to. */
  features?: Array<{
    /** Your id of the feature; products name it. It becomes the lookup key at the processor. */
    id: string
    /** Name for yourself and your own pages. */
    name: string
    /** `switch` (the default): on or off. `limit`: a number that your program counts, e.g. projects. `metered`: a number per period that is counted by `meter`, e.g. API calls. Ours alone: the processor knows every feature as on or off. */
    type?: 'switch' | 'limit' | 'metered'
    /** Id of the meter that counts a `metered` feature. */
    meter?: string
    /** What a limit counts, as your customers read it. */
    unit?: string
    /** Up to 45 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
    metadata?: Record<string, string>
    /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
    previous_ids?: string[]
    /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
    processor_id?: string
  }>
  /** Products and their prices; at least one in the merged document. */
  products: ProductDocument[]
  /** Coupons: the discounts that promotion codes give. */
  coupons?: CouponDocument[]
  /** Promotion codes: what customers type to get a coupon. */
  promotion_codes?: PromotionCodeDocument[]
}

/** Something you sell. */
export interface ProductDocument {
  /** Your id of the product, unique across products. */
  id: string
  /** Name on invoices and receipts. */
  name: string
  /** Longer text on invoices and receipts. */
  description?: string
  /** Fixed at creation: a change is refused. Default `service`. */
  type?: 'service' | 'good'
  /** Tax code of the processor, e.g. `txcd_10103001`. */
  tax_code?: string
  /** Name of one unit on invoices and in the checkout. */
  unit_label?: string
  /** Text on the customer’s card or bank statement, for subscriptions. */
  statement_descriptor?: string
  /** URL of a public page about the product. */
  url?: string
  /** Addresses of up to 8 images, the first one shown first. */
  images?: string[]
  /** Up to 15 features that the processor’s own pricing pages list, in this order. */
  marketing_features?: string[]
  /** Whether the product is shipped to the customer. */
  shippable?: boolean
  /** Size and weight of the shipped package. */
  package_dimensions?: {
    /** Inches, up to 2 decimals. */
    height: number
    /** Inches, up to 2 decimals. */
    length: number
    /** Ounces, up to 2 decimals. */
    weight: number
    /** Inches, up to 2 decimals. */
    width: number
  }
  /** What subscribers of the product may use: ids of `features`, and for features with a limit how much. */
  features?: Array<string | {
    /** Feature id. */
    id: string
    /** How many the customer may have or use. Limits of several products add up. */
    limit: number | 'unlimited'
    /** The limit counts for each unit that is bought, e.g. for each seat. Default false. */
    per_quantity?: boolean
    /** When the usage of a `metered` feature is reset to zero: with each period of the subscription (the default), on the first of each month in UTC, or never. */
    resets?: 'billing_period' | 'month' | 'never'
    /** What a check answers past the limit: no (`deny`, the default), or yes (`allow`), for usage that is billed. */
    beyond?: 'deny' | 'allow'
  }>
  /** Subscribers to an earlier generation of a price keep the features and limits that the product gave when that price was replaced. Default false. */
  grandfather_features?: boolean
  /** Products with the same group exclude each other: a tenant has at most one of them at a time. */
  subscription_group?: string
  /** Prices of the product. */
  prices?: PriceDocument[]
  /** Display hints. They are not sent to the processor. */
  ui?: {
    /** Name for customers, when it differs from `name`. */
    display_name?: string
    /** One line under the name. */
    tagline?: string
    /** Short label on the card. */
    badge?: string
    /** Draw attention to this product. */
    highlighted?: boolean
    /** Label of the button. */
    cta_text?: string
    /** Products are shown in ascending order. */
    sort_order?: number
    /** Feature list for a pricing table. */
    features?: string[]
  }
  /** Up to 45 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
  metadata?: Record<string, string>
  /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
  previous_ids?: string[]
  /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
  processor_id?: string
}

/** A price of a product. */
export interface PriceDocument {
  /** Your id of the price, unique across all products. It becomes the lookup key at the processor. */
  id: string
  /** Amount per unit in minor units: 1200 is €12.00, but ¥1,200. 0 makes a free price, which exists only in Ratecard. */
  amount?: number
  /** Amount per unit in minor units with up to 12 decimals, in place of `amount`: "0.05" is $0.0005. */
  unit_amount_decimal?: string
  /** Tiers in ascending order, the last one up to "inf". In place of `amount`. */
  tiers?: TierDocument[]
  /** Lowercase three-letter currency code. */
  currency: string
  /** Billing period. Without it the price is one-time. */
  interval?: 'day' | 'week' | 'month' | 'year'
  /** Number of intervals between bills, at most three years in all. Default 1. */
  interval_count?: number
  /** Billed by quantity (`licensed`, the default) or by measured usage (`metered`, needs `meter`). */
  usage_type?: 'licensed' | 'metered'
  /** Id of the meter that a metered price bills. */
  meter?: string
  /** One amount per unit (`per_unit`, the default) or `tiers`. */
  billing_scheme?: 'per_unit' | 'tiered'
  /** `graduated` (the default): each unit at its own tier. `volume`: all units at the tier reached. */
  tiers_mode?: 'graduated' | 'volume'
  /** Whether the amount includes tax. Default: not specified at the processor. */
  tax_included_in_price?: boolean
  /** Amounts in other currencies, by currency code, without the price’s own currency. */
  currency_options?: {
    /** Amounts of the price in another currency. */
    usd?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    eur?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    gbp?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    cad?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    aud?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    jpy?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    inr?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    brl?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    mxn?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    sgd?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    hkd?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    nzd?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    chf?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    sek?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    dkk?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    nok?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    pln?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    czk?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    ils?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
    /** Amounts of the price in another currency. */
    zar?: {
      /** Amount per unit in minor units of this currency. */
      amount?: number
      /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
      unit_amount_decimal?: string
      /** Tiers with the same `up_to` as in the price’s own currency. */
      tiers?: TierDocument[]
      /** Whether the amount includes tax. Default: as for the price itself. */
      tax_included_in_price?: boolean
    }
  }
  /** The quantity is divided into packages before it is billed. Not with tiers. */
  transform_quantity?: {
    /** Units of one package. */
    divide_by: number
    /** Whether an incomplete package is billed (`up`) or not (`down`). */
    round: 'up' | 'down'
  }
  /** The customer chooses the amount. One-time prices only, in place of `amount`. */
  custom_unit_amount?: {
    /** Minimum amount that the customer may choose, in minor units. */
    minimum?: number
    /** Maximum amount, in minor units. */
    maximum?: number
    /** Preset amount, in minor units. */
    preset?: number
  }
  /** Internal name of the price. Customers do not see it. */
  nickname?: string
  /** Trial in days for a checkout that requests none. Recurring prices only. Not sent to the processor. */
  trial_period_days?: number
  /** `false` hides the price from public responses. Default true; an enterprise price is never public. */
  public?: boolean
  /** The default price of its product, at most one. */
  default?: boolean
  /** Name of the discount tier that this price belongs to. */
  enterprise_template?: string
  /** Id of the deal with a single customer that this price belongs to. */
  enterprise_id?: string
  /** Id of the ordinary price that this enterprise price replaces. Default: the longest id of an ordinary price that its own id starts with. */
  base_price?: string
  /** Per cent that an enterprise price is cheaper than its base price, more than 0 and at most 100. In place of amount, tiers, packages and other currencies, which follow the base price. */
  percent_off_base?: string
  /** Up to 45 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
  metadata?: Record<string, string>
  /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
  previous_ids?: string[]
  /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
  processor_id?: string
  /** Display hints. They are not sent to the processor. */
  ui?: {
    /** Name of the price for customers. */
    display_name?: string
    /** Label of the period. */
    billing_period?: string
    /** How the amount is shown. */
    price_display?: {
      /** Shown instead of the amount. */
      custom_text?: string
      /** Whether the currency is shown. */
      show_currency?: boolean
      /** Shown after the amount. */
      suffix?: string
    }
    /** Feature list for a pricing table. */
    features?: string[]
    /** Limits of the plan, for display. */
    limits?: Array<{
      /** The limit as shown. */
      text?: string
      /** The limit as a number. Display only; never money. */
      value?: number
      /** What is counted. */
      unit?: string
    }>
  }
}

/** One tier of a tiered price: a unit amount, a flat amount, or both. */
export interface TierDocument {
  /** Last unit of the tier; "inf" for the last tier. */
  up_to: number | 'inf'
  /** Amount per unit in minor units. */
  unit_amount?: number
  /** Amount per unit in minor units with up to 12 decimals, in place of `unit_amount`. */
  unit_amount_decimal?: string
  /** Amount in minor units that is charged once if the quantity reaches the tier. */
  flat_amount?: number
  /** Flat amount in minor units with up to 12 decimals, in place of `flat_amount`. */
  flat_amount_decimal?: string
}

/** A usage meter. */
export interface MeterDocument {
  /** Your id of the meter; metered prices name it. */
  id: string
  /** Name of the meter on invoices and in dashboards. */
  display_name: string
  /** Name of the usage events that the meter counts, unique across meters. */
  event_name: string
  /** How usage is added up. */
  default_aggregation?: {
    /** How the events of a period are aggregated. Default `sum`. */
    formula: 'sum' | 'count' | 'last'
  }
  /** Which member of an event contains its customer. */
  customer_mapping?: {
    /** The payload carries the processor’s customer id. */
    type: 'by_id'
    /** Payload key with the customer id. Default `stripe_customer_id`. */
    event_payload_key: string
  }
  /** Which member of an event contains its value. */
  value_settings?: {
    /** Payload key with the number. Default `value`. */
    event_payload_key: string
  }
  /** Window (hour or day) of preaggregated events: only the last event of each window counts. For meters with very many events. Fixed at creation. Default: each event counts. */
  event_time_window?: 'hour' | 'day'
  /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
  previous_ids?: string[]
  /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
  processor_id?: string
}

/** A webhook endpoint that the processor delivers events to. */
export interface WebhookDocument {
  /** Your id of the endpoint. Without it, editing the URL makes a new endpoint with a new secret. */
  id?: string
  /** Where events are delivered; https, or http on loopback. May hold `${VARIABLES}`. */
  url: string
  /** Event types to deliver, or `*` for all. */
  events: string[]
  /** Deliver events of connected accounts. Fixed at creation. Default false. */
  connect?: boolean
  /** What the endpoint is for. */
  description?: string
  /** API version of the endpoint’s events. Fixed at creation: another version creates a new endpoint with a new secret. Default: the version that this release uses; an existing endpoint keeps its version. */
  api_version?: string
  /** Up to 45 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
  metadata?: Record<string, string>
  /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
  previous_ids?: string[]
  /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
  processor_id?: string
}

/** A discount: a percentage or an amount off. */
export interface CouponDocument {
  /** Your id of the coupon. */
  id: string
  /** Name on receipts. */
  name?: string
  /** Percent off, up to 100. */
  percent_off?: number
  /** Amount off in minor units; needs `currency`. */
  amount_off?: number
  /** Currency of `amount_off`. */
  currency?: string
  /** Amounts off in other currencies, by currency code. Only with `amount_off`, and without the coupon’s own currency. */
  currency_options?: {
    /** Amount off in another currency. */
    usd?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    eur?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    gbp?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    cad?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    aud?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    jpy?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    inr?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    brl?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    mxn?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    sgd?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    hkd?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    nzd?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    chf?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    sek?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    dkk?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    nok?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    pln?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    czk?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    ils?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
    /** Amount off in another currency. */
    zar?: {
      /** Amount off in minor units of this currency. */
      amount_off: number
    }
  }
  /** How long the discount lasts for a customer. */
  duration: 'once' | 'repeating' | 'forever'
  /** Months, when `duration` is `repeating`. */
  duration_in_months?: number
  /** Maximum number of redemptions. */
  max_redemptions?: number
  /** Last time at which it can be used. ISO 8601 with a time zone, or Unix seconds. */
  redeem_by?: string | number
  /** Ids of the products to which the coupon applies. Default: all products. */
  applies_to?: string[]
  /** Up to 45 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
  metadata?: Record<string, string>
  /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
  previous_ids?: string[]
  /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
  processor_id?: string
}

/** A code that customers type to get a coupon. */
export interface PromotionCodeDocument {
  /** Your id of the code. */
  id: string
  /** What customers type. Unique; case does not matter. */
  code: string
  /** Id of the coupon that the code gives. */
  coupon: string
  /** Whether customers can redeem the code. Default true. */
  active?: boolean
  /** Maximum number of redemptions, not more than those of its coupon. */
  max_redemptions?: number
  /** Only for customers who have never paid before. */
  first_time_transaction?: boolean
  /** Minimum order amount in minor units; needs `minimum_amount_currency`. */
  minimum_amount?: number
  /** Currency of `minimum_amount`. */
  minimum_amount_currency?: string
  /** Minimum order amounts in other currencies, by currency code. Only with `minimum_amount`, and without its own currency. */
  currency_options?: {
    /** Minimum order amount in another currency. */
    usd?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    eur?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    gbp?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    cad?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    aud?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    jpy?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    inr?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    brl?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    mxn?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    sgd?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    hkd?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    nzd?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    chf?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    sek?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    dkk?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    nok?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    pln?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    czk?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    ils?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
    /** Minimum order amount in another currency. */
    zar?: {
      /** Minimum order amount in minor units of this currency. */
      minimum_amount: number
    }
  }
  /** Id of the only customer at the processor who may use it. Default: all customers. */
  customer?: string
  /** Time at which it expires, not later than its coupon. ISO 8601 with a time zone, or Unix seconds. */
  expires_at?: string | number
  /** Up to 45 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
  metadata?: Record<string, string>
  /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
  previous_ids?: string[]
  /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
  processor_id?: string
}

export interface ServedConfig {
  id: string
  version: string
  /** Number of the accepted change: 1, 2, 3 … */
  revision: number
  /** When the first revision was applied. */
  createdAt: string
  /** When this revision was applied. */
  updatedAt: string
  config: BillingDocument
}

export interface Cost {
  priceId: string
  /** As asked. */
  quantity: number
  currency: string
  billingScheme: 'per_unit' | 'tiered'
  tiersMode?: 'graduated' | 'volume'
  /** Minor units, rounded half up once, at the end. */
  amount: number
  /** Minor units before rounding. */
  amountDecimal: string
  effectiveUnitAmount: number | string | null
  /** The amount as people read it. */
  formatted: string
  breakdown: CostLine[]
}

export interface CostLine {
  upTo: number | 'inf'
  /** Units of this line. */
  quantity: number
  /** Exact, in minor units. */
  unitAmount: number | string
  /** Exact, in minor units. */
  flatAmount: number | string
  /** Exact, in minor units. */
  amount: number | string
}

export interface Conversion {
  configId: string
  /** The current one, also when a past one was asked for. */
  processorId: string
  /** Kind of the resource. */
  itemType: ResourceKind
  /** Entries in the mapping’s history, the current one included. */
  historyCount: number
  /** Whether the id asked for is the current one. */
  current: boolean
}

/** Kind of the resource. */
export type ResourceKind = 'meter' | 'feature' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'webhook'

export interface SessionPrices {
  /** Empty for a tenant without a deal. */
  prices: Array<{
    /** Config id of the public price that the negotiated price replaces. */
    basePriceId: string
    price: PriceDocument
  }>
}

export interface Entitlements {
  /** The response was read from the mirror, which was complete up to this time. Absent when the response was read live. */
  asOf?: string
  /** Only when `as_of` is more than five minutes behind. */
  stale?: true
  /** What the tenant may use now, by id. */
  features: Array<{
    /** Config id of the feature. */
    id: string
    /** Name of the feature in the configuration. */
    name: string
    /** Whether the tenant may use `requested` more. */
    allowed: boolean
    reason: 'not_included' | 'limit_reached' | null
    /** Config id of the feature. */
    feature: string
    type: 'switch' | 'limit' | 'metered'
    limit: number | 'unlimited' | null
    used: number | string | null
    remaining: number | string | null
    resetsAt: string | null
    beyond: 'deny' | 'allow' | null
    /** Config ids of public prices with which the feature would be allowed; empty if it is allowed already. */
    offeredBy: string[]
  }>
}

export interface FeatureCheck {
  /** Whether the tenant may use `requested` more. */
  allowed: boolean
  reason: 'not_included' | 'limit_reached' | null
  /** Config id of the feature. */
  feature: string
  type: 'switch' | 'limit' | 'metered'
  limit: number | 'unlimited' | null
  used: number | string | null
  remaining: number | string | null
  resetsAt: string | null
  beyond: 'deny' | 'allow' | null
  /** Config ids of public prices with which the feature would be allowed; empty if it is allowed already. */
  offeredBy: string[]
  /** The response was read from the mirror, which was complete up to this time. Absent when the response was read live. */
  asOf?: string
  /** Only when `as_of` is more than five minutes behind. */
  stale?: true
}

export interface FeatureChecks {
  /** The answers, in the order of the questions. */
  checks: FeatureCheck[]
}

export interface NewFeatureCheck {
  /** Config id of the feature. */
  readonly feature?: string | undefined
  /** Only for features of type `limit`: the number in use, which your program counts. */
  readonly used?: number | undefined
  /** How many more are wanted. Default 1. */
  readonly requested?: number | undefined
  /** Several questions at once, in place of `feature`. */
  readonly checks?: ReadonlyArray<{
    /** Config id of the feature. */
    readonly feature: string
    /** Only for features of type `limit`: the number in use, which your program counts. */
    readonly used?: number | undefined
    /** How many more are wanted. Default 1. */
    readonly requested?: number | undefined
  }> | undefined
  /** Needed with a service key. A session has a tenant already and may name no other. */
  readonly tenantId?: string | undefined
}

export interface Checkout {
  /** Where to send the customer. */
  url: string
  sessionId: string | null
  /** The price has a trial, but the tenant has already had one: payment is due at once. */
  trial?: 'used'
}

export interface NewCheckout {
  /** Config id of the price. */
  readonly priceId: string
  /** Where the customer goes after paying; its origin must be allowed. */
  readonly successUrl: string
  /** Where the customer goes instead; its origin must be allowed. */
  readonly cancelUrl: string
  /** Not for metered prices. */
  readonly quantity?: number | undefined
  /** Recurring prices only. 0 means no trial, even when the price has one. */
  readonly trialPeriodDays?: number | undefined
  /** `if_required`: the trial begins without a card. Needs a trial. Where the tenant has used its trial of the price, the page asks for a card all the same. */
  readonly paymentMethodCollection?: 'always' | 'if_required' | undefined
  /** What becomes of the subscription when the trial ends and there is no card: it ends, or it pauses until it is resumed. Needs a trial; `cancel` when absent and `payment_method_collection` is `if_required`. */
  readonly trialEnd?: 'cancel' | 'pause' | undefined
  /** One of the price’s currencies. Default: the processor chooses. */
  readonly currency?: string | undefined
  /** Let the customer enter a code. */
  readonly allowPromotionCodes?: boolean | undefined
  /** The code as customers type it; with a service key its config id will do. With a session, ten refused codes within an hour are the limit (429 `rate_limited`). */
  readonly promotionCode?: string | undefined
  /** Sell a recurring price also where the tenant has a live subscription to its product, or to another product of its `subscription_group`: both are billed. */
  readonly allowDuplicate?: boolean | undefined
  /** Service keys only: give a trial also where the tenant had one of the product or `subscription_group`. */
  readonly allowSecondTrial?: boolean | undefined
  /** Needed with a service key. A session has a tenant already and may name no other. */
  readonly tenantId?: string | undefined
}

export interface Usage {
  meter: string
  tenantId: string
  value: number | string | null
  timestamp: string | null
  identifier: string
  /** True: an earlier report with this identifier counts, and this one does not; `value` and `timestamp` are null then, as the earlier ones are not kept here. */
  alreadyCounted: boolean
  /** False: the tenant has no subscription item for the meter, as of the mirror, so nobody pays for the report. True without a complete mirror. */
  billed: boolean
}

export interface NewUsage {
  /** Config id of the meter. */
  readonly meter: string
  /** A whole number, or a decimal as text; never negative. */
  readonly value: number | string
  /** Needed with a service key. A session has a tenant already and may name no other. */
  readonly tenantId?: string | undefined
  /** Time of the usage, RFC 3339. Default: the time of the call. At most 35 days ago; with a session not later than now. */
  readonly timestamp?: string | Date | undefined
  /** The same identifier is counted once. */
  readonly identifier?: string | undefined
  /** Refuse the report (409 `limit_reached`) where it would pass an allowance of a metered feature; nothing is recorded then. */
  readonly enforce?: boolean | undefined
  /** Refuse the report (409 `meter_not_subscribed`) where nobody would pay for it; nothing is recorded then. */
  readonly strict?: boolean | undefined
}

export interface PushOutcome {
  status: 'applied' | 'unchanged' | 'planned'
  version: string
  revision: number | null
  pushId: string | null
  changes: ChangeReport
  details: Detail[]
  warnings: Issue[]
  impact: PriceImpact[]
  /** The response was read from the mirror, which was complete up to this time. Absent when the response was read live. */
  asOf?: string
  /** Only when `as_of` is more than five minutes behind. */
  stale?: true
  /** Calls that change something at the processor. */
  writes: number
  /** Fingerprint of the plan, for `X-Ratecard-Plan`. */
  plan: string
}

/** What a push does, by configuration id. */
export interface ChangeReport {
  products: {
    /** Configuration ids in document order. */
    created: string[]
    /** Configuration ids in document order. */
    updated: string[]
    /** Configuration ids in document order. */
    archived: string[]
  }
  prices: {
    /** Configuration ids in document order. */
    created: string[]
    /** Configuration ids in document order. */
    updated: string[]
    /** Configuration ids in document order. */
    archived: string[]
  }
  features: {
    /** Configuration ids in document order. */
    created: string[]
    /** Configuration ids in document order. */
    updated: string[]
    /** Configuration ids in document order. */
    archived: string[]
  }
  meters: {
    /** Configuration ids in document order. */
    created: string[]
    /** Configuration ids in document order. */
    updated: string[]
    /** Configuration ids in document order. */
    deactivated: string[]
  }
  webhooks: {
    /** Configuration ids in document order. */
    created: string[]
    /** Configuration ids in document order. */
    updated: string[]
    /** Configuration ids in document order. */
    unchanged: string[]
  }
  coupons: {
    /** Configuration ids in document order. */
    created: string[]
    /** Configuration ids in document order. */
    updated: string[]
    /** Configuration ids in document order. */
    archived: string[]
  }
  promotion_codes: {
    /** Configuration ids in document order. */
    created: string[]
    /** Configuration ids in document order. */
    updated: string[]
    /** Configuration ids in document order. */
    archived: string[]
  }
}

export interface Detail {
  /** Kind of the resource. */
  kind: ResourceKind
  configId: string
  action: ChangeAction
  /** Names of the fields that differ. */
  because: string[]
  fields: FieldChange[]
  processorIdBefore: string | null
  processorIdAfter: string | null
  /** The resource as one readable line, before and after the change. */
  display: Display
}

export type ChangeAction = 'create' | 'adopt' | 'update' | 'rename' | 'replace' | 'reactivate' | 'archive' | 'keep'

export interface FieldChange {
  /** Name of the field in the document. */
  field: string
  /** null when absent. */
  before: unknown
  /** null when absent. */
  after: unknown
  /** Whose change it is: the author’s edit, an edit at the processor, or both. */
  origin: 'edit' | 'drift' | 'both'
}

/** The resource as one readable line, before and after the change. */
export interface Display {
  before: string | null
  after: string | null
}

/** Subscriptions that the plan affects: live subscriptions on any generation of a price that it changes. */
export interface PriceImpact {
  priceId: string
  /** The one that is sold now. Its subscribers stay on it until they are moved. */
  processorPriceId: string
  /** `update`: the price is changed in place, and there are subscribers on earlier generations of it. */
  action: 'archive' | 'replace' | 'update'
  /** Subscriptions on the price that have not ended, on every generation of it. */
  subscriptions: number
  /** Of these, those of customers that are no tenant. */
  subscriptionsWithoutTenant: number
  /** Tenants that these subscriptions belong to. */
  tenants: number
  /** Amount per month at list price. Empty for metered prices, because their amount depends on the usage. */
  monthly: Array<{
    currency: string
    /** Minor units, rounded half up once. */
    amount: number
    /** The amount as people read it. */
    formatted: string
  }>
  usageBased: boolean
  /** The one that is sold now, then earlier ones with subscribers, newest first. */
  generations: Array<{
    processorPriceId: string
    /** Currency of `amount`. */
    currency: string
    amount: string | null
    formatted: string | null
    /** Subscriptions on this generation that have not ended. */
    subscriptions: number
    /** Tenants that these subscriptions belong to. */
    tenants: number
    /** Amount per month at list price. Empty for metered prices, because their amount depends on the usage. */
    monthly: Array<{
      currency: string
      /** Minor units, rounded half up once. */
      amount: number
      /** The amount as people read it. */
      formatted: string
    }>
    /** The one that is sold now. */
    current: boolean
  }>
}

export interface Validation {
  valid: boolean
  errors: Issue[]
  warnings: Issue[]
}

export interface DriftReport {
  inSync: boolean
  /** Number of the accepted change: 1, 2, 3 … */
  revision: number
  version: string
  differences: Detail[]
  /** Values on managed objects that no document sets. They do not count as drift. */
  notes: Array<{
    /** Kind of the resource. */
    kind: ResourceKind
    configId: string
    processorId: string
    /** Members of the processor’s object. */
    notExpressible: string[]
  }>
  unmanaged: Array<{
    /** Kind of the resource. */
    kind: ResourceKind
    processorId: string
    name: string | null
  }>
}

export interface ResetReport {
  archived: {
    /** Configuration ids in document order. */
    products: string[]
    /** Configuration ids in document order. */
    prices: string[]
    /** Configuration ids in document order. */
    features: string[]
    /** Configuration ids in document order. */
    meters: string[]
    /** Configuration ids in document order. */
    coupons: string[]
    /** Configuration ids in document order. */
    promotion_codes: string[]
  }
  errors: Array<{
    /** Kind of the resource. */
    kind: ResourceKind
    configId: string
    detail: string
  }>
  /** Number of the accepted change: 1, 2, 3 … */
  revision: number
}

export interface History {
  versions: HistoryEntry[]
  pagination: Pagination
}

export interface HistoryEntry {
  /** Number of the accepted change: 1, 2, 3 … */
  revision: number
  version: string
  kind: PushKind
  /** When it was applied. */
  createdAt: string
  author: string | null
  by: By | null
  message: string | null
  /** SHA-256 of the document’s canonical JSON; empty for a reset. */
  checksum: string
  pushId: string | null
  changes: ChangeReport
  /** Webhooks that were removed, for which `changes` has no list; empty for revisions of before. */
  archivedWebhooks: string[]
}

export type PushKind = 'push' | 'rollback' | 'reset'

/** The service key of the action. The author is only what the caller claimed; the key was verified. */
export interface By {
  /** Id of the service key. */
  keyId: string
  /** As the key was called then. */
  keyName: string
}

export interface Pagination {
  /** Items in all. */
  total: number
  limit: number
  /** Items skipped. */
  offset: number
  hasMore: boolean
}

/** `document` is null for a reset. `written` is the document as its author wrote it, with `${NAME}` where `document` has values; null where only the latter was sent. */
export interface Revision {
  /** Number of the accepted change: 1, 2, 3 … */
  revision: number
  version: string
  kind: PushKind
  /** When it was applied. */
  createdAt: string
  author: string | null
  by: By | null
  message: string | null
  /** SHA-256 of the document’s canonical JSON; empty for a reset. */
  checksum: string
  pushId: string | null
  changes: ChangeReport
  /** Webhooks that were removed, for which `changes` has no list; empty for revisions of before. */
  archivedWebhooks: string[]
  document: BillingDocument | null
  written: Record<string, unknown> | null
}

export interface DocumentDifference {
  /** Kind of the resource. */
  kind: ResourceKind
  configId: string
  change: 'added' | 'changed' | 'removed'
  fields: Array<{
    /** Name of the field in the document. */
    field: string
    /** null when absent. */
    before: unknown
    /** null when absent. */
    after: unknown
  }>
  /** The resource as one readable line, before and after the change. */
  display: Display
}

export interface PushSummary {
  id: string
  kind: PushKind
  state: PushState
  version: string
  revision: number | null
  author: string | null
  by: By | null
  message: string | null
  /** When the push or job was accepted. */
  createdAt: string
  /** Its last change. */
  updatedAt: string
  finishedAt: string | null
  /** Steps in all. */
  stepsTotal: number
  /** Steps that are done. */
  stepsDone: number
}

export type PushState = 'planned' | 'running' | 'interrupted' | 'applied' | 'failed' | 'abandoned'

export interface PushReport {
  id: string
  kind: PushKind
  state: PushState
  version: string
  revision: number | null
  author: string | null
  by: By | null
  message: string | null
  /** When the push or job was accepted. */
  createdAt: string
  /** Its last change. */
  updatedAt: string
  finishedAt: string | null
  /** Steps in all. */
  stepsTotal: number
  /** Steps that are done. */
  stepsDone: number
  error: Record<string, unknown> | null
  steps: PushStep[]
}

export interface PushStep {
  /** Number of the step, from 0. */
  index: number
  op: 'create' | 'update' | 'attach' | 'detach' | 'archive' | 'record'
  /** Kind of the resource. */
  kind: ResourceKind
  configId: string
  state: StepState
  /** How often it was begun. */
  attempts: number
  processorId: string | null
  requestId: string | null
  error: Record<string, unknown> | null
}

export type StepState = 'pending' | 'begun' | 'succeeded' | 'failed' | 'unknown' | 'skipped'

export interface PushStateEvent {
  pushId: string
  /** Steps that are done. */
  stepsDone: number
  /** All steps. */
  stepsTotal: number
  state: PushState
}

export interface PushStepEvent {
  pushId: string
  /** Steps that are done. */
  stepsDone: number
  /** All steps. */
  stepsTotal: number
  step: PushStep
}

export interface WebhookListing {
  id: string
  url: string
  events: string[]
  processorId: string | null
  secret: string | null
  secretKnown: boolean
  createdAt: string | null
}

export interface WebhookRotation {
  /** Config id of the webhook. */
  id: string
  url: string
  /** The new endpoint. */
  processorId: string
  /** The new signing secret. */
  secret: string
  previous: {
    /** The old endpoint, with the old secret. */
    processorId: string
    /** The old endpoint is switched off within a minute after this time. */
    liveUntil: string
  }
  /** The job that switches the old endpoint off. */
  jobId: string
}

export interface ProcessorEvents {
  events: Array<{
    id: string
    type: string
    createdAt: string
    /** The event as webhook endpoints receive it. */
    body: Record<string, unknown>
  }>
  last: string | null
}

/** `read`: reads, validates, asks for dry runs, sees no webhook secrets. `write`: everything. */
export type KeyScope = 'read' | 'write'

export interface ServiceKey {
  id: string
  name: string
  /** The key’s last four characters. */
  hint: string
  /** `read`: reads, validates, asks for dry runs, sees no webhook secrets. `write`: everything. */
  scope: KeyScope
  /** Time of creation. */
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  revokedAt: string | null
}

export interface Finding {
  check: string
  status: 'ok' | 'warning' | 'problem'
  detail: string
  hint?: string
}

export interface Tenant {
  id: string
  name: string
  email: string | null
  processorCustomerId: string | null
  enterpriseTemplate: string | null
  enterpriseId: string | null
  /** Time of creation. */
  createdAt: string
  /** Its last change. */
  updatedAt: string
}

export interface NewTenant {
  /** Id of the tenant. */
  readonly id?: string | undefined
  /** Name of the tenant, which its invoices show too. */
  readonly name: string
  /** Where invoices go. */
  readonly email?: string | null | undefined
  /** Its customer at the processor. Without one, the first checkout creates it. */
  readonly processorCustomerId?: string | null | undefined
}

export interface TenantList {
  /** The response was read from the mirror, which was complete up to this time. Absent when the response was read live. */
  asOf?: string
  /** Only when `as_of` is more than five minutes behind. */
  stale?: true
  tenants: ListedTenant[]
  pagination: Pagination
}

export interface ListedTenant {
  id: string
  name: string
  email: string | null
  processorCustomerId: string | null
  enterpriseTemplate: string | null
  enterpriseId: string | null
  /** Time of creation. */
  createdAt: string
  /** Its last change. */
  updatedAt: string
  /** One status for all subscriptions of the tenant. A debt takes precedence over running subscriptions. */
  billingStatus?: BillingStatus
  /** Config ids of the prices that it is subscribed to, sorted by id. */
  products?: string[]
  /** Its part of the MRR. One entry for each currency, by code. */
  monthly?: Array<{
    currency: string
    /** Minor units, a decimal as text. */
    amount: string
    /** `amount` as people read it. */
    formatted: string
  }>
  /** What its open invoices still ask. One entry for each currency, by code. */
  owed?: Array<{
    currency: string
    /** Minor units, a decimal as text. */
    amount: string
    /** `amount` as people read it. */
    formatted: string
  }>
  /** Subscription items on an earlier generation of their price. */
  legacyItems?: number
}

/** One status for all subscriptions of the tenant. A debt takes precedence over running subscriptions. */
export type BillingStatus = 'none' | 'free' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'incomplete' | 'paused'

export interface TenantChange {
  /** Name of the tenant, which its invoices show too. */
  readonly name?: string | undefined
  /** Where invoices go. */
  readonly email?: string | null | undefined
  /** Its customer at the processor. Without one, the first checkout creates it. */
  readonly processorCustomerId?: string | null | undefined
}

export interface TenantSubscriptions {
  tenantId: string
  /** One status for all subscriptions of the tenant. A debt takes precedence over running subscriptions. */
  billingStatus: BillingStatus
  /** The response was read from the mirror, which was complete up to this time. Absent when the response was read live. */
  asOf?: string
  /** Only when `as_of` is more than five minutes behind. */
  stale?: true
  subscriptions: Subscription[]
}

export interface Subscription {
  id: string
  /** `local`: a free price, which only Ratecard stores. */
  home: 'processor' | 'local'
  /** Status at the processor: active, trialing, past_due … */
  status: string
  currency: string | null
  cancelAtPeriodEnd: boolean
  trialEnd: string | null
  /** When it began. */
  createdAt: string
  duplicateOf: string | null
  items: SubscriptionItem[]
}

export interface SubscriptionItem {
  id: string
  priceId: string | null
  processorPriceId: string
  quantity: number | null
  /** The price was replaced or removed since; the tenant keeps it until moved. */
  legacy: boolean
  usageType: 'licensed' | 'metered'
  currentPeriodEnd: string | null
  scheduledPriceId: string | null
}

export interface Grants {
  /** All grants of the tenant, by feature; ended ones too. */
  grants: Grant[]
}

export interface Grant {
  /** Config id of the feature. */
  feature: string
  limit: number | 'unlimited' | null
  enabled: boolean | null
  replace: boolean
  endsAt: string | null
  note: string | null
  /** When it was given. */
  createdAt: string
}

export interface NewGrant {
  /** How many; on top of what was bought, unless `replace` is true. */
  readonly limit?: number | 'unlimited' | undefined
  /** true: the tenant has the feature; false: it does not have it, whatever it bought. */
  readonly enabled?: boolean | undefined
  /** The grant takes the place of what was bought. Default false: it is on top of it. */
  readonly replace?: boolean | undefined
  /** For yourself. */
  readonly note?: string | undefined
  /** When the grant ends. Absent: it does not end. */
  readonly endsAt?: string | Date | undefined
}

/** The members beside `invoices` are those of the invoice that comes first. */
export interface UpcomingInvoice {
  tenantId: string
  currency: string | null
  subtotal: number | null
  total: number | null
  amountDue: number | null
  dueAt: string | null
  formatted: string | null
  lines: InvoiceLine[]
  /** One for each subscription that will be invoiced. */
  invoices: Invoice[]
  droppedUsage: DroppedUsage[] | null
}

export interface InvoiceLine {
  description: string | null
  priceId: string | null
  processorPriceId: string | null
  quantity: number | null
  /** Minor units. */
  amount: number
  /** Begin of the period that the line bills. */
  periodStart: string
  /** Its end. */
  periodEnd: string
}

export interface Invoice {
  subscription: string
  currency: string
  /** Minor units, before discounts and tax. */
  subtotal: number
  /** Minor units. */
  total: number
  /** Minor units that will be charged. */
  amountDue: number
  dueAt: string | null
  /** The amount due as people read it. */
  formatted: string
  lines: InvoiceLine[]
}

/** Usage that the processor took and then dropped. It is not billed. */
export interface DroppedUsage {
  /** When the processor reported it. */
  at: string
  meter: string | null
  processorMeterId: string | null
  /** The processor’s own, for example `meter_event_customer_not_found`. */
  code: string
  /** Events of this report, of all tenants. */
  count: number
  message: string
  /** A sample of the events; the processor does not list all. */
  examples: Array<{
    tenantId: string | null
    /** The identifier that was reported to Ratecard; otherwise the one at the processor. */
    identifier: string
  }>
}

export interface Audit {
  entries: AuditEntry[]
  pagination: Pagination
}

export interface AuditEntry {
  id: string
  action: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  result: Record<string, unknown> | null
  author: string | null
  by: By | null
  keyId: string | null
  requestId: string | null
  /** When it happened. */
  createdAt: string
}

export interface TenantInvoices {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Only when `as_of` is more than five minutes behind. */
  stale?: true
  invoices: TenantInvoice[]
  pagination: Pagination
}

export interface TenantInvoice {
  id: string
  number: string | null
  subscription: string | null
  status: 'open' | 'paid' | 'uncollectible' | 'void'
  /** Time of creation. */
  createdAt: string
  dueAt: string | null
  paidAt: string | null
  currency: string
  /** Minor units, with tax. */
  total: string
  /** `total` as people read it. */
  formatted: string
  /** Amount due when the invoice was created: the total less credit. */
  amountDue: string
  /** `amount_due` as people read it. */
  amountDueFormatted: string
  /** Amount paid. */
  amountPaid: string
  /** `amount_paid` as people read it. */
  amountPaidFormatted: string
  /** Amount still owed. */
  amountRemaining: string
  /** `amount_remaining` as people read it. */
  amountRemainingFormatted: string
  /** Amount refunded. */
  amountRefunded: string
  /** `amount_refunded` as people read it. */
  amountRefundedFormatted: string
  /** How often a payment was tried. */
  attemptCount: number
  nextAttemptAt: string | null
  url: string | null
  lines: TenantInvoiceLine[]
}

export interface TenantInvoiceLine {
  description: string | null
  priceId: string | null
  processorPriceId: string | null
  quantity: number | null
  /** Minor units, a decimal as text. */
  amount: string
  /** `amount` as people read it. */
  formatted: string
  /** A part of a period, charged or credited because something changed. */
  proration: boolean
  /** Begin of the period that the line bills. */
  periodStart: string
  /** Its end. */
  periodEnd: string
}

export interface InvoiceExport {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Only when `as_of` is more than five minutes behind. */
  stale?: true
  rows: ExportRow[]
}

export interface ExportRow {
  /** When it was finalized or made, UTC. */
  date: string
  type: 'invoice' | 'credit_note' | 'refund'
  /** At the processor. */
  id: string
  number: string | null
  tenantId: string | null
  customer: string | null
  currency: string
  subtotal: string | null
  discount: string | null
  tax: string | null
  total: string | null
  amountPaid: string | null
  amountRefunded: string | null
  /** The processor’s word. */
  status: string
}

export interface Money {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Only when `as_of` is more than five minutes behind. */
  stale?: true
  /** By code. */
  currencies: CurrencyMoney[]
}

export interface CurrencyMoney {
  currency: string
  /** Monthly recurring revenue: licensed recurring items that are active or past due, less discounts for ever, without tax. */
  mrr: string
  /** `mrr` as people read it. */
  formatted: string
  /** Amount billed for metered items in their last finished period; not part of `mrr`. */
  usageLastPeriod: string
  /** `usage_last_period` as people read it. */
  usageLastPeriodFormatted: string
  /** Subscriptions with an item that counts. */
  subscriptions: number
  /** Tenants of these subscriptions. */
  tenants: number
  /** Subscriptions in a trial; they count nothing yet. */
  trialing: number
  pastDue: {
    /** What tenants owe whose subscription is past due or unpaid. */
    amount: string
    /** `amount` as people read it. */
    formatted: string
    /** These tenants. */
    tenants: number
  }
  writtenOff: {
    /** What uncollectible invoices asked. */
    amount: string
    /** `amount` as people read it. */
    formatted: string
    /** Tenants that owed it. */
    tenants: number
  }
  /** By product id. */
  byProduct: Array<{
    productId: string | null
    /** Monthly recurring revenue: licensed recurring items that are active or past due, less discounts for ever, without tax. */
    mrr: string
    /** `mrr` as people read it. */
    formatted: string
    /** Amount billed for metered items in their last finished period; not part of `mrr`. */
    usageLastPeriod: string
    /** `usage_last_period` as people read it. */
    usageLastPeriodFormatted: string
    /** Subscriptions with an item that counts. */
    subscriptions: number
  }>
  /** By price id; earlier generations of a price are part of it. */
  byPrice: Array<{
    priceId: string | null
    /** Monthly recurring revenue: licensed recurring items that are active or past due, less discounts for ever, without tax. */
    mrr: string
    /** `mrr` as people read it. */
    formatted: string
    /** Amount billed for metered items in their last finished period; not part of `mrr`. */
    usageLastPeriod: string
    /** `usage_last_period` as people read it. */
    usageLastPeriodFormatted: string
    /** Subscriptions with an item that counts. */
    subscriptions: number
    /** The part on earlier generations of the price. */
    legacy: {
      /** Monthly recurring revenue: licensed recurring items that are active or past due, less discounts for ever, without tax. */
      mrr: string
      /** `mrr` as people read it. */
      formatted: string
      /** Amount billed for metered items in their last finished period; not part of `mrr`. */
      usageLastPeriod: string
      /** `usage_last_period` as people read it. */
      usageLastPeriodFormatted: string
      /** Subscriptions with an item that counts. */
      subscriptions: number
    }
  }>
  /** Movements of the 30 days that end at `as_of`. */
  last30Days: {
    /** MRR of customers that paid nothing before. */
    new: string
    /** `new` as people read it. */
    newFormatted: string
    /** Additional MRR from customers that paid already. */
    expansion: string
    /** `expansion` as people read it. */
    expansionFormatted: string
    /** MRR lost from customers that still pay; a positive number. */
    contraction: string
    /** `contraction` as people read it. */
    contractionFormatted: string
    /** MRR lost from customers that no longer pay; a positive number. */
    churn: string
    /** `churn` as people read it. */
    churnFormatted: string
    /** MRR of customers that came back. */
    reactivation: string
    /** `reactivation` as people read it. */
    reactivationFormatted: string
    /** Change of the MRR. */
    net: string
    /** `net` as people read it. */
    netFormatted: string
  }
}

export interface MoneyDays {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Only when `as_of` is more than five minutes behind. */
  stale?: true
  /** Completed days since the mirror was first filled, oldest first, then by currency. */
  days: MoneyDay[]
  /** Price lists that took effect in that time, oldest first. */
  pushes: Array<{
    revision: number
    version: string
    /** When it was applied. */
    at: string
    by: string | null
  }>
}

export interface MoneyDay {
  /** The day, UTC. */
  day: string
  currency: string
  /** Monthly recurring revenue: licensed recurring items that are active or past due, less discounts for ever, without tax. */
  mrr: string
  /** `mrr` as people read it. */
  formatted: string
  /** Amount billed for metered items in their last finished period; not part of `mrr`. */
  usageLastPeriod: string
  /** `usage_last_period` as people read it. */
  usageLastPeriodFormatted: string
  byProduct: Array<{
    productId: string | null
    /** Monthly recurring revenue: licensed recurring items that are active or past due, less discounts for ever, without tax. */
    mrr: string
    /** `mrr` as people read it. */
    formatted: string
    /** Amount billed for metered items in their last finished period; not part of `mrr`. */
    usageLastPeriod: string
    /** `usage_last_period` as people read it. */
    usageLastPeriodFormatted: string
  }>
  /** MRR of customers that paid nothing before. */
  new: string
  /** `new` as people read it. */
  newFormatted: string
  /** Additional MRR from customers that paid already. */
  expansion: string
  /** `expansion` as people read it. */
  expansionFormatted: string
  /** MRR lost from customers that still pay; a positive number. */
  contraction: string
  /** `contraction` as people read it. */
  contractionFormatted: string
  /** MRR lost from customers that no longer pay; a positive number. */
  churn: string
  /** `churn` as people read it. */
  churnFormatted: string
  /** MRR of customers that came back. */
  reactivation: string
  /** `reactivation` as people read it. */
  reactivationFormatted: string
  /** Amount owed at the end of the day by tenants with a past due or unpaid subscription. */
  pastDue: string
  /** `past_due` as people read it. */
  pastDueFormatted: string
}

export interface Subscribers {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Only when `as_of` is more than five minutes behind. */
  stale?: true
  subscribers: Subscriber[]
  pagination: Pagination
}

export interface Subscriber {
  tenantId: string | null
  /** At the processor; empty for a tenant that has the price from when it was free. */
  customer: string
  subscription: string
  item: string
  /** Empty for a free price, which only Ratecard stores. */
  processorPriceId: string
  /** On an earlier generation of the price. */
  legacy: boolean
  currency: string
  amount: string | null
  formatted: string | null
  quantity: number | null
  /** Its part of the MRR. One entry for each currency, by code. */
  monthly: Array<{
    currency: string
    /** Minor units, a decimal as text. */
    amount: string
    /** `amount` as people read it. */
    formatted: string
  }>
  /** Status at the processor: active, trialing, past_due … */
  status: string
  currentPeriodEnd: string | null
  scheduledPriceId: string | null
}

export interface DroppedUsageList {
  dropped: DroppedUsage[]
}

export interface Session {
  id: string
  tenantId: string
  /** The value of the cookie `ratecard_session` (over TLS `__Host-ratecard_session`): shown this once. */
  value: string
  /** Time of creation. */
  createdAt: string
  /** When it ends. */
  expiresAt: string
}

export interface EnterpriseOutcome {
  tenantId: string
  dryRun?: true
  /** How many items moved. */
  pricesSwapped: number
  swaps: Swap[]
  skipped: Array<{
    subscription: string
    item: string | null
    price: string
    /** The reason as a sentence, or `on_other_deal`: the item stays on the price of another deal, with its discount. */
    reason: string
    /** Explanation of the reason. */
    detail?: string
  }>
  /** How many of the skipped stay on the price of another deal. */
  leftOnOtherDeal: number
  /** Open checkout pages that sold what the tenant would have paid before, and are closed now. */
  checkoutsClosed: number
}

export interface Swap {
  subscription: string
  item: string
  /** Config id, or the processor id of a price that is not in the config. */
  from: string
  /** Config id. */
  to: string
  /** `now`: first billed at the renewal. `period_end`: a schedule changes it then. */
  effective: 'now' | 'period_end'
}

export interface Coverage {
  templates: string[]
  enterpriseIds: string[]
  rows: Array<{
    basePriceId: string
    cells: Array<{
      /** `template:<name>` or `id:<enterprise id>`. */
      target: string
      priceId: string | null
    }>
  }>
  gaps: number
  /** Listed, never swapped to. */
  withoutBase: string[]
}

export interface Job {
  id: string
  kind: JobKind
  /** What it is about: a tenant, a template, a price, a webhook. */
  subject: string
  /** `waiting`: the rest is done at a later date. `interrupted`: nothing happens until it is resumed. */
  state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
  resumesAt: string | null
  /** Actions that are allowed now; any other is refused. */
  allows: Array<'resume' | 'cancel'>
  author: string | null
  by: By | null
  message: string | null
  /** When the push or job was accepted. */
  createdAt: string
  /** Its last change. */
  updatedAt: string
  finishedAt: string | null
  /** Steps in all. */
  stepsTotal: number
  /** Steps that are done. */
  stepsDone: number
}

export type JobKind = 'enterprise_apply' | 'template_move' | 'migration' | 'webhook_rotation'

export interface MigrationPlan {
  priceId: string
  lines: MigrationLine[]
  totals: Array<{
    currency: string
    /** Subscriptions that move. */
    subscriptions: number
    /** Minor units a month. */
    before: number
    /** Minor units a month. */
    after: number
  }>
}

export interface MigrationLine {
  tenantId: string | null
  /** At the processor; empty for a tenant that has the price from when it was free. */
  customer: string
  subscription: string
  item: string
  fromProcessorPriceId: string
  toProcessorPriceId: string
  quantity: number | null
  currency: string
  monthlyBefore: number | null
  monthlyAfter: number | null
  /** `now`: first billed at the renewal. `period_end`: a schedule changes it then. */
  effective: 'now' | 'period_end'
  /** When the price changes. */
  effectiveAt: string
  skipped: string | null
}

export interface NewMigration {
  /** Config id of a price that was replaced. */
  readonly priceId: string
  /** `renewal` (default), `now` (billed at the next renewal), or a time (RFC 3339): at the first renewal after it. */
  readonly to?: string | undefined
  /** Only these tenants. */
  readonly only?: readonly string[] | undefined
  /** All but these tenants. */
  readonly except?: readonly string[] | undefined
}

export interface JobList {
  jobs: Job[]
  pagination: Pagination
}

export interface JobReport {
  id: string
  kind: JobKind
  /** What it is about: a tenant, a template, a price, a webhook. */
  subject: string
  /** `waiting`: the rest is done at a later date. `interrupted`: nothing happens until it is resumed. */
  state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
  resumesAt: string | null
  /** Actions that are allowed now; any other is refused. */
  allows: Array<'resume' | 'cancel'>
  author: string | null
  by: By | null
  message: string | null
  /** When the push or job was accepted. */
  createdAt: string
  /** Its last change. */
  updatedAt: string
  finishedAt: string | null
  /** Steps in all. */
  stepsTotal: number
  /** Steps that are done. */
  stepsDone: number
  input: Record<string, unknown>
  error: Record<string, unknown> | null
  steps: JobStep[]
}

export interface JobStep {
  /** Number of the step, from 0. */
  index: number
  state: StepState
  /** How often it was begun. */
  attempts: number
  step: Record<string, unknown>
  result: Record<string, unknown> | null
  error: Record<string, unknown> | null
}

export interface Worker {
  name: string
  url: string
  /** State on the replica that responds. An idle worker starts with the next request. */
  state: 'running' | 'starting' | 'restarting' | 'stopped' | 'idle' | 'unavailable'
  restarts: number
  lastExit: string | null
  hosts: string[]
  deployment: Deployment
  crons: Array<{
    cron: string
    /** Time of the next run. */
    nextAt: string
  }>
}

export interface Deployment {
  id: string
  /** When it was uploaded. */
  createdAt: string
  author: string | null
  message: string | null
  /** SHA-256 of the code and the configuration, without the values of the environment. */
  checksum: string
  environment: string | null
  /** Whether it serves now. */
  active: boolean
  /** Names of the environment values. */
  variables: string[]
  crons: string[]
  sizeBytes: number
}

export interface DeploymentBody {
  /** The worker’s name. If given, it must equal the name in the path. */
  readonly name?: string | undefined
  /** The bundle, at most 10 MB. */
  readonly modules: readonly WorkerModule[]
  /** Name of the module that holds the handlers. */
  readonly main: string
  readonly sourceMap?: string | null | undefined
  /** `YYYY-MM-DD`. */
  readonly compatibilityDate: string
  readonly compatibilityFlags?: readonly string[] | undefined
  /** Environment values, JSON. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined
  /** Sealed at rest and never shown again. */
  readonly secrets?: Readonly<Record<string, string>> | undefined
  /** Replace the schedules before. */
  readonly crons?: readonly string[] | undefined
  readonly cpuMs?: number | null | undefined
  /** Custom host names. */
  readonly hosts?: readonly string[] | undefined
  readonly serviceKey?: 'read' | 'write' | null | undefined
  /** Let `X-Service-Key` and the cookies of this service reach the worker. Without it they are taken out. */
  readonly passCredentials?: boolean | undefined
  readonly environment?: string | null | undefined
  readonly author?: string | null | undefined
  readonly message?: string | null | undefined
}

export interface WorkerModule {
  readonly name: string
  readonly type: 'esm' | 'text' | 'data' | 'wasm' | 'json'
  /** base64 for `data` and `wasm`, the text itself for the others. */
  readonly content: string
}

export interface DeploymentList {
  deployments: Deployment[]
  pagination: Pagination
}

export interface WorkerLogLine {
  id: string
  /** When the worker logged the line. */
  time: string
  /** debug, log, info, warn, error, exception, or system for the host’s own words. */
  level: string
  message: string
  requestId?: string
  runId?: string
  deployment: string
}

export interface CronRunList {
  runs: CronRun[]
  pagination: Pagination
}

export interface CronRun {
  id: string
  cron: string
  /** Time that the run was scheduled for. */
  scheduledTime: string
  startedAt: string | null
  finishedAt: string | null
  outcome: 'ok' | 'exception' | 'exceeded_cpu' | 'exceeded_memory' | 'timed_out' | 'skipped' | 'missed' | 'lost' | 'running'
  cpuMs: number | null
  /** Message and trace of the first failure. */
  error?: string
}

/** Codes of problems that this version knows. */
export type ProblemCode = 'json_malformed' | 'request_invalid' | 'delivery_invalid' | 'service_key_missing' | 'service_key_invalid' | 'service_key_expired' | 'session_invalid' | 'not_allowed' | 'key_scope' | 'route_not_found' | 'config_not_found' | 'revision_not_found' | 'price_not_found' | 'product_not_found' | 'meter_not_found' | 'mapping_not_found' | 'push_not_found' | 'webhook_not_found' | 'key_not_found' | 'grant_not_found' | 'feature_not_found' | 'tenant_not_found' | 'subscription_not_found' | 'session_not_found' | 'job_not_found' | 'deployment_not_found' | 'enterprise_price_not_found' | 'worker_not_found' | 'method_not_allowed' | 'written_form_mismatch' | 'push_in_progress' | 'push_unfinished' | 'push_not_resumable' | 'push_not_running' | 'tenant_busy' | 'job_not_running' | 'push_cancelled' | 'deployment_in_progress' | 'version_conflict' | 'processor_drift' | 'plan_stale' | 'impact_not_approved' | 'account_mismatch' | 'key_last' | 'request_in_progress' | 'idempotency_key_reused' | 'already_subscribed' | 'meter_not_subscribed' | 'limit_reached' | 'trial_used' | 'mirror_off' | 'conflict' | 'store_not_found' | 'store_in_use' | 'backup_invalid' | 'body_too_large' | 'media_type_unsupported' | 'config_invalid' | 'plan_refused' | 'quantity_invalid' | 'price_not_sellable' | 'price_not_calculable' | 'currency_not_offered' | 'checkout_invalid' | 'processor_rejected' | 'cron_invalid' | 'worker_bundle_invalid' | 'worker_start_failed' | 'rate_limited' | 'settings_invalid' | 'internal' | 'secret_unreadable' | 'worker_exception' | 'processor_unauthorized' | 'processor_broken' | 'worker_failed' | 'processor_rate_limited' | 'processor_unavailable' | 'store_unavailable' | 'mirror_filling' | 'shutting_down' | 'worker_exceeded_cpu' | 'worker_exceeded_memory' | 'worker_unavailable' | 'processor_timeout' | 'worker_timeout'

/** What each operation takes and answers. */
export interface Operations {
  getOpenApi: {
    answers: {
      200: Record<string, unknown>
    }
  }
  getSchema: {
    answers: {
      200: Record<string, unknown>
    }
  }
  getConfig: {
    answers: {
      200: ServedConfig
    }
  }
  getPrice: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: {
        price: PriceDocument
        product: ProductDocument
      }
    }
  }
  getProduct: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: {
        product: ProductDocument
      }
    }
  }
  getMeter: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: {
        meter: MeterDocument
      }
    }
  }
  calculatePrice: {
    params: {
      /** The id. */
      readonly id: string
    }
    body: unknown
    answers: {
      200: Cost
    }
  }
  convertProcessorId: {
    params: {
      /** Id at the processor. */
      readonly processorId: string
    }
    answers: {
      200: Conversion
    }
  }
  listSessionPrices: {
    query: {
      /** Needed with a service key. A session has a tenant already and may name no other. */
      readonly tenantId?: string | undefined
    }
    answers: {
      200: SessionPrices
    }
  }
  getEntitlements: {
    query: {
      /** Needed with a service key. A session has a tenant already and may name no other. */
      readonly tenantId?: string | undefined
    }
    answers: {
      200: Entitlements
    }
  }
  checkEntitlements: {
    body: NewFeatureCheck
    answers: {
      200: FeatureCheck | FeatureChecks
    }
  }
  createCheckout: {
    body: NewCheckout
    answers: {
      200: Checkout
    }
  }
  createPortal: {
    body: {
      /** Where the customer goes afterwards; its origin must be allowed. */
      readonly returnUrl: string
      /** Needed with a service key. A session has a tenant already and may name no other. */
      readonly tenantId?: string | undefined
    }
    answers: {
      200: {
        /** Where to send the customer. */
        url: string
      }
    }
  }
  recordUsage: {
    body: NewUsage
    answers: {
      200: Usage
    }
  }
  getFullConfig: {
    answers: {
      200: ServedConfig
    }
  }
  pushConfig: {
    query: {
      /** Only preview: nothing is written. */
      readonly dryRun?: boolean | undefined
      /** Overwrite fields that were edited at the processor. */
      readonly force?: boolean | undefined
      /** Continue although live subscriptions are affected. */
      readonly approveImpact?: boolean | undefined
    }
    body: BillingDocument
    answers: {
      200: PushOutcome
      202: {
        pushId: string
        state: 'running'
      }
    }
  }
  keepWritten: {
    body: Readonly<Record<string, unknown>>
    answers: {
      200: {
        /** Id for `X-Ratecard-Written`: 64 hexadecimal digits. */
        written: string
      }
    }
  }
  validateConfig: {
    body: BillingDocument
    answers: {
      200: Validation
    }
  }
  rollbackConfig: {
    query: {
      /** Only preview: nothing is written. */
      readonly dryRun?: boolean | undefined
      /** Overwrite fields that were edited at the processor. */
      readonly force?: boolean | undefined
      /** Continue although live subscriptions are affected. */
      readonly approveImpact?: boolean | undefined
    }
    body: {
      /** The revision to go back to. */
      readonly revision: number
    }
    answers: {
      200: PushOutcome
      202: {
        pushId: string
        state: 'running'
      }
    }
  }
  pullConfig: {
    query: {
      /** Also list what the document cannot express. */
      readonly report?: boolean | undefined
    }
    answers: {
      200: BillingDocument | {
        document: BillingDocument
        unrepresented: Array<{
          kind: string
          processorId: string
          reason: string
        }>
      }
    }
  }
  getDrift: {
    answers: {
      200: DriftReport
    }
  }
  resetConfig: {
    query: {
      /** `account` also archives objects that Ratecard did not create. */
      readonly scope?: 'managed' | 'account' | undefined
    }
    answers: {
      200: ResetReport
    }
  }
  listVersions: {
    query: {
      /** How many to list. */
      readonly limit?: number | undefined
      /** How many to skip. */
      readonly offset?: number | undefined
    }
    answers: {
      200: History
    }
  }
  getRevision: {
    params: {
      /** Number of a revision. */
      readonly revision: number
    }
    answers: {
      200: Revision
    }
  }
  compareRevisions: {
    params: {
      /** Number of a revision. */
      readonly from: number
      /** Number of a revision. */
      readonly to: number
    }
    answers: {
      200: {
        from: number
        to: number
        differences: DocumentDifference[]
      }
    }
  }
  listPushes: {
    query: {
      /** How many to list. */
      readonly limit?: number | undefined
      /** How many to skip. */
      readonly offset?: number | undefined
    }
    answers: {
      200: {
        pushes: PushSummary[]
        pagination: Pagination
      }
    }
  }
  getPush: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: PushReport
    }
  }
  followPush: {
    params: {
      /** The id. */
      readonly id: string
    }
    events: {
      state: PushStateEvent
      step: PushStepEvent
    }
  }
  resumePush: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: PushOutcome
      202: {
        pushId: string
        state: 'running'
      }
    }
  }
  cancelPush: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      202: PushSummary
    }
  }
  listTemplatePrices: {
    params: {
      /** Name of the template. */
      readonly template: string
    }
    answers: {
      200: {
        prices: PriceDocument[]
      }
    }
  }
  listEnterprisePrices: {
    params: {
      /** The enterprise id. */
      readonly enterpriseId: string
    }
    answers: {
      200: {
        prices: PriceDocument[]
      }
    }
  }
  listWebhooks: {
    query: {
      /** Whether secrets are shown to a key that may see them. */
      readonly secrets?: boolean | undefined
    }
    answers: {
      200: {
        webhooks: WebhookListing[]
      }
    }
  }
  rotateWebhook: {
    params: {
      /** The id. */
      readonly id: string
    }
    body: {
      /** How long both are live; 0 switches the old one off at once. */
      readonly overlapSeconds?: number | undefined
    }
    answers: {
      201: WebhookRotation
    }
  }
  listProcessorEvents: {
    query: {
      /** Return the events after this event id. */
      readonly after?: string | undefined
      /** Event types, separated by commas; at most 20. Default: all. */
      readonly types?: string | undefined
    }
    answers: {
      200: ProcessorEvents
    }
  }
  createKey: {
    body: {
      /** What the key is for. */
      readonly name: string
      /** `read`: reads, validates, asks for dry runs, sees no webhook secrets. `write`: everything. */
      readonly scope?: KeyScope | undefined
      /** From this time on, the key is refused. RFC 3339. Default: never. */
      readonly expiresAt?: string | undefined
    }
    answers: {
      201: {
        id: string
        name: string
        /** The key’s last four characters. */
        hint: string
        /** `read`: reads, validates, asks for dry runs, sees no webhook secrets. `write`: everything. */
        scope: KeyScope
        /** Time of creation. */
        createdAt: string
        expiresAt: string | null
        lastUsedAt: string | null
        revokedAt: string | null
        /** The key itself: shown this once. */
        key: string
      }
    }
  }
  listKeys: {
    answers: {
      200: {
        keys: ServiceKey[]
      }
    }
  }
  revokeKey: {
    params: {
      /** The id. */
      readonly id: string
    }
  }
  getOwnKey: {
    answers: {
      200: ServiceKey
    }
  }
  getChangeTag: {
    answers: {
      200: {
        /** Opaque text. If it differs from the previous tag, load the data again. */
        tag: string
      }
    }
  }
  createDashboardLink: {
    answers: {
      201: {
        /** Address to open in a browser; relative when the service has no public address in its settings. */
        url: string
        /** When the link stops working. */
        expiresAt: string
      }
    }
  }
  runDoctor: {
    answers: {
      200: {
        findings: Finding[]
      }
    }
  }
  createTenant: {
    body: NewTenant
    answers: {
      201: Tenant
    }
  }
  listTenants: {
    query: {
      /** How many to list. */
      readonly limit?: number | undefined
      /** How many to skip. */
      readonly offset?: number | undefined
      /** Part of id, name, e-mail or customer id, in any case, with or without accents. */
      readonly q?: string | undefined
      /** Only tenants with this `billing_status`. */
      readonly state?: BillingStatus | undefined
      /** Only tenants that are subscribed to this price, on any generation of it. */
      readonly priceId?: string | undefined
      /** Only tenants that are subscribed to a price of this product. */
      readonly productId?: string | undefined
      /** Only tenants with an item on an earlier generation of its price. */
      readonly legacy?: boolean | undefined
      /** Only tenants that owe something. */
      readonly owing?: boolean | undefined
      /** Tenants that are equal in it are by id. Money is compared without regard to the currency. */
      readonly sort?: 'id' | 'name' | 'created_at' | 'monthly' | 'owed' | undefined
      /** Direction of `sort`. */
      readonly order?: 'asc' | 'desc' | undefined
      /** Only the tenant of this customer at the processor. */
      readonly processorCustomerId?: string | undefined
      /** Only tenants that have this template. */
      readonly enterpriseTemplate?: string | undefined
      /** Only tenants that have this enterprise id. */
      readonly enterpriseId?: string | undefined
    }
    answers: {
      200: TenantList
    }
  }
  getTenant: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: Tenant
    }
  }
  updateTenant: {
    params: {
      /** The id. */
      readonly id: string
    }
    body: TenantChange
    answers: {
      200: Tenant
    }
  }
  removeTenant: {
    params: {
      /** The id. */
      readonly id: string
    }
  }
  listTenantSubscriptions: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: TenantSubscriptions
    }
  }
  cancelSubscription: {
    params: {
      /** The id. */
      readonly id: string
      /** Its id. */
      readonly subscription: string
    }
  }
  listGrants: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: Grants
    }
  }
  putGrant: {
    params: {
      /** The id. */
      readonly id: string
      /** Config id of the feature. */
      readonly feature: string
    }
    body: NewGrant
    answers: {
      200: Grant
    }
  }
  removeGrant: {
    params: {
      /** The id. */
      readonly id: string
      /** Config id of the feature. */
      readonly feature: string
    }
  }
  getTenantEntitlements: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: Entitlements
    }
  }
  getUpcomingInvoice: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: UpcomingInvoice
    }
  }
  listTenantAudit: {
    params: {
      /** The id. */
      readonly id: string
    }
    query: {
      /** How many to list. */
      readonly limit?: number | undefined
      /** How many to skip. */
      readonly offset?: number | undefined
    }
    answers: {
      200: Audit
    }
  }
  listTenantInvoices: {
    params: {
      /** The id. */
      readonly id: string
    }
    query: {
      /** How many to list. */
      readonly limit?: number | undefined
      /** How many to skip. */
      readonly offset?: number | undefined
    }
    answers: {
      200: TenantInvoices
    }
  }
  exportInvoices: {
    query: {
      /** First day; the oldest row when absent. `YYYY-MM-DD`, UTC. */
      readonly from?: string | undefined
      /** Last day, included; today when absent. `YYYY-MM-DD`, UTC. */
      readonly to?: string | undefined
      /** Format of the response. */
      readonly format?: 'csv' | 'json' | undefined
    }
    answers: {
      200: InvoiceExport
    }
  }
  getMoney: {
    answers: {
      200: Money
    }
  }
  listMoneyDays: {
    query: {
      /** First day; 90 days before the last one when absent. `YYYY-MM-DD`, UTC. */
      readonly from?: string | undefined
      /** Last day, included; today when absent. `YYYY-MM-DD`, UTC. */
      readonly to?: string | undefined
    }
    answers: {
      200: MoneyDays
    }
  }
  listSubscribers: {
    params: {
      /** The id. */
      readonly id: string
    }
    query: {
      /** `current`: on the price as it is sold now; `legacy`: on an earlier generation of it. */
      readonly generation?: 'all' | 'current' | 'legacy' | undefined
      /** How many to list. */
      readonly limit?: number | undefined
      /** How many to skip. */
      readonly offset?: number | undefined
    }
    answers: {
      200: Subscribers
    }
  }
  listDroppedUsage: {
    query: {
      /** Config id: only reports of this meter. */
      readonly meter?: string | undefined
      /** Only reports with an example of this tenant, or with a digest of an identifier that was too long, which may be of any. Examples are samples: that no report names a tenant does not prove that it lost nothing. */
      readonly tenantId?: string | undefined
    }
    answers: {
      200: DroppedUsageList
    }
  }
  createSession: {
    body: {
      /** Id of the tenant. */
      readonly tenantId: string
      /** Lifetime of the session in seconds. Default: 86,400 (one day). */
      readonly ttlSeconds?: number | undefined
    }
    answers: {
      201: Session
    }
  }
  revokeSession: {
    params: {
      /** The id. */
      readonly id: string
    }
  }
  applyTemplate: {
    query: {
      /** Only preview: nothing is written. */
      readonly dryRun?: boolean | undefined
    }
    body: {
      /** Id of the tenant. */
      readonly tenantId: string
      /** Name of an enterprise template. */
      readonly enterpriseTemplate: string
      /** For items whose price belongs to another deal and that have no price in this one: whether they keep that price or return to their base price. */
      readonly unmatched?: 'keep' | 'base' | undefined
    }
    answers: {
      200: EnterpriseOutcome
    }
  }
  applyCustom: {
    query: {
      /** Only preview: nothing is written. */
      readonly dryRun?: boolean | undefined
    }
    body: {
      /** Id of the tenant. */
      readonly tenantId: string
      /** An enterprise id. */
      readonly enterpriseId: string
      /** For items whose price belongs to another deal and that have no price in this one: whether they keep that price or return to their base price. */
      readonly unmatched?: 'keep' | 'base' | undefined
    }
    answers: {
      200: EnterpriseOutcome
    }
  }
  removeEnterprise: {
    query: {
      /** Only preview: nothing is written. */
      readonly dryRun?: boolean | undefined
    }
    body: {
      /** Id of the tenant. */
      readonly tenantId: string
    }
    answers: {
      200: EnterpriseOutcome
    }
  }
  getEnterpriseCoverage: {
    answers: {
      200: Coverage
    }
  }
  moveTemplate: {
    body: {
      /** Name of an enterprise template. */
      readonly enterpriseTemplate: string
    }
    answers: {
      202: Job
    }
  }
  startMigration: {
    query: {
      /** Only return the list and the amounts; no subscription is moved. */
      readonly dryRun?: boolean | undefined
    }
    body: NewMigration
    answers: {
      200: MigrationPlan
      202: Job
    }
  }
  listJobs: {
    query: {
      /** How many to list. */
      readonly limit?: number | undefined
      /** How many to skip. */
      readonly offset?: number | undefined
      /** Only jobs of this kind. */
      readonly kind?: JobKind | undefined
    }
    answers: {
      200: JobList
    }
  }
  getJob: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: JobReport
    }
  }
  resumeJob: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      202: Job
    }
  }
  cancelJob: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: Job
    }
  }
  deployWorker: {
    params: {
      /** The worker’s name. */
      readonly name: string
    }
    body: DeploymentBody
    answers: {
      201: Worker
    }
  }
  rollBackWorker: {
    params: {
      /** The worker’s name. */
      readonly name: string
    }
    body: {
      readonly deployment?: string | null | undefined
    } | null
    answers: {
      200: Worker
    }
  }
  removeWorker: {
    params: {
      /** The worker’s name. */
      readonly name: string
    }
  }
  listWorkers: {
    answers: {
      200: {
        workers: Worker[]
      }
    }
  }
  getWorker: {
    params: {
      /** The worker’s name. */
      readonly name: string
    }
    answers: {
      200: Worker
    }
  }
  listDeployments: {
    params: {
      /** The worker’s name. */
      readonly name: string
    }
    query: {
      /** How many to list. */
      readonly limit?: number | undefined
      /** How many to skip. */
      readonly offset?: number | undefined
    }
    answers: {
      200: DeploymentList
    }
  }
  getWorkerLogs: {
    params: {
      /** The worker’s name. */
      readonly name: string
    }
    query: {
      /** How many to list. */
      readonly limit?: number | undefined
      /** Only lines since this time, RFC 3339. */
      readonly since?: string | undefined
      /** Only lines of this level. */
      readonly level?: 'debug' | 'log' | 'info' | 'warn' | 'error' | 'exception' | 'system' | undefined
      /** Only lines of this scheduled run. */
      readonly runId?: string | undefined
      /** Only lines of this request. */
      readonly requestId?: string | undefined
      /** Stream what comes. */
      readonly follow?: boolean | undefined
    }
    answers: {
      200: {
        logs: WorkerLogLine[]
      }
    }
    events: {
      log: WorkerLogLine
    }
  }
  listCronRuns: {
    params: {
      /** The worker’s name. */
      readonly name: string
    }
    query: {
      /** How many to list. */
      readonly limit?: number | undefined
      /** How many to skip. */
      readonly offset?: number | undefined
      /** Only runs of this expression. */
      readonly cron?: string | undefined
    }
    answers: {
      200: CronRunList
    }
  }
  triggerCron: {
    params: {
      /** The worker’s name. */
      readonly name: string
    }
    body: {
      readonly cron?: string | null | undefined
    } | null
    answers: {
      200: CronRun
    }
  }
  receiveProcessorEvent: {
    body: unknown
    answers: {
      200: {
        received: true
      }
    }
  }
  getHealth: {
    answers: {
      200: {
        status: 'ok'
        uptimeSeconds: number
      }
    }
  }
  getReadiness: {
    answers: {
      200: {
        ready: boolean
        checks: {
          store: {
            ok: boolean
            detail: string
          }
          processor: {
            ok: boolean
            detail: string
          }
          workers: {
            ok: boolean
            detail: string
          }
        }
      }
    }
  }
  getMetrics: {
  }
}

/** Method, path, and where names turn: in its answer, in its body. */
export const operations = {
  getOpenApi: ['GET', '/api/v1/openapi.json', null],
  getSchema: ['GET', '/api/v1/billing/schema', null],
  getConfig: ['GET', '/api/v1/billing/config', {}],
  getPrice: ['GET', '/api/v1/billing/config/prices/:id', null],
  getProduct: ['GET', '/api/v1/billing/config/products/:id', null],
  getMeter: ['GET', '/api/v1/billing/config/meters/:id', null],
  calculatePrice: ['POST', '/api/v1/billing/config/prices/:id/calculate', {breakdown:{}}],
  convertProcessorId: ['GET', '/api/v1/billing/convert/processor-id/:processor_id', {}],
  listSessionPrices: ['GET', '/api/v1/billing/session/prices', {prices:{}}],
  getEntitlements: ['GET', '/api/v1/billing/entitlements', {features:{}}],
  checkEntitlements: ['POST', '/api/v1/billing/entitlements/check', {checks:{}}, {}],
  createCheckout: ['POST', '/api/v1/billing/checkout', {}, {}],
  createPortal: ['POST', '/api/v1/billing/portal', null, {}],
  recordUsage: ['POST', '/api/v1/billing/usage', {}, {}],
  getFullConfig: ['GET', '/api/v1/billing/admin/config', {}],
  pushConfig: ['POST', '/api/v1/billing/admin/config', {details:{},impact:{generations:{}}}],
  keepWritten: ['POST', '/api/v1/billing/admin/config/written', null],
  validateConfig: ['POST', '/api/v1/billing/admin/config/validate', null],
  rollbackConfig: ['POST', '/api/v1/billing/admin/config/rollback', {details:{},impact:{generations:{}}}],
  pullConfig: ['GET', '/api/v1/billing/admin/config/pull', {unrepresented:{}}],
  getDrift: ['GET', '/api/v1/billing/admin/config/drift', {differences:{},notes:{},unmanaged:{}}],
  resetConfig: ['POST', '/api/v1/billing/admin/config/reset', {errors:{}}],
  listVersions: ['GET', '/api/v1/billing/admin/config/history', {versions:{by:{}},pagination:{}}],
  getRevision: ['GET', '/api/v1/billing/admin/config/history/:revision', {by:{}}],
  compareRevisions: ['GET', '/api/v1/billing/admin/config/history/:from/diff/:to', {differences:{}}],
  listPushes: ['GET', '/api/v1/billing/admin/pushes', {pushes:{by:{}},pagination:{}}],
  getPush: ['GET', '/api/v1/billing/admin/pushes/:id', {by:{},steps:{}}],
  followPush: ['GET', '/api/v1/billing/admin/pushes/:id/events', {step:{}}],
  resumePush: ['POST', '/api/v1/billing/admin/pushes/:id/resume', {details:{},impact:{generations:{}}}],
  cancelPush: ['POST', '/api/v1/billing/admin/pushes/:id/cancel', {by:{}}],
  listTemplatePrices: ['GET', '/api/v1/billing/admin/enterprise/prices/by-template/:template', null],
  listEnterprisePrices: ['GET', '/api/v1/billing/admin/enterprise/prices/by-id/:enterprise_id', null],
  listWebhooks: ['GET', '/api/v1/billing/admin/webhooks', {webhooks:{}}],
  rotateWebhook: ['POST', '/api/v1/billing/admin/webhooks/:id/rotate', {previous:{}}, {}],
  listProcessorEvents: ['GET', '/api/v1/billing/admin/events', {events:{}}],
  createKey: ['POST', '/api/v1/billing/admin/keys', {}, {}],
  listKeys: ['GET', '/api/v1/billing/admin/keys', {keys:{}}],
  revokeKey: ['DELETE', '/api/v1/billing/admin/keys/:id', null],
  getOwnKey: ['GET', '/api/v1/billing/admin/keys/current', {}],
  getChangeTag: ['GET', '/api/v1/billing/admin/changes', null],
  createDashboardLink: ['POST', '/api/v1/billing/admin/dashboard/links', {}],
  runDoctor: ['GET', '/api/v1/billing/admin/doctor', null],
  createTenant: ['POST', '/api/v1/billing/admin/tenants', {}, {}],
  listTenants: ['GET', '/api/v1/billing/admin/tenants', {tenants:{},pagination:{}}],
  getTenant: ['GET', '/api/v1/billing/admin/tenants/:id', {}],
  updateTenant: ['PATCH', '/api/v1/billing/admin/tenants/:id', {}, {}],
  removeTenant: ['DELETE', '/api/v1/billing/admin/tenants/:id', null],
  listTenantSubscriptions: ['GET', '/api/v1/billing/admin/tenants/:id/subscriptions', {subscriptions:{items:{}}}],
  cancelSubscription: ['DELETE', '/api/v1/billing/admin/tenants/:id/subscriptions/:subscription', null],
  listGrants: ['GET', '/api/v1/billing/admin/tenants/:id/grants', {grants:{}}],
  putGrant: ['PUT', '/api/v1/billing/admin/tenants/:id/grants/:feature', {}, {}],
  removeGrant: ['DELETE', '/api/v1/billing/admin/tenants/:id/grants/:feature', null],
  getTenantEntitlements: ['GET', '/api/v1/billing/admin/tenants/:id/entitlements', {features:{}}],
  getUpcomingInvoice: ['GET', '/api/v1/billing/admin/tenants/:id/upcoming-invoice', {lines:{},invoices:{lines:{}},dropped_usage:{examples:{}}}],
  listTenantAudit: ['GET', '/api/v1/billing/admin/tenants/:id/audit', {entries:{by:{}},pagination:{}}],
  listTenantInvoices: ['GET', '/api/v1/billing/admin/tenants/:id/invoices', {invoices:{lines:{}},pagination:{}}],
  exportInvoices: ['GET', '/api/v1/billing/admin/invoices/export', {rows:{}}],
  getMoney: ['GET', '/api/v1/billing/admin/money', {currencies:{by_product:{},by_price:{legacy:{}},last_30_days:{}}}],
  listMoneyDays: ['GET', '/api/v1/billing/admin/money/days', {days:{by_product:{}}}],
  listSubscribers: ['GET', '/api/v1/billing/admin/prices/:id/subscribers', {subscribers:{},pagination:{}}],
  listDroppedUsage: ['GET', '/api/v1/billing/admin/usage/dropped', {dropped:{examples:{}}}],
  createSession: ['POST', '/api/v1/billing/admin/sessions', {}, {}],
  revokeSession: ['DELETE', '/api/v1/billing/admin/sessions/:id', null],
  applyTemplate: ['POST', '/api/v1/billing/admin/enterprise/apply-template', {}, {}],
  applyCustom: ['POST', '/api/v1/billing/admin/enterprise/apply-custom', {}, {}],
  removeEnterprise: ['POST', '/api/v1/billing/admin/enterprise/remove', {}, {}],
  getEnterpriseCoverage: ['GET', '/api/v1/billing/admin/enterprise/coverage', {rows:{cells:{}}}],
  moveTemplate: ['POST', '/api/v1/billing/admin/enterprise/move-template', {by:{}}, {}],
  startMigration: ['POST', '/api/v1/billing/admin/migrations', {lines:{},by:{}}, {}],
  listJobs: ['GET', '/api/v1/billing/admin/jobs', {jobs:{by:{}},pagination:{}}],
  getJob: ['GET', '/api/v1/billing/admin/jobs/:id', {by:{}}],
  resumeJob: ['POST', '/api/v1/billing/admin/jobs/:id/resume', {by:{}}],
  cancelJob: ['POST', '/api/v1/billing/admin/jobs/:id/cancel', {by:{}}],
  deployWorker: ['POST', '/api/v1/workers/:name/deployments', {deployment:{},crons:{}}, {}],
  rollBackWorker: ['POST', '/api/v1/workers/:name/rollback', {deployment:{},crons:{}}],
  removeWorker: ['DELETE', '/api/v1/workers/:name', null],
  listWorkers: ['GET', '/api/v1/workers', {workers:{deployment:{},crons:{}}}],
  getWorker: ['GET', '/api/v1/workers/:name', {deployment:{},crons:{}}],
  listDeployments: ['GET', '/api/v1/workers/:name/deployments', {deployments:{},pagination:{}}],
  getWorkerLogs: ['GET', '/api/v1/workers/:name/logs', {logs:{}}],
  listCronRuns: ['GET', '/api/v1/workers/:name/cron/runs', {runs:{},pagination:{}}],
  triggerCron: ['POST', '/api/v1/workers/:name/cron/trigger', {}],
  receiveProcessorEvent: ['POST', '/api/v1/processor/events', null],
  getHealth: ['GET', '/healthz', {}],
  getReadiness: ['GET', '/readyz', null],
  getMetrics: ['GET', '/metrics', null],
} as const
