import { cancelOnRequest } from '../../billing/subscriptions/cancel.ts'
import { discountsOfPhase } from '../../billing/pricing/discounts.ts'
import { checkItems, usablePrice } from '../../billing/subscriptions/subscription-items.ts'
import { phaseItems, releaseSchedule, termsOfPhase } from '../../billing/schedules/phases.ts'
import { startSchedule } from '../../billing/schedules/schedule-start.ts'
import { refuseSecondCurrency } from '../../billing/subscriptions/subscribe.ts'
import { lastPeriodEnd, timeOf, save } from '../../billing/subscriptions/subscription-records.ts'
import { withItems } from '../../billing/subscriptions/proration.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { SubscriptionBody } from '../../objects/customer-bodies.ts'
import { missingParam, notSupported, badRequest } from '../../protocol/responses/errors.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { boolean, nowOrTimestamp, oneOf, range, shape, text, type Read } from '../../protocol/parameters/params.ts'
import type { PhaseBody, SubscriptionScheduleBody } from '../../objects/schedule-bodies.ts'
import { asPhaseDiscount, asPhaseItem, blankPhase, newSchedule, futureSubscription } from './new-schedule.ts'
import { applyUpdate, prorationBehavior, refusePaused } from '../subscriptions/subscriptions.ts'
import {
  endsInFirstPeriod,
  phasesParam,
  refuseMidPeriodSchedule,
  settingFields,
  settingsAfter,
  toPhases,
} from './schedule-phases.ts'

const endBehavior = oneOf('cancel', 'release')

const createFields = {
  customer: text(),
  default_settings: shape(settingFields),
  end_behavior: endBehavior,
  from_subscription: text(),
  metadata: metadata(),
  phases: phasesParam,
  start_date: nowOrTimestamp(),
}
type ScheduleParams = Read<typeof createFields>

const updateFields = {
  default_settings: shape(settingFields),
  end_behavior: endBehavior,
  metadata: metadata(),
  phases: phasesParam,
  proration_behavior: prorationBehavior,
}

/** Creates a schedule from a subscription. Its first phase is the subscription's current state, until the end of the period. */
function create(outer: OperationContext): SubscriptionScheduleBody {
  const params = outer.read(createFields)
  const own = ['customer', 'default_settings', 'end_behavior', 'phases', 'start_date'] as const
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
  const planned = { currency: first.currency ?? price.currency, customer: id, discounts: [], items: { data: [] } }
  const given = (params.phases ?? []).map((phase, index) => (index === 0 ? { ...phase, start_date: start } : phase))
  const phases = toPhases(call, { phases: [{ start_date: start }] }, planned, given)
  refuseMidPeriodSchedule(call, planned, params.end_behavior ?? 'release', phases)
  const blank = newSchedule(call, futureSubscription(planned, customer.test_clock), phases, {
    end_behavior: params.end_behavior ?? 'release',
    metadata: applyMetadata({}, params.metadata),
  })
  const broken = blank.end_behavior === 'cancel' && endsInFirstPeriod(call, planned, phases)
  const settings = settingsAfter(call, blank, params.default_settings)
  const withSettings = { ...blank, default_settings: settings, ...(broken ? { _broken: true as const } : {}) }
  const made = call.create(
    { ...withSettings, status: 'not_started' as const, _due: start, _clock: customer.test_clock },
    'subscription_schedule.created',
  )
  return start > call.now ? made : startSchedule(call, made)
}

/**
 * Refuses to change the phases of, or to release, a schedule that ends in its first period. Its first invoice billed a part of a period,
 * and another end would not match that invoice.
 */
function refuseShortSchedule({ _broken: broken }: SubscriptionScheduleBody, what: string): void {
  if (broken === true) throw notSupported(`${what} a schedule that ends in the middle of its first period`)
}

function refuseInactive(schedule: SubscriptionScheduleBody, what: string): void {
  if (schedule.status === 'active') return
  throw badRequest(`You cannot ${what} a subscription schedule that is currently in the \`${schedule.status}\` status.`)
}

