// Objects around customers as stored: payment methods, discounts, subscriptions, invoices. Members that begin with an underscore are
// internal and never returned.
import type { Metadata } from '../protocol/parameters/metadata.ts'

export interface ListOf<T> {
  object: 'list'
  data: T[]
  has_more: boolean
  url: string
}

/** `_due` is the time (seconds) of the object's next action, `_clock` its test clock. A null clock is the account's clock. */
/** An object with a next action: its time (seconds), and the test clock that this time is on. */
export interface Timed {
  _due: number | null
  _clock: string | null
}

export interface TestClockBody {
  id: string
  object: 'test_helpers.test_clock'
  created: number
  deletes_after: number
  frozen_time: number
  name: string | null
  status: 'advancing' | 'ready'
  status_details: { advancing?: { target_frozen_time: number } }
}

export interface AddressBody {
  city: string | null
  country: string | null
  line1: string | null
  line2: string | null
  postal_code: string | null
  state: string | null
}

/** Shipping address of a payment. */
export interface ShippingBody {
  address: AddressBody
  carrier: string | null
  name: string
  phone: string | null
  tracking_number: string | null
}

export interface PaymentMethodBody {
  id: string
  object: 'payment_method'
  billing_details: {
    address: AddressBody | null
    email: string | null
    name: string | null
    phone: string | null
    tax_id: null
  }
  /** Details of the card. Set if `type` is `card`. */
  card?: {
    brand: string
    country: string
    display_brand: string
    exp_month: number
    exp_year: number
    funding: 'credit'
    last4: string
  }
  created: number
  customer: string | null
  metadata: Metadata
  /** Details of the bank account. Set if `type` is `sepa_debit`. */
  sepa_debit?: {
    bank_code: string
    branch_code: string
    country: string
    fingerprint: string
    generated_from: null
    last4: string
  }
  type: 'card' | 'sepa_debit'
  /** True: the bank declines payments with this payment method. */
  _declines: boolean
  /** True: the card needs 3-D Secure before every payment. */
  _asks?: true
  /** Seconds until a debit of this bank account succeeds or fails. */
  _answersAfter?: number
  /** True until the payment method is attached to a customer or used for a payment. Afterwards it cannot be attached any more. */
  _fresh?: boolean
}

export interface DiscountBody {
  id: string
  object: 'discount'
  checkout_session: string | null
  /** null for the discount of a single payment without a customer. */
  customer: string | null
  end: number | null
  promotion_code: string | null
  source: { coupon: string; type: 'coupon' }
  start: number
  subscription: string | null
  subscription_item: string | null
}

/** A change of a subscription with `payment_behavior: pending_if_incomplete` whose invoice is not paid yet. */
export interface PendingUpdateBody {
  billing_cycle_anchor: number | null
  cancel_at_period_end: null
  discount: null
  discounts: string[] | null
  expires_at: number
  metadata: Record<string, string> | null
  subscription_items: SubscriptionItemBody[]
  trial_end: number | null
  trial_from_plan: boolean | null
}

export interface SubscriptionItemBody {
  id: string
  object: 'subscription_item'
  created: number
  current_period_end: number
  current_period_start: number
  discounts: string[]
  metadata: Metadata
  plan: string
  price: string
  quantity?: number
  subscription: string
  tax_rates: string[]
  /** Anchor (seconds) of the item's periods. It keeps month ends (31 January → 28 February → 31 March). */
  _anchor: number
  /** Start (seconds) of the usage that is not billed yet. Earlier usage was billed, or a change of price dropped it. */
  _usage_from: number
  /** End (seconds) of the whole period, if a planned end of the subscription shortens it. */
  _whole_end?: number
  /** The last charge for a licensed item. Absent in items that former versions stored. */
  _debited?: DebitBody
}

/** The part of a discount that reduces an amount. */
export interface DiscountAmountBody {
  amount: number
  discount: string
}

/** An amount after discounts, and the period (seconds) that it pays for. */
export interface DebitBody {
  amount: number
  /** What the discounts took off. Absent in items that former versions stored. */
  discounts?: DiscountAmountBody[]
  start: number
  end: number
}

export type ProrationBehavior = 'always_invoice' | 'create_prorations' | 'none'

export type CollectionMethod = 'charge_automatically' | 'send_invoice'

