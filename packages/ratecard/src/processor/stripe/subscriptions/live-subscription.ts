// Converts Stripe's subscription to a LiveSubscription: seconds become milliseconds, and unknown enumeration values throw.
import type { Stripe } from 'stripe'
import { processorId, type ProcessorId } from '../../../catalog/resource.ts'
import { duplicateKey, endsKey, soldPricesIn } from '../../customer-half.ts'
import type { LiveItem, LivePrice, LiveSubscription, SubscriptionStatus } from '../../customer-half.ts'
import { observedAmount } from '../kinds/amounts.ts'
import {
  formerMember,
  idIn,
  idOf,
  requireInteger,
  listOf,
  requireMilliseconds,
  requirePresent,
  requiredList,
  text,
  requireWord,
} from '../connection/reading.ts'
import type { Untrusted, UntrustedReply } from '../connection/reading.ts'

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

export type SubscriptionReply = UntrustedReply<Stripe.Subscription>

/** True for a subscription that has ended for good and bills nothing any more, i.e. `canceled` or `incomplete_expired`. */
export function hasEnded(subscription: Pick<SubscriptionReply, 'status'>): boolean {
  return subscription.status === 'canceled' || subscription.status === 'incomplete_expired'
}

/** Converts a subscription. Throws a plain error that names the member that is missing or malformed. */
export function liveSubscription(subscription: SubscriptionReply): LiveSubscription {
  const { items } = subscription
  return {
    id: subscription.id,
    customer: idOf(subscription.customer, 'customer'),
    status: requireWord(statuses, subscription.status, 'status'),
    currency: text(subscription.currency, 'currency'),
    items: requiredList(items?.data, 'items').map((item) => liveItem(item, subscription)),
    schedule: idIn(subscription.schedule),
    cancelAtPeriodEnd: subscription.cancel_at_period_end === true,
    cancelAt: momentOf(subscription, 'cancel_at'),
    canceledAt: momentOf(subscription, 'canceled_at'),
    endedAt: momentOf(subscription, 'ended_at'),
    paused: pauseOf(subscription),
    collectionMethod: requireWord(
      ['charge_automatically', 'send_invoice'],
      subscription.collection_method,
      'collection_method',
    ),
    testClock: idIn(subscription.test_clock),
    trialStart: momentOf(subscription, 'trial_start'),
    trialEnd: momentOf(subscription, 'trial_end'),
    createdAt: requireMilliseconds(subscription.created, 'created'),
    taxRates: taxRatesOf(subscription),
    soldPriceIds: soldPricesIn(subscription.metadata),
    allowsDuplicate: subscription.metadata?.[duplicateKey] === 'allowed',
    ends: subscription.metadata?.[endsKey]?.split(' ').filter((id) => id !== '') ?? [],
  }
}

type Rates = readonly Untrusted<Stripe.TaxRate>[] | null | undefined

function taxRatesOf({ default_tax_rates: own, items }: SubscriptionReply): readonly ProcessorId[] {
  const rates = [own as Rates, ...listOf(items?.data).map(({ tax_rates: ofItem }) => ofItem as Rates)]
  return [...new Set(rates.flatMap((list) => listOf(list).map((rate) => idOf(rate, 'tax rate'))))].sort()
}

type Moment = 'cancel_at' | 'canceled_at' | 'ended_at' | 'trial_start' | 'trial_end'

/** Returns a time of the subscription in epoch milliseconds; null if the reply has none. */
export function momentOf(subscription: SubscriptionReply, member: Moment): number | null {
  const seconds = subscription[member]
  return seconds === null || seconds === undefined ? null : requireMilliseconds(seconds, member)
}

function pauseOf({ pause_collection: pause }: SubscriptionReply): LiveSubscription['paused'] {
  if (pause === null || pause === undefined) return null
  const { resumes_at: until } = pause
  return {
    behavior: text(pause.behavior, 'pause_collection.behavior'),
    resumesAt:
      until === null || until === undefined ? null : requireInteger(until, 'pause_collection.resumes_at') * 1000,
  }
}

function liveItem(item: Untrusted<Stripe.SubscriptionItem>, subscription: SubscriptionReply): LiveItem {
  const id = text(item.id, 'item id')
  const price = livePrice(requirePresent(item.price, `price of the item ${id}`))
  const metered = price.usageType === 'metered'
  // API versions before 2025 have the period on the subscription.
  const moment = (member: 'current_period_start' | 'current_period_end') =>
    requireMilliseconds(item[member] ?? (formerMember(subscription, member) as number | null | undefined), member)
  return {
    id,
    price,
    quantity: metered ? null : requireInteger(item.quantity, `quantity of the item ${id}`),
    currentPeriodStart: moment('current_period_start'),
    currentPeriodEnd: moment('current_period_end'),
  }
}

function livePrice(price: Untrusted<Stripe.Price>): LivePrice {
  const id = processorId(text(price.id, 'price id'))
  const recurring = requirePresent(price.recurring, `rhythm of the price ${id}`)
  const billingScheme = requireWord(['per_unit', 'tiered'], price.billing_scheme, 'billing_scheme')
  const packages = price.transform_quantity
  return {
    id,
    product: idIn(price.product),
    active: price.active === true,
    currency: text(price.currency, 'currency'),
    interval: requireWord(['day', 'week', 'month', 'year'], recurring.interval, 'interval'),
    intervalCount: requireInteger(recurring.interval_count, 'interval_count'),
    usageType: requireWord(['licensed', 'metered'], recurring.usage_type, 'usage_type'),
    meter: recurring.meter ? processorId(recurring.meter) : null,
    billingScheme,
    unitAmount:
      billingScheme === 'tiered'
        ? null
        : observedAmount(price.unit_amount ?? null, (price.unit_amount_decimal as Stripe.Decimal | null) ?? null),
    transformQuantity: packages
      ? {
          divideBy: requireInteger(packages.divide_by, 'transform_quantity.divide_by'),
          round: requireWord(['up', 'down'], packages.round, 'transform_quantity.round'),
        }
      : null,
  }
}
