import type { Metadata } from '../protocol/parameters/metadata.ts'
import type {
  AutomaticTaxBody,
  BillingModeBody,
  CollectionMethod,
  InvoiceTextBody,
  ProrationBehavior,
} from './customer-bodies.ts'

export interface InvoiceSettingsBody extends InvoiceTextBody {
  days_until_due: number | null
}

export interface PhaseItemBody {
  billing_thresholds: null
  discounts: PhaseDiscountBody[]
  metadata: Metadata
  plan: string
  price: string
  quantity?: number
  tax_rates: string[]
}

/**
 * A discount of a phase. Exactly one member is set: a discount that the subscription already has, or a coupon or promotion code to redeem
 * when the phase begins.
 */
export interface PhaseDiscountBody {
  coupon: string | null
  discount: string | null
  promotion_code: string | null
}

export interface PhaseBody {
  automatic_tax?: AutomaticTaxBody
  collection_method: CollectionMethod | null
  currency: string
  default_payment_method: string | null
  default_tax_rates: string[]
  description: string | null
  discounts: PhaseDiscountBody[]
  end_date: number
  invoice_settings: InvoiceSettingsBody | null
  items: PhaseItemBody[]
  metadata: Metadata
  proration_behavior: ProrationBehavior
  start_date: number
  trial_end: number | null
}

export interface SubscriptionScheduleBody {
  id: string
  object: 'subscription_schedule'
  billing_mode: BillingModeBody
  canceled_at: number | null
  completed_at: number | null
  created: number
  current_phase: { end_date: number; start_date: number } | null
  customer: string
  default_settings: {
    automatic_tax: AutomaticTaxBody
    collection_method: CollectionMethod
    default_payment_method: string | null
    description: string | null
    invoice_settings: InvoiceSettingsBody
  }
  end_behavior: 'cancel' | 'release'
  metadata: Metadata
  phases: PhaseBody[]
  released_at: number | null
  released_subscription: string | null
  status: 'active' | 'canceled' | 'completed' | 'not_started' | 'released'
  subscription: string | null
  test_clock: string | null
  /** The end date (seconds) for which `subscription_schedule.expiring` was sent. */
  _told_end?: number
  /** `_due` is the start (seconds) of a schedule that has not started, `_clock` its test clock. Null or absent after the start. */
  _due?: number | null
  _clock?: string | null
}