export interface AutomaticTaxBody {
  disabled_reason: null
  enabled: boolean
  liability: { type: 'self' } | null
}

/** Texts on the invoices of a subscription. */
export interface InvoiceTextBody {
  account_tax_ids: null
  custom_fields: { name: string; value: string }[] | null
  description: string | null
  footer: string | null
  issuer: { type: 'self' }
}

export interface TaxBody {
  amount: number
  tax_behavior: 'exclusive' | 'inclusive'
  tax_rate_details: { tax_rate: string }
  taxability_reason: 'not_available'
  taxable_amount: number
  type: 'tax_rate_details'
}

/** What happens to new invoices while collection is paused. */
export interface PauseBody {
  behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void'
  resumes_at: number | null
}

/** Prorations show their amount after discounts (`included`), or before them, with the discounts beside it (`itemized`). */
export type ProrationDiscounts = 'included' | 'itemized'

export interface BillingModeBody {
  flexible: { proration_discounts: ProrationDiscounts } | null
  type: 'classic' | 'flexible'
}

export interface SubscriptionBody extends Timed {
  id: string
  object: 'subscription'
  automatic_tax: AutomaticTaxBody
  billing_cycle_anchor: number
  billing_mode: BillingModeBody
  cancel_at: number | null
  cancel_at_period_end: boolean
  canceled_at: number | null
  cancellation_details: {
    comment: string | null
    feedback: string | null
    feedback_option: null
    reason: 'cancellation_requested' | 'payment_failed' | null
  }
  collection_method: CollectionMethod
  created: number
  currency: string
  customer: string
  days_until_due: number | null
  default_payment_method: string | null
  default_tax_rates: string[]
  description: string | null
  discounts: string[]
  ended_at: number | null
  invoice_settings: InvoiceTextBody
  items: ListOf<SubscriptionItemBody>
  latest_invoice: string | null
  metadata: Metadata
  pause_collection: PauseBody | null
  /** Change that takes effect when its invoice is paid. Null or absent: none. */
  pending_update?: PendingUpdateBody | null
  payment_settings: {
    payment_method_options: null
    payment_method_types: string[] | null
    save_default_payment_method: 'off' | 'on_subscription'
  }
  pending_setup_intent: string | null
  schedule: string | null
  start_date: number
  status: 'active' | 'canceled' | 'incomplete' | 'incomplete_expired' | 'past_due' | 'paused' | 'trialing'
  test_clock: string | null
  trial_end: number | null
  trial_settings: {
    end_behavior: { billing_cycle_anchor: null; missing_payment_method: 'cancel' | 'create_invoice' | 'pause' }
  }
  trial_start: number | null
  /** Invoice lines that the next invoice bills, e.g. prorations. */
  _pending: InvoiceLineBody[]
  /** The subscription as it will be when the invoice of `pending_update` is paid. */
  _planned?: SubscriptionBody | null
  _trial_told: boolean
}

/** The invoice and the invoice lines that a credit refers to. */
export interface CreditedItems {
  invoice: string
  invoice_line_items: string[]
}

export interface InvoiceLineBody {
  id: string
  object: 'line_item'
  amount: number
  currency: string
  description: string | null
  discount_amounts: DiscountAmountBody[]
  discountable: boolean
  discounts: string[]
  invoice: string
  livemode: false
  metadata: Metadata
  parent: {
    invoice_item_details: {
      invoice_item: string
      proration: boolean
      proration_details: { credited_items: CreditedItems | null }
      subscription: string | null
    } | null
    subscription_item_details: {
      /** Id of the invoice item, if the line is a proration. */
      invoice_item: string | null
      proration: boolean
      proration_details: { credited_items: CreditedItems | null }
      subscription: string
      subscription_item: string
    } | null
    type: 'invoice_item_details' | 'subscription_item_details'
  }
  period: { end: number; start: number }
  pretax_credit_amounts: PretaxCreditBody[]
  pricing: PricingBody
  quantity: number | null
  quantity_decimal: string | null
  subscription: string | null
  subtotal: number
  taxes: TaxBody[]
  /** What discounts took off a proration, whether the line shows it (`itemized`) or not (`included`). Set only on prorations. */
  _prorated_discounts?: DiscountAmountBody[]
}

