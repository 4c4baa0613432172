// Finds duplicate purchases: two subscriptions of a customer to one product, or to two products of one subscription group. Pure. All lists
// of subscriptions are sorted oldest first.
import type { LiveSubscription } from '../../processor/customer-half.ts'
import type { SoldItem, SoldItemOf } from './sold-items.ts'

/** An existing subscription that excludes another one. */
export interface PresentSubscription {
  readonly subscription: string
  /** The item of the subscription that excludes the other one. */
  readonly item: SoldItem
  /** End of the subscription's period (epoch milliseconds) if the subscription is already cancelled; null if it is not. */
  readonly endsAt: number | null
}

/** The newer of two subscriptions of one customer that are not allowed side by side. */
export interface Duplicate {
  readonly subscription: string
  readonly item: SoldItem
  /** The older of the two subscriptions. */
  readonly beside: PresentSubscription
}

type BilledSubscription = Pick<
  LiveSubscription,
  'id' | 'customer' | 'status' | 'items' | 'cancelAtPeriodEnd' | 'allowsDuplicate'
> & {
  /** Items that the subscription's schedule brings later. They exclude others as present items do. */
  readonly coming?: readonly SoldItem[]
}

/**
 * True if a tenant should have only one of the two items. Products of one group exclude each other, and so do prices of one product.
 * Exception: prices of one product can be combined if they bill different meters, or if only one of them has a meter, e.g. a base fee and a
 * price for usage.
 */
export function excludes(a: SoldItem, b: SoldItem): boolean {
  return a.product.id === b.product.id ? a.meter === b.meter : sameGroup(a, b)
}

/** True if the items belong to different products of one group. */
export function isOtherOfGroup(a: SoldItem, b: SoldItem): boolean {
  return a.product.id !== b.product.id && sameGroup(a, b)
}

/** True if a tenant gets only one trial for both items together, because they are of one product or one group. */
export function sharesTrial(a: SoldItem, b: SoldItem): boolean {
  return a.product.id === b.product.id || sameGroup(a, b)
}

const sameGroup = (a: SoldItem, b: SoldItem) => a.product.group !== null && a.product.group === b.product.group

/**
 * Returns the oldest subscription that excludes a new subscription to this price; null if there is none. Ignores subscriptions that were
 * abandoned before their first payment.
 */
export function subscriptionBeside(
  wanted: SoldItem,
  subscriptions: readonly BilledSubscription[],
  soldItem: SoldItemOf,
  rule: typeof excludes = excludes,
): PresentSubscription | null {
  const present = billedSubscriptions(subscriptions).flatMap((one) => itemsOf(one, soldItem))
  return present.find(({ item }) => rule(item, wanted)) ?? null
}

/**
 * Returns the newer subscription of each pair of duplicates, in the given order. Compares only subscriptions of the same customer. Never
 * returns a subscription with `allowsDuplicate`.
 */
export function duplicatesAmong(
  subscriptions: readonly BilledSubscription[],
  soldItem: SoldItemOf,
): readonly Duplicate[] {
  const earlier = new Map<string, PresentSubscription[]>()
  return billedSubscriptions(subscriptions).flatMap((subscription) => {
    const { id, customer, allowsDuplicate } = subscription
    const present = earlier.get(customer) ?? []
    const own = itemsOf(subscription, soldItem)
    const found = allowsDuplicate ? undefined : firstPair(own, present)
    earlier.set(customer, [...present, ...own])
    return found === undefined ? [] : [{ subscription: id, ...found }]
  })
}

function firstPair(
  own: readonly PresentSubscription[],
  present: readonly PresentSubscription[],
): Omit<Duplicate, 'subscription'> | undefined {
  for (const { item } of own) {
    const beside = present.find((one) => excludes(one.item, item))
    if (beside !== undefined) return { item, beside }
  }
  return undefined
}

/**
 * Returns what both items have in common as text for a message, e.g. `the price "pro_monthly"`, `the product "pro"` or `the group "plan"`.
 */
export function inCommon(a: SoldItem, b: SoldItem): string {
  if (a.product.id !== b.product.id) return `the group "${String(a.product.group)}"`
  return a.priceId !== null && a.priceId === b.priceId ? `the price "${a.priceId}"` : `the product "${a.product.id}"`
}

/**
 * Returns the subscriptions that are or will be billed. A checkout abandoned at its first payment is not billed, so it does not block
 * another purchase.
 */
function billedSubscriptions<One extends BilledSubscription>(subscriptions: readonly One[]): readonly One[] {
  return subscriptions.filter(
    ({ status }) => status !== 'incomplete' && status !== 'incomplete_expired' && status !== 'canceled',
  )
}

function itemsOf(
  { id, items, cancelAtPeriodEnd, coming = [] }: BilledSubscription,
  soldItem: SoldItemOf,
): readonly PresentSubscription[] {
  const endsAt = cancelAtPeriodEnd ? Math.max(...items.map(({ currentPeriodEnd }) => currentPeriodEnd)) : null
  const sold = [...items.flatMap((live) => soldItem(live) ?? []), ...coming]
  return sold.map((item) => ({ subscription: id, item, endsAt }))
}
