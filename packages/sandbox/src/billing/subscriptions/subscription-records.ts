// Storage of subscriptions. Items are also stored as separate rows, and `_due` always holds the time of the subscription's next action.
import { isDeepStrictEqual } from 'node:util'
import type { CustomerBody, PriceBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { SubscriptionBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import type { SubscriptionScheduleBody } from '../../objects/schedule-bodies.ts'
import { refreshEntitlements } from './entitlements.ts'
import type { BillingInterval } from '../pricing/billing-intervals.ts'

export const day = 86_400
const paymentWindow = 23 * 3600
const trialWarningBefore = 3 * day
/**
 * Seconds before the end of a schedule at which `subscription_schedule.expiring` is sent: 7 days. Source: the SDK's documentation of
 * `subscription_schedule.expiring`.
 */
const expiryWarningBefore = 7 * day

export function isEnded(subscription: SubscriptionBody): boolean {
  return subscription.status === 'canceled' || subscription.status === 'incomplete_expired'
}

/** Returns the time (seconds) of the subscription's next action. Null: none. */
function dueOf(call: OperationContext, subscription: SubscriptionBody): number | null {
  if (isEnded(subscription)) return null
  // A paused subscription is not billed until it is resumed.
  if (subscription.status === 'paused') return subscription.cancel_at
  if (subscription.status === 'incomplete') return subscription.created + paymentWindow
  const { trial_end: trialEnd } = subscription
  const moments = [
    subscription.cancel_at,
    phaseEnd(call, subscription),
    expiryWarning(call, subscription)?.at ?? null,
    subscription.pause_collection?.resumes_at ?? null,
    subscription.pending_update?.expires_at ?? null,
  ]
  if (subscription.status === 'trialing') {
    moments.push(trialEnd, trialEnd === null || subscription._trial_told ? null : trialEnd - trialWarningBefore)
  } else {
    moments.push(...subscription.items.data.map((item) => item.current_period_end))
  }
  const known = moments.filter((moment) => moment !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** Returns the end (seconds) of the current phase of the subscription's schedule. Null if there is none. */
export function phaseEnd(call: OperationContext, subscription: SubscriptionBody): number | null {
  if (subscription.schedule === null) return null
  return call.find('subscription_schedule', subscription.schedule)?.current_phase?.end_date ?? null
}

/**
 * Returns the subscription's schedule and the time (7 days before its end) at which to send `subscription_schedule.expiring`. Undefined if
 * the event was already sent, or if the schedule is shorter than 7 days.
 */
export function expiryWarning(
  call: OperationContext,
  subscription: SubscriptionBody,
): { readonly schedule: SubscriptionScheduleBody; readonly at: number } | undefined {
  const schedule = call.find('subscription_schedule', subscription.schedule ?? '')
  const end = schedule?.phases.at(-1)?.end_date
  if (schedule === undefined || end === undefined || schedule.status !== 'active' || schedule._told_end === end)
    return undefined
  const at = end - expiryWarningBefore
  // A schedule shorter than 7 days gets no `subscription_schedule.expiring` event.
  return at <= schedule.created || at <= (schedule.phases[0]?.start_date ?? 0) ? undefined : { schedule, at }
}

/**
 * Time in seconds (3 days). If a test clock stops within this time before `subscription_schedule.expiring` is due, the event is sent early.
 * Stripe's command-line tool expects the event 9 days before the end.
 */
const earlyWarning = 3 * day

/** Sends `subscription_schedule.expiring` for the schedules on a test clock that stopped at most 3 days before the event is due. */
export function emitExpiryWarnings(call: OperationContext, clock: string): void {
  for (const subscription of call.select('subscription', [{ field: 'test_clock', is: clock }])) {
    const warning = isEnded(subscription) ? undefined : expiryWarning(call, subscription)
    if (warning === undefined || warning.at > call.now + earlyWarning) continue
    emitExpiring(call, warning.schedule)
    save(call, subscription, subscription, null)
  }
}

/** Emits `subscription_schedule.expiring` once per end date. `_told_end` stores the end date for which it was emitted. */
export function emitExpiring(call: OperationContext, schedule: SubscriptionScheduleBody): void {
  const end = schedule.phases.at(-1)?.end_date
  if (end === undefined) return
  call.emit('subscription_schedule.expiring', schedule)
  call.update(schedule, { ...schedule, _told_end: end }, null)
}

export function createRecord(call: OperationContext, subscription: SubscriptionBody): SubscriptionBody {
  const body = { ...subscription, _due: dueOf(call, subscription) }
  for (const item of body.items.data) call.create(item, null)
  const made = call.create(body, null)
  refreshEntitlements(call, made.customer)
  return made
}

export function save(
  call: OperationContext,
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
  // Emit no event if the visible members have not changed.
  const seen = event === null || !isDeepStrictEqual(call.render(before), call.render(body))
  const written = call.update(before, body, seen ? event : null)
  if (entitlementBasis(before) !== entitlementBasis(written)) refreshEntitlements(call, written.customer)
  return written
}

/** Returns the data that entitlements depend on, as text: status, prices, and starts of periods. */
function entitlementBasis({ status, items }: SubscriptionBody): string {
  return JSON.stringify([status, items.data.map((item) => [item.price, item.current_period_start])])
}

export function customerOf(call: OperationContext, id: string): CustomerBody {
  const found = call.find('customer', id) ?? call.findDeleted('customer', id)
  if (found === undefined) throw new Error(`The customer ${id} does not exist`)
  return found
}

export function priceOf(call: OperationContext, item: { readonly price: string }): PriceBody {
  const found = call.find('price', item.price)
  if (found === undefined) throw new Error(`The price ${item.price} does not exist`)
  return found
}

export function intervalOf(price: PriceBody): BillingInterval {
  if (price.recurring === null) throw new Error(`The price ${price.id} is not recurring`)
  return price.recurring
}

export function isMetered(price: PriceBody): boolean {
  return price.recurring?.usage_type === 'metered'
}

export function lastPeriodEnd(items: readonly SubscriptionItemBody[]): number {
  return Math.max(...items.map((item) => item.current_period_end))
}

/** Returns the current time (seconds) of a test clock or, if `clock` is null, of the account. */
export function timeOf(call: OperationContext, clock: string | null): number {
  return clock === null ? call.now : (call.find('test_helpers.test_clock', clock)?.frozen_time ?? call.now)
}
