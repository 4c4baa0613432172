import { cancelOnRequest } from '../../billing/subscriptions/cancel.ts'
import { discountsOfPhase } from '../../billing/pricing/discounts.ts'
import { billingModeOf, billingModeParam } from '../../billing/subscriptions/billing-mode.ts'
import { checkItems, usablePrice } from '../../billing/subscriptions/subscription-items.ts'
import {
  phaseItems,
  plannedEndIn,
  releaseSchedule,
  termsOfPhase,
  withoutSchedule,
} from '../../billing/schedules/phases.ts'
import { startSchedule } from '../../billing/schedules/schedule-start.ts'
import { refuseSecondCurrency } from '../../billing/subscriptions/subscribe.ts'
import { lastPeriodEnd, timeOf, save } from '../../billing/subscriptions/subscription-records.ts'
import { withPlannedEnd } from '../../billing/subscriptions/planned-end.ts'
import { withItems } from '../../billing/subscriptions/proration.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { ProrationBehavior, SubscriptionBody } from '../../objects/customer-bodies.ts'
import { missingParam, badRequest } from '../../protocol/responses/errors.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { boolean, nowOrTimestamp, oneOf, range, shape, text, type Read } from '../../protocol/parameters/params.ts'
import type { PhaseBody, SubscriptionScheduleBody } from '../../objects/schedule-bodies.ts'
import { asPhaseDiscount, asPhaseItem, blankPhase, newSchedule, futureSubscription } from './new-schedule.ts'
import { applyUpdate, prorationBehavior, refusePaused } from '../subscriptions/subscriptions.ts'
import { phasesParam, settingFields, settingsAfter, toPhases } from './schedule-phases.ts'

const endBehavior = oneOf('cancel', 'release')

const createFields = {
  billing_mode: billingModeParam,
  customer: text(),
  default_settings: shape(settingFields),
  end_behavior: endBehavior,
  from_subscription: text(),
  metadata: metadata(),
  phases: phasesParam,
  start_date: nowOrTimestamp(),
}
type ScheduleParams = Read<typeof createFields>

/** Members of an update that a preview takes, too (`schedule_details`). */
export const previewedFields = {
  end_behavior: endBehavior,
  phases: phasesParam,
  proration_behavior: prorationBehavior,
}

const updateFields = {
  ...previewedFields,
  default_settings: shape(settingFields),
  metadata: metadata(),
}

/** Creates a schedule from a subscription. Its first phase is the subscription's current state, until the end of the period. */
function create(outer: OperationContext): SubscriptionScheduleBody {
  const params = outer.read(createFields)
  const own = ['billing_mode', 'customer', 'default_settings', 'end_behavior', 'phases', 'start_date'] as const
  const named = own.find((name) => params[name] !== undefined)
  if (params.from_subscription === undefined) {
    if (params.customer === undefined) throw missingParam('customer')
    return createForCustomer(outer, params, params.customer)
  }
  if (named !== undefined) throw badRequest(`You cannot set \`${named}\` if \`from_subscription\` is set.`, named)
  const before = outer.reference('subscription', params.from_subscription, 'from_subscription')
  const call = outer.at(timeOf(outer, before.test_clock))
  if (before.ended_at !== null)
    throw badRequest('You cannot migrate a subscription that is already canceled.', 'from_subscription')
  if (before.schedule !== null) {
    const message = 'You cannot migrate a subscription that is already attached to a schedule'
    throw badRequest(`${message}: ${before.schedule}.`, 'from_subscription')
  }
  refusePaused(before)
  const items = before.items.data
  const start = Math.min(...items.map((item) => item.current_period_start))
  const phase = blankPhase(before, {
    start_date: start,
    end_date: lastPeriodEnd(items),
    items: items.map((item) =>
      asPhaseItem(item.price, item.quantity, item.metadata, {
        discounts: item.discounts.map(asPhaseDiscount),
        tax_rates: item.tax_rates,
      }),
    ),
    automatic_tax: before.automatic_tax,
    default_tax_rates: before.default_tax_rates,
    metadata: {},
    discounts: before.discounts.map(asPhaseDiscount),
    proration_behavior: 'create_prorations',
    trial_end: before.status === 'trialing' ? before.trial_end : null,
  })
  const schedule = call.create(
    newSchedule(call, before, [phase], { end_behavior: 'release', metadata: applyMetadata({}, params.metadata) }),
    'subscription_schedule.created',
  )
  save(call, before, { ...before, schedule: schedule.id })
  return schedule
}

