// How a subscription and its items are written: the items are rows of their own as well, and the subscription always knows
// when it has to act next.
import { isDeepStrictEqual } from 'node:util'
import type { CustomerBody, PriceBody } from '../../objects/bodies.ts'
import type { Call } from '../../protocol/operation-context.ts'
import type { SubscriptionBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import type { SubscriptionScheduleBody } from '../../objects/schedule-bodies.ts'
import { refreshEntitlements } from './entitlements.ts'
import type { Step } from '../pricing/billing-intervals.ts'

export const day = 86_400
const paymentWindow = 23 * 3600
const toldBefore = 3 * day
/** A schedule's end (the SDK's types, `subscription_schedule.expiring`). */
const expiryToldBefore = 7 * day

export function isOver(subscription: SubscriptionBody): boolean {
  return subscription.status === 'canceled' || subscription.status === 'incomplete_expired'
}

/** When a subscription acts next, in seconds. */
function dueOf(call: Call, subscription: SubscriptionBody): number | null {
  if (isOver(subscription)) return null
  // Nothing is billed until it is resumed.
  if (subscription.status === 'paused') return subscription.cancel_at
  if (subscription.status === 'incomplete') return subscription.created + paymentWindow
  const { trial_end: trialEnd } = subscription
  const moments = [
    subscription.cancel_at,
    phaseEnd(call, subscription),
    expiryWarning(call, subscription)?.at ?? null,
    subscription.pause_collection?.resumes_at ?? null,
  ]
  if (subscription.status === 'trialing') {
    moments.push(trialEnd, trialEnd === null || subscription._trial_told ? null : trialEnd - toldBefore)
  } else {
    moments.push(...subscription.items.data.map((item) => item.current_period_end))
  }
  const known = moments.filter((moment) => moment !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** When the current phase of the subscription's schedule ends. */
export function phaseEnd(call: Call, subscription: SubscriptionBody): number | null {
  if (subscription.schedule === null) return null
  return call.find('subscription_schedule', subscription.schedule)?.current_phase?.end_date ?? null
}

/** The schedule of a subscription whose end is still to be told of, and when that is. */
export function expiryWarning(
  call: Call,
  subscription: SubscriptionBody,
): { readonly schedule: SubscriptionScheduleBody; readonly at: number } | undefined {
  const schedule = call.find('subscription_schedule', subscription.schedule ?? '')
  const end = schedule?.phases.at(-1)?.end_date
  if (schedule === undefined || end === undefined || schedule.status !== 'active' || schedule._told_end === end)
    return undefined
  const at = end - expiryToldBefore
  // Nobody is told of the end of what is shorter than that.
  return at <= schedule.created || at <= (schedule.phases[0]?.start_date ?? 0) ? undefined : { schedule, at }
}

/** How early a test clock that rests shortly before tells of it: Stripe's command-line tool looks for it nine days before. */
const restsBefore = 3 * day

/** Tells of ends that a test clock has come close to, where it rests. */
export function tellAtRest(call: Call, clock: string): void {
  for (const subscription of call.select('subscription', [{ field: 'test_clock', is: clock }])) {
    const warning = isOver(subscription) ? undefined : expiryWarning(call, subscription)
    if (warning === undefined || warning.at > call.now + restsBefore) continue
    tellOfExpiry(call, warning.schedule)
    save(call, subscription, subscription, null)
  }
}

/** The end of a schedule is told of once. */
export function tellOfExpiry(call: Call, schedule: SubscriptionScheduleBody): void {
  const end = schedule.phases.at(-1)?.end_date
  if (end === undefined) return
  call.announce('subscription_schedule.expiring', schedule)
  call.update(schedule, { ...schedule, _told_end: end }, null)
}

export function writeNew(call: Call, subscription: SubscriptionBody): SubscriptionBody {
  const body = { ...subscription, _due: dueOf(call, subscription) }
  for (const item of body.items.data) call.create(item, null)
  const made = call.create(body, null)
  refreshEntitlements(call, made.customer)
  return made
}

export function save(
  call: Call,
  before: SubscriptionBody,
  after: SubscriptionBody,
  event: string | null = 'customer.subscription.updated',
): SubscriptionBody {
  const body = { ...after, _due: dueOf(call, after) }
  const former = new Map(before.items.data.map((item) => [item.id, item]))
  for (const item of body.items.data) {
    const old = former.get(item.id)
    if (old === undefined) call.create(item, null)
    else call.update(old, item, null)
    former.delete(item.id)
  }
  for (const gone of former.values()) call.remove(gone, null)
  // Nobody is told of what nobody can see.
  const seen = event === null || !isDeepStrictEqual(call.shown(before), call.shown(body))
  const written = call.update(before, body, seen ? event : null)
  if (grants(before) !== grants(written)) refreshEntitlements(call, written.customer)
  return written
}

/** What entitlements depend on: whether it runs, on which prices, in which periods. */
function grants({ status, items }: SubscriptionBody): string {
  return JSON.stringify([status, items.data.map((item) => [item.price, item.current_period_start])])
}

export function customerOf(call: Call, id: string): CustomerBody {
  const found = call.find('customer', id) ?? call.findDeleted('customer', id)
  if (found === undefined) throw new Error(`The customer ${id} is gone`)
  return found
}

export function priceOf(call: Call, item: { readonly price: string }): PriceBody {
  const found = call.find('price', item.price)
  if (found === undefined) throw new Error(`The price ${item.price} is gone`)
  return found
}

export function stepOf(price: PriceBody): Step {
  if (price.recurring === null) throw new Error(`The price ${price.id} does not recur`)
  return price.recurring
}

export function isMetered(price: PriceBody): boolean {
  return price.recurring?.usage_type === 'metered'
}

export function lastPeriodEnd(items: readonly SubscriptionItemBody[]): number {
  return Math.max(...items.map((item) => item.current_period_end))
}

/** The moment at which a customer lives: the one of its test clock, or of the account. */
export function momentOf(call: Call, clock: string | null): number {
  return clock === null ? call.now : (call.find('test_helpers.test_clock', clock)?.frozen_time ?? call.now)
}
