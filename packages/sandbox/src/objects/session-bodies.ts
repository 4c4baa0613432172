// Objects of hosted pages, payments, setups and refunds as stored.
import type { ListOf, ShippingBody } from './customer-bodies.ts'
import type { Metadata } from '../protocol/parameters/metadata.ts'

export interface CheckoutItemBody {
  id: string
  object: 'item'
  adjustable_quantity: null
  amount_discount: number
  amount_subtotal: number
  amount_tax: number
  amount_total: number
  currency: string
  description: string
  metadata: Metadata
  price: string
  quantity: number | null
  /** Tax rates of the item. Absent in sessions that a former version of the sandbox stored. */
  _tax_rates?: string[]
}

export interface CheckoutSessionBody {
  id: string
  object: 'checkout.session'
  allow_promotion_codes: boolean | null
  allowed_payment_method_types: string[] | null
  /** The amounts of the session in minor units. Null in `setup` mode. */
  amount_subtotal: number | null
  amount_total: number | null
  automatic_tax: {
    enabled: boolean
    liability: { type: 'self' } | null
    provider: 'stripe' | null
    status: 'complete' | 'requires_location_inputs' | null
  }
  cancel_url: string | null
  client_reference_id: string | null
  created: number
  currency: string
  customer: string | null
  customer_creation: 'always' | 'if_required' | null
  customer_details: Record<string, unknown> | null
  customer_email: string | null
  discounts: { coupon: string | null; promotion_code: string | null }[]
  expires_at: number
  invoice: string | null
  /** Absent in sessions that former versions stored. */
  invoice_creation?: Record<string, unknown> | null
  line_items: ListOf<CheckoutItemBody>
  locale: string | null
  metadata: Metadata
  mode: 'payment' | 'setup' | 'subscription'
  payment_intent: string | null
  payment_method_collection: 'always' | 'if_required' | null
  payment_method_types: string[]
  payment_status: 'no_payment_required' | 'paid' | 'unpaid'
  /** Absent in sessions that former versions stored. */
  saved_payment_method_options?: Record<string, unknown> | null
  setup_intent: string | null
  status: 'complete' | 'expired' | 'open'
  subscription: string | null
  success_url: string
  /** Absent unless the request has it. */
  tax_id_collection?: { enabled: boolean; required: 'if_supported' | 'never' }
  total_details: { amount_discount: number; amount_shipping: 0; amount_tax: number } | null
  url: string | null
  _due: number | null
  _clock: string | null
  /** Parameters for the subscription or the payment that the session creates. */
  _plan: {
    /** Absent in sessions of sandboxes that did not take taxes yet. */
    default_tax_rates?: string[]
    /** True if the page saves the address that the customer types. */
    saves_address?: boolean
    description: string | null
    metadata: Metadata
    setup_future_usage: PaymentIntentBody['setup_future_usage']
    shipping: ShippingBody | null
    /** What happens if the trial ends without a payment method. Absent in sessions that a former version of the sandbox stored. */
    missing_payment_method?: 'cancel' | 'create_invoice' | 'pause' | undefined
    trial_end: number | null
    trial_period_days: number | null
  }
}

/** Members that payment intents and setup intents share. */
/** `always`: the intent also accepts payment methods that redirect to another page, so its confirmation needs a `return_url`. */
export interface AutomaticMethodsBody {
  allow_redirects: 'always' | 'never'
  enabled: true
}

export interface IntentBody {
  id: string
  /** Absent or null: the intent accepts the types in `payment_method_types` only. */
  automatic_payment_methods?: AutomaticMethodsBody | null
  cancellation_reason: string | null
  client_secret: string
  created: number
  customer: string | null
  description: string | null
  metadata: Metadata
  next_action: NextActionBody | null
  payment_method: string | null
  payment_method_types: string[]
}

export interface PaymentIntentBody extends IntentBody {
  object: 'payment_intent'
  allowed_payment_method_types: string[] | null
  amount: number
  amount_received: number
  canceled_at: number | null
  /** Absent in intents that former versions stored. */
  capture_method?: 'automatic' | 'automatic_async'
  currency: string
  last_payment_error: Record<string, unknown> | null
  latest_charge: string | null
  setup_future_usage: 'off_session' | 'on_session' | null
  shipping: ShippingBody | null
  status:
    'canceled' | 'processing' | 'requires_action' | 'requires_confirmation' | 'requires_payment_method' | 'succeeded'
  /** Id of the invoice that the intent pays. */
  _invoice: string | null
  /** `_due` is the time (seconds) at which a bank debit completes, `_clock` its test clock. */
  _due?: number | null
  _clock?: string | null
}

