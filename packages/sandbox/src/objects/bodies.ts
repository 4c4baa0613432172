// Objects as stored. Members that begin with an underscore are internal and never returned. `expand.ts` lists the members that are returned
// only if the request expands them.
import type { CreditGrantBody, CreditSummaryBody, CreditTransactionBody } from './credit-bodies.ts'
import type { CreditNoteBody } from './credit-note-bodies.ts'
import type {
  AddressBody,
  DiscountBody,
  InvoiceBody,
  InvoiceItemBody,
  MeterEventBody,
  PaymentMethodBody,
  SubscriptionBody,
  SubscriptionItemBody,
  TestClockBody,
} from './customer-bodies.ts'
import type { Metadata } from '../protocol/parameters/metadata.ts'
import type { ProductDetails } from './product-details.ts'
import type { SubscriptionScheduleBody } from './schedule-bodies.ts'
import type { InvoicePaymentBody } from './invoice-payment.ts'
import type {
  BalanceTransactionBody,
  ChargeBody,
  CheckoutSessionBody,
  PaymentIntentBody,
  PortalConfigurationBody,
  PortalSessionBody,
  RefundBody,
  SetupIntentBody,
} from './session-bodies.ts'

export interface ProductBody extends ProductDetails {
  id: string
  object: 'product'
  active: boolean
  created: number
  default_price: string | null
  images: string[]
  marketing_features: { name: string }[]
  metadata: Metadata
  name: string
  shippable: boolean | null
  tax_details: { performance_location: string | null; tax_code: string | null } | null
  type: 'good' | 'service'
  updated: number
  /** True: the object is inline (`price_data`), i.e. created for one use and left out of lists. */
  _inline?: true
}

export interface TierBody {
  flat_amount: number | null
  flat_amount_decimal: string | null
  unit_amount: number | null
  unit_amount_decimal: string | null
  up_to: number | null
}

export type TaxBehavior = 'exclusive' | 'inclusive' | 'unspecified'

export interface CurrencyOptionBody {
  custom_unit_amount: CustomAmountBody | null
  tax_behavior: TaxBehavior
  tiers?: TierBody[]
  unit_amount: number | null
  unit_amount_decimal: string | null
}

export interface CustomAmountBody {
  maximum: number | null
  minimum: number | null
  preset: number | null
}

export interface RecurringBody {
  interval: 'day' | 'week' | 'month' | 'year'
  interval_count: number
  meter: string | null
  trial_period_days: number | null
  usage_type: 'licensed' | 'metered'
}

export interface PriceBody {
  id: string
  object: 'price'
  active: boolean
  billing_scheme: 'per_unit' | 'tiered'
  created: number
  currency: string
  currency_options: Record<string, CurrencyOptionBody>
  custom_unit_amount: CustomAmountBody | null
  lookup_key: string | null
  metadata: Metadata
  nickname: string | null
  product: string
  recurring: RecurringBody | null
  tax_behavior: TaxBehavior
  tiers?: TierBody[]
  tiers_mode: 'graduated' | 'volume' | null
  transform_quantity: { divide_by: number; round: 'up' | 'down' } | null
  type: 'one_time' | 'recurring'
  unit_amount: number | null
  unit_amount_decimal: string | null
  /** True: the object is inline (`price_data`), i.e. created for one use and left out of lists. */
  _inline?: true
}

export interface MeterBody {
  id: string
  object: 'billing.meter'
  created: number
  customer_mapping: { event_payload_key: string; type: 'by_id' }
  default_aggregation: { formula: 'count' | 'last' | 'sum' }
  display_name: string
  event_name: string
  event_time_window: 'day' | 'hour' | null
  status: 'active' | 'inactive'
  status_transitions: { deactivated_at: number | null }
  updated: number
  value_settings: { event_payload_key: string }
}

export interface CouponBody {
  id: string
  object: 'coupon'
  amount_off: number | null
  applies_to?: { products: string[] }
  created: number
  currency: string | null
  currency_options?: Record<string, { amount_off: number }>
  duration: 'forever' | 'once' | 'repeating'
  duration_in_months: number | null
  max_redemptions: number | null
  metadata: Metadata
  name: string | null
  percent_off: number | null
  redeem_by: number | null
  times_redeemed: number
  valid: boolean
}

export interface PromotionCodeBody {
  id: string
  object: 'promotion_code'
  active: boolean
  code: string
  created: number
  customer: string | null
  expires_at: number | null
  max_redemptions: number | null
  metadata: Metadata
  promotion: { coupon: string; type: 'coupon' }
  restrictions: {
    currency_options?: Record<string, { minimum_amount: number }>
    first_time_transaction: boolean
    minimum_amount: number | null
    minimum_amount_currency: string | null
  }
  times_redeemed: number
  /** Time of expiry (seconds) of a promotion code: `expires_at` of the code if it has one, otherwise `redeem_by` of its coupon. */
  _until?: number
}

export interface WebhookEndpointBody {
  id: string
  object: 'webhook_endpoint'
  api_version: string | null
  created: number
  description: string | null
  enabled_events: string[]
  metadata: Metadata
  status: 'enabled' | 'disabled'
  url: string
  _secret: string
  _connect: boolean
}

export interface CustomerBody {
  id: string
  object: 'customer'
  address: AddressBody | null
  balance: number
  created: number
  currency: string | null
  default_source: string | null
  delinquent: boolean
  description: string | null
  /** The customer's own discount. Only parameters of earlier API versions set it. */
  discount: string | null
  email: string | null
  invoice_prefix: string
  invoice_settings: {
    custom_fields: { name: string; value: string }[] | null
    default_payment_method: string | null
    footer: string | null
    rendering_options: { amount_tax_display: string | null; template: string | null } | null
  }
  metadata: Metadata
  name: string | null
  next_invoice_sequence: number
  phone: string | null
  preferred_locales: string[]
  shipping: { address: AddressBody; name: string; phone: string | null } | null
  tax_exempt: 'exempt' | 'none' | 'reverse'
  test_clock: string | null
}

