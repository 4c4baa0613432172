// Generated from the contract (packages/ratecard/src/wire) by scripts/reference/client-types.ts; do not edit.

import type { CouponId, EnterpriseId, EnterpriseTemplate, FeatureId, MeterId, PriceId, ProductId } from './ids.ts'

import type { Issue } from './issue.ts'

/** Products, prices, features, meters, webhooks, coupons, promotion codes, taxes and customer portals. */
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
    /** Your id of the feature; products name it. */
    id: string
    /** Name of the feature, for you and for your own pages. */
    name: string
    /** `switch` (default): on or off. `limit`: a number that your program counts, e.g. projects. `metered`: a number per period that `meter` counts, e.g. API calls. Not sent to the processor, where every feature is on or off. */
    type?: 'switch' | 'limit' | 'metered'
    /** Id of the meter that counts a `metered` feature. */
    meter?: string
    /** What a limit counts, as your customers read it: a text, or a text for each plural form. */
    unit?: string | {
      /** Plural form of the category `zero`, which some languages have, e.g. for 0 in Arabic. */
      zero?: string
      /** Form for one, e.g. `1 project`. */
      one?: string
      /** Plural form of the category `two`, which some languages have, e.g. for 2 in Arabic. */
      two?: string
      /** Plural form of the category `few`, which some languages have, e.g. for 2 to 4 in Polish. */
      few?: string
      /** Plural form of the category `many`, which some languages have, e.g. for 5 to 21 in Polish. */
      many?: string
      /** Plural form for all other numbers, and for `unlimited`. */
      other: string
    }
    /** Lookup key at the processor, with which your programs can find the feature. Default: the id; an existing feature keeps its key. Fixed at creation: another key creates a new feature. */
    lookup_key?: string
    /** Up to 50 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
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
  /** Tax rates, which `tax` names. */
  tax_rates?: Array<{
    /** Your id of the tax rate. */
    id: string
    /** Name on invoices and in the checkout. */
    display_name: string
    /** Per cent, 0 to 100 with up to 4 decimals, as text or as a number. If it is changed, a new tax rate replaces this one, and running subscriptions keep the old rate. */
    percentage: string | number
    /** true: the tax is included in the amount. false: it is added to the amount. If it is changed, a new tax rate replaces this one, and running subscriptions keep the old rate. */
    inclusive: boolean
    /** Two-letter country code. If it is removed, a new tax rate replaces this one, because the processor cannot remove it. */
    country?: string
    /** State, province or region, without the country, e.g. `NY`. If it is removed, a new tax rate replaces this one, because the processor cannot remove it. */
    state?: string
    /** Jurisdiction, as the customer’s invoice shows it. If it is removed, a new tax rate replaces this one, because the processor cannot remove it. */
    jurisdiction?: string
    /** Note for yourself. Customers do not see it. If it is removed, a new tax rate replaces this one, because the processor cannot remove it. */
    description?: string
    /** Type of the tax, for reports. If it is removed, a new tax rate replaces this one, because the processor cannot remove it. */
    tax_type?: 'admissions_tax' | 'amusement_tax' | 'attendance_tax' | 'communications_tax' | 'digital_excise_tax' | 'entertainment_tax' | 'get_fund' | 'gross_receipts_tax' | 'gst' | 'hospitality_tax' | 'hst' | 'igst' | 'jct' | 'lease_tax' | 'luxury_tax' | 'mass_transit_parking_tax' | 'nhil' | 'parking_tax' | 'pst' | 'qst' | 'resort_tax' | 'retail_delivery_fee' | 'rst' | 'sales_tax' | 'service_tax' | 'tourism_tax' | 'utility_users_tax' | 'vat'
    /** If false, new sales cannot use the tax rate, and running subscriptions keep it. Default: true. */
    active?: boolean
    /** Up to 50 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
    metadata?: Record<string, string>
    /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
    previous_ids?: string[]
    /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
    processor_id?: string
  }>
  /** Taxes of every checkout and subscription that the service creates. A running subscription keeps the taxes with which it was sold. */
  tax?: {
    /** The processor computes the tax of each sale from the customer’s location. Not together with `rates`. */
    automatic?: true
    /** The checkout asks business customers for their tax id. */
    collect_tax_ids?: true
    /** Ids of up to 5 active tax rates of each sale. */
    rates?: string[]
  }
  /** Configurations of the processor’s customer portal. */
  portal?: Array<{
    /** Your id of the portal configuration; `POST /api/v1/billing/portal` names it. */
    id: string
    /** Use this configuration if a request names none. At most one configuration may be the default. Not sent to the processor. */
    default?: boolean
    /** Text at the top of the portal. */
    headline?: string
    /** URL of your privacy policy. */
    privacy_policy_url?: string
    /** URL of your terms of service. */
    terms_of_service_url?: string
    /** URL of the link back to your site, for sessions without a `return_url`. */
    return_url?: string
    /** A page of the processor on which customers sign in by email. Default: off. */
    login_page?: {
      /** Whether the login page is open. */
      enabled: boolean
    }
    /** What a customer can do in the portal. A feature that is not listed is off. */
    features: {
      /** The customer can change its details. */
      customer_update?: {
        /** If false, the feature is off, as if it were not listed. Default: true. */
        enabled?: boolean
        /** Details that the customer may change. */
        allowed_updates: Array<'address' | 'email' | 'name' | 'phone' | 'shipping' | 'tax_id'>
      }
      /** The customer can see its invoices. */
      invoice_history?: {
        /** If false, the feature is off, as if it were not listed. Default: true. */
        enabled?: boolean
      }
      /** The customer can change its payment methods. */
      payment_method_update?: {
        /** If false, the feature is off, as if it were not listed. Default: true. */
        enabled?: boolean
      }
      /** The customer can cancel its subscriptions. */
      subscription_cancel?: {
        /** If false, the feature is off, as if it were not listed. Default: true. */
        enabled?: boolean
        /** When a cancelled subscription ends. Default: `at_period_end`. */
        mode?: 'at_period_end' | 'immediately'
        /** What happens to unused time with `mode: immediately`. Default: `none`. */
        proration_behavior?: 'none' | 'create_prorations'
        /** Ask the customer for the reason. Default: do not ask. */
        cancellation_reason?: {
          /** If false, the feature is off, as if it were not listed. Default: true. */
          enabled?: boolean
          /** Reasons that the customer can choose from. */
          options: Array<'customer_service' | 'low_quality' | 'missing_features' | 'other' | 'switched_service' | 'too_complex' | 'too_expensive' | 'unused'>
        }
      }
      /** The customer can change its subscriptions. Needs `payment_method_update`. */
      subscription_update?: {
        /** If false, the feature is off, as if it were not listed. Default: true. */
        enabled?: boolean
        /** What the customer may change about a subscription. */
        default_allowed_updates: Array<'price' | 'promotion_code' | 'quantity'>
        /** Up to 10 products with the prices that a customer may change to. `"public"`: every public price that is billed by quantity in an interval, also those of later versions. */
        products: 'public' | Array<{
          /** Id of a product. */
          product: string
          /** Ids of the recurring prices that a customer may change to. */
          prices: string[]
          /** Limits of the quantity. Default: not adjustable. */
          adjustable_quantity?: {
            /** Whether the customer may change the quantity. */
            enabled: boolean
            /** Default 1. */
            minimum?: number
            /** Default 99. */
            maximum?: number
          }
        }>
        /** What happens to unused time. Default: `none`. */
        proration_behavior?: 'none' | 'create_prorations' | 'always_invoice'
        /** Whether a new period begins. Default `unchanged`. */
        billing_cycle_anchor?: 'now' | 'unchanged'
        /** What happens to a trial when the subscription is changed. Default: `end_trial`. */
        trial_update_behavior?: 'end_trial' | 'continue_trial'
        /** Changes that wait for the end of the period. Default: none. */
        schedule_at_period_end?: {
          /** Changes that wait for the end of the period. */
          conditions: Array<{
            /** Change to a lower amount or to a shorter interval. */
            type: 'decreasing_item_amount' | 'shortening_interval'
          }>
        }
      }
    }
    /** Up to 50 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
    metadata?: Record<string, string>
    /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
    previous_ids?: string[]
    /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
    processor_id?: string
  }>
}

/** A product that you sell, with its prices. */
export interface ProductDocument {
  /** Your id of the product, unique across products. */
  id: string
  /** Name for customers, e.g. on invoices. */
  name: string
  /** Longer text about the product for customers. */
  description?: string
  /** Type of the product. It cannot be changed later. Default: `service`. */
  type?: 'service' | 'good'
  /** Tax code of the processor, e.g. `txcd_10103001`. */
  tax_code?: string
  /** Name of one unit on receipts and invoices, in the checkout and in the customer portal. */
  unit_label?: string
  /** Text on the customer’s card or bank statement, for subscriptions. */
  statement_descriptor?: string
  /** URL of a public page about the product. */
  url?: string
  /** Addresses of up to 8 images for customers. */
  images?: string[]
  /** Up to 15 features that the processor’s own pricing tables list. */
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
  /** Features that subscribers of the product may use: ids of `features`, with the limit for features that have one. */
  features?: Array<string | {
    /** Feature id. */
    id: string
    /** How many the customer may have or use. Limits of several products add up. */
    limit: number | 'unlimited'
    /** The limit counts for each unit that is bought, e.g. for each seat. Default false. */
    per_quantity?: boolean
    /** When the usage of a `metered` feature is reset to zero: with each period of the subscription (default), on the first day of each month (UTC), or never. */
    resets?: 'billing_period' | 'month' | 'never'
    /** What a check returns beyond the limit: `deny` (default) refuses, `allow` permits, e.g. because the usage is billed. */
    beyond?: 'deny' | 'allow'
  }>
  /** If true, subscribers to an earlier version of a price keep the features and limits that the product had when that version was replaced. Default: false. */
  grandfather_features?: boolean
  /** Name of a group of products. A tenant can have at most one product of a group at a time. */
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
    /** Whether the product is highlighted. */
    highlighted?: boolean
    /** Label of the button. */
    cta_text?: string
    /** Products are shown in ascending order. */
    sort_order?: number
    /** Feature list for a pricing table. */
    features?: string[]
    /** Texts by language, e.g. `de` or `pt-BR`: display_name, tagline, badge, cta_text, features, unit. A text that a language does not have stays as it is. */
    translations?: Record<string, {
      /** Name for customers. */
      display_name?: string
      /** One line under the name. */
      tagline?: string
      /** Short label on the card. */
      badge?: string
      /** Label of the button. */
      cta_text?: string
      /** Feature list for a pricing table. */
      features?: string[]
      /** Plural forms of one unit of the product, in place of `unit_label`. */
      unit?: {
        /** Plural form of the category `zero`, which some languages have, e.g. for 0 in Arabic. */
        zero?: string
        /** Form for one, e.g. `1 project`. */
        one?: string
        /** Plural form of the category `two`, which some languages have, e.g. for 2 in Arabic. */
        two?: string
        /** Plural form of the category `few`, which some languages have, e.g. for 2 to 4 in Polish. */
        few?: string
        /** Plural form of the category `many`, which some languages have, e.g. for 5 to 21 in Polish. */
        many?: string
        /** Plural form for all other numbers. */
        other: string
      }
    }>
  }
  /** Up to 50 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
  metadata?: Record<string, string>
  /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
  previous_ids?: string[]
  /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
  processor_id?: string
}

/** A price of a product. */
export interface PriceDocument {
  /** Your id of the price, unique across all products. */
  id: string
  /** Amount per unit in minor units: 1200 is €12.00, but ¥1,200 and KWD 1.200. 0 makes a free price, which exists only in Ratecard. */
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
  currency_options?: Record<string, {
    /** Amount per unit in minor units of this currency. */
    amount?: number
    /** Amount per unit in minor units with up to 12 decimals, in place of `amount`. */
    unit_amount_decimal?: string
    /** Tiers with the same `up_to` as in the price’s own currency. */
    tiers?: TierDocument[]
    /** Whether the amount includes tax. Default: as for the price itself. */
    tax_included_in_price?: boolean
  }>
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
  /** Lookup key at the processor, with which your programs can find the price. Default: the id; a price that is adopted with `processor_id` keeps its key. If an earlier managed price has the new key, the key is moved to this price. */
  lookup_key?: string
  /** Internal name of the price. Customers do not see it. */
  nickname?: string
  /** Trial in days for a checkout that requests none. Recurring prices only. Not sent to the processor. */
  trial_period_days?: number
  /** Ids of recurring prices that are always sold together with this one, in the same subscription. Metered prices are billed by usage, the others in the same quantity. Not sent to the processor. */
  attached_prices?: string[]
  /** Credit for metered usage that the buyer gets for each paid purchase and each paid invoice of the price. Not sent to the processor: Ratecard creates a credit grant there for each payment. */
  grants_credit?: {
    /** Credit for each unit of the quantity, in minor units. */
    amount: number
    /** Currency of the credit, which pays invoices in this currency only. Default: the price’s own. */
    currency?: string
    /** Number of days after the payment until the credit expires. Default: it never expires. */
    expires_after_days?: number
    /** Meters whose usage the credit pays for. Default: usage of every meter. */
    meters?: string[]
  }
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
  /** Discount of an enterprise price on its base price in per cent, more than 0 and at most 100. Use it instead of amount, tiers, packages and other currencies, which are then taken from the base price. */
  percent_off_base?: string
  /** Up to 50 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
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
      /** Whether the currency is displayed. */
      show_currency?: boolean
      /** Shown after the amount. */
      suffix?: string
    }
    /** Feature list for a pricing table. */
    features?: string[]
    /** Limits of the plan, for display. */
    limits?: Array<{
      /** Text of the limit. */
      text?: string
      /** The limit as a number. Display only; never money. */
      value?: number
      /** What the limit counts, e.g. `projects`. */
      unit?: string
    }>
    /** Texts by language, e.g. `de` or `pt-BR`: display_name, billing_period, custom_text, suffix, features, limits, unit. A text that a language does not have stays as it is. */
    translations?: Record<string, {
      /** Name of the price for customers. */
      display_name?: string
      /** Label of the period. */
      billing_period?: string
      /** Shown instead of the amount. */
      custom_text?: string
      /** Shown after the amount. */
      suffix?: string
      /** Feature list for a pricing table. */
      features?: string[]
      /** Texts of the limits, in the order of the price’s limits. */
      limits?: string[]
      /** Plural forms of one unit of the product, in place of `unit_label`. */
      unit?: {
        /** Plural form of the category `zero`, which some languages have, e.g. for 0 in Arabic. */
        zero?: string
        /** Form for one, e.g. `1 project`. */
        one?: string
        /** Plural form of the category `two`, which some languages have, e.g. for 2 in Arabic. */
        two?: string
        /** Plural form of the category `few`, which some languages have, e.g. for 2 to 4 in Polish. */
        few?: string
        /** Plural form of the category `many`, which some languages have, e.g. for 5 to 21 in Polish. */
        many?: string
        /** Plural form for all other numbers. */
        other: string
      }
    }>
  }
}