/** A reduction of a line before taxes: a discount or billing credits. The credits of a draft have no transaction yet. */
export type PretaxCreditBody =
  | { amount: number; discount: string; type: 'discount' }
  | { amount: number; credit_balance_transaction: string | null; type: 'credit_balance_transaction' }

/** The price of an invoice line or an invoice item. */
export interface PricingBody {
  price_details?: { price: string; product: string }
  type: 'price_details'
  unit_amount_decimal: string | null
}

/** The charge that a credit refers to, as an invoice item shows it. */
export type CreditedByItem =
  | { invoice_item: string; type: 'invoice_item' }
  | { invoice_line_item_details: CreditedItems; type: 'invoice_line_items' }

/** An invoice item: a charge outside a subscription's items, or a proration. It is pending until `invoice` is set. */
export interface InvoiceItemBody {
  id: string
  object: 'invoiceitem'
  amount: number
  currency: string
  customer: string
  date: number
  description: string | null
  discountable: boolean
  invoice: string | null
  metadata: Metadata
  net_amount: number
  parent: {
    subscription_details: { subscription: string; subscription_item?: string }
    type: 'subscription_details'
  } | null
  period: { end: number; start: number }
  pricing: PricingBody
  proration: boolean
  /** Absent in charges that are no prorations, and in prorations that former versions stored. */
  proration_details?: { credited_items: CreditedByItem | null; discount_amounts: DiscountAmountBody[] }
  quantity: number
  quantity_decimal: string
  tax_rates: string[]
  test_clock: string | null
}

export type BillingReason = 'manual' | 'subscription_create' | 'subscription_cycle' | 'subscription_update'

export interface InvoiceBody extends Timed {
  id: string
  object: 'invoice'
  amount_due: number
  amount_paid: number
  amount_remaining: number
  attempt_count: number
  attempted: boolean
  auto_advance: boolean
  automatic_tax: AutomaticTaxBody & { provider: 'stripe' | null; status: 'complete' | null }
  automatically_finalizes_at: number | null
  /** Client secret of the invoice's payment intent. Absent in invoices that an earlier version of the sandbox stored. */
  confirmation_secret?: { client_secret: string; type: 'payment_intent' } | null
  billing_reason: BillingReason | 'upcoming'
  collection_method: CollectionMethod
  created: number
  currency: string
  custom_fields: { name: string; value: string }[] | null
  customer: string
  customer_address: AddressBody | null
  customer_email: string | null
  customer_name: string | null
  customer_phone: string | null
  customer_shipping: { address: AddressBody; name: string; phone: string | null } | null
  customer_tax_exempt: 'exempt' | 'none' | 'reverse'
  default_payment_method: string | null
  default_tax_rates: string[]
  description: string | null
  discounts: string[]
  due_date: number | null
  effective_at: number | null
  ending_balance: number | null
  footer: string | null
  hosted_invoice_url: string | null
  lines: ListOf<InvoiceLineBody>
  metadata: Metadata
  next_payment_attempt: number | null
  number: string | null
  /** The subscription of the invoice. Null for a manual invoice without a subscription. */
  parent: {
    quote_details: null
    subscription_details: { metadata: Metadata; subscription: string }
    type: 'subscription_details'
  } | null
  period_end: number
  period_start: number
  post_payment_credit_notes_amount: number
  pre_payment_credit_notes_amount: number
  starting_balance: number
  status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'
  status_transitions: {
    finalized_at: number | null
    marked_uncollectible_at: number | null
    paid_at: number | null
    voided_at: number | null
  }
  subtotal: number
  subtotal_excluding_tax: number
  test_clock: string | null
  total: number
  total_discount_amounts: { amount: number; discount: string }[]
  total_excluding_tax: number
  total_pretax_credit_amounts: PretaxCreditBody[]
  total_taxes: TaxBody[]
  webhooks_delivered_at: number | null
  /** Billing credits that a draft plans to use, by grant (minor units). */
  _planned_credits?: Record<string, number>
}

export interface MeterEventBody {
  id: string
  object: 'billing.meter_event'
  created: number
  event_name: string
  identifier: string
  livemode: false
  payload: Record<string, string>
  timestamp: number
  _meter: string
  _customer: string
  /** The usage value as text, exactly as sent. */
  _value: string
}