/** What the customer must do next in a payment or a setup, e.g. open a page. */
export type NextActionBody =
  | { type: 'redirect_to_url'; redirect_to_url: { return_url: string; url: string } }
  | { type: 'use_stripe_sdk'; use_stripe_sdk: { type: 'three_d_secure_redirect'; stripe_js: string } }

/** A setup intent, which saves a card for later payments. */
export interface SetupIntentBody extends IntentBody {
  object: 'setup_intent'
  last_setup_error: Record<string, unknown> | null
  latest_attempt: string | null
  status: 'canceled' | 'requires_action' | 'requires_confirmation' | 'requires_payment_method' | 'succeeded'
  usage: 'off_session' | 'on_session'
  /** Id of the checkout session that created the intent. */
  _session: string | null
}

/** A charge, i.e. one payment attempt. */
export interface ChargeBody {
  id: string
  object: 'charge'
  amount: number
  amount_captured: number
  amount_refunded: number
  /** Absent in charges that former versions stored. */
  balance_transaction?: string | null
  billing_details: Record<string, unknown>
  captured: boolean
  created: number
  currency: string
  customer: string | null
  description: string | null
  failure_code: string | null
  failure_message: string | null
  metadata: Metadata
  outcome: Record<string, unknown>
  paid: boolean
  payment_intent: string
  payment_method: string
  payment_method_details: Record<string, unknown>
  refunded: boolean
  shipping: ShippingBody | null
  status: 'failed' | 'pending' | 'succeeded'
}

/** What a charge or a refund adds to or takes from the account's balance. */
export interface BalanceTransactionBody {
  id: string
  object: 'balance_transaction'
  amount: number
  available_on: number
  created: number
  currency: string
  description: string | null
  net: number
  reporting_category: 'charge' | 'refund'
  source: string
  type: 'charge' | 'payment' | 'refund'
}

/** A refund of a charge. */
export interface RefundBody {
  id: string
  object: 'refund'
  amount: number
  /** Absent in refunds that former versions stored. */
  balance_transaction?: string | null
  charge: string
  created: number
  currency: string
  customer: string | null
  metadata: Metadata
  payment_intent: string
  payment_method: string
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null
}

export interface PortalFeaturesBody {
  customer_update: { allowed_updates: string[]; enabled: boolean }
  invoice_history: { enabled: boolean }
  payment_method_update: { enabled: boolean; payment_method_configuration: null }
  subscription_cancel: {
    cancellation_reason: { enabled: boolean; feedback_options: null; options: string[] }
    enabled: boolean
    mode: 'at_period_end' | 'immediately'
    proration_behavior: 'always_invoice' | 'create_prorations' | 'none'
  }
  subscription_pause: Record<string, unknown>
  subscription_update: {
    billing_cycle_anchor: 'now' | 'unchanged' | null
    default_allowed_updates: string[]
    enabled: boolean
    products: {
      adjustable_quantity: { enabled: boolean; maximum: number; minimum: number }
      prices: string[]
      product: string
    }[]
    proration_behavior: 'always_invoice' | 'create_prorations' | 'none'
    schedule_at_period_end: { conditions: { type: 'decreasing_item_amount' | 'shortening_interval' }[] }
    trial_update_behavior: 'continue_trial' | 'end_trial'
  }
}

export interface PortalConfigurationBody {
  id: string
  object: 'billing_portal.configuration'
  active: boolean
  business_profile: { headline: string | null; privacy_policy_url: string | null; terms_of_service_url: string | null }
  created: number
  default_return_url: string | null
  features: PortalFeaturesBody
  is_default: boolean
  login_page: { enabled: boolean; url: string | null }
  metadata: Metadata
  name: string | null
  updated: number
}

export interface PortalFlowBody {
  after_completion: {
    hosted_confirmation: { custom_message: string | null } | null
    redirect: { return_url: string } | null
    type: 'hosted_confirmation' | 'portal_homepage' | 'redirect'
  }
  customer_update: null
  subscription_cancel: { retention: null; subscription: string } | null
  subscription_pause: null
  subscription_update: { subscription: string } | null
  subscription_update_confirm: {
    discounts: { coupon: null; promotion_code: string | null }[] | null
    items: { id: string; price: string; quantity: number }[]
    subscription: string
  } | null
  type: 'payment_method_update' | 'subscription_cancel' | 'subscription_update' | 'subscription_update_confirm'
}

export interface PortalSessionBody {
  id: string
  object: 'billing_portal.session'
  configuration: string
  created: number
  customer: string
  /** Flow of the session. null: the session shows the whole portal. Absent in sessions that a former version of the sandbox stored. */
  flow?: PortalFlowBody | null
  return_url: string | null
  url: string
}