/** Creates a schedule without a subscription. The first phase creates the subscription, now or at `start_date`. */
function createForCustomer(outer: OperationContext, params: ScheduleParams, id: string): SubscriptionScheduleBody {
  const customer = outer.reference('customer', id, 'customer')
  const call = outer.at(timeOf(outer, customer.test_clock))
  const [first] = params.phases ?? []
  if (first === undefined) throw missingParam('phases')
  const requested = params.start_date ?? 'now'
  const start = requested === 'now' ? call.now : requested
  if (start < call.now) throw badRequest('The sandbox does not support a start in the past.', 'start_date')
  const price = usablePrice(call, first.items[0]?.price, 'phases[0][items][0]', undefined)
  refuseSecondCurrency(call, id, first.currency ?? price.currency)
  const billingMode = billingModeOf(params.billing_mode)
  const planned = {
    billing_mode: billingMode,
    currency: first.currency ?? price.currency,
    customer: id,
    discounts: [],
    items: { data: [] },
  }
  const given = (params.phases ?? []).map((phase, index) => (index === 0 ? { ...phase, start_date: start } : phase))
  const phases = toPhases(call, { phases: [{ start_date: start }] }, planned, given)
  const blank = newSchedule(call, futureSubscription({ billingMode, customer: id }, customer.test_clock), phases, {
    end_behavior: params.end_behavior ?? 'release',
    metadata: applyMetadata({}, params.metadata),
  })
  const settings = settingsAfter(call, blank, params.default_settings)
  const made = call.create(
    { ...blank, default_settings: settings, status: 'not_started' as const, _due: start, _clock: customer.test_clock },
    'subscription_schedule.created',
  )
  return start > call.now ? made : startSchedule(call, made)
}

function refuseInactive(schedule: SubscriptionScheduleBody, what: string): void {
  if (schedule.status === 'active') return
  throw badRequest(`You cannot ${what} a subscription schedule that is currently in the \`${schedule.status}\` status.`)
}

export function scheduledSubscription(call: OperationContext, schedule: SubscriptionScheduleBody): SubscriptionBody {
  const found = call.find('subscription', schedule.subscription ?? '')
  if (found === undefined) throw new Error(`${schedule.id} has no subscription`)
  return found
}

function update(outer: OperationContext): SubscriptionScheduleBody {
  const schedule = outer.subject('subscription_schedule')
  return updateSchedule(outer, schedule, outer.read(updateFields))
}

/** Updates a schedule. Changes of the current phase apply at once, with prorations. Changes of later phases apply when these begin. */
export function updateSchedule(
  outer: OperationContext,
  schedule: SubscriptionScheduleBody,
  params: Partial<Read<typeof updateFields>>,
): SubscriptionScheduleBody {
  const call = outer.at(timeOf(outer, schedule.test_clock))
  const own = {
    metadata: applyMetadata(schedule.metadata, params.metadata),
    end_behavior: params.end_behavior ?? schedule.end_behavior,
    default_settings: settingsAfter(call, schedule, params.default_settings),
  }
  if (params.phases === undefined) {
    const written = call.update(schedule, { ...schedule, ...own }, 'subscription_schedule.updated')
    if (schedule.status === 'active') moveEnd(call, schedule, written, params.proration_behavior)
    return written
  }
  if (params.phases[0]?.start_date === undefined) throw missingParam('phases[0][start_date]')
  if (schedule.status === 'not_started') {
    const { billing_mode: mode, customer, phases } = schedule
    const currency = phases[0]?.currency ?? ''
    const planned = { billing_mode: mode, currency, customer, discounts: [], items: { data: [] } }
    const later = toPhases(call, schedule, planned, params.phases)
    return call.update(schedule, { ...schedule, ...own, phases: later }, 'subscription_schedule.updated')
  }
  refuseInactive(schedule, 'update')
  const before = scheduledSubscription(call, schedule)
  refusePaused(before)
  const requested = toPhases(call, schedule, before, params.phases)
  const current = requested.find((phase) => phase.start_date <= call.now && phase.end_date > call.now)
  if (current === undefined) throw badRequest('The current phase cannot be removed.', 'phases')
  // Checks the items of each phase, with its coupons, in a transaction that is rolled back. Coupons of a later phase must not be redeemed
  // before the phase begins.
  call.rehearse((rehearsal) => {
    for (const phase of requested)
      checkItems(rehearsal, phaseItems(rehearsal, before, phase, []), before.billing_mode.type)
  })
  const { start_date: start, end_date: end } = current
  const after = { ...schedule, ...own, current_phase: { end_date: end, start_date: start }, phases: requested }
  const written = call.update(schedule, after, 'subscription_schedule.updated')
  const behavior = params.proration_behavior ?? 'create_prorations'
  const of = { customer: before.customer, subscription: before.id, session: null }
  const discounts = discountsOfPhase(call, current.discounts, before.discounts, of)
  const withTerms = { ...before, ...termsOfPhase(before, after, current) }
  const changed = withItems(call, withTerms, phaseItems(call, before, current, []), { behavior, discounts })
  const planned = { ...changed, ...plannedEndIn(call, before, { schedule: after, phase: current, former: schedule }) }
  setTrial(call, save(call, before, withPlannedEnd(call, before, planned, behavior)), current)
  return written
}

