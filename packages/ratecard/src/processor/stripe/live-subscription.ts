// Stripe's subscription in our words. Seconds become milliseconds; what Stripe says in words we do not know is refused.
import type { Stripe } from 'stripe'
import { processorId } from '../../catalog/resource.ts'
import { duplicateKey } from '../customer-half.ts'
import type { LiveItem, LivePrice, LiveSubscription, SubscriptionStatus } from '../customer-half.ts'
import { observedAmount } from './kinds/amounts.ts'
import { idOf, known } from './kinds/kind.ts'

const statuses = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
] as const satisfies readonly SubscriptionStatus[]

/** Ended for good: they meter and bill nothing any more. */
export function hasEnded(subscription: { readonly status: string }): boolean {
  return subscription.status === 'canceled' || subscription.status === 'incomplete_expired'
}

/** Throws a plain error that says what could not be understood. */
export function liveSubscription(subscription: Stripe.Subscription): LiveSubscription {
  return {
    id: subscription.id,
    customer: idOf(subscription.customer),
    status: word(statuses, subscription.status, 'status'),
    currency: subscription.currency,
    items: subscription.items.data.map(liveItem),
    schedule: subscription.schedule === null ? null : idOf(subscription.schedule),
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    trialEnd: subscription.trial_end === null ? null : milliseconds(subscription.trial_end, 'trial_end'),
    createdAt: milliseconds(subscription.created, 'created'),
    // Older recordings of the processor have no metadata at all.
    allowsDuplicate: (subscription.metadata as Stripe.Metadata | null | undefined)?.[duplicateKey] === 'allowed',
  }
}

function liveItem(item: Stripe.SubscriptionItem): LiveItem {
  const price = livePrice(item.price)
  if (price.usageType === 'licensed' && item.quantity === undefined)
    throw new TypeError(`the item ${item.id} has no quantity`)
  return {
    id: item.id,
    price,
    quantity: price.usageType === 'metered' ? null : (item.quantity ?? null),
    currentPeriodStart: milliseconds(item.current_period_start, 'current_period_start'),
    currentPeriodEnd: milliseconds(item.current_period_end, 'current_period_end'),
  }
}

function livePrice(price: Stripe.Price): LivePrice {
  const { recurring } = price
  if (recurring === null) throw new TypeError(`the price ${price.id} does not recur`)
  const billingScheme = word(['per_unit', 'tiered'], price.billing_scheme, 'billing_scheme')
  return {
    id: processorId(price.id),
    active: price.active,
    currency: price.currency,
    interval: word(['day', 'week', 'month', 'year'], recurring.interval, 'interval'),
    intervalCount: recurring.interval_count,
    usageType: word(['licensed', 'metered'], recurring.usage_type, 'usage_type'),
    meter: recurring.meter ? processorId(recurring.meter) : null,
    billingScheme,
    unitAmount: billingScheme === 'tiered' ? null : observedAmount(price.unit_amount, price.unit_amount_decimal),
  }
}

function word<const T extends string>(words: readonly T[], said: string, member: string): T {
  const found = known(words, said)
  if (found === null) throw new TypeError(`its ${member} is ${said}`)
  return found
}

/** Stripe's seconds; a member that is missing must not become NaN. */
export function milliseconds(seconds: number, member: string): number {
  if (!Number.isSafeInteger(seconds)) throw new TypeError(`its ${member} is no time`)
  return seconds * 1000
}
