// Reads, checks and converts the phases of a schedule, and the settings that a schedule and its phases share.
import { addIntervals } from '../../billing/pricing/billing-intervals.ts'
import { amountFor } from '../../billing/pricing/price-amounts.ts'
import { discountsParam, readDiscounts } from '../../billing/pricing/discounts.ts'
import { checkItems, usablePrice } from '../../billing/subscriptions/subscription-items.ts'
import { invoiceTextAfter, invoiceTextFields, noInvoiceText } from '../../billing/invoices/invoice-text.ts'
import { automaticTax, taxRatesParam, termFields, usableTaxRates } from '../../billing/subscriptions/terms.ts'
import { customerOf, isMetered, priceOf, intervalOf } from '../../billing/subscriptions/subscription-records.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { SubscriptionBody } from '../../objects/customer-bodies.ts'
import { UnknownParameters, missingParam, badRequest } from '../../protocol/responses/errors.ts'
import { metadata, plannedMetadata } from '../../protocol/parameters/metadata.ts'
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
  // `iterations` is an older way to set the duration: the number of periods of the first item's price.
  iterations: integer({ min: 1 }),
  end_date: nowOrTimestamp(),
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

/** Members of a subscription that are needed to compute its phases. The subscription may not exist yet. */
type PlannedSubscription = Pick<SubscriptionBody, 'billing_mode' | 'currency' | 'customer' | 'discounts'> & {
  readonly default_tax_rates?: readonly string[]
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
    checkItems(call, items, subscription.billing_mode.type)
    from = end
    return blankPhase(subscription, {
      start_date: start,
      end_date: end,
      items,
      metadata: plannedMetadata(params.metadata),
      discounts: phaseDiscountsOf(call, subscription, { held: subscription.discounts, items }, params.discounts, name),
      proration_behavior: params.proration_behavior ?? 'create_prorations',
      trial_end: trialEndOf(call, params, { start, end }, name),
      ...settingsOfPhase(call, subscription, params, name),
    })
  })
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

/** Returns the settings of the phase itself. A setting that is null or absent means the schedule's default. */
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
    default_tax_rates: usableTaxRates(
      call,
      params.default_tax_rates ?? [],
      `${name}[default_tax_rates]`,
      ratesOf(subscription),
    ),
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
  return asPhaseItem(price.id, quantity, plannedMetadata(item.metadata), {
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
    tax_rates: usableTaxRates(call, item.tax_rates ?? [], `${name}[tax_rates]`, ratesOf(subscription)),
  })
}

/** Returns the tax rates that the subscription has. Returns an empty list if the schedule will create the subscription later. */
function ratesOf({ default_tax_rates: own = [], items }: PlannedSubscription): string[] {
  return [...own, ...items.data.flatMap((item) => item.tax_rates)]
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
  const requested = params.end_date === 'now' ? call.now : params.end_date
  const end = requested ?? addIntervals(start, length, params.iterations ?? 1)
  if (end <= start) throw badRequest('The end date of a phase must be after its start date.', `${name}[end_date]`)
  return end
}
