import { cancelNow } from '../billing/cancel.ts'
import { periodAt, sameStep, stepped } from '../billing/calendar.ts'
import { amountFor } from '../billing/charges.ts'
import { discountsOfPhase, discountsParam, readDiscounts } from '../billing/discounts.ts'
import { checkItems, usablePrice } from '../billing/items.ts'
import { itemsOf, release, termsOfPhase } from '../billing/phases.ts'
import { startSchedule } from '../billing/schedule-start.ts'
import { refuseSecondCurrency } from '../billing/subscribe.ts'
import { invoiceTextAfter, invoiceTextFields, noInvoiceText } from '../billing/invoice-text.ts'
import { automaticTax, taxRatesParam, termFields, usableTaxRates } from '../billing/terms.ts'
import { customerOf, isMetered, lastPeriodEnd, momentOf, priceOf, save, stepOf } from '../billing/records.ts'
import { withItems } from '../billing/change.ts'
import type { Call } from '../protocol/call.ts'
import type { SubscriptionBody } from '../objects/customer-bodies.ts'
import { UnknownParameters, missingParam, notSupported, refused } from '../protocol/errors.ts'
import { applyMetadata, metadata } from '../protocol/metadata.ts'
import { retrieve } from '../protocol/operation.ts'
import type { Operation } from '../protocol/operation.ts'
import { createdIn, pageFields, where } from '../protocol/list-pages.ts'
import {
  boolean,
  emptyable,
  integer,
  list,
  oneOf,
  range,
  required,
  shape,
  text,
  timestamp,
} from '../protocol/params.ts'
import type { Param, Read } from '../protocol/params.ts'
import type {
  InvoiceSettingsBody,
  PhaseDiscountBody,
  PhaseBody,
  PhaseItemBody,
  SubscriptionScheduleBody,
} from '../objects/schedule-bodies.ts'
import { interval } from './new-price.ts'
import { asPhaseDiscount, asPhaseItem, blankPhase, newSchedule, plainSubscription } from './new-schedule.ts'
import { change, paymentMethodFor, prorationBehavior, refusePaused } from './subscriptions.ts'

const endBehavior = oneOf('cancel', 'release')
const phaseDiscounts = discountsParam
const phaseItem = shape({
  discounts: phaseDiscounts,
  tax_rates: taxRatesParam,
  metadata: metadata(),
  price: required(text()),
  quantity: integer({ min: 0 }),
})

/** What a schedule says by default, and a phase for itself. */
const settingFields = {
  automatic_tax: termFields.automatic_tax,
  collection_method: termFields.collection_method,
  default_payment_method: text(),
  description: emptyable(text({ max: 500 })),
  invoice_settings: shape({ ...invoiceTextFields, days_until_due: integer({ min: 0, max: 730 }) }),
}

const phaseFields = {
  currency: text(),
  discounts: phaseDiscounts,
  duration: shape({ interval: required(interval), interval_count: integer({ min: 1 }) }),
  // The older way to say a duration, in periods of the first item's price.
  iterations: integer({ min: 1 }),
  end_date: timestamp(),
  items: required(list(phaseItem, { max: 20 })),
  metadata: metadata(),
  proration_behavior: prorationBehavior,
  start_date: nowOrTimestamp(),
  trial_end: timestamp(),
  ...settingFields,
  default_tax_rates: taxRatesParam,
}
type PhaseParams = Read<typeof phaseFields>
const phases = list(shape(phaseFields), { max: 10 })

function nowOrTimestamp(): Param<number | 'now', false> {
  const moment = timestamp()
  return { required: false, read: (value, name) => (value === 'now' ? 'now' : moment.read(value, name)) }
}

const createFields = {
  customer: text(),
  default_settings: shape(settingFields),
  end_behavior: endBehavior,
  from_subscription: text(),
  metadata: metadata(),
  phases,
  start_date: nowOrTimestamp(),
}
type CreateParams = Read<typeof createFields>

const updateFields = {
  default_settings: shape(settingFields),
  end_behavior: endBehavior,
  metadata: metadata(),
  phases,
  proration_behavior: prorationBehavior,
}

