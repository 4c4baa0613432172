import type { Call } from '../protocol/call.ts'
import type { SubscriptionBody } from '../objects/customer-bodies.ts'
import { newId } from '../protocol/ids.ts'
import type {
  PhaseBody,
  PhaseDiscountBody,
  PhaseItemBody,
  SubscriptionScheduleBody,
} from '../objects/schedule-bodies.ts'

export function blankPhase(
  subscription: SubscriptionBody,
  own: Pick<
    PhaseBody,
    'discounts' | 'start_date' | 'end_date' | 'items' | 'metadata' | 'proration_behavior' | 'trial_end'
  > &
    Partial<PhaseBody>,
): PhaseBody {
  return {
    add_invoice_items: [],
    application_fee_percent: null,
    billing_cycle_anchor: null,
    billing_thresholds: null,
    collection_method: null,
    currency: subscription.currency,
    default_payment_method: null,
    default_tax_rates: [],
    description: null,
    invoice_settings: null,
    on_behalf_of: null,
    transfer_data: null,
    ...own,
  }
}

export function asPhaseDiscount(discount: string): PhaseDiscountBody {
  return { coupon: null, discount, promotion_code: null }
}

export function asPhaseItem(
  price: string,
  quantity: number | undefined,
  own: PhaseItemBody['metadata'],
  more: Partial<Pick<PhaseItemBody, 'discounts' | 'tax_rates'>> = {},
): PhaseItemBody {
  const counted = quantity === undefined ? {} : { quantity }
  return {
    billing_thresholds: null,
    discounts: [],
    metadata: own,
    plan: price,
    price,
    ...counted,
    tax_rates: [],
    ...more,
  }
}

/** A schedule that drives the subscription from now on, with its one phase. */
export function newSchedule(
  call: Call,
  subscription: SubscriptionBody,
  phase: PhaseBody,
  own: SubscriptionScheduleBody['metadata'],
): SubscriptionScheduleBody {
  return {
    id: newId('sub_sched_1', 23),
    object: 'subscription_schedule',
    application: null,
    billing_mode: subscription.billing_mode,
    canceled_at: null,
    completed_at: null,
    created: call.now,
    current_phase: { end_date: phase.end_date, start_date: phase.start_date },
    customer: subscription.customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      automatic_tax: subscription.automatic_tax,
      billing_cycle_anchor: 'automatic',
      billing_thresholds: null,
      collection_method: subscription.collection_method,
      default_payment_method: subscription.default_payment_method,
      description: subscription.description,
      invoice_settings: { ...subscription.invoice_settings, days_until_due: subscription.days_until_due },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: 'release',
    livemode: false,
    metadata: own,
    pause_schedules: [],
    phases: [phase],
    released_at: null,
    released_subscription: null,
    status: 'active',
    subscription: subscription.id,
    test_clock: subscription.test_clock,
  }
}