function scheduledSubscription(call: OperationContext, schedule: SubscriptionScheduleBody): SubscriptionBody {
  const found = call.find('subscription', schedule.subscription ?? '')
  if (found === undefined) throw new Error(`${schedule.id} has no subscription`)
  return found
}

/** Updates a schedule. Changes of the current phase apply at once, with prorations. Changes of later phases apply when these begin. */
function update(outer: OperationContext): SubscriptionScheduleBody {
  const schedule = outer.subject('subscription_schedule')
  const params = outer.read(updateFields)
  const call = outer.at(timeOf(outer, schedule.test_clock))
  if (params.phases !== undefined || params.end_behavior !== undefined) refuseShortSchedule(schedule, 'other phases of')
  const own = {
    metadata: applyMetadata(schedule.metadata, params.metadata),
    end_behavior: params.end_behavior ?? schedule.end_behavior,
    default_settings: settingsAfter(call, schedule, params.default_settings),
  }
  if (params.phases === undefined) {
    const held = call.find('subscription', schedule.subscription ?? '')
    const target = held ?? { currency: schedule.phases[0]?.currency ?? '', items: { data: [] } }
    if (params.end_behavior !== undefined) refuseMidPeriodSchedule(call, target, own.end_behavior, schedule.phases)
    return call.update(schedule, { ...schedule, ...own }, 'subscription_schedule.updated')
  }
  if (schedule.status === 'not_started') {
    const [start] = schedule.phases.map((phase) => phase.start_date)
    const { currency = '', customer } = { currency: schedule.phases[0]?.currency, customer: schedule.customer }
    const planned = { currency, customer, discounts: [], items: { data: [] } }
    const given = params.phases.map((phase, index) =>
      index === 0 ? { ...phase, start_date: phase.start_date ?? start } : phase,
    )
    const later = toPhases(call, schedule, planned, given)
    refuseMidPeriodSchedule(call, planned, own.end_behavior, later)
    return call.update(schedule, { ...schedule, ...own, phases: later }, 'subscription_schedule.updated')
  }
  refuseInactive(schedule, 'update')
  const before = scheduledSubscription(call, schedule)
  refusePaused(before)
  const requested = toPhases(call, schedule, before, params.phases)
  refuseMidPeriodSchedule(call, before, own.end_behavior, requested)
  const current = requested.find((phase) => phase.start_date <= call.now && phase.end_date > call.now)
  if (current === undefined) throw badRequest('The current phase cannot be removed.', 'phases')
  // Coupons of a later phase are redeemed when the phase begins. So its items are checked in a transaction that is rolled back.
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
  setTrial(call, save(call, before, changed), current)
  return written
}

/** Applies the phase's trial. If the phase has none, a running trial ends now. */
function setTrial(call: OperationContext, subscription: SubscriptionBody, { trial_end: requested }: PhaseBody): void {
  const running = subscription.status === 'trialing' ? subscription.trial_end : null
  const future = requested !== null && requested > call.now ? requested : null
  if (future !== running) applyUpdate(call, subscription, { trial_end: future ?? 'now' })
}

function releaseNow(outer: OperationContext): SubscriptionScheduleBody {
  const schedule = outer.subject('subscription_schedule')
  outer.read({ preserve_cancel_date: boolean() })
  const call = outer.at(timeOf(outer, schedule.test_clock))
  if (schedule.status === 'not_started') return releaseSchedule(call, schedule)
  refuseInactive(schedule, 'release')
  refuseShortSchedule(schedule, 'releasing')
  const before = scheduledSubscription(call, schedule)
  const released = releaseSchedule(call, schedule)
  save(call, before, { ...before, schedule: null })
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
    // Stripe's command-line tool triggers `subscription_schedule.aborted` by canceling with these two parameters. The documentation
    // mentions the event for unpaid schedules only.
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
