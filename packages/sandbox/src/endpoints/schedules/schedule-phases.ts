// Reads, checks and converts the phases of a schedule, and the settings that a schedule and its phases share.
import { periodAt, isSameInterval, addIntervals } from '../../billing/pricing/billing-intervals.ts'
import { amountFor } from '../../billing/pricing/price-amounts.ts'
import { discountsParam, readDiscounts } from '../../billing/pricing/discounts.ts'
import { checkItems, usablePrice } from '../../billing/subscriptions/subscription-items.ts'
import { invoiceTextAfter, invoiceTextFields, noInvoiceText } from '../../billing/invoices/invoice-text.ts'
import { automaticTax, taxRatesParam, termFields, usableTaxRates } from '../../billing/subscriptions/terms.ts'
import { customerOf, isMetered, priceOf, intervalOf } from '../../billing/subscriptions/subscription-records.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { SubscriptionBody } from '../../objects/customer-bodies.ts'
import { UnknownParameters, missingParam, notSupported, badRequest } from '../../protocol/responses/errors.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import {
  emptyable,
  integer,
  list,
  nowOrTimestamp,
  required,
  shape,
  text,
  timestamp,
} from '../../protocol/parameters/params.ts'
import type { Read } from '../../protocol/parameters/params.ts'
import type {
  InvoiceSettingsBody,
  PhaseDiscountBody,
  PhaseBody,
  PhaseItemBody,
  SubscriptionScheduleBody,
} from '../../objects/schedule-bodies.ts'
import { interval } from '../catalog/new-price.ts'
import { asPhaseItem, blankPhase } from './new-schedule.ts'
import { paymentMethodFor, prorationBehavior } from '../subscriptions/subscriptions.ts'

const phaseDiscounts = discountsParam
const phaseItem = shape({
  discounts: phaseDiscounts,
  tax_rates: taxRatesParam,
  metadata: metadata(),
  price: required(text()),
  quantity: integer({ min: 0 }),
})

