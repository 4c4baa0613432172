// Moves a subscription from one phase of its schedule to the next. Changes in mid-period follow the phase's `proration_behavior`.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { SubscriptionBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import type { PhaseBody, PhaseItemBody, SubscriptionScheduleBody } from '../../objects/schedule-bodies.ts'
import { isSameInterval } from '../pricing/billing-intervals.ts'
import { withPhaseItems } from '../subscriptions/proration.ts'
import { discountsOfPhase } from '../pricing/discounts.ts'
import { holderOf, newItem } from '../subscriptions/subscription-items.ts'
import { priceOf, intervalOf } from '../subscriptions/subscription-records.ts'
import type { Terms } from '../subscriptions/terms.ts'

/**
 * Computes the next phase of a subscription's schedule and returns the subscription with that phase's terms and items, for the caller to
 * store. After the last phase the subscription is released or canceled (`end_behavior`). `ended` contains the items whose period is over.
 */
export function enterNextPhase(
  call: OperationContext,
  subscription: SubscriptionBody,
  ended: readonly SubscriptionItemBody[],
): SubscriptionBody {
  const schedule = call.find('subscription_schedule', subscription.schedule ?? '')
  if (schedule === undefined) return { ...subscription, schedule: null }
  const next = schedule.phases.find((phase) => phase.start_date <= call.now && phase.end_date > call.now)
  if (next === undefined) return finish(call, subscription, schedule)
  const current = { end_date: next.end_date, start_date: next.start_date }
  call.update(schedule, { ...schedule, current_phase: current }, 'subscription_schedule.updated')
  const of = { customer: subscription.customer, subscription: subscription.id, session: null }
  const discounts = discountsOfPhase(call, next.discounts, subscription.discounts, of)
  const terms = termsOfPhase(subscription, schedule, next)
  const items = { ...subscription.items, data: phaseItems(call, subscription, next, ended) }
  return withPhaseItems(call, { ...subscription, ...terms }, items.data, {
    after: { ...subscription, ...terms, discounts, items },
    behavior: next.proration_behavior,
    ended,
  })
}

/** Returns the billing terms in a phase: those of the phase, otherwise the schedule's `default_settings`. */
export function termsOfPhase(
  subscription: SubscriptionBody,
  { default_settings: usual }: Pick<SubscriptionScheduleBody, 'default_settings'>,
  phase: PhaseBody,
): Terms & Pick<SubscriptionBody, 'default_payment_method' | 'description' | 'invoice_settings'> {
  const method = phase.collection_method ?? usual.collection_method
  const days = phase.invoice_settings?.days_until_due ?? usual.invoice_settings.days_until_due
  const { days_until_due: _days, ...words } = phase.invoice_settings ?? usual.invoice_settings
  return {
    automatic_tax: phase.automatic_tax ?? usual.automatic_tax,
    collection_method: method,
    days_until_due: method === 'send_invoice' ? (days ?? subscription.days_until_due) : null,
    default_payment_method: phase.default_payment_method ?? usual.default_payment_method,
    default_tax_rates: phase.default_tax_rates,
    description: phase.description ?? usual.description,
    invoice_settings: words,
  }
}

function finish(
  call: OperationContext,
  subscription: SubscriptionBody,
  schedule: SubscriptionScheduleBody,
): SubscriptionBody {
  const over = { ...schedule, completed_at: call.now, current_phase: null }
  if (schedule.end_behavior === 'cancel') {
    call.update(schedule, { ...over, status: 'completed' }, 'subscription_schedule.completed')
    return { ...subscription, schedule: null, status: 'canceled' }
  }
  call.emit('subscription_schedule.completed', schedule)
  releaseSchedule(call, schedule)
  return { ...subscription, schedule: null }
}

/** Stores the schedule as released and returns it. The caller must set `schedule` of the subscription to null. */
export function releaseSchedule(call: OperationContext, schedule: SubscriptionScheduleBody): SubscriptionScheduleBody {
  const after: SubscriptionScheduleBody = {
    ...schedule,
    current_phase: null,
    released_at: call.now,
    released_subscription: schedule.subscription,
    status: 'released',
    subscription: null,
    _due: null,
  }
  return call.update(schedule, after, 'subscription_schedule.released')
}

/**
 * Returns the subscription's items in a phase. Items keep a price that the phase contains. The other items take over the remaining prices
 * of the phase, in order. Prices that are left after that become new items.
 */
export function phaseItems(
  call: OperationContext,
  subscription: SubscriptionBody,
  phase: PhaseBody,
  ended: readonly SubscriptionItemBody[],
): SubscriptionItemBody[] {
  const free = subscription.items.data.filter((item) => !phase.items.some((planned) => planned.price === item.price))
  return phase.items.map((planned) => {
    const same = subscription.items.data.find((item) => item.price === planned.price)
    const former = same ?? free.shift()
    if (former === undefined) return newPhaseItem(call, subscription, planned)
    return carriedItem(call, subscription, former, planned, ended)
  })
}

function newPhaseItem(
  call: OperationContext,
  subscription: SubscriptionBody,
  planned: PhaseItemBody,
): SubscriptionItemBody {
  const { metadata, quantity } = planned
  const own = { metadata, ...(quantity === undefined ? {} : { quantity }) }
  const item = newItem(call, holderOf(subscription), priceOf(call, planned), own)
  return { ...item, discounts: discountsOf(call, subscription, item, planned), tax_rates: planned.tax_rates }
}

function discountsOf(
  call: OperationContext,
  { customer, id }: SubscriptionBody,
  item: SubscriptionItemBody,
  planned: PhaseItemBody,
): string[] {
  return discountsOfPhase(call, planned.discounts, item.discounts, {
    customer,
    subscription: id,
    item: item.id,
    session: null,
  })
}

function carriedItem(
  call: OperationContext,
  subscription: SubscriptionBody,
  former: SubscriptionItemBody,
  planned: PhaseItemBody,
  ended: readonly SubscriptionItemBody[],
): SubscriptionItemBody {
  const { quantity: _former, ...rest } = former
  const item = { ...rest, plan: planned.price, price: planned.price }
  const changed: SubscriptionItemBody = {
    ...item,
    discounts: discountsOf(call, subscription, former, planned),
    tax_rates: planned.tax_rates,
    ...(planned.quantity === undefined ? {} : { quantity: planned.quantity }),
  }
  if (former.price === planned.price) return changed
  // A changed interval restarts the item's period now, but only if the old period is over.
  const anew = !isSameInterval(intervalOf(priceOf(call, former)), intervalOf(priceOf(call, planned)))
  const over = ended.some((one) => one.id === former.id)
  return { ...changed, _usage_from: call.now, ...(anew && over ? { _anchor: call.now } : {}) }
}