/** One tier of a tiered price: a unit amount, a flat amount, or both. */
export interface TierDocument {
  /** Highest quantity of the tier; "inf" for the last tier. */
  up_to: number | 'inf'
  /** Amount per unit in minor units. */
  unit_amount?: number
  /** Amount per unit in minor units with up to 12 decimals, in place of `unit_amount`. */
  unit_amount_decimal?: string
  /** Amount in minor units for the whole tier. `graduated`: charged for each tier that the quantity reaches. `volume`: only for the tier reached. */
  flat_amount?: number
  /** Flat amount in minor units with up to 12 decimals, in place of `flat_amount`. */
  flat_amount_decimal?: string
}

/** A usage meter. */
export interface MeterDocument {
  /** Your id of the meter; metered prices name it. */
  id: string
  /** Name of the meter. Customers do not see it. */
  display_name: string
  /** Name of the usage events that the meter counts, unique across meters. */
  event_name: string
  /** How the usage of a period is calculated. */
  default_aggregation?: {
    /** How the events of a period are aggregated. Default `sum`. */
    formula: 'sum' | 'count' | 'last'
  }
  /** Which member of an event contains its customer. */
  customer_mapping?: {
    /** The payload contains the processor’s customer id. */
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
  /** Your id of the endpoint. Without an id, editing the URL creates a new endpoint with a new secret. */
  id?: string
  /** URL that events are delivered to: https, or http on loopback. May contain `${VARIABLES}`. */
  url: string
  /** Event types to deliver, or `*` for all but those that the processor sends only by name. */
  events: string[]
  /** Deliver the events of connected accounts instead of your own account’s. Fixed at creation. Default false. */
  connect?: boolean
  /** Purpose of the endpoint. */
  description?: string
  /** API version of the endpoint’s events. Fixed at creation: another version creates a new endpoint with a new secret. Default: the version that this release uses; an existing endpoint keeps its version. */
  api_version?: string
  /** Up to 50 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
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
  /** Name on invoices and receipts. Default: the id of the coupon at the processor. */
  name?: string
  /** Percent off, up to 100. */
  percent_off?: number
  /** Amount off in minor units; needs `currency`. */
  amount_off?: number
  /** Currency of `amount_off`. */
  currency?: string
  /** Amounts off in other currencies, by currency code. Only with `amount_off`, and without the coupon’s own currency. */
  currency_options?: Record<string, {
    /** Amount off in minor units of this currency. */
    amount_off: number
  }>
  /** How long the discount lasts for a customer. */
  duration: 'once' | 'repeating' | 'forever'
  /** Months, when `duration` is `repeating`. */
  duration_in_months?: number
  /** Maximum number of redemptions. */
  max_redemptions?: number
  /** Last time at which the coupon can be redeemed. ISO 8601 with a time zone, or Unix seconds. */
  redeem_by?: string | number
  /** Ids of the products to which the coupon applies. Default: all products. */
  applies_to?: string[]
  /** Up to 50 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
  metadata?: Record<string, string>
  /** Earlier ids of this item. The item takes over their history: the objects at the processor and the subscribers. */
  previous_ids?: string[]
  /** Id of an object that already exists at the processor: it is adopted instead of created. For migrations. */
  processor_id?: string
}

/** A code that customers type to get a coupon. */
export interface PromotionCodeDocument {
  /** Your id of the promotion code. */
  id: string
  /** What customers type. Unique; case does not matter. */
  code: string
  /** Id of the coupon that the code gives. */
  coupon: string
  /** Whether customers can redeem the code. Default true. */
  active?: boolean
  /** Maximum number of redemptions, not more than those of its coupon. */
  max_redemptions?: number
  /** Only for customers without a successful payment or invoice. */
  first_time_transaction?: boolean
  /** Minimum order amount in minor units; needs `minimum_amount_currency`. */
  minimum_amount?: number
  /** Currency of `minimum_amount`. */
  minimum_amount_currency?: string
  /** Minimum order amounts in other currencies, by currency code. Only with `minimum_amount`, and without its own currency. */
  currency_options?: Record<string, {
    /** Minimum order amount in minor units of this currency. */
    minimum_amount: number
  }>
  /** Id of the only customer at the processor who may use it. Default: all customers. */
  customer?: string
  /** Time at which it expires, not later than its coupon. ISO 8601 with a time zone, or Unix seconds. */
  expires_at?: string | number
  /** Up to 50 pairs of text kept on the processor’s object. Keys that start with `ratecard_` are reserved. */
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
  /** Time at which the first revision was applied. */
  createdAt: string
  /** Time at which this revision was applied. */
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
  /** Amount in minor units, rounded half up once, at the end. */
  amount: number
  /** Amount in minor units before rounding. */
  amountDecimal: string
  effectiveUnitAmount: number | string | null
  /** The amount, formatted for display. */
  formatted: string
  breakdown: CostLine[]
  /** Prices that are always sold with this one, and are not included in its amount. Absent if there are none. */
  attached?: AttachedCost[]
}

export interface CostLine {
  upTo: number | 'inf'
  /** Number of units on this line. */
  quantity: number
  /** Exact amount in minor units. */
  unitAmount: number | string
  /** Exact amount in minor units. */
  flatAmount: number | string
  /** Exact amount in minor units. */
  amount: number | string
}

export interface AttachedCost {
  priceId: string
  quantity: number | null
  amount: number | null
  /** The amount formatted for display or, for a metered price, the cost of its usage. */
  formatted: string
}

export interface Conversion {
  configId: string
  /** Current processor id, even if the request named an earlier one. */
  processorId: string
  /** Kind of the resource. */
  itemType: ResourceKind
  /** Number of processor ids that the item has had, including the current one. */
  historyCount: number
  /** Whether the requested processor id is the current one. */
  current: boolean
}

/** Kind of the resource. */
export type ResourceKind = 'meter' | 'feature' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'tax_rate' | 'portal' | 'webhook'

export interface SessionPrices {
  /** Negotiated prices of the tenant; empty if it has none. */
  prices: Array<{
    /** Configuration id of the public price that the negotiated price replaces. */
    basePriceId: string
    price: PriceDocument
  }>
}

export interface TenantSubscriptions {
  tenantId: string
  /** Combined status of all subscriptions of the tenant. `past_due` and `unpaid` take precedence over running subscriptions. */
  billingStatus: BillingStatus
  /** The response was read from the mirror, which was complete up to this time. Absent when the response was read live. */
  asOf?: string
  /** Present only if `as_of` is more than five minutes old. */
  stale?: true
  subscriptions: Subscription[]
}

/** Combined status of all subscriptions of the tenant. `past_due` and `unpaid` take precedence over running subscriptions. */
export type BillingStatus = 'none' | 'free' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'incomplete' | 'paused'

export interface Subscription {
  id: string
  /** `local`: a free price, which only Ratecard stores. */
  home: 'processor' | 'local'
  /** Status at the processor: active, trialing, past_due … */
  status: string
  currency: string | null
  cancelAtPeriodEnd: boolean
  cancelAt: string | null
  pause: {
    /** What happens to invoices during the pause: void, keep_as_draft or mark_uncollectible. */
    behavior: string
    until: string | null
  } | null
  scheduled: {
    /** Time at which the change begins. */
    at: string
    items: Array<{
      priceId: string | null
      processorPriceId: string
      quantity: number | null
    }>
  } | null
  trialEnd: string | null
  /** Time at which the subscription began. */
  createdAt: string
  duplicateOf: string | null
  items: SubscriptionItem[]
}

export interface SubscriptionItem {
  id: string
  priceId: string | null
  processorPriceId: string
  quantity: number | null
  /** True if the price has been replaced or removed. The tenant keeps it until it is moved. */
  legacy: boolean
  usageType: 'licensed' | 'metered'
  currentPeriodEnd: string | null
  scheduledPriceId: string | null
}

export interface TenantInvoices {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Present only if `as_of` is more than five minutes old. */
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
  /** Total in minor units, including tax. */
  total: string
  /** `total`, formatted for display. */
  formatted: string
  /** Amount due when the invoice was created: the total minus credit. */
  amountDue: string
  /** `amount_due`, formatted for display. */
  amountDueFormatted: string
  /** Amount paid. */
  amountPaid: string
  /** `amount_paid`, formatted for display. */
  amountPaidFormatted: string
  /** Amount that is still owed. */
  amountRemaining: string
  /** `amount_remaining`, formatted for display. */
  amountRemainingFormatted: string
  /** Amount refunded. */
  amountRefunded: string
  /** `amount_refunded`, formatted for display. */
  amountRefundedFormatted: string
  /** Number of payment attempts. */
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
  /** Amount in minor units, a decimal as text. */
  amount: string
  /** `amount`, formatted for display. */
  formatted: string
  /** True if the line charges or credits a part of a period, because the subscription changed. */
  proration: boolean
  /** Start of the period that the line bills. */
  periodStart: string
  /** Its end. */
  periodEnd: string
}

export interface Pagination {
  /** Total number of items. */
  total: number
  limit: number
  /** Items skipped. */
  offset: number
  hasMore: boolean
}

export interface Entitlements {
  /** The response was read from the mirror, which was complete up to this time. Absent when the response was read live. */
  asOf?: string
  /** Present only if `as_of` is more than five minutes old. */
  stale?: true
  /** What the tenant may use now, by id. */
  features: Array<{
    /** Id of the feature in your configuration. */
    id: string
    /** Name of the feature in the configuration. */
    name: string
    /** Whether the tenant may use `requested` more. */
    allowed: boolean
    reason: 'not_included' | 'limit_reached' | null
    /** Id of the feature in your configuration. */
    feature: string
    type: 'switch' | 'limit' | 'metered'
    limit: number | 'unlimited' | null
    used: number | string | null
    remaining: number | string | null
    resetsAt: string | null
    beyond: 'deny' | 'allow' | null
    /** Configuration ids of public prices with which the feature would be allowed; empty if it is allowed already. */
    offeredBy: string[]
  }>
  /** Credit that can pay for metered usage now, with one entry per currency. Absent if the response was not read from the mirror. */
  credits?: Array<{
    currency: string
    /** Minor units. */
    amount: number
    /** `amount`, formatted for display. */
    formatted: string
  }>
}

export interface FeatureCheck {
  /** Whether the tenant may use `requested` more. */
  allowed: boolean
  reason: 'not_included' | 'limit_reached' | null
  /** Id of the feature in your configuration. */
  feature: string
  type: 'switch' | 'limit' | 'metered'
  limit: number | 'unlimited' | null
  used: number | string | null
  remaining: number | string | null
  resetsAt: string | null
  beyond: 'deny' | 'allow' | null
  /** Configuration ids of public prices with which the feature would be allowed; empty if it is allowed already. */
  offeredBy: string[]
  /** The response was read from the mirror, which was complete up to this time. Absent when the response was read live. */
  asOf?: string
  /** Present only if `as_of` is more than five minutes old. */
  stale?: true
}

export interface FeatureChecks {
  /** The results, in the order of the checks. */
  checks: FeatureCheck[]
}

export interface NewFeatureCheck {
  /** Id of the feature in your configuration. */
  readonly feature?: FeatureId | undefined
  /** Number in use now, as your program counts it. Only for features of type `limit`. */
  readonly used?: number | undefined
  /** How many more the tenant wants to use. Default: 1. */
  readonly requested?: number | undefined
  /** Several checks in one request, instead of `feature`. */
  readonly checks?: ReadonlyArray<{
    /** Id of the feature in your configuration. */
    readonly feature: FeatureId
    /** Number in use now, as your program counts it. Only for features of type `limit`. */
    readonly used?: number | undefined
    /** How many more the tenant wants to use. Default: 1. */
    readonly requested?: number | undefined
  }> | undefined
  /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
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
  /** Id of the price in your configuration. To sell several prices, pass `items` instead. */
  readonly priceId?: PriceId | undefined
  /** Several prices to sell together, instead of `price_id` and `quantity`. Recurring prices become one subscription; one-time prices are on its first invoice. The `attached_prices` of each price are added automatically. */
  readonly items?: ReadonlyArray<{
    /** Configuration id of a price. */
    readonly priceId: PriceId
    /** Not for metered prices. Default 1. */
    readonly quantity?: number | undefined
  }> | undefined
  /** URL that the customer returns to after paying. Its origin must be listed in `RATECARD_ALLOWED_REDIRECTS`. */
  readonly successUrl: string
  /** URL that the customer returns to without paying. Its origin must be listed in `RATECARD_ALLOWED_REDIRECTS`. */
  readonly cancelUrl: string
  /** Not for metered prices. Default 1. */
  readonly quantity?: number | undefined
  /** Recurring prices only. 0 means no trial, even when the price has one. */
  readonly trialPeriodDays?: number | undefined
  /** `if_required`: a trial starts without a card. Allowed only if there is a trial. If the tenant has already used its trial, the page still asks for a card. */
  readonly paymentMethodCollection?: 'always' | 'if_required' | undefined
  /** What happens to the subscription if the trial ends without a card: `cancel` ends it, `pause` pauses it until it is resumed. Allowed only if there is a trial. Default with `payment_method_collection: if_required`: `cancel`. */
  readonly trialEnd?: 'cancel' | 'pause' | undefined
  /** One of the price’s currencies. Default: the processor chooses. */
  readonly currency?: string | undefined
  /** Let the customer enter a promotion code on the page. */
  readonly allowPromotionCodes?: boolean | undefined
  /** Promotion code as customers type it or, with a service key, its id in your configuration. After ten refused codes within an hour, a session gets 429 `rate_limited`. */
  readonly promotionCode?: string | undefined
  /** Sell a recurring price even if the tenant already has a live subscription to the product, or to another product of its `subscription_group`. Both are then billed. */
  readonly allowDuplicate?: boolean | undefined
  /** Give a trial even if the tenant already had one of the product or its `subscription_group`. Needs a service key. */
  readonly allowSecondTrial?: boolean | undefined
  /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
  readonly tenantId?: string | undefined
}

export interface NewPortal {
  /** URL that the customer returns to. Its origin must be listed in `RATECARD_ALLOWED_REDIRECTS`. */
  readonly returnUrl: string
  /** Id of a portal configuration. Default: the document’s default one, otherwise the processor’s own. */
  readonly portalId?: string | undefined
  /** Opens the customer portal at a page for one action, e.g. a cancellation. */
  readonly flow?: PortalFlow | undefined
  /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
  readonly tenantId?: string | undefined
}

/** Opens the customer portal at a page for one action, e.g. a cancellation. */
export interface PortalFlow {
  /** What the customer does on the page. */
  readonly type: 'customer_update' | 'payment_method_update' | 'subscription_cancel' | 'subscription_update' | 'subscription_update_confirm'
  readonly subscriptionCancel?: {
    /** Id of a running subscription of the tenant. */
    readonly subscription: string
    readonly retention?: {
      readonly type: 'coupon_offer'
      readonly couponOffer: {
        /** Id of a coupon. Needs a service key. */
        readonly coupon: string
      }
    } | undefined
  } | undefined
  readonly subscriptionUpdate?: {
    /** Id of a running subscription of the tenant. */
    readonly subscription: string
  } | undefined
  readonly subscriptionUpdateConfirm?: {
    /** Id of a running subscription of the tenant. */
    readonly subscription: string
    readonly items: ReadonlyArray<{
      /** Id of the subscription item. Default: the only item. */
      readonly id?: string | undefined
      /** Id of a price in your configuration. Default: the item’s current price. */
      readonly price?: string | undefined
      /** Default: the current quantity. */
      readonly quantity?: number | undefined
    }>
    readonly discounts?: ReadonlyArray<{
      /** Id of a coupon. Needs a service key. */
      readonly coupon?: string | undefined
      /** Id of a promotion code, or its code. */
      readonly promotionCode?: string | undefined
    }> | undefined
  } | undefined
  readonly afterCompletion?: {
    readonly type: 'hosted_confirmation' | 'portal_homepage' | 'redirect'
    readonly redirect?: {
      /** URL that the customer returns to. Its origin must be listed in `RATECARD_ALLOWED_REDIRECTS`. */
      readonly returnUrl: string
    } | undefined
    readonly hostedConfirmation?: {
      readonly customMessage?: string | undefined
    } | undefined
  } | undefined
}

export interface Usage {
  meter: string
  tenantId: string
  value: number | string | null
  timestamp: string | null
  identifier: string
  /** True if an earlier report had the same identifier. Then only the earlier report counts, and `value` and `timestamp` are null, because Ratecard does not store them. */
  alreadyCounted: boolean
  /** False if, according to the mirror, the tenant has no subscription item for the meter, so that the usage is not paid for. Always true without a complete mirror. */
  billed: boolean
}

export interface NewUsage {
  /** Id of the meter in your configuration. */
  readonly meter: MeterId
  /** A whole number, or a decimal as text; never negative. */
  readonly value: number | string
  /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
  readonly tenantId?: string | undefined
  /** Time of the usage (RFC 3339), at most 35 days ago. A session cannot report a time in the future. Default: the time of the call. */
  readonly timestamp?: string | Date | undefined
  /** Your id of this report. Usage with the same identifier is counted only once, so that a retry is safe. */
  readonly identifier?: string | undefined
  /** If true and the usage would exceed the allowance of a metered feature, the report is refused (409 `limit_reached`) and nothing is recorded. */
  readonly enforce?: boolean | undefined
  /** If true and the tenant has no subscription item that bills the meter, the report is refused (409 `meter_not_subscribed`) and nothing is recorded. */
  readonly strict?: boolean | undefined
}

export interface ChangePreview {
  /** Id of this preview. A change with this id within 15 minutes costs exactly what the preview shows. */
  preview: string
  /** Id of the subscription. */
  subscription: string
  when: 'now' | 'period_end'
  /** Time at which the change takes effect. */
  effectiveAt: string
  /** Items of the subscription before the change. */
  before: PlacedItem[]
  /** Items of the subscription after the change. */
  after: PlacedItem[]
  /** Amount of the invoice for the change. */
  dueNow: {
    /** Minor units. */
    amount: number
    currency: string
    /** `amount`, formatted for display. */
    formatted: string
  }
  nextInvoice: NextInvoice | null
  monthly: {
    /** Monthly cost of the items before the change, without discounts and usage. One entry for each currency, by code. */
    before: Array<{
      currency: string
      /** Amount in minor units, a decimal as text. */
      amount: string
      /** `amount`, formatted for display. */
      formatted: string
    }>
    /** Monthly cost of the items after the change. One entry for each currency, by code. */
    after: Array<{
      currency: string
      /** Amount in minor units, a decimal as text. */
      amount: string
      /** `amount`, formatted for display. */
      formatted: string
    }>
  }
  warnings: Array<{
    code: string
    /** For people. */
    detail: string
  }>
}

export interface PlacedItem {
  priceId: string | null
  processorPriceId: string
  quantity: number | null
}

export interface NextInvoice {
  at: string | null
  /** Minor units. */
  amount: number
  currency: string
  /** `amount`, formatted for display. */
  formatted: string
  lines: InvoiceLine[]
}

export interface InvoiceLine {
  description: string | null
  priceId: string | null
  processorPriceId: string | null
  quantity: number | null
  /** Minor units. */
  amount: number
  /** Start of the period that the line bills. */
  periodStart: string
  /** Its end. */
  periodEnd: string
}

export interface NewPreview {
  /** Id of the subscription. Required only if the tenant has several. */
  readonly subscription?: string | undefined
  /** All prices that the tenant will have of the product or subscription group of `replaces`. Its other items stay. */
  readonly items: readonly ChangeItem[]
  /** Configuration id of a price that the subscription has. Optional if `items` alone makes clear what is replaced, or if the subscription has items of one group. */
  readonly replaces?: PriceId | undefined
  /** `auto` (default): a change that costs at least as much per month takes effect now, a cheaper one at the end of the period. A session may pass `now` only for a change that costs at least as much. */
  readonly when?: 'auto' | 'now' | 'period_end' | undefined
  /** `prorate` (default) charges and credits the rest of the period; `none` does neither, and needs a service key. */
  readonly proration?: 'prorate' | 'none' | undefined
  /** Promotion code that applies from the change on, in addition to running discounts: the code as customers type it or, with a service key, its configuration id. */
  readonly promotionCode?: string | undefined
  /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
  readonly tenantId?: string | undefined
}

export interface ChangeItem {
  /** Configuration id of the price. */
  readonly priceId: PriceId
  /** Not for metered prices. Default: the quantity of the replaced item, or 1. */
  readonly quantity?: number | undefined
}

export interface ChangeOutcome {
  preview: string | null
  /** Id of the subscription. */
  subscription: string
  when: 'now' | 'period_end'
  /** Time at which the change takes effect. */
  effectiveAt: string
  /** Items of the subscription before the change. */
  before: PlacedItem[]
  /** Items of the subscription after the change. */
  after: PlacedItem[]
  /** Amount of the invoice for the change. */
  dueNow: {
    /** Minor units. */
    amount: number
    currency: string
    /** `amount`, formatted for display. */
    formatted: string
  }
  nextInvoice: NextInvoice | null
  monthly: {
    /** Monthly cost of the items before the change, without discounts and usage. One entry for each currency, by code. */
    before: Array<{
      currency: string
      /** Amount in minor units, a decimal as text. */
      amount: string
      /** `amount`, formatted for display. */
      formatted: string
    }>
    /** Monthly cost of the items after the change. One entry for each currency, by code. */
    after: Array<{
      currency: string
      /** Amount in minor units, a decimal as text. */
      amount: string
      /** `amount`, formatted for display. */
      formatted: string
    }>
  }
  warnings: Array<{
    code: string
    /** For people. */
    detail: string
  }>
  /** `payment_required`: nothing is changed until the customer pays at `url`. */
  status: 'changed' | 'scheduled' | 'payment_required'
  /** URL at which the customer pays the invoice for the change. */
  url?: string
}

export interface NewChange {
  /** Id of the subscription. Required only if the tenant has several. */
  readonly subscription?: string | undefined
  /** All prices that the tenant will have of the product or subscription group of `replaces`. Its other items stay. */
  readonly items: readonly ChangeItem[]
  /** Configuration id of a price that the subscription has. Optional if `items` alone makes clear what is replaced, or if the subscription has items of one group. */
  readonly replaces?: PriceId | undefined
  /** `auto` (default): a change that costs at least as much per month takes effect now, a cheaper one at the end of the period. A session may pass `now` only for a change that costs at least as much. */
  readonly when?: 'auto' | 'now' | 'period_end' | undefined
  /** `prorate` (default) charges and credits the rest of the period; `none` does neither, and needs a service key. */
  readonly proration?: 'prorate' | 'none' | undefined
  /** Promotion code that applies from the change on, in addition to running discounts: the code as customers type it or, with a service key, its configuration id. */
  readonly promotionCode?: string | undefined
  /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
  readonly tenantId?: string | undefined
  /** Id of the preview that the customer saw, so that the change costs exactly that. Required with a session. */
  readonly preview?: string | undefined
}

export interface NewCancellation {
  /** Id of the subscription. Required only if the tenant has several. */
  readonly subscription?: string | undefined
  /** Default: `period_end`. `now` needs a service key; it refunds nothing, and bills the usage of the period. */
  readonly when?: 'period_end' | 'now' | undefined
  /** Comment that is stored with the subscription. */
  readonly reason?: string | undefined
  /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
  readonly tenantId?: string | undefined
}

export interface NewResumption {
  /** Id of the subscription. Required only if the tenant has several. */
  readonly subscription?: string | undefined
  /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
  readonly tenantId?: string | undefined
}

export interface NewPause {
  /** Id of the subscription. Required only if the tenant has several. */
  readonly subscription?: string | undefined
  /** Time at which collection resumes automatically (RFC 3339). Default: never. */
  readonly until?: string | Date | undefined
  /** What happens to the invoices during the pause. Default: `void`. */
  readonly behavior?: 'void' | 'keep_as_draft' | 'mark_uncollectible' | undefined
  /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
  readonly tenantId?: string | undefined
}

export interface PushOutcome {
  status: 'applied' | 'unchanged' | 'planned'
  version: string
  revision: number | null
  pushId: string | null
  /** Summary of the plan in sentences: which prices change, which customers keep their price, and the monthly amounts. */
  summary: string
  changes: ChangeReport
  details: Detail[]
  warnings: Issue[]
  /** Policies that the plan breaks. With severity `deny` a push is refused, unless they are overridden. */
  violations: Violation[]
  impact: PriceImpact[]
  /** The response was read from the mirror, which was complete up to this time. Absent when the response was read live. */
  asOf?: string
  /** Present only if `as_of` is more than five minutes old. */
  stale?: true
  /** Number of write requests to the processor. */
  writes: number
  /** Fingerprint of the plan, for `X-Ratecard-Plan`. */
  plan: string
}

/** Changes that a push makes, by configuration id. */
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
  tax_rates: {
    /** Configuration ids in document order. */
    created: string[]
    /** Configuration ids in document order. */
    updated: string[]
    /** Configuration ids in document order. */
    archived: string[]
  }
  portal: {
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
  /** Value of the field; null if it is absent. */
  before: unknown
  /** Value of the field; null if it is absent. */
  after: unknown
  /** Origin of the change: an edit of the document, an edit at the processor, or both. */
  origin: 'edit' | 'drift' | 'both'
}

/** The resource as one readable line, before and after the change. */
export interface Display {
  before: string | null
  after: string | null
}

/** A policy that a change breaks. */
export interface Violation {
  /** Id of the policy. */
  id: string
  /** Name of the rule, which determines what is checked. */
  rule: 'max_increase_percent' | 'max_decrease_percent' | 'no_archive_with_subscribers' | 'required_metadata' | 'id_pattern' | 'currencies' | 'max_tenants_affected' | 'max_monthly_affected' | 'freeze' | 'require_message'
  /** `deny`: a change that breaks the rule is refused. `warn`: it only causes a warning. */
  severity: 'deny' | 'warn'
  kind: ResourceKind | null
  configId: string | null
  /** Explanation of what breaks the rule. */
  detail: string
  reason: string | null
}

/** Live subscriptions to the prices that the plan changes, including those on earlier, replaced versions. */
export interface PriceImpact {
  priceId: string
  /** Processor id of the price that is sold now. Its subscribers keep it until they are moved. */
  processorPriceId: string
  /** `update`: the price is changed in place, and some subscribers still pay an earlier, replaced version of it. */
  action: 'archive' | 'replace' | 'update'
  /** Subscriptions to the price that have not ended, including those on earlier, replaced versions of it. */
  subscriptions: number
  /** How many of these subscriptions belong to customers that are not tenants. */
  subscriptionsWithoutTenant: number
  /** Number of tenants that these subscriptions belong to. */
  tenants: number
  /** Amount per month at list price. Empty for metered prices, because their amount depends on the usage. */
  monthly: Array<{
    currency: string
    /** Amount in minor units, rounded half up once. */
    amount: number
    /** The amount, formatted for display. */
    formatted: string
  }>
  /** What the same subscriptions would pay at the new price. Empty if the price is not replaced, or if the amount depends on the usage. */
  monthlyAfter: Array<{
    currency: string
    /** Amount in minor units, rounded half up once. */
    amount: number
    /** The amount, formatted for display. */
    formatted: string
  }>
  usageBased: boolean
  /** Versions of the price: the one that is sold now, then earlier ones that still have subscribers, newest first. */
  generations: Array<{
    processorPriceId: string
    /** Currency of `amount`. */
    currency: string
    amount: string | null
    formatted: string | null
    /** Subscriptions to this version of the price that have not ended. */
    subscriptions: number
    /** Number of tenants that these subscriptions belong to. */
    tenants: number
    /** Amount per month at list price. Empty for metered prices, because their amount depends on the usage. */
    monthly: Array<{
      currency: string
      /** Amount in minor units, rounded half up once. */
      amount: number
      /** The amount, formatted for display. */
      formatted: string
    }>
    /** True for the version of the price that is sold now. */
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
  /** Number of fields that were edited. An object that is missing at the processor counts as one. */
  editedFields: number
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
    /** Configuration ids in document order. */
    tax_rates: string[]
    /** Configuration ids in document order. */
    portal: string[]
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
  /** Time at which the revision was applied. */
  createdAt: string
  author: string | null
  by: By | null
  message: string | null
  /** SHA-256 of the document’s canonical JSON; empty for a reset. */
  checksum: string
  pushId: string | null
  changes: ChangeReport
  /** Ids of the overridden policies. `message` contains the reason. */
  overrides: string[]
  /** Changes that `changes` lists under another name: replaced and renamed resources are in `updated`, adopted and reactivated ones in `created`. Empty for revisions of older releases. */
  actions: Array<{
    /** Kind of the resource. */
    kind: ResourceKind
    configId: string
    action: 'adopt' | 'reactivate' | 'rename' | 'replace'
  }>
  /** Removed webhooks, which `changes` does not list. Empty for revisions of older releases. */
  archivedWebhooks: string[]
}

export type PushKind = 'push' | 'rollback' | 'reset'

/** The service key of the action. The author is only what the caller claimed; the key was verified. */
export interface By {
  /** Id of the service key. */
  keyId: string
  /** Name of the key at that time. */
  keyName: string
}

/** `document` is null for a reset. `written` is the source document, with `${NAME}` where `document` has values; null if the push sent no source document. */
export interface Revision {
  /** Number of the accepted change: 1, 2, 3 … */
  revision: number
  version: string
  kind: PushKind
  /** Time at which the revision was applied. */
  createdAt: string
  author: string | null
  by: By | null
  message: string | null
  /** SHA-256 of the document’s canonical JSON; empty for a reset. */
  checksum: string
  pushId: string | null
  changes: ChangeReport
  /** Ids of the overridden policies. `message` contains the reason. */
  overrides: string[]
  /** Changes that `changes` lists under another name: replaced and renamed resources are in `updated`, adopted and reactivated ones in `created`. Empty for revisions of older releases. */
  actions: Array<{
    /** Kind of the resource. */
    kind: ResourceKind
    configId: string
    action: 'adopt' | 'reactivate' | 'rename' | 'replace'
  }>
  /** Removed webhooks, which `changes` does not list. Empty for revisions of older releases. */
  archivedWebhooks: string[]
  document: BillingDocument | null
  written: Record<string, unknown> | null
}

export interface DocumentDifference {
  /** Kind of the resource; `tax` for the tax settings of the document. */
  kind: 'meter' | 'feature' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'tax_rate' | 'portal' | 'webhook' | 'tax'
  configId: string
  change: 'added' | 'changed' | 'removed'
  /** What a push does for this difference, in the words of a plan. `replace`: a field changed that the processor does not allow to change. */
  action: DifferenceAction
  fields: Array<{
    /** Name of the field in the document. */
    field: string
    /** Value of the field; null if it is absent. */
    before: unknown
    /** Value of the field; null if it is absent. */
    after: unknown
  }>
  /** The resource as one readable line, before and after the change. */
  display: Display
}

/** What a push does for this difference, in the words of a plan. `replace`: a field changed that the processor does not allow to change. */
export type DifferenceAction = 'create' | 'update' | 'rename' | 'replace' | 'archive'

export interface PolicyHistory {
  /** Number of the change: 1, 2, 3 …; 0 before the first. */
  number: number
  /** The rules, as `ratecard/policies.json` has them. */
  rules: Array<{
    id: string
    /** Name of the rule, which determines what is checked. */
    rule: 'max_increase_percent' | 'max_decrease_percent' | 'no_archive_with_subscribers' | 'required_metadata' | 'id_pattern' | 'currencies' | 'max_tenants_affected' | 'max_monthly_affected' | 'freeze' | 'require_message'
    /** The limit; its form depends on the rule. */
    value?: unknown
    /** `deny`: a change that breaks the rule is refused. `warn`: it only causes a warning. */
    severity: 'deny' | 'warn'
    reason?: string
    except?: string[]
    environments?: string[]
  }>
  environment: string | null
  createdAt: string | null
  author: string | null
  by: By | null
  message: string | null
  /** Every change, newest first. */
  history: Array<{
    /** Number of the change. */
    number: number
    /** The rules, as `ratecard/policies.json` has them. */
    rules: Array<{
      id: string
      /** Name of the rule, which determines what is checked. */
      rule: 'max_increase_percent' | 'max_decrease_percent' | 'no_archive_with_subscribers' | 'required_metadata' | 'id_pattern' | 'currencies' | 'max_tenants_affected' | 'max_monthly_affected' | 'freeze' | 'require_message'
      /** The limit; its form depends on the rule. */
      value?: unknown
      /** `deny`: a change that breaks the rule is refused. `warn`: it only causes a warning. */
      severity: 'deny' | 'warn'
      reason?: string
      except?: string[]
      environments?: string[]
    }>
    /** Time at which the rules were set. */
    createdAt: string
    author: string | null
    by: By | null
    message: string | null
  }>
  pagination: Pagination
}

export interface PolicySet {
  /** Number of the change: 1, 2, 3 …; 0 before the first. */
  number: number
  /** The rules, as `ratecard/policies.json` has them. */
  rules: Array<{
    id: string
    /** Name of the rule, which determines what is checked. */
    rule: 'max_increase_percent' | 'max_decrease_percent' | 'no_archive_with_subscribers' | 'required_metadata' | 'id_pattern' | 'currencies' | 'max_tenants_affected' | 'max_monthly_affected' | 'freeze' | 'require_message'
    /** The limit; its form depends on the rule. */
    value?: unknown
    /** `deny`: a change that breaks the rule is refused. `warn`: it only causes a warning. */
    severity: 'deny' | 'warn'
    reason?: string
    except?: string[]
    environments?: string[]
  }>
  environment: string | null
  createdAt: string | null
  author: string | null
  by: By | null
  message: string | null
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
  /** Time of the last change. */
  updatedAt: string
  finishedAt: string | null
  /** Total number of steps. */
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
  /** Time of the last change. */
  updatedAt: string
  finishedAt: string | null
  /** Total number of steps. */
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
  /** Number of attempts. */
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
  /** Configuration id of the webhook. */
  id: string
  url: string
  /** The new endpoint. */
  processorId: string
  /** The new signing secret. */
  secret: string
  previous: {
    /** The old endpoint, with the old secret. */
    processorId: string
    /** Time at which the old endpoint is switched off (within a minute). */
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

/** `read`: may read, validate and request dry runs, and sees no webhook secrets. `write`: may also change things. `owner`: may also set and override policies, and create owner keys. */
export type KeyScope = 'read' | 'write' | 'owner'

export interface ServiceKey {
  id: string
  name: string
  /** The key’s last four characters. */
  hint: string
  /** `read`: may read, validate and request dry runs, and sees no webhook secrets. `write`: may also change things. `owner`: may also set and override policies, and create owner keys. */
  scope: KeyScope
  /** Time of creation. */
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  revokedAt: string | null
}

export interface AccountInfo {
  mode: ProcessorMode
  accountId: string | null
}

export type ProcessorMode = 'sandbox' | 'test' | 'live'

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
  enterpriseEndsAt: string | null
  enterpriseThen: 'base' | 'signed' | null
  /** Time of creation. */
  createdAt: string
  /** Time of the last change. */
  updatedAt: string
}

export interface NewTenant {
  /** Id of the tenant. */
  readonly id?: string | undefined
  /** Name of the tenant, also shown on its invoices. */
  readonly name: string
  /** Where invoices go. */
  readonly email?: string | null | undefined
  /** Id of the tenant’s customer at the processor. If null, the first checkout creates one. */
  readonly processorCustomerId?: string | null | undefined
}

export interface TenantList {
  /** The response was read from the mirror, which was complete up to this time. Absent when the response was read live. */
  asOf?: string
  /** Present only if `as_of` is more than five minutes old. */
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
  enterpriseEndsAt: string | null
  enterpriseThen: 'base' | 'signed' | null
  /** Time of creation. */
  createdAt: string
  /** Time of the last change. */
  updatedAt: string
  /** Combined status of all subscriptions of the tenant. `past_due` and `unpaid` take precedence over running subscriptions. */
  billingStatus?: BillingStatus
  /** Configuration ids of the products that the tenant is subscribed to, sorted. */
  products?: string[]
  /** MRR of the tenant: what all its subscriptions add up to in a month. One entry for each currency, by code. */
  monthly?: Array<{
    currency: string
    /** Amount in minor units, a decimal as text. */
    amount: string
    /** `amount`, formatted for display. */
    formatted: string
  }>
  /** Amount that the tenant owes on open invoices. One entry for each currency, by code. */
  owed?: Array<{
    currency: string
    /** Amount in minor units, a decimal as text. */
    amount: string
    /** `amount`, formatted for display. */
    formatted: string
  }>
  /** Number of subscription items that pay an earlier, replaced version of their price. */
  legacyItems?: number
  /** Number of subscriptions that have not ended, including subscriptions to free prices. */
  subscriptions?: number
  /** Number of subscriptions whose invoices are paused (`pause_collection`). The processor still reports them as e.g. `active`, and so does `billing_status`. */
  pausedSubscriptions?: number
  /** Number of subscriptions whose end is planned. */
  endingSubscriptions?: number
  endsAt?: string | null
}

export interface TenantChange {
  /** Name of the tenant, also shown on its invoices. */
  readonly name?: string | undefined
  /** Where invoices go. */
  readonly email?: string | null | undefined
  /** Id of the tenant’s customer at the processor. If null, the first checkout creates one. */
  readonly processorCustomerId?: string | null | undefined
}

export interface Grants {
  /** All grants of the tenant, sorted by feature, including ended ones. */
  grants: Grant[]
}

export interface Grant {
  /** Id of the feature in your configuration. */
  feature: string
  limit: number | 'unlimited' | null
  enabled: boolean | null
  replace: boolean
  endsAt: string | null
  note: string | null
  /** Time at which the grant was given. */
  createdAt: string
}

export interface NewGrant {
  /** Granted limit. It is added to the limit that was bought, unless `replace` is true. */
  readonly limit?: number | 'unlimited' | undefined
  /** true: the tenant has the feature. false: it does not have the feature, even if it bought it. */
  readonly enabled?: boolean | undefined
  /** If true, the granted limit replaces the limit that was bought. Default: false, it is added. */
  readonly replace?: boolean | undefined
  /** For yourself. */
  readonly note?: string | undefined
  /** Time at which the grant ends. Default: it does not end. */
  readonly endsAt?: string | Date | undefined
}

/** All members except `invoices` are those of the earliest invoice. */
export interface UpcomingInvoice {
  tenantId: string
  currency: string | null
  subtotal: number | null
  total: number | null
  amountDue: number | null
  creditsApplied: number | null
  dueAt: string | null
  formatted: string | null
  lines: InvoiceLine[]
  /** One invoice for each subscription that will be invoiced. */
  invoices: Invoice[]
  droppedUsage: DroppedUsage[] | null
}

export interface Invoice {
  subscription: string
  currency: string
  /** Amount in minor units, before discounts and tax. */
  subtotal: number
  /** Minor units. */
  total: number
  /** Amount in minor units that will be charged. */
  amountDue: number
  /** Credit that pays for usage on this invoice, in minor units. It is already subtracted from the total. */
  creditsApplied: number
  dueAt: string | null
  /** The amount due, formatted for display. */
  formatted: string
  lines: InvoiceLine[]
}

/** Usage that the processor accepted and later dropped. It is not billed. */
export interface DroppedUsage {
  /** Time at which the processor reported the error. */
  at: string
  meter: string | null
  processorMeterId: string | null
  /** Error code of the processor, for example `meter_event_customer_not_found`. */
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
  /** Time of the change. */
  createdAt: string
}

export interface DiscountList {
  discounts: Discount[]
}

export interface Discount {
  /** The processor’s id of the discount. */
  id: string
  couponId: string | null
  promotionCodeId: string | null
  /** The subscription whose invoices it reduces. */
  subscription: string
  endsAt: string | null
}

export interface DiscountPlan {
  dryRun: true
  couponId: string | null
  promotionCodeId: string | null
  /** The subscription whose invoices it reduces. */
  subscription: string
  duration: 'once' | 'repeating' | 'forever' | null
  durationInMonths: number | null
  nextInvoice: {
    at: string | null
    currency: string
    /** Total of the invoice without the change, in minor units. */
    before: number
    /** `before`, formatted for display. */
    beforeFormatted: string
    /** Total of the invoice with the change, in minor units. */
    after: number
    /** `after`, formatted for display. */
    afterFormatted: string
  } | null
}

export interface NewDiscount {
  /** Configuration id of the coupon. Pass either this or `promotion_code`. */
  readonly couponId?: CouponId | undefined
  /** Configuration id of a promotion code, or the code as customers type it. */
  readonly promotionCode?: string | undefined
  /** Id of the subscription. Required only if the tenant has several. */
  readonly subscription?: string | undefined
}

export interface Credits {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Present only if `as_of` is more than five minutes old. */
  stale?: true
  /** Credit that can pay for metered usage now, with one entry per currency. Absent if the response was not read from the mirror. */
  balance: Array<{
    currency: string
    /** Minor units. */
    amount: number
    /** `amount`, formatted for display. */
    formatted: string
  }>
  /** All credits of the tenant, oldest first; used and expired ones too. */
  credits: Credit[]
}

export interface Credit {
  /** The processor’s id of the credit grant. */
  id: string
  /** State of the credit. `pending`: it starts later. Only an `active` credit pays for usage. */
  state: 'active' | 'pending' | 'used' | 'expired' | 'voided'
  currency: string
  /** Granted amount, minor units. */
  amount: number
  /** `amount`, formatted for display. */
  formatted: string
  /** Remaining amount in minor units; 0 after the credit expired or was voided. */
  remaining: number
  /** `remaining`, formatted for display. */
  remainingFormatted: string
  category: 'paid' | 'promotional' | null
  reason: string | null
  priceId: string | null
  paidBy: string | null
  meters: string[] | null
  effectiveAt: string | null
  expiresAt: string | null
  /** Time at which the credit was granted. */
  createdAt: string
}

export interface NewCredit {
  /** Amount in minor units: 5000 is $50.00. */
  readonly amount: number
  /** Currency of the credit. It pays only invoices in this currency. */
  readonly currency: string
  /** Reason for the credit, kept in the audit log. */
  readonly reason: string
  /** Time at which the rest of the credit expires. Default: never. */
  readonly expiresAt?: string | Date | undefined
  /** Configuration ids of the meters whose usage the credit pays for. Default: all meters. */
  readonly meters?: readonly string[] | undefined
}

export interface InvoiceExport {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Present only if `as_of` is more than five minutes old. */
  stale?: true
  rows: ExportRow[]
}

export interface ExportRow {
  /** Day (UTC) on which the document was finalized or created. */
  date: string
  type: 'invoice' | 'credit_note' | 'refund'
  /** Id at the processor. */
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
  /** Value of the processor, unchanged. */
  status: string
}

export interface Money {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Present only if `as_of` is more than five minutes old. */
  stale?: true
  /** By code. */
  currencies: CurrencyMoney[]
}

export interface CurrencyMoney {
  currency: string
  /** Monthly recurring revenue: licensed recurring items that are active or past due, minus discounts that never end, without tax. */
  mrr: string
  /** `mrr`, formatted for display. */
  formatted: string
  /** Amount billed for metered items in their last finished period. Not included in `mrr`. */
  usageLastPeriod: string
  /** `usage_last_period`, formatted for display. */
  usageLastPeriodFormatted: string
  /** Subscriptions with at least one item that counts towards the MRR. */
  subscriptions: number
  /** Number of tenants with these subscriptions. */
  tenants: number
  /** Subscriptions in a trial. They do not count towards the MRR yet. */
  trialing: number
  pastDue: {
    /** Unpaid amount of tenants whose subscription is past due or unpaid. */
    amount: string
    /** `amount`, formatted for display. */
    formatted: string
    /** These tenants. */
    tenants: number
  }
  writtenOff: {
    /** Amount of invoices that were marked uncollectible. */
    amount: string
    /** `amount`, formatted for display. */
    formatted: string
    /** Number of tenants with such invoices. */
    tenants: number
  }
  /** Revenue by product id. */
  byProduct: Array<{
    productId: string | null
    /** Monthly recurring revenue: licensed recurring items that are active or past due, minus discounts that never end, without tax. */
    mrr: string
    /** `mrr`, formatted for display. */
    formatted: string
    /** Amount billed for metered items in their last finished period. Not included in `mrr`. */
    usageLastPeriod: string
    /** `usage_last_period`, formatted for display. */
    usageLastPeriodFormatted: string
    /** Subscriptions with at least one item that counts towards the MRR. */
    subscriptions: number
  }>
  /** Revenue by price id, including subscribers on earlier, replaced versions of each price. */
  byPrice: Array<{
    priceId: string | null
    /** Monthly recurring revenue: licensed recurring items that are active or past due, minus discounts that never end, without tax. */
    mrr: string
    /** `mrr`, formatted for display. */
    formatted: string
    /** Amount billed for metered items in their last finished period. Not included in `mrr`. */
    usageLastPeriod: string
    /** `usage_last_period`, formatted for display. */
    usageLastPeriodFormatted: string
    /** Subscriptions with at least one item that counts towards the MRR. */
    subscriptions: number
    /** Part of the amount that subscribers pay at earlier, replaced versions of the price. */
    legacy: {
      /** Monthly recurring revenue: licensed recurring items that are active or past due, minus discounts that never end, without tax. */
      mrr: string
      /** `mrr`, formatted for display. */
      formatted: string
      /** Amount billed for metered items in their last finished period. Not included in `mrr`. */
      usageLastPeriod: string
      /** `usage_last_period`, formatted for display. */
      usageLastPeriodFormatted: string
      /** Subscriptions with at least one item that counts towards the MRR. */
      subscriptions: number
    }
  }>
  /** Movements of the 30 days that end at `as_of`. */
  last30Days: {
    /** MRR of customers that paid nothing before. */
    new: string
    /** `new`, formatted for display. */
    newFormatted: string
    /** Additional MRR from customers that paid already. */
    expansion: string
    /** `expansion`, formatted for display. */
    expansionFormatted: string
    /** MRR lost from customers that still pay; a positive number. */
    contraction: string
    /** `contraction`, formatted for display. */
    contractionFormatted: string
    /** MRR lost from customers that no longer pay; a positive number. */
    churn: string
    /** `churn`, formatted for display. */
    churnFormatted: string
    /** MRR of customers that came back. */
    reactivation: string
    /** `reactivation`, formatted for display. */
    reactivationFormatted: string
    /** Change of the MRR. */
    net: string
    /** `net`, formatted for display. */
    netFormatted: string
  }
}

export interface MoneyDays {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Present only if `as_of` is more than five minutes old. */
  stale?: true
  /** Completed days since the mirror was first filled, oldest first, then by currency. */
  days: MoneyDay[]
  /** Pushes that were applied in that time, oldest first. */
  pushes: Array<{
    revision: number
    version: string
    /** Time at which the push was applied. */
    at: string
    by: string | null
  }>
}

export interface MoneyDay {
  /** Day (UTC). */
  day: string
  currency: string
  /** Monthly recurring revenue: licensed recurring items that are active or past due, minus discounts that never end, without tax. */
  mrr: string
  /** `mrr`, formatted for display. */
  formatted: string
  /** Amount billed for metered items in their last finished period. Not included in `mrr`. */
  usageLastPeriod: string
  /** `usage_last_period`, formatted for display. */
  usageLastPeriodFormatted: string
  byProduct: Array<{
    productId: string | null
    /** Monthly recurring revenue: licensed recurring items that are active or past due, minus discounts that never end, without tax. */
    mrr: string
    /** `mrr`, formatted for display. */
    formatted: string
    /** Amount billed for metered items in their last finished period. Not included in `mrr`. */
    usageLastPeriod: string
    /** `usage_last_period`, formatted for display. */
    usageLastPeriodFormatted: string
  }>
  /** MRR of customers that paid nothing before. */
  new: string
  /** `new`, formatted for display. */
  newFormatted: string
  /** Additional MRR from customers that paid already. */
  expansion: string
  /** `expansion`, formatted for display. */
  expansionFormatted: string
  /** MRR lost from customers that still pay; a positive number. */
  contraction: string
  /** `contraction`, formatted for display. */
  contractionFormatted: string
  /** MRR lost from customers that no longer pay; a positive number. */
  churn: string
  /** `churn`, formatted for display. */
  churnFormatted: string
  /** MRR of customers that came back. */
  reactivation: string
  /** `reactivation`, formatted for display. */
  reactivationFormatted: string
  /** Amount that tenants with a past due or unpaid subscription owed at the end of the day. */
  pastDue: string
  /** `past_due`, formatted for display. */
  pastDueFormatted: string
}

export interface Subscribers {
  /** The response includes everything that happened at the processor up to this time. */
  asOf: string
  /** Present only if `as_of` is more than five minutes old. */
  stale?: true
  subscribers: Subscriber[]
  pagination: Pagination
}

export interface Subscriber {
  tenantId: string | null
  tenantName: string | null
  /** Id of the customer at the processor; empty if the tenant has the price since it was free. */
  customer: string
  subscription: string
  item: string
  /** Id of the price at the processor; empty for a free price, which only Ratecard stores. */
  processorPriceId: string
  /** Only subscribers on an earlier, replaced version of the price. */
  legacy: boolean
  currency: string
  amount: string | null
  formatted: string | null
  quantity: number | null
  /** Amount that the item adds to the MRR. One entry for each currency, by code. */
  monthly: Array<{
    currency: string
    /** Amount in minor units, a decimal as text. */
    amount: string
    /** `amount`, formatted for display. */
    formatted: string
  }>
  /** Status at the processor: active, trialing, past_due … */
  status: string
  pause: {
    /** What happens to invoices during the pause: void, keep_as_draft or mark_uncollectible. */
    behavior: string
    until: string | null
  } | null
  endsAt: string | null
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
  /** Time at which the session ends. */
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
    /** The reason as a sentence, or `on_other_deal` if the item keeps the negotiated price of another deal. */
    reason: string
    /** Explanation of the reason. */
    detail?: string
  }>
  /** Number of skipped items that keep the negotiated price of another deal. */
  leftOnOtherDeal: number
  /** Open checkout pages that were closed, because they offered the tenant’s former prices. */
  checkoutsClosed: number
  /** Policies that the change breaks. Always present in a dry run, otherwise only if there are any. */
  violations?: Violation[]
  /** Time at which the deal ends; absent if it has no end. */
  endsAt?: string
  /** Which price the items return to at the end; absent if the deal has no end. `base`: the base price as it is then. `signed`: the price that the item was on before the deal, also if it was replaced since. */
  then?: 'base' | 'signed'
  /** Only in a dry run: monthly cost of the items that would move, before discounts. Items billed by usage are not included. */
  monthly?: {
    before: Array<{
      currency: string
      /** Minor units. */
      amount: number
      /** The amount, formatted for display. */
      formatted: string
    }>
    after: Array<{
      currency: string
      /** Minor units. */
      amount: number
      /** The amount, formatted for display. */
      formatted: string
    }>
  }
}

export interface Swap {
  subscription: string
  item: string
  /** Configuration id of the price, or its processor id if it is not in the configuration. */
  from: string
  /** Configuration id. */
  to: string
  /** `now`: the price is swapped now and first billed at the renewal. `period_end`: a schedule swaps it at the end of the period. */
  effective: 'now' | 'period_end'
  /** True if the item returns to an earlier version of the price `to`, which has been replaced since. */
  former?: true
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
  /** Negotiated prices without a base price. No subscription can be moved to them. */
  withoutBase: string[]
}

export interface Job {
  id: string
  kind: JobKind
  /** Id of the tenant, template, price or webhook that the job changes. */
  subject: string
  /** State of the job. `waiting`: the remaining steps run at a later date. `interrupted`: the job does nothing until it is resumed. */
  state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
  resumesAt: string | null
  /** Actions that are allowed now; any other is refused. */
  allows: Array<'resume' | 'cancel'>
  author: string | null
  by: By | null
  message: string | null
  /** When the push or job was accepted. */
  createdAt: string
  /** Time of the last change. */
  updatedAt: string
  finishedAt: string | null
  /** Total number of steps. */
  stepsTotal: number
  /** Steps that are done. */
  stepsDone: number
}

export type JobKind = 'enterprise_apply' | 'subscription_change' | 'subscription_discount' | 'credit_grant' | 'template_move' | 'migration' | 'webhook_rotation'

export interface MigrationPlan {
  priceId: string
  lines: MigrationLine[]
  /** Policies that the migration breaks. */
  violations: Violation[]
  totals: Array<{
    currency: string
    /** Number of subscriptions that move. */
    subscriptions: number
    /** Amount per month, in minor units. */
    before: number
    /** Amount per month, in minor units. */
    after: number
  }>
}

export interface MigrationLine {
  tenantId: string | null
  /** Id of the subscription at the processor; empty if the tenant has the price since it was free. */
  customer: string
  subscription: string
  item: string
  fromProcessorPriceId: string
  toProcessorPriceId: string
  quantity: number | null
  currency: string
  monthlyBefore: number | null
  monthlyAfter: number | null
  /** `now`: the price is swapped now and first billed at the renewal. `period_end`: a schedule swaps it at the end of the period. */
  effective: 'now' | 'period_end'
  /** Time at which the price of the subscription changes. */
  effectiveAt: string
  skipped: string | null
}

export interface NewMigration {
  /** Configuration id of a price that was replaced. */
  readonly priceId: PriceId
  /** `renewal` (default), `now` (billed at the next renewal), or a time (RFC 3339): at the first renewal after it. */
  readonly to?: string | undefined
  /** Only these tenants. */
  readonly only?: readonly string[] | undefined
  /** Move the subscribers of all tenants except these. */
  readonly except?: readonly string[] | undefined
}

export interface JobList {
  jobs: Job[]
  pagination: Pagination
}

export interface JobReport {
  id: string
  kind: JobKind
  /** Id of the tenant, template, price or webhook that the job changes. */
  subject: string
  /** State of the job. `waiting`: the remaining steps run at a later date. `interrupted`: the job does nothing until it is resumed. */
  state: 'running' | 'waiting' | 'interrupted' | 'done' | 'failed' | 'cancelled'
  resumesAt: string | null
  /** Actions that are allowed now; any other is refused. */
  allows: Array<'resume' | 'cancel'>
  author: string | null
  by: By | null
  message: string | null
  /** When the push or job was accepted. */
  createdAt: string
  /** Time of the last change. */
  updatedAt: string
  finishedAt: string | null
  /** Total number of steps. */
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
  /** Number of attempts. */
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
  /** Time of the upload. */
  createdAt: string
  author: string | null
  message: string | null
  /** SHA-256 of the code and the configuration, without the values of the environment. */
  checksum: string
  environment: string | null
  /** Whether the deployment serves requests now. */
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
  /** Secret values. They are stored encrypted and never returned. */
  readonly secrets?: Readonly<Record<string, string>> | undefined
  /** Cron expressions. They replace the earlier schedules. */
  readonly crons?: readonly string[] | undefined
  readonly cpuMs?: number | null | undefined
  /** Custom host names. */
  readonly hosts?: readonly string[] | undefined
  readonly serviceKey?: 'read' | 'write' | null | undefined
  /** Pass `X-Service-Key` and the cookies of this service on to the worker. By default they are removed from its requests. */
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
  /** Time at which the worker logged the line. */
  time: string
  /** debug, log, info, warn, error, exception, or system for lines of the host. */
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
  /** Time for which the run was scheduled. */
  scheduledTime: string
  startedAt: string | null
  finishedAt: string | null
  outcome: 'ok' | 'exception' | 'exceeded_cpu' | 'exceeded_memory' | 'timed_out' | 'skipped' | 'missed' | 'lost' | 'running'
  cpuMs: number | null
  /** Message and trace of the first failure. */
  error?: string
}

/** Codes of problems that this version knows. */
export type ProblemCode = 'json_malformed' | 'request_invalid' | 'delivery_invalid' | 'service_key_missing' | 'service_key_invalid' | 'service_key_expired' | 'session_invalid' | 'not_allowed' | 'key_scope' | 'route_not_found' | 'config_not_found' | 'revision_not_found' | 'price_not_found' | 'product_not_found' | 'meter_not_found' | 'mapping_not_found' | 'push_not_found' | 'webhook_not_found' | 'key_not_found' | 'grant_not_found' | 'feature_not_found' | 'tenant_not_found' | 'discount_not_found' | 'portal_not_found' | 'subscription_not_found' | 'session_not_found' | 'job_not_found' | 'deployment_not_found' | 'enterprise_price_not_found' | 'worker_not_found' | 'method_not_allowed' | 'written_form_mismatch' | 'push_in_progress' | 'push_unfinished' | 'push_not_resumable' | 'push_not_running' | 'tenant_busy' | 'preview_stale' | 'payment_overdue' | 'job_not_running' | 'push_cancelled' | 'deployment_in_progress' | 'version_conflict' | 'processor_drift' | 'plan_stale' | 'impact_not_approved' | 'policy_denied' | 'account_mismatch' | 'key_last' | 'request_in_progress' | 'idempotency_key_reused' | 'already_subscribed' | 'meter_not_subscribed' | 'limit_reached' | 'trial_used' | 'mirror_off' | 'conflict' | 'store_not_found' | 'store_in_use' | 'backup_invalid' | 'body_too_large' | 'media_type_unsupported' | 'config_invalid' | 'policies_invalid' | 'plan_refused' | 'quantity_invalid' | 'price_not_sellable' | 'price_not_calculable' | 'currency_not_offered' | 'checkout_invalid' | 'change_invalid' | 'preview_required' | 'discount_invalid' | 'processor_rejected' | 'cron_invalid' | 'worker_bundle_invalid' | 'worker_start_failed' | 'rate_limited' | 'settings_invalid' | 'internal' | 'secret_unreadable' | 'worker_exception' | 'processor_unauthorized' | 'processor_broken' | 'worker_failed' | 'processor_rate_limited' | 'processor_unavailable' | 'store_unavailable' | 'mirror_filling' | 'shutting_down' | 'worker_exceeded_cpu' | 'worker_exceeded_memory' | 'worker_unavailable' | 'processor_timeout' | 'worker_timeout'

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
      /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
      readonly tenantId?: string | undefined
    }
    answers: {
      200: SessionPrices
    }
  }
  listSessionSubscriptions: {
    query: {
      /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
      readonly tenantId?: string | undefined
    }
    answers: {
      200: TenantSubscriptions
    }
  }
  listSessionInvoices: {
    query: {
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
      readonly offset?: number | undefined
      /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
      readonly tenantId?: string | undefined
    }
    answers: {
      200: TenantInvoices
    }
  }
  getEntitlements: {
    query: {
      /** Required with a service key. Omit it with a session, which always belongs to one tenant. */
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
    body: NewPortal
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
  previewChange: {
    body: NewPreview
    answers: {
      200: ChangePreview
    }
  }
  changeSubscription: {
    body: NewChange
    answers: {
      200: ChangeOutcome
    }
  }
  cancelOwnSubscription: {
    body: NewCancellation
    answers: {
      200: Subscription
    }
  }
  resumeSubscription: {
    body: NewResumption
    answers: {
      200: Subscription
    }
  }
  pauseSubscription: {
    body: NewPause
    answers: {
      200: Subscription
    }
  }
  getFullConfig: {
    answers: {
      200: ServedConfig
    }
  }
  pushConfig: {
    query: {
      /** Only preview the change: nothing is written. */
      readonly dryRun?: boolean | undefined
      /** Overwrite fields that were edited at the processor. */
      readonly force?: boolean | undefined
      /** Approve that live subscriptions are affected. */
      readonly approveImpact?: boolean | undefined
      /** Ids of policies to override, separated by commas. Needs a key of scope `owner`, and the reason in `X-Ratecard-Message`. */
      readonly override?: string | undefined
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
      /** Only preview the change: nothing is written. */
      readonly dryRun?: boolean | undefined
      /** Overwrite fields that were edited at the processor. */
      readonly force?: boolean | undefined
      /** Approve that live subscriptions are affected. */
      readonly approveImpact?: boolean | undefined
      /** Ids of policies to override, separated by commas. Needs a key of scope `owner`, and the reason in `X-Ratecard-Message`. */
      readonly override?: string | undefined
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
      /** Also list the parts of objects that a document cannot express. */
      readonly report?: boolean | undefined
      /** `active` leaves out promotion codes that were used up, have expired or are switched off. */
      readonly codes?: 'all' | 'active' | undefined
    }
    answers: {
      200: BillingDocument | {
        document: BillingDocument
        unrepresented: Array<{
          kind: string
          processorId: string
          field: string | null
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
      /** Ids of policies to override, separated by commas. Needs a key of scope `owner`, and the reason in `X-Ratecard-Message`. */
      readonly override?: string | undefined
    }
    answers: {
      200: ResetReport
    }
  }
  listVersions: {
    query: {
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
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
  getPolicies: {
    query: {
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
      readonly offset?: number | undefined
    }
    answers: {
      200: PolicyHistory
    }
  }
  putPolicies: {
    body: Readonly<Record<string, unknown>>
    answers: {
      200: PolicySet
    }
  }
  listPushes: {
    query: {
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
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
    query: {
      /** Ids of policies to override, separated by commas. Needs a key of scope `owner`, and the reason in `X-Ratecard-Message`. */
      readonly override?: string | undefined
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
      readonly enterpriseId: EnterpriseId
    }
    answers: {
      200: {
        prices: PriceDocument[]
      }
    }
  }
  listWebhooks: {
    query: {
      /** Return the secrets, if the service key may see them. */
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
      /** How long both endpoints are live, in seconds. 0 switches the old one off immediately. */
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
      /** Purpose of the key. */
      readonly name: string
      /** `read`: may read, validate and request dry runs, and sees no webhook secrets. `write`: may also change things. `owner`: may also set and override policies, and create owner keys. */
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
        /** `read`: may read, validate and request dry runs, and sees no webhook secrets. `write`: may also change things. `owner`: may also set and override policies, and create owner keys. */
        scope: KeyScope
        /** Time of creation. */
        createdAt: string
        expiresAt: string | null
        lastUsedAt: string | null
        revokedAt: string | null
        /** The key itself. It is shown only in this response. */
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
  getAccount: {
    answers: {
      200: AccountInfo
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
        /** URL to open in a browser; relative if the setting RATECARD_PUBLIC_URL is missing. */
        url: string
        /** Time at which the link stops working. */
        expiresAt: string
      }
    }
  }
  runDoctor: {
    query: {
      /** Return the findings of the last run if it is at most this many seconds ago and no version was applied since. They cost no call to the processor. 0: run the checks. */
      readonly maxAge?: number | undefined
    }
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
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
      readonly offset?: number | undefined
      /** Part of id, name, e-mail or customer id, in any case, with or without accents. */
      readonly q?: string | undefined
      /** Only tenants with this `billing_status`. */
      readonly state?: BillingStatus | undefined
      /** Only tenants that are subscribed to this price, including earlier, replaced versions of it. */
      readonly priceId?: PriceId | undefined
      /** Only tenants that are subscribed to a price of this product. */
      readonly productId?: ProductId | undefined
      /** Only tenants with an item on an earlier, replaced version of its price. */
      readonly legacy?: boolean | undefined
      /** Only tenants that owe something. */
      readonly owing?: boolean | undefined
      /** Order of the list; tenants with equal values are sorted by id. Amounts are compared as numbers, regardless of the currency. */
      readonly sort?: 'id' | 'name' | 'created_at' | 'monthly' | 'owed' | undefined
      /** Direction of `sort`. */
      readonly order?: 'asc' | 'desc' | undefined
      /** Only the tenant of this customer at the processor. */
      readonly processorCustomerId?: string | undefined
      /** Only tenants that have this template. */
      readonly enterpriseTemplate?: EnterpriseTemplate | undefined
      /** Only tenants that have this enterprise id. */
      readonly enterpriseId?: EnterpriseId | undefined
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
      /** Id of the feature in your configuration. */
      readonly feature: FeatureId
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
      /** Id of the feature in your configuration. */
      readonly feature: FeatureId
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
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
      readonly offset?: number | undefined
    }
    answers: {
      200: Audit
    }
  }
  listDiscounts: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: DiscountList
    }
  }
  addDiscount: {
    params: {
      /** The id. */
      readonly id: string
    }
    query: {
      /** Only preview the change: nothing is written. */
      readonly dryRun?: boolean | undefined
    }
    body: NewDiscount
    answers: {
      200: DiscountPlan
      201: Discount
    }
  }
  removeDiscount: {
    params: {
      /** The id. */
      readonly id: string
      /** Its id. */
      readonly discount: string
    }
    query: {
      /** Only preview the change: nothing is written. */
      readonly dryRun?: boolean | undefined
    }
    answers: {
      200: DiscountPlan
    }
  }
  listCredits: {
    params: {
      /** The id. */
      readonly id: string
    }
    answers: {
      200: Credits
    }
  }
  addCredit: {
    params: {
      /** The id. */
      readonly id: string
    }
    body: NewCredit
    answers: {
      201: Credit
    }
  }
  listTenantInvoices: {
    params: {
      /** The id. */
      readonly id: string
    }
    query: {
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
      readonly offset?: number | undefined
    }
    answers: {
      200: TenantInvoices
    }
  }
  exportInvoices: {
    query: {
      /** First day. Default: the day of the oldest row. `YYYY-MM-DD`, UTC. */
      readonly from?: string | undefined
      /** Last day (inclusive). Default: today. `YYYY-MM-DD`, UTC. */
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
      /** Last day (inclusive). Default: today. `YYYY-MM-DD`, UTC. */
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
      /** `current`: subscribed to the price as it is sold now. `legacy`: subscribed to an earlier, replaced version of it. */
      readonly generation?: 'all' | 'current' | 'legacy' | undefined
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
      readonly offset?: number | undefined
    }
    answers: {
      200: Subscribers
    }
  }
  listDroppedUsage: {
    query: {
      /** Configuration id: only reports of this meter. */
      readonly meter?: MeterId | undefined
      /** Only errors whose sample event belongs to this tenant, or to no known tenant. The examples are only samples, so a tenant may have lost usage even if no report names it. */
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
      /** Only preview the change: nothing is written. */
      readonly dryRun?: boolean | undefined
      /** Ids of policies to override, separated by commas. Needs a key of scope `owner`, and the reason in `X-Ratecard-Message`. */
      readonly override?: string | undefined
    }
    body: {
      /** Id of the tenant. */
      readonly tenantId: string
      /** Name of an enterprise template. */
      readonly enterpriseTemplate: EnterpriseTemplate
      /** What happens to items with a negotiated price of another deal that have no price in this deal: `keep` leaves them on it, `base` moves them to their list price. */
      readonly unmatched?: 'keep' | 'base' | undefined
      readonly endsAt?: string | Date | null | undefined
      /** Which price the items return to when the deal ends. Only with `ends_at`. Default: `base`. `base`: the base price as it is then. `signed`: the price that the item was on before the deal, also if it was replaced since. */
      readonly then?: 'base' | 'signed' | undefined
    }
    answers: {
      200: EnterpriseOutcome
    }
  }
  applyCustom: {
    query: {
      /** Only preview the change: nothing is written. */
      readonly dryRun?: boolean | undefined
      /** Ids of policies to override, separated by commas. Needs a key of scope `owner`, and the reason in `X-Ratecard-Message`. */
      readonly override?: string | undefined
    }
    body: {
      /** Id of the tenant. */
      readonly tenantId: string
      /** An enterprise id. */
      readonly enterpriseId: EnterpriseId
      /** What happens to items with a negotiated price of another deal that have no price in this deal: `keep` leaves them on it, `base` moves them to their list price. */
      readonly unmatched?: 'keep' | 'base' | undefined
      readonly endsAt?: string | Date | null | undefined
      /** Which price the items return to when the deal ends. Only with `ends_at`. Default: `base`. `base`: the base price as it is then. `signed`: the price that the item was on before the deal, also if it was replaced since. */
      readonly then?: 'base' | 'signed' | undefined
    }
    answers: {
      200: EnterpriseOutcome
    }
  }
  removeEnterprise: {
    query: {
      /** Only preview the change: nothing is written. */
      readonly dryRun?: boolean | undefined
      /** Ids of policies to override, separated by commas. Needs a key of scope `owner`, and the reason in `X-Ratecard-Message`. */
      readonly override?: string | undefined
    }
    body: {
      /** Id of the tenant. */
      readonly tenantId: string
      /** Which prices the items return to. Default: `base`. `base`: the base price as it is then. `signed`: the price that the item was on before the deal, also if it was replaced since. */
      readonly to?: 'base' | 'signed' | undefined
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
    query: {
      /** Ids of policies to override, separated by commas. Needs a key of scope `owner`, and the reason in `X-Ratecard-Message`. */
      readonly override?: string | undefined
    }
    body: {
      /** Name of an enterprise template. */
      readonly enterpriseTemplate: EnterpriseTemplate
    }
    answers: {
      202: Job
    }
  }
  startMigration: {
    query: {
      /** Only return the list and the amounts; no subscription is moved. */
      readonly dryRun?: boolean | undefined
      /** Ids of policies to override, separated by commas. Needs a key of scope `owner`, and the reason in `X-Ratecard-Message`. */
      readonly override?: string | undefined
    }
    body: NewMigration
    answers: {
      200: MigrationPlan
      202: Job
    }
  }
  listJobs: {
    query: {
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
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
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
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
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Only lines since this time, RFC 3339. */
      readonly since?: string | undefined
      /** Only lines of this level. */
      readonly level?: 'debug' | 'log' | 'info' | 'warn' | 'error' | 'exception' | 'system' | undefined
      /** Only lines of this scheduled run. */
      readonly runId?: string | undefined
      /** Only lines of this request. */
      readonly requestId?: string | undefined
      /** Keep the response open, and stream new lines. */
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
      /** Maximum number of items to return. */
      readonly limit?: number | undefined
      /** Number of items to skip. */
      readonly offset?: number | undefined
      /** Only runs of this cron expression. */
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
  calculatePrice: ['POST', '/api/v1/billing/config/prices/:id/calculate', {breakdown:{},attached:{}}],
  convertProcessorId: ['GET', '/api/v1/billing/convert/processor-id/:processor_id', {}],
  listSessionPrices: ['GET', '/api/v1/billing/session/prices', {prices:{}}],
  listSessionSubscriptions: ['GET', '/api/v1/billing/session/subscriptions', {subscriptions:{scheduled:{items:{}},items:{}}}],
  listSessionInvoices: ['GET', '/api/v1/billing/session/invoices', {invoices:{lines:{}},pagination:{}}],
  getEntitlements: ['GET', '/api/v1/billing/entitlements', {features:{}}],
  checkEntitlements: ['POST', '/api/v1/billing/entitlements/check', {checks:{}}, {}],
  createCheckout: ['POST', '/api/v1/billing/checkout', {}, {items:{}}],
  createPortal: ['POST', '/api/v1/billing/portal', null, {flow:{subscription_cancel:{retention:{}},subscription_update_confirm:{discounts:{}},after_completion:{redirect:{},hosted_confirmation:{}}}}],
  recordUsage: ['POST', '/api/v1/billing/usage', {}, {}],
  previewChange: ['POST', '/api/v1/billing/subscription/preview', {before:{},after:{},next_invoice:{lines:{}}}, {items:{}}],
  changeSubscription: ['POST', '/api/v1/billing/subscription/change', {before:{},after:{},next_invoice:{lines:{}}}, {items:{}}],
  cancelOwnSubscription: ['POST', '/api/v1/billing/subscription/cancel', {scheduled:{items:{}},items:{}}, {}],
  resumeSubscription: ['POST', '/api/v1/billing/subscription/resume', {scheduled:{items:{}},items:{}}, {}],
  pauseSubscription: ['POST', '/api/v1/billing/subscription/pause', {scheduled:{items:{}},items:{}}, {}],
  getFullConfig: ['GET', '/api/v1/billing/admin/config', {}],
  pushConfig: ['POST', '/api/v1/billing/admin/config', {details:{},violations:{},impact:{generations:{}}}],
  keepWritten: ['POST', '/api/v1/billing/admin/config/written', null],
  validateConfig: ['POST', '/api/v1/billing/admin/config/validate', null],
  rollbackConfig: ['POST', '/api/v1/billing/admin/config/rollback', {details:{},violations:{},impact:{generations:{}}}],
  pullConfig: ['GET', '/api/v1/billing/admin/config/pull', {unrepresented:{}}],
  getDrift: ['GET', '/api/v1/billing/admin/config/drift', {differences:{},notes:{},unmanaged:{}}],
  resetConfig: ['POST', '/api/v1/billing/admin/config/reset', {errors:{}}],
  listVersions: ['GET', '/api/v1/billing/admin/config/history', {versions:{by:{},actions:{}},pagination:{}}],
  getRevision: ['GET', '/api/v1/billing/admin/config/history/:revision', {by:{},actions:{}}],
  compareRevisions: ['GET', '/api/v1/billing/admin/config/history/:from/diff/:to', {differences:{}}],
  getPolicies: ['GET', '/api/v1/billing/admin/policies', {by:{},history:{by:{}},pagination:{}}],
  putPolicies: ['PUT', '/api/v1/billing/admin/policies', {by:{}}],
  listPushes: ['GET', '/api/v1/billing/admin/pushes', {pushes:{by:{}},pagination:{}}],
  getPush: ['GET', '/api/v1/billing/admin/pushes/:id', {by:{},steps:{}}],
  followPush: ['GET', '/api/v1/billing/admin/pushes/:id/events', {step:{}}],
  resumePush: ['POST', '/api/v1/billing/admin/pushes/:id/resume', {details:{},violations:{},impact:{generations:{}}}],
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
  getAccount: ['GET', '/api/v1/billing/admin/account', {}],
  getChangeTag: ['GET', '/api/v1/billing/admin/changes', null],
  createDashboardLink: ['POST', '/api/v1/billing/admin/dashboard/links', {}],
  runDoctor: ['GET', '/api/v1/billing/admin/doctor', null],
  createTenant: ['POST', '/api/v1/billing/admin/tenants', {}, {}],
  listTenants: ['GET', '/api/v1/billing/admin/tenants', {tenants:{},pagination:{}}],
  getTenant: ['GET', '/api/v1/billing/admin/tenants/:id', {}],
  updateTenant: ['PATCH', '/api/v1/billing/admin/tenants/:id', {}, {}],
  removeTenant: ['DELETE', '/api/v1/billing/admin/tenants/:id', null],
  listTenantSubscriptions: ['GET', '/api/v1/billing/admin/tenants/:id/subscriptions', {subscriptions:{scheduled:{items:{}},items:{}}}],
  cancelSubscription: ['DELETE', '/api/v1/billing/admin/tenants/:id/subscriptions/:subscription', null],
  listGrants: ['GET', '/api/v1/billing/admin/tenants/:id/grants', {grants:{}}],
  putGrant: ['PUT', '/api/v1/billing/admin/tenants/:id/grants/:feature', {}, {}],
  removeGrant: ['DELETE', '/api/v1/billing/admin/tenants/:id/grants/:feature', null],
  getTenantEntitlements: ['GET', '/api/v1/billing/admin/tenants/:id/entitlements', {features:{}}],
  getUpcomingInvoice: ['GET', '/api/v1/billing/admin/tenants/:id/upcoming-invoice', {lines:{},invoices:{lines:{}},dropped_usage:{examples:{}}}],
  listTenantAudit: ['GET', '/api/v1/billing/admin/tenants/:id/audit', {entries:{by:{}},pagination:{}}],
  listDiscounts: ['GET', '/api/v1/billing/admin/tenants/:id/discounts', {discounts:{}}],
  addDiscount: ['POST', '/api/v1/billing/admin/tenants/:id/discounts', {next_invoice:{}}, {}],
  removeDiscount: ['DELETE', '/api/v1/billing/admin/tenants/:id/discounts/:discount', {next_invoice:{}}],
  listCredits: ['GET', '/api/v1/billing/admin/tenants/:id/credits', {credits:{}}],
  addCredit: ['POST', '/api/v1/billing/admin/tenants/:id/credits', {}, {}],
  listTenantInvoices: ['GET', '/api/v1/billing/admin/tenants/:id/invoices', {invoices:{lines:{}},pagination:{}}],
  exportInvoices: ['GET', '/api/v1/billing/admin/invoices/export', {rows:{}}],
  getMoney: ['GET', '/api/v1/billing/admin/money', {currencies:{by_product:{},by_price:{legacy:{}},last_30_days:{}}}],
  listMoneyDays: ['GET', '/api/v1/billing/admin/money/days', {days:{by_product:{}}}],
  listSubscribers: ['GET', '/api/v1/billing/admin/prices/:id/subscribers', {subscribers:{},pagination:{}}],
  listDroppedUsage: ['GET', '/api/v1/billing/admin/usage/dropped', {dropped:{examples:{}}}],
  createSession: ['POST', '/api/v1/billing/admin/sessions', {}, {}],
  revokeSession: ['DELETE', '/api/v1/billing/admin/sessions/:id', null],
  applyTemplate: ['POST', '/api/v1/billing/admin/enterprise/apply-template', {violations:{}}, {}],
  applyCustom: ['POST', '/api/v1/billing/admin/enterprise/apply-custom', {violations:{}}, {}],
  removeEnterprise: ['POST', '/api/v1/billing/admin/enterprise/remove', {violations:{}}, {}],
  getEnterpriseCoverage: ['GET', '/api/v1/billing/admin/enterprise/coverage', {rows:{cells:{}}}],
  moveTemplate: ['POST', '/api/v1/billing/admin/enterprise/move-template', {by:{}}, {}],
  startMigration: ['POST', '/api/v1/billing/admin/migrations', {lines:{},violations:{},by:{}}, {}],
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