export interface TaxRateBody {
  id: string
  object: 'tax_rate'
  active: boolean
  country: string | null
  created: number
  description: string | null
  display_name: string
  effective_percentage: number
  inclusive: boolean
  jurisdiction: string | null
  metadata: Metadata
  percentage: number
  state: string | null
  tax_type: string | null
}

export interface FeatureBody {
  id: string
  object: 'entitlements.feature'
  active: boolean
  lookup_key: string
  metadata: Metadata
  name: string
}

/** A feature attached to a product. */
export interface ProductFeatureBody {
  id: string
  object: 'product_feature'
  /** The feature: stored as an id, returned as the whole object. */
  entitlement_feature: string
  _product: string
}

export interface ActiveEntitlementBody {
  id: string
  object: 'entitlements.active_entitlement'
  feature: string
  lookup_key: string
  _customer: string
}

export interface EventBody {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> }
  livemode: false
  pending_webhooks: number
  request: { id: string | null; idempotency_key: string | null }
  type: string
}

/** An event of API v2, which reports errors in meter events. */
export interface CoreEventBody {
  id: string
  object: 'v2.core.event'
  created: string
  data: Record<string, unknown>
  livemode: false
  related_object: { id: string; type: string; url: string } | null
  type: string
}

export interface Bodies {
  product: ProductBody
  price: PriceBody
  'billing.meter': MeterBody
  coupon: CouponBody
  promotion_code: PromotionCodeBody
  webhook_endpoint: WebhookEndpointBody
  customer: CustomerBody
  tax_rate: TaxRateBody
  'entitlements.feature': FeatureBody
  product_feature: ProductFeatureBody
  'entitlements.active_entitlement': ActiveEntitlementBody
  event: EventBody
  'v2.core.event': CoreEventBody
  payment_method: PaymentMethodBody
  subscription: SubscriptionBody
  subscription_item: SubscriptionItemBody
  subscription_schedule: SubscriptionScheduleBody
  discount: DiscountBody
  invoice: InvoiceBody
  invoice_payment: InvoicePaymentBody
  invoiceitem: InvoiceItemBody
  credit_note: CreditNoteBody
  'billing.credit_grant': CreditGrantBody
  'billing.credit_balance_transaction': CreditTransactionBody
  'billing.credit_balance_summary': CreditSummaryBody
  balance_transaction: BalanceTransactionBody
  charge: ChargeBody
  refund: RefundBody
  payment_intent: PaymentIntentBody
  setup_intent: SetupIntentBody
  'billing.meter_event': MeterEventBody
  'test_helpers.test_clock': TestClockBody
  'checkout.session': CheckoutSessionBody
  'billing_portal.session': PortalSessionBody
  'billing_portal.configuration': PortalConfigurationBody
}

export type Kind = keyof Bodies
export type Body = Bodies[Kind]

/** For each kind of object: its noun in error messages, and the parameter named by the error of a missing object (404). */
export const nouns: { readonly [K in Kind]: { readonly noun: string; readonly param: string } } = {
  product: { noun: 'product', param: 'id' },
  price: { noun: 'price', param: 'price' },
  'billing.meter': { noun: 'meter', param: 'id' },
  coupon: { noun: 'coupon', param: 'coupon' },
  promotion_code: { noun: 'promotion code', param: 'promotion_code' },
  webhook_endpoint: { noun: 'webhook endpoint', param: 'webhook_endpoint' },
  customer: { noun: 'customer', param: 'id' },
  tax_rate: { noun: 'tax rate', param: 'tax_rate' },
  'entitlements.feature': { noun: 'feature', param: 'id' },
  product_feature: { noun: 'product_feature', param: 'id' },
  'entitlements.active_entitlement': { noun: 'active_entitlement', param: 'id' },
  event: { noun: 'event', param: 'id' },
  'v2.core.event': { noun: 'event', param: 'id' },
  payment_method: { noun: 'PaymentMethod', param: 'payment_method' },
  subscription: { noun: 'subscription', param: 'id' },
  subscription_item: { noun: 'subscription_item', param: 'item' },
  subscription_schedule: { noun: 'subscription schedule', param: 'schedule' },
  discount: { noun: 'discount', param: 'discount' },
  invoice: { noun: 'invoice', param: 'invoice' },
  invoice_payment: { noun: 'invoice_payment', param: 'invoice_payment' },
  invoiceitem: { noun: 'Invoice Item', param: 'id' },
  credit_note: { noun: 'credit note', param: 'id' },
  'billing.credit_grant': { noun: 'credit grant', param: 'id' },
  'billing.credit_balance_transaction': { noun: 'credit balance transaction', param: 'id' },
  'billing.credit_balance_summary': { noun: 'credit balance summary', param: 'id' },
  balance_transaction: { noun: 'balance transaction', param: 'id' },
  charge: { noun: 'charge', param: 'charge' },
  refund: { noun: 'refund', param: 'refund' },
  payment_intent: { noun: 'payment_intent', param: 'intent' },
  setup_intent: { noun: 'setupintent', param: 'intent' },
  'billing.meter_event': { noun: 'meter event', param: 'id' },
  'test_helpers.test_clock': { noun: 'test clock', param: 'test_clock' },
  'checkout.session': { noun: 'checkout.session', param: 'session' },
  'billing_portal.session': { noun: 'billing_portal.session', param: 'session' },
  'billing_portal.configuration': { noun: 'configuration', param: 'configuration' },
}