/** Settings that a schedule has as defaults. A phase can override them. */
export const settingFields = {
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
  // `iterations` is an older way to state a duration: the number of periods of the first item's price.
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
export const phasesParam = list(shape(phaseFields), { max: 10 })

/** Members of a subscription that its phases are computed with. The subscription may not exist yet. */
type PlannedSubscription = Pick<SubscriptionBody, 'currency' | 'customer' | 'discounts'> & {
  readonly items: { readonly data: SubscriptionBody['items']['data'] }
}

/** Returns the phases of a request, checked. Phases follow each other without gaps. A phase that has begun keeps its start date. */
export function toPhases(
  call: OperationContext,
  schedule: { readonly phases: readonly Pick<PhaseBody, 'start_date'>[] },
  subscription: PlannedSubscription,
  given: readonly PhaseParams[],
): PhaseBody[] {
  const [first] = schedule.phases
  let from = given[0]?.start_date ?? first?.start_date ?? call.now
  return given.map((params, index) => {
    const name = `phases[${index}]`
    const requested = params.start_date === 'now' ? call.now : params.start_date
    const start = index === 0 ? (requested ?? Number(from)) : Number(from)
    if (index === 0 && !schedule.phases.some((phase) => phase.start_date === start)) {
      throw badRequest('You can not modify the start date of the current phase.', `${name}[start_date]`)
    }
    if (index > 0 && requested !== undefined && requested !== start) {
      throw badRequest('The start date of a phase must be the end date of the one before.', `${name}[start_date]`)
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

/**
 * Refuses a schedule that cancels in mid-period. Stripe prorates such an end. The sandbox does not implement that and would bill a wrong
 * amount.
 */
export function refuseMidPeriodSchedule(
  call: OperationContext,
  subscription: Pick<PlannedSubscription, 'items' | 'currency'>,
  endBehavior: SubscriptionScheduleBody['end_behavior'],
  phases: readonly PhaseBody[],
): void {
  const last = phases.at(-1)
  if (endBehavior !== 'cancel' || last === undefined) return
  for (const item of last.items) {
    const price = priceOf(call, item)
    if (isMetered(price) || amountFor(price, subscription.currency, String(item.quantity ?? 1)) === 0) continue
    const anchor = anchorOfEnd(call, subscription, phases, intervalOf(price))
    if (periodAt(anchor, intervalOf(price), last.end_date).start === last.end_date) continue
    if (endsInFirstPeriod(call, subscription, phases)) continue
    const what = 'a last phase that ends in the middle of a period with `end_behavior: cancel`'
    throw notSupported(what, `phases[${phases.length - 1}][end_date]`)
  }
}

/**
 * True if the schedule starts and ends its subscription within the first period; only that part of the period is billed. Source: the SDK's
 * documentation of `cancel_at`. Discounts, tiers and trials would need their share too, which the sandbox does not implement.
 */
export function endsInFirstPeriod(
  call: OperationContext,
  { items }: Pick<PlannedSubscription, 'items'>,
  phases: readonly PhaseBody[],
): boolean {
  const [phase, next] = phases
  if (phase === undefined || next !== undefined || items.data.length > 0) return false
  const plain = phase.discounts.length === 0 && phase.trial_end === null && phase.proration_behavior !== 'none'
  return (
    plain &&
    phase.items.every((item) => {
      const price = priceOf(call, item)
      if (phase.end_date >= addIntervals(phase.start_date, intervalOf(price), 1)) return false
      return isMetered(price) || (price.tiers_mode === null && item.discounts.length === 0)
    })
  )
}

/**
 * Returns the anchor (seconds) of the periods of the last phases. It stays the same while the interval does not change. A trial moves it to
 * the end of the trial.
 */
function anchorOfEnd(
  call: OperationContext,
  { items }: Pick<PlannedSubscription, 'items'>,
  phases: readonly PhaseBody[],
  step: ReturnType<typeof intervalOf>,
): number {
  const hasStep = (one: { readonly price: string }): boolean => isSameInterval(intervalOf(priceOf(call, one)), step)
  const other = phases.findLastIndex((phase) => !phase.items.some(hasStep))
  const run = phases.slice(other + 1)
  const trial = run.find((phase) => phase.trial_end !== null)?.trial_end
  const start = run[0]?.start_date ?? call.now
  if (typeof trial === 'number') return trial
  if (items.data.length === 0 || start > call.now) return start
  return items.data.find(hasStep)?._anchor ?? call.now
}

/** Checks the discounts of a phase. Existing discounts stay. Coupons and promotion codes are redeemed when the phase begins. */
function phaseDiscountsOf(
  call: OperationContext,
  { currency, customer }: PlannedSubscription,
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

/** Returns the settings of the phase itself. If a setting is null or absent, the schedule's default applies. */
function settingsOfPhase(
  call: OperationContext,
  subscription: PlannedSubscription,
  params: PhaseParams,
  name: string,
): Partial<PhaseBody> {
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

export function settingsAfter(
  call: OperationContext,
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
  call: OperationContext,
  { trial_end: end }: PhaseParams,
  phase: { readonly start: number; readonly end: number },
  name: string,
): number | null {
  if (end === undefined) return null
  if (phase.start > call.now)
    throw badRequest('The sandbox does not support a trial in a later phase.', `${name}[trial_end]`)
  if (end > phase.start && end <= phase.end) return end
  throw badRequest(
    'The trial end of a phase must be after its start date and not after its end date.',
    `${name}[trial_end]`,
  )
}

function toPhaseItem(
  call: OperationContext,
  subscription: PlannedSubscription,
  item: PhaseParams['items'][number],
  name: string,
): PhaseItemBody {
  const held = subscription.items.data.some((one) => one.price === item.price)
  const price = held ? priceOf(call, item) : usablePrice(call, item.price, name, subscription.currency)
  if (isMetered(price) && item.quantity !== undefined) {
    throw badRequest('Quantity should not be specified where usage_type is `metered`.', `${name}[quantity]`)
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

/** Returns the end of a phase. By default a phase lasts for one period of its first item. */
function endOf(
  call: OperationContext,
  params: PhaseParams,
  start: number,
  items: readonly PhaseItemBody[],
  name: string,
): number {
  const [first] = items
  if (first === undefined) throw missingParam(`${name}[items]`)
  if (params.end_date !== undefined && params.duration !== undefined) {
    throw badRequest('You may only specify one of these parameters: end_date, duration.', `${name}[end_date]`)
  }
  const step = params.duration ?? intervalOf(priceOf(call, first))
  const length = { interval: step.interval, interval_count: step.interval_count ?? 1 }
  // `iterations` was replaced by `duration` in API version 2025-09-30.clover.
  if (params.iterations !== undefined && !call.isBefore('2025-09-30.clover'))
    throw new UnknownParameters([`${name}[iterations]`])
  const end = params.end_date ?? addIntervals(start, length, params.iterations ?? 1)
  if (end <= start) throw badRequest('The end date of a phase must be after its start date.', `${name}[end_date]`)
  return end
}