/** The subscription as it is, until the end of its period: the first phase. */
function create(outer: Call): SubscriptionScheduleBody {
  const params = outer.read(createFields)
  const own = ['customer', 'default_settings', 'end_behavior', 'phases', 'start_date'] as const
  const named = own.find((name) => params[name] !== undefined)
  if (params.from_subscription === undefined) {
    if (params.customer === undefined) throw missingParam('customer')
    return createForCustomer(outer, params, params.customer)
  }
  if (named !== undefined) throw refused(`You cannot set \`${named}\` if \`from_subscription\` is set.`, named)
  const before = outer.reference('subscription', params.from_subscription, 'from_subscription')
  const call = outer.at(momentOf(outer, before.test_clock))
  if (before.ended_at !== null)
    throw refused('You cannot migrate a subscription that is already canceled.', 'from_subscription')
  if (before.schedule !== null) {
    const message = 'You cannot migrate a subscription that is already attached to a schedule'
    throw refused(`${message}: ${before.schedule}.`, 'from_subscription')
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

/** As much of a subscription as its phases are about: it may not be there yet. */
type Planned = Pick<SubscriptionBody, 'currency' | 'customer' | 'discounts'> & {
  readonly items: { readonly data: SubscriptionBody['items']['data'] }
}

/** Without a subscription: it begins with the first phase, now or when its day comes. */
function createForCustomer(outer: Call, params: CreateParams, id: string): SubscriptionScheduleBody {
  const customer = outer.reference('customer', id, 'customer')
  const call = outer.at(momentOf(outer, customer.test_clock))
  const [first] = params.phases ?? []
  if (first === undefined) throw missingParam('phases')
  const wanted = params.start_date ?? 'now'
  const start = wanted === 'now' ? call.now : wanted
  if (start < call.now) throw refused('The sandbox does not support a start in the past.', 'start_date')
  const price = usablePrice(call, first.items[0]?.price, 'phases[0][items][0]', undefined)
  refuseSecondCurrency(call, id, first.currency ?? price.currency)
  const planned = { currency: first.currency ?? price.currency, customer: id, discounts: [], items: { data: [] } }
  const given = (params.phases ?? []).map((phase, index) => (index === 0 ? { ...phase, start_date: start } : phase))
  const phases = toPhases(call, { phases: [{ start_date: start }] }, planned, given)
  refuseBrokenEnd(call, planned, params.end_behavior ?? 'release', phases)
  const blank = newSchedule(call, plainSubscription(planned, customer.test_clock), phases, {
    end_behavior: params.end_behavior ?? 'release',
    metadata: applyMetadata({}, params.metadata),
  })
  const settled = { ...blank, default_settings: settingsAfter(call, blank, params.default_settings) }
  const made = call.create(
    { ...settled, status: 'not_started' as const, _due: start, _clock: customer.test_clock },
    'subscription_schedule.created',
  )
  return start > call.now ? made : startSchedule(call, made)
}

/** Phases follow each other without a gap; a phase that has begun keeps its beginning. */
function toPhases(
  call: Call,
  schedule: { readonly phases: readonly Pick<PhaseBody, 'start_date'>[] },
  subscription: Planned,
  given: readonly PhaseParams[],
): PhaseBody[] {
  const [first] = schedule.phases
  let from = given[0]?.start_date ?? first?.start_date ?? call.now
  return given.map((params, index) => {
    const name = `phases[${index}]`
    const wanted = params.start_date === 'now' ? call.now : params.start_date
    const start = index === 0 ? (wanted ?? Number(from)) : Number(from)
    if (index === 0 && !schedule.phases.some((phase) => phase.start_date === start)) {
      throw refused('You can not modify the start date of the current phase.', `${name}[start_date]`)
    }
    if (index > 0 && wanted !== undefined && wanted !== start) {
      throw refused('The start date of a phase must be the end date of the one before.', `${name}[start_date]`)
    }
    const items = params.items.map((item, at) => toPhaseItem(call, subscription, item, `${name}[items][${at}]`))
    const end = endOf(call, params, start, items, name)
    checkItems(call, items, 'flexible')
    from = end
    return blankPhase(subscription, {
      start_date: start,
      end_date: end,
      items,
      metadata: applyMetadata({}, params.metadata),
      discounts: phaseDiscountsOf(call, subscription, { held: subscription.discounts, items }, params.discounts, name),
      proration_behavior: params.proration_behavior ?? 'create_prorations',
      trial_end: trialEndOf(call, params, { start, end }, name),
      ...settingsOfPhase(call, subscription, params, name),
    })
  })
}

/** An end in the middle of a period is prorated. That is not here, so nobody is billed wrong. */
function refuseBrokenEnd(
  call: Call,
  subscription: Pick<Planned, 'items' | 'currency'>,
  endBehavior: SubscriptionScheduleBody['end_behavior'],
  phases: readonly PhaseBody[],
): void {
  const last = phases.at(-1)
  if (endBehavior !== 'cancel' || last === undefined) return
  for (const item of last.items) {
    const price = priceOf(call, item)
    if (isMetered(price) || amountFor(price, subscription.currency, String(item.quantity ?? 1)) === 0) continue
    const anchor = anchorOfEnd(call, subscription, phases, stepOf(price))
    if (periodAt(anchor, stepOf(price), last.end_date).start === last.end_date) continue
    const what = 'a last phase that ends in the middle of a period with `end_behavior: cancel`'
    throw notSupported(what, `phases[${phases.length - 1}][end_date]`)
  }
}

/** Where the periods of the last phases count from: as long as the interval stays, they go on. */
function anchorOfEnd(
  call: Call,
  { items }: Pick<Planned, 'items'>,
  phases: readonly PhaseBody[],
  step: ReturnType<typeof stepOf>,
): number {
  const hasStep = (one: { readonly price: string }): boolean => sameStep(stepOf(priceOf(call, one)), step)
  const other = phases.findLastIndex((phase) => !phase.items.some(hasStep))
  const run = phases.slice(other + 1)
  const trial = run.find((phase) => phase.trial_end !== null)?.trial_end
  const start = run[0]?.start_date ?? call.now
  if (typeof trial === 'number') return trial
  if (items.data.length === 0 || start > call.now) return start
  return items.data.find(hasStep)?._anchor ?? call.now
}

/** A phase names discounts that are there already, or coupons and codes that are redeemed when it begins. */
function phaseDiscountsOf(
  call: Call,
  { currency, customer }: Planned,
  of: {
    readonly held: readonly string[]
    readonly items: readonly { readonly price: string; readonly quantity?: number }[]
  },
  given: PhaseParams['discounts'],
  name: string,
): PhaseDiscountBody[] {
  const amounts = of.items.map((item) => {
    const price = priceOf(call, item)
    return isMetered(price) ? 0 : amountFor(price, currency, String(item.quantity ?? 1))
  })
  const subtotal = amounts.reduce((sum, amount) => sum + amount, 0)
  const purchase = { customer: customerOf(call, customer), currency, subtotal }
  readDiscounts(call, given ?? [], purchase, of.held, `${name}[discounts]`)
  return (given ?? []).map(({ coupon = null, discount = null, promotion_code: code = null }) => ({
    coupon,
    discount,
    promotion_code: code,
  }))
}

/** What the phase says for itself; null or absent is what the schedule says by default. */
function settingsOfPhase(call: Call, subscription: Planned, params: PhaseParams, name: string): Partial<PhaseBody> {
  const { customer } = subscription
  const card = paymentMethodFor(call, params.default_payment_method, customer, `${name}[default_payment_method]`)
  const { invoice_settings: settings } = params
  return {
    ...(params.automatic_tax === undefined
      ? {}
      : { automatic_tax: automaticTax(call, customer, params.automatic_tax.enabled) }),
    collection_method: params.collection_method ?? null,
    default_payment_method: card ?? null,
    default_tax_rates: usableTaxRates(call, params.default_tax_rates ?? [], `${name}[default_tax_rates]`),
    description: params.description ?? null,
    invoice_settings:
      settings === undefined ? null : invoiceSettings({ ...noInvoiceText, days_until_due: null }, settings),
  }
}

function settingsAfter(
  call: Call,
  schedule: SubscriptionScheduleBody,
  given: Read<typeof settingFields> | undefined,
): SubscriptionScheduleBody['default_settings'] {
  const before = schedule.default_settings
  if (given === undefined) return before
  const { invoice_settings: settings } = given
  const param = 'default_settings[default_payment_method]'
  return {
    ...before,
    automatic_tax:
      given.automatic_tax === undefined
        ? before.automatic_tax
        : automaticTax(call, schedule.customer, given.automatic_tax.enabled),
    collection_method: given.collection_method ?? before.collection_method,
    default_payment_method:
      paymentMethodFor(call, given.default_payment_method, schedule.customer, param) ?? before.default_payment_method,
    description: given.description === undefined ? before.description : given.description,
    invoice_settings:
      settings === undefined ? before.invoice_settings : invoiceSettings(before.invoice_settings, settings),
  }
}

function invoiceSettings(
  before: InvoiceSettingsBody,
  given: NonNullable<PhaseParams['invoice_settings']>,
): InvoiceSettingsBody {
  return { ...invoiceTextAfter(before, given), days_until_due: given.days_until_due ?? before.days_until_due }
}

function trialEndOf(
  call: Call,
  { trial_end: end }: PhaseParams,
  phase: { readonly start: number; readonly end: number },
  name: string,
): number | null {
  if (end === undefined) return null
  if (phase.start > call.now)
    throw refused('The sandbox does not support a trial in a later phase.', `${name}[trial_end]`)
  if (end > phase.start && end <= phase.end) return end
  throw refused(
    'The trial end of a phase must be after its start date and not after its end date.',
    `${name}[trial_end]`,
  )
}

function toPhaseItem(
  call: Call,
  subscription: Planned,
  item: PhaseParams['items'][number],
  name: string,
): PhaseItemBody {
  const held = subscription.items.data.some((one) => one.price === item.price)
  const price = held ? priceOf(call, item) : usablePrice(call, item.price, name, subscription.currency)
  if (isMetered(price) && item.quantity !== undefined) {
    throw refused('Quantity should not be specified where usage_type is `metered`.', `${name}[quantity]`)
  }
  const quantity = isMetered(price) ? undefined : (item.quantity ?? 1)
  return asPhaseItem(price.id, quantity, applyMetadata({}, item.metadata), {
    discounts: phaseDiscountsOf(
      call,
      subscription,
      {
        held: subscription.items.data.flatMap((one) => one.discounts),
        items: [{ price: price.id, ...(quantity === undefined ? {} : { quantity }) }],
      },
      item.discounts,
      name,
    ),
    tax_rates: usableTaxRates(call, item.tax_rates ?? [], `${name}[tax_rates]`),
  })
}

/** Without an end a phase lasts one period of its first item. */
function endOf(call: Call, params: PhaseParams, start: number, items: readonly PhaseItemBody[], name: string): number {
  const [first] = items
  if (first === undefined) throw missingParam(`${name}[items]`)
  if (params.end_date !== undefined && params.duration !== undefined) {
    throw refused('You may only specify one of these parameters: end_date, duration.', `${name}[end_date]`)
  }
  const step = params.duration ?? stepOf(priceOf(call, first))
  const length = { interval: step.interval, interval_count: step.interval_count ?? 1 }
  // Said so until durations took its place.
  if (params.iterations !== undefined && !call.isBefore('2025-09-30.clover'))
    throw new UnknownParameters([`${name}[iterations]`])
  const end = params.end_date ?? stepped(start, length, params.iterations ?? 1)
  if (end <= start) throw refused('The end date of a phase must be after its start date.', `${name}[end_date]`)
  return end
}

function refuseInactive(schedule: SubscriptionScheduleBody, what: string): void {
  if (schedule.status === 'active') return
  throw refused(`You cannot ${what} a subscription schedule that is currently in the \`${schedule.status}\` status.`)
}

function drivenBy(call: Call, schedule: SubscriptionScheduleBody): SubscriptionBody {
  const found = call.find('subscription', schedule.subscription ?? '')
  if (found === undefined) throw new Error(`${schedule.id} drives nothing`)
  return found
}

/** What the current phase says holds at once, with its prorations; later phases wait for theirs. */
function update(outer: Call): SubscriptionScheduleBody {
  const schedule = outer.subject('subscription_schedule')
  const params = outer.read(updateFields)
  const call = outer.at(momentOf(outer, schedule.test_clock))
  const own = {
    metadata: applyMetadata(schedule.metadata, params.metadata),
    end_behavior: params.end_behavior ?? schedule.end_behavior,
    default_settings: settingsAfter(call, schedule, params.default_settings),
  }
  if (params.phases === undefined) {
    const held = call.find('subscription', schedule.subscription ?? '')
    const driven = held ?? { currency: schedule.phases[0]?.currency ?? '', items: { data: [] } }
    if (params.end_behavior !== undefined) refuseBrokenEnd(call, driven, own.end_behavior, schedule.phases)
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
    refuseBrokenEnd(call, planned, own.end_behavior, later)
    return call.update(schedule, { ...schedule, ...own, phases: later }, 'subscription_schedule.updated')
  }
  refuseInactive(schedule, 'update')
  const before = drivenBy(call, schedule)
  refusePaused(before)
  const wanted = toPhases(call, schedule, before, params.phases)
  refuseBrokenEnd(call, before, own.end_behavior, wanted)
  const current = wanted.find((phase) => phase.start_date <= call.now && phase.end_date > call.now)
  if (current === undefined) throw refused('The current phase cannot be removed.', 'phases')
  // What a phase redeems waits for it: here the items are only looked at.
  call.rehearse((rehearsal) => {
    for (const phase of wanted) checkItems(rehearsal, itemsOf(rehearsal, before, phase, []), before.billing_mode.type)
  })
  const { start_date: start, end_date: end } = current
  const after = { ...schedule, ...own, current_phase: { end_date: end, start_date: start }, phases: wanted }
  const written = call.update(schedule, after, 'subscription_schedule.updated')
  const behavior = params.proration_behavior ?? 'create_prorations'
  const of = { customer: before.customer, subscription: before.id, session: null }
  const discounts = discountsOfPhase(call, current.discounts, before.discounts, of)
  const billedSo = { ...before, ...termsOfPhase(before, after, current) }
  const changed = withItems(call, billedSo, itemsOf(call, before, current, []), { behavior, discounts })
  setTrial(call, save(call, before, changed), current)
  return written
}

/** The trial is what the phase says: without a word of it, a running one is over. */
function setTrial(call: Call, subscription: SubscriptionBody, { trial_end: wanted }: PhaseBody): void {
  const running = subscription.status === 'trialing' ? subscription.trial_end : null
  const future = wanted !== null && wanted > call.now ? wanted : null
  if (future !== running) change(call, subscription, { trial_end: future ?? 'now' })
}

function letGo(outer: Call): SubscriptionScheduleBody {
  const schedule = outer.subject('subscription_schedule')
  outer.read({ preserve_cancel_date: boolean() })
  const call = outer.at(momentOf(outer, schedule.test_clock))
  if (schedule.status === 'not_started') return release(call, schedule)
  refuseInactive(schedule, 'release')
  const before = drivenBy(call, schedule)
  const released = release(call, schedule)
  save(call, before, { ...before, schedule: null })
  return released
}

/** The subscription is cancelled at once as well. */
function cancel(outer: Call): SubscriptionScheduleBody {
  const schedule = outer.subject('subscription_schedule')
  const params = outer.read({ invoice_now: boolean(), prorate: boolean() })
  const asked = (['invoice_now', 'prorate'] as const).find((name) => params[name] === true)
  if (asked !== undefined) throw refused(`The sandbox does not support the parameter \`${asked}\`.`, asked)
  const call = outer.at(momentOf(outer, schedule.test_clock))
  if (schedule.status === 'not_started') {
    const after = { ...schedule, canceled_at: call.now, status: 'canceled' as const, _due: null }
    return call.update(schedule, after, 'subscription_schedule.canceled')
  }
  refuseInactive(schedule, 'cancel')
  cancelNow(call, drivenBy(call, schedule))
  return call.subject('subscription_schedule')
}

const base = '/v1/subscription_schedules'
const of = 'subscription_schedule'

export const subscriptionSchedules: readonly Operation[] = [
  { method: 'POST', path: base, of, run: (call) => ({ object: create(call) }) },
  {
    method: 'GET',
    path: base,
    of,
    list: true,
    run: (call) => {
      const params = call.read({ ...pageFields, created: range(), customer: text() })
      return { page: call.page(of, params, [...where('customer', params.customer), ...createdIn(params.created)]) }
    },
  },
  retrieve(`${base}/:id`, of),
  { method: 'POST', path: `${base}/:id`, of, run: (call) => ({ object: update(call) }) },
  { method: 'POST', path: `${base}/:id/release`, of, run: (call) => ({ object: letGo(call) }) },
  { method: 'POST', path: `${base}/:id/cancel`, of, run: (call) => ({ object: cancel(call) }) },
]
