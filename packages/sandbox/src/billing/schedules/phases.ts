// Moves a subscription from one phase of its schedule to the next. Changes in mid-period follow the phase's `proration_behavior`.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { SubscriptionBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import type { PhaseBody, PhaseItemBody, SubscriptionScheduleBody } from '../../objects/schedule-bodies.ts'
import { isSameInterval } from '../pricing/billing-intervals.ts'
import { shortened, withPlannedEnd } from '../subscriptions/planned-end.ts'
import { withPhaseItems } from '../subscriptions/proration.ts'
import { discountsOfPhase } from '../pricing/discounts.ts'
import { holderOf, newItem } from '../subscriptions/subscription-items.ts'
import { withPlannedMetadata } from '../../protocol/parameters/metadata.ts'
import { priceOf, intervalOf } from '../subscriptions/subscription-records.ts'
import type { Terms } from '../subscriptions/terms.ts'

/**
 * Computes the next phase of a subscription's schedule. Returns the subscription with that phase's terms and items; the caller must store
 * it. After the last phase, the subscription is released or canceled (`end_behavior`). `ended` contains the items whose period is over.
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
  const end = plannedEndIn(call, subscription, { schedule, phase: next })
  const data = phaseItems(call, subscription, next, ended).map((item) =>
    item.current_period_start === call.now ? shortened(item, end.cancel_at) : item,
  )
  const items = { ...subscription.items, data }
  const { proration_behavior: behavior } = next
  const entered = withPhaseItems(call, { ...subscription, ...terms }, items.data, {
    after: { ...subscription, ...terms, discounts, items },
    behavior,
    ended,
  })
  return withPlannedEnd(call, entered, { ...entered, ...end }, behavior)
}

/**
 * Returns the planned end of a subscription in a phase of its schedule. In the last phase of a schedule that cancels it is the end of that
 * phase. A planned end that the schedule did not set stays. Source: the SDK's documentation of `release` (`preserve_cancel_date`).
 */
export function plannedEndIn(
  call: OperationContext,
  subscription: SubscriptionBody,
  {
    schedule,
    phase,
    former = schedule,
  }: {
    readonly schedule: SubscriptionScheduleBody
    readonly phase: PhaseBody
    readonly former?: SubscriptionScheduleBody
  },
): Pick<SubscriptionBody, 'cancel_at' | 'cancel_at_period_end' | 'canceled_at'> {
  const { cancel_at: before, cancel_at_period_end: atPeriodEnd, canceled_at: canceledAt } = subscription
  const end = endOfSchedule(schedule)
  if (end !== null && end === phase.end_date)
    return { cancel_at: end, cancel_at_period_end: false, canceled_at: end === before ? canceledAt : call.now }
  if (before === null || before !== endOfSchedule(former))
    return { cancel_at: before, cancel_at_period_end: atPeriodEnd, canceled_at: canceledAt }
  return notPlanned
}

const notPlanned = { cancel_at: null, cancel_at_period_end: false, canceled_at: null } as const

/** Returns the time (seconds) at which the schedule ends its subscription. Null: it releases it. */
function endOfSchedule({ end_behavior: behavior, phases }: SubscriptionScheduleBody): number | null {
  return behavior === 'cancel' ? (phases.at(-1)?.end_date ?? null) : null
}

/** Returns the subscription that a schedule releases, without the planned end that the schedule set. */
export function withoutSchedule(
  call: OperationContext,
  subscription: SubscriptionBody,
  schedule: SubscriptionScheduleBody,
): SubscriptionBody {
  const end = endOfSchedule(schedule)
  if (end === null || subscription.cancel_at !== end) return { ...subscription, schedule: null }
  return withPlannedEnd(call, subscription, { ...subscription, ...notPlanned, schedule: null }, 'create_prorations')
}

/**
 * Returns the billing terms in a phase: those of the phase, otherwise the schedule's `default_settings`. Metadata of the phase is merged
 * into that of the subscription. Source: the SDK's documentation of `phases.metadata`.
 */
export function termsOfPhase(
  subscription: SubscriptionBody,
  { default_settings: usual }: Pick<SubscriptionScheduleBody, 'default_settings'>,
  phase: PhaseBody,
): Terms & Pick<SubscriptionBody, 'default_payment_method' | 'description' | 'invoice_settings' | 'metadata'> {
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
    metadata: withPlannedMetadata(subscription.metadata, phase.metadata),
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
 * Returns the subscription's items in a phase. An item keeps its price if the phase contains that price. The other items take over the
 * remaining prices of the phase, in order. Prices that are still left become new items.
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
  const { quantity } = planned
  const own = { metadata: withPlannedMetadata({}, planned.metadata), ...(quantity === undefined ? {} : { quantity }) }
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
    metadata: withPlannedMetadata(former.metadata, planned.metadata),
    tax_rates: planned.tax_rates,
    ...(planned.quantity === undefined ? {} : { quantity: planned.quantity }),
  }
  if (former.price === planned.price) return changed
  // If the phase changes the interval, a new period of the item starts now, but only if the old period is over.
  const anew = !isSameInterval(intervalOf(priceOf(call, former)), intervalOf(priceOf(call, planned)))
  const over = ended.some((one) => one.id === former.id)
  return { ...changed, _usage_from: call.now, ...(anew && over ? { _anchor: call.now } : {}) }
}