/** Moves the planned end of the subscription after a change of the schedule's `end_behavior`. */
function moveEnd(
  call: OperationContext,
  former: SubscriptionScheduleBody,
  schedule: SubscriptionScheduleBody,
  behavior: ProrationBehavior = 'create_prorations',
): void {
  const before = scheduledSubscription(call, schedule)
  const phase = schedule.phases.find(({ end_date: end }) => end === schedule.current_phase?.end_date)
  if (phase === undefined) return
  const end = plannedEndIn(call, before, { schedule, phase, former })
  if (end.cancel_at !== before.cancel_at)
    save(call, before, withPlannedEnd(call, before, { ...before, ...end }, behavior))
}

/** Sets the trial of the phase. If the phase has no trial, a running trial ends now. */
function setTrial(call: OperationContext, subscription: SubscriptionBody, { trial_end: requested }: PhaseBody): void {
  const running = subscription.status === 'trialing' ? subscription.trial_end : null
  const future = requested !== null && requested > call.now ? requested : null
  if (future !== running) applyUpdate(call, subscription, { trial_end: future ?? 'now' })
}

function releaseNow(outer: OperationContext): SubscriptionScheduleBody {
  const schedule = outer.subject('subscription_schedule')
  const { preserve_cancel_date: keepsEnd } = outer.read({ preserve_cancel_date: boolean() })
  const call = outer.at(timeOf(outer, schedule.test_clock))
  if (schedule.status === 'not_started') return releaseSchedule(call, schedule)
  refuseInactive(schedule, 'release')
  const before = scheduledSubscription(call, schedule)
  const released = releaseSchedule(call, schedule)
  save(call, before, keepsEnd === true ? { ...before, schedule: null } : withoutSchedule(call, before, schedule))
  return released
}

/**
 * Cancels a schedule and its subscription. By default the subscription is prorated and invoiced now. Source: the SDK's documentation of
 * `cancel`.
 */
function cancel(outer: OperationContext): SubscriptionScheduleBody {
  const schedule = outer.subject('subscription_schedule')
  const params = outer.read({ invoice_now: boolean(), prorate: boolean() })
  const call = outer.at(timeOf(outer, schedule.test_clock))
  if (schedule.status === 'not_started') {
    const after = { ...schedule, canceled_at: call.now, status: 'canceled' as const, _due: null }
    const written = call.update(schedule, after, 'subscription_schedule.canceled')
    // With these two parameters, Stripe's command-line tool triggers `subscription_schedule.aborted`. The documentation mentions this event
    // only for unpaid schedules.
    if (params.invoice_now === false && params.prorate === false) call.emit('subscription_schedule.aborted', written)
    return written
  }
  refuseInactive(schedule, 'cancel')
  const { invoice_now: invoiceNow = true, prorate = true } = params
  cancelOnRequest(call, scheduledSubscription(call, schedule), { invoiceNow, prorate })
  return call.subject('subscription_schedule')
}

const base = '/v1/subscription_schedules'
const of = 'subscription_schedule'

export const subscriptionSchedules: readonly Operation[] = [
  post(base, of, create),
  listing(base, of, { created: range(), customer: text() }),
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, update),
  post(`${base}/:id/release`, of, releaseNow),
  post(`${base}/:id/cancel`, of, cancel),
]
