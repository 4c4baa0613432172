// Objects of hosted pages, payments, setups and refunds as stored.
import type { ListOf, ShippingBody } from './customer-bodies.ts'
import type { Metadata } from '../protocol/parameters/metadata.ts'

export interface CheckoutItemBody {
  id: string
  object: 'item'
  adjustable_quantity: null
  amount_discount: number
  amount_subtotal: number
  amount_tax: 0
  amount_total: number
  currency: string
  description: string
  metadata: Metadata
  price: string
  quantity: number | null
}

export interface CheckoutSessionBody {
  id: string
  object: 'checkout.session'
  allow_promotion_codes: boolean | null
  allowed_payment_method_types: string[] | null
  /** The amounts of the session in minor units. Null in `setup` mode. */
  amount_subtotal: number | null
  amount_total: number | null
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
  line_items: ListOf<CheckoutItemBody>
  locale: string | null
  metadata: Metadata
  mode: 'payment' | 'setup' | 'subscription'
  payment_intent: string | null
  payment_method_collection: 'always' | 'if_required' | null
  payment_method_types: string[]
  payment_status: 'no_payment_required' | 'paid' | 'unpaid'
  setup_intent: string | null
  status: 'complete' | 'expired' | 'open'
  subscription: string | null
  success_url: string
  total_details: { amount_discount: number; amount_shipping: 0; amount_tax: 0 } | null
  url: string | null
  _due: number | null
  _clock: string | null
  /** Parameters for the subscription or the payment that the session creates. */
  _plan: {
    description: string | null
    metadata: Metadata
    setup_future_usage: PaymentIntentBody['setup_future_usage']
    shipping: ShippingBody | null
    /** Absent in sessions of sandboxes that did not take `trial_settings` yet. */
    missing_payment_method?: 'cancel' | 'create_invoice' | 'pause' | undefined
    trial_end: number | null
    trial_period_days: number | null
  }
}

/** Members that payment intents and setup intents share. */
export interface IntentBody {
  id: string
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

/** Next action of the customer in a payment or a setup, e.g. to open a page. */
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

/** A refund of a charge. */
export interface RefundBody {
  id: string
  object: 'refund'
  amount: number
  charge: string
  created: number
  currency: string
  customer: string | null
  metadata: Metadata
  payment_intent: string
  payment_method: string
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null
}

export interface PortalConfigurationBody {
  id: string
  object: 'billing_portal.configuration'
  active: boolean
  business_profile: { headline: string | null; privacy_policy_url: string | null; terms_of_service_url: string | null }
  created: number
  default_return_url: string | null
  features: {
    customer_update: { allowed_updates: string[]; enabled: boolean }
    invoice_history: { enabled: boolean }
    payment_method_update: { enabled: boolean; payment_method_configuration: null }
    subscription_cancel: {
      cancellation_reason: { enabled: boolean; feedback_options: null; options: string[] }
      enabled: boolean
      mode: 'at_period_end' | 'immediately'
      proration_behavior: 'none'
    }
    subscription_pause: Record<string, unknown>
    subscription_update: Record<string, unknown>
  }
  is_default: boolean
  metadata: Metadata
  name: string | null
  updated: number
}

export interface PortalSessionBody {
  id: string
  object: 'billing_portal.session'
  configuration: string
  created: number
  customer: string
  return_url: string | null
  url: string
}
