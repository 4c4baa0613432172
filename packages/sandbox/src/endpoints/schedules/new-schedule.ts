import type { OperationContext } from '../../protocol/operation-context.ts'
import type { BillingModeBody, SubscriptionBody } from '../../objects/customer-bodies.ts'
import { noInvoiceText } from '../../billing/invoices/invoice-text.ts'
import { defaultTerms } from '../../billing/subscriptions/terms.ts'
import { newId } from '../../protocol/ids.ts'
import { defaultSettingConstants, phaseConstants } from '../../objects/constants.ts'
import type {
  PhaseBody,
  PhaseDiscountBody,
  PhaseItemBody,
  SubscriptionScheduleBody,
} from '../../objects/schedule-bodies.ts'

export function blankPhase(
  subscription: Pick<SubscriptionBody, 'currency'>,
  own: Pick<
    PhaseBody,
    'discounts' | 'start_date' | 'end_date' | 'items' | 'metadata' | 'proration_behavior' | 'trial_end'
  > &
    Partial<PhaseBody>,
): PhaseBody {
  return {
    ...phaseConstants,
    collection_method: null,
    currency: subscription.currency,
    default_payment_method: null,
    default_tax_rates: [],
    description: null,
    invoice_settings: null,
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

/** Subscription from which a new schedule takes its default settings. `id` is null for a subscription that does not exist yet. */
type ScheduledSubscription = Pick<
  SubscriptionBody,
  | 'automatic_tax'
  | 'billing_mode'
  | 'collection_method'
  | 'customer'
  | 'days_until_due'
  | 'default_payment_method'
  | 'description'
  | 'invoice_settings'
  | 'test_clock'
> & { readonly id: string | null }

/** Returns the default settings for a schedule that will create its subscription later. */
export function futureSubscription(
  { billingMode, customer }: { readonly billingMode: BillingModeBody; readonly customer: string },
  clock: string | null,
): ScheduledSubscription {
  return {
    automatic_tax: defaultTerms.automatic_tax,
    billing_mode: billingMode,
    collection_method: 'charge_automatically',
    customer,
    days_until_due: null,
    default_payment_method: null,
    description: null,
    id: null,
    invoice_settings: noInvoiceText,
    test_clock: clock,
  }
}

/** Returns a new schedule with its phases. `current_phase` is set if the subscription already exists. */
export function newSchedule(
  call: OperationContext,
  subscription: ScheduledSubscription,
  phases: PhaseBody[],
  own: Pick<SubscriptionScheduleBody, 'end_behavior' | 'metadata'>,
): SubscriptionScheduleBody {
  const [first] = phases
  const runs = subscription.id !== null && first !== undefined
  return {
    id: newId('sub_sched_1', 23),
    object: 'subscription_schedule',
    billing_mode: subscription.billing_mode,
    canceled_at: null,
    completed_at: null,
    created: call.now,
    current_phase: runs ? { end_date: first.end_date, start_date: first.start_date } : null,
    customer: subscription.customer,
    default_settings: {
      ...defaultSettingConstants,
      automatic_tax: subscription.automatic_tax,
      collection_method: subscription.collection_method,
      default_payment_method: subscription.default_payment_method,
      description: subscription.description,
      invoice_settings: { ...subscription.invoice_settings, days_until_due: subscription.days_until_due },
    },
    ...own,
    phases,
    released_at: null,
    released_subscription: null,
    status: 'active',
    subscription: subscription.id,
    test_clock: subscription.test_clock,
  }
}
