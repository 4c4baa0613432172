// Creates subscriptions, with the same rules for an API request, a checkout and a schedule.
import type { CustomerBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type {
  BillingModeBody,
  InvoiceLineBody,
  InvoiceTextBody,
  ProrationBehavior,
  SubscriptionBody,
  SubscriptionItemBody,
} from '../../objects/customer-bodies.ts'
import type { PhaseBody } from '../../objects/schedule-bodies.ts'
import { notSupported, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import type { Metadata } from '../../protocol/parameters/metadata.ts'
import { futureTimestamp, oneOf, required, shape } from '../../protocol/parameters/params.ts'
import { plannedEndOf, shortened, withChargedParts, type PlannedEnd } from './planned-end.ts'
import { periodAt, addIntervals } from '../pricing/billing-intervals.ts'
import { amountFor, pricingIn } from '../pricing/price-amounts.ts'
import { discountsOfPhase, readDiscounts, redeem, type DiscountParams } from '../pricing/discounts.ts'
import { billingModeOf } from './billing-mode.ts'
import { newSetupIntent } from '../payments/setup-intents.ts'
import { afterInvoice, cardOf, createDraft, finalize } from '../invoices/invoicing.ts'
import { statusAfter } from './subscription-status.ts'
import { noInvoiceText } from '../invoices/invoice-text.ts'
import { checkItems, itemFrom, usablePrice, type ItemParams } from './subscription-items.ts'
import { advanceLines, meteredLines, prorationLine, trialLine } from '../invoices/invoice-lines.ts'
import { unpaidError } from '../payments/payments.ts'
import { defaultCardAfter } from '../payments/payers.ts'
import { phaseItems } from '../schedules/phases.ts'
import { defaultTerms, type Terms } from './terms.ts'
import {
  day,
  isMetered,
  isEnded,
  lastPeriodEnd,
  priceOf,
  save,
  intervalOf,
  createRecord,
} from './subscription-records.ts'

export interface SubscribeParams {
  readonly customer: CustomerBody
  readonly items: readonly ItemParams[]
  readonly currency?: string | undefined
  readonly discounts?: DiscountParams | null | undefined
  /** Default: flexible. */
  readonly billingMode?: BillingModeBody
  readonly metadata: Metadata
  readonly description?: string | null | undefined
  readonly paymentMethod?: string | undefined
  readonly terms?: Terms
  readonly invoiceText?: InvoiceTextBody
  /** End of the trial (seconds). Null: no trial. */
  readonly trialEnd: number | null
  /** Time (seconds, in the future) at which the first full period begins. Default: the present time. */
  readonly anchor?: number | undefined
  /** Start date (seconds, in the past) of a backdated subscription. */
  readonly backdate?: number | undefined
  readonly paymentSettings?: SubscriptionBody['payment_settings']
  readonly cancelAt?: PlannedEnd | undefined
  readonly cancelAtPeriodEnd?: boolean | undefined
  /** Whether a partial first period is prorated. Default: `create_prorations`. */
  readonly prorationBehavior?: ProrationBehavior | undefined
  /** What happens if the first payment fails or there is no payment method. Default: `allow_incomplete`. */
  readonly paymentBehavior?: 'allow_incomplete' | 'default_incomplete' | 'error_if_incomplete' | undefined
  /** What happens if the trial ends and there is no payment method. Default: `create_invoice`. */
  readonly missingPaymentMethod?: MissingPaymentMethod | undefined
  /** True: the first invoice stays a draft for an hour. */
  readonly invoicesLater?: boolean
  /** First phase of the schedule that starts the subscription. Its items and discounts were checked when the schedule was written. */
  readonly phase?: PhaseBody
  /** Id of the schedule that starts the subscription. */
  readonly schedule?: string
  readonly session?: string | null
  /** Lines of one-time purchases for the first invoice. */
  readonly extra?: (subscription: SubscriptionBody) => readonly InvoiceLineBody[]
}

/** Returns the end of the trial (seconds), from `trial_end` or `trial_period_days`. Null: no trial. */
export function trialEndOf(
  call: OperationContext,
  end: number | 'now' | undefined,
  days: number | undefined,
): number | null {
  if (end !== undefined && days !== undefined) {
    throw badRequest('You can only specify one of `trial_end` and `trial_period_days`.', 'trial_end')
  }
  if (end === 'now') return null
  const moment = end ?? (days === undefined || days === 0 ? null : call.now + days * day)
  if (moment !== null && moment <= call.now) {
    const message = 'The parameter `trial_end` expects a unix timestamp representing a date and time in the future.'
    throw badRequest(`${message} You specified the value \`${moment}\` which is in the past.`, 'trial_end')
  }
  if (moment !== null && moment > call.now + 730 * day) {
    throw badRequest('Invalid timestamp: can be no more than two years in the future', 'trial_end')
  }
  return moment
}

/** The parameter `trial_settings` of subscriptions and of checkout sessions. */
export const trialSettingsParam = shape({
  end_behavior: required(shape({ missing_payment_method: required(oneOf('cancel', 'create_invoice', 'pause')) })),
})

type MissingPaymentMethod = SubscriptionBody['trial_settings']['end_behavior']['missing_payment_method']

export function trialSettings(missing: MissingPaymentMethod): SubscriptionBody['trial_settings'] {
  return { end_behavior: { billing_cycle_anchor: null, missing_payment_method: missing } }
}

export function subscribe(call: OperationContext, params: SubscribeParams): SubscriptionBody {
  const { phase } = params
  const [first] = params.items
  if (first === undefined && phase === undefined)
    throw badRequest('Missing required param: items.', 'items', 'parameter_missing')
  const currency =
    params.currency ?? first?.price_data?.currency ?? usablePrice(call, first?.price, 'items[0]', undefined).currency
  if (phase === undefined) refuseSecondCurrency(call, params.customer.id, currency)
  if (params.currency === undefined) refuseMixedCurrencies(call, params.items, currency)
  checkBeginning(call, params)
  const blank = blankSubscription(call, params, currency)
  const holder = { ...blank, trialEnd: params.trialEnd }
  const items =
    phase === undefined
      ? params.items.map((item, index) => startItem(call, params, itemFrom(call, holder, item, `items[${index}]`)))
      : phaseItems(call, blank, phase, [])
  const end = params.cancelAt === undefined ? null : plannedEndOf(params.cancelAt, items)
  const prorates = params.trialEnd === null && params.prorationBehavior !== 'none'
  const checked = checkItems(
    call,
    items.map((item) => shortened(item, prorates ? end : null)),
    blank.billing_mode.type,
  )
  const whole = { ...blank, items: { ...blank.items, data: checked } }
  const discounts = redeemAll(call, params, blank, checked)
  const made = createRecord(call, {
    ...whole,
    ...cancellation(call, params, end, lastPeriodEnd(checked)),
    discounts,
  })
  if (params.customer.currency === null) call.update(params.customer, { ...params.customer, currency }, null)
  const started = withPendingSetup(call, firstInvoice(call, made, params), params)
  call.emit('customer.subscription.created', started)
  if (started._trial_told && started.status === 'trialing') call.emit('customer.subscription.trial_will_end', started)
  return started
}

function checkBeginning(call: OperationContext, { anchor, backdate, billingMode, trialEnd }: SubscribeParams): void {
  if (anchor !== undefined) futureTimestamp(anchor, 'billing_cycle_anchor', call.now)
  if (backdate !== undefined && backdate >= call.now)
    throw badRequest('`backdate_start_date` must be in the past.', 'backdate_start_date')
  if (trialEnd !== null && anchor !== undefined)
    throw notSupported('`billing_cycle_anchor` together with a trial', 'billing_cycle_anchor')
  if (trialEnd !== null && backdate !== undefined)
    throw notSupported('`backdate_start_date` together with a trial', 'backdate_start_date')
  if (billingMode?.type === 'classic' && backdate !== undefined)
    throw notSupported('`backdate_start_date` in classic billing', 'backdate_start_date')
}

/**
 * Returns the item with its first period. With `backdate_start_date`, the period begins at that date or, if the date lies in an earlier
 * period, at the start of the present period.
 */
function startItem(
  call: OperationContext,
  { anchor, backdate }: SubscribeParams,
  item: SubscriptionItemBody,
): SubscriptionItemBody {
  const price = priceOf(call, item)
  const step = intervalOf(price)
  const natural = addIntervals(call.now, step, 1)
  if (anchor !== undefined && anchor > natural) {
    const message = `\`billing_cycle_anchor\` cannot be later than next natural billing date (\`${natural}\`)`
    throw badRequest(`${message} for plan \`${price.id}\`.`, 'billing_cycle_anchor')
  }
  if (backdate === undefined) return item
  const start = Math.max(backdate, periodAt(item._anchor, step, call.now).start)
  return { ...item, current_period_start: start, _usage_from: start }
}

/**
 * Returns the lines from the start of the subscription to the end of the current period: one per period, prorated if it is not a full one.
 * Source: docs.stripe.com/billing/subscriptions/backdating, flexible billing.
 */
function firstLines(
  call: OperationContext,
  made: SubscriptionBody,
  item: SubscriptionItemBody,
  params: SubscribeParams,
): InvoiceLineBody[] {
  const step = intervalOf(priceOf(call, item))
  const { _whole_end: _end, ...plain } = item
  const free = params.prorationBehavior === 'none'
  const lines: InvoiceLineBody[] = []
  for (let from = free ? item.current_period_start : made.start_date; from < item.current_period_end;) {
    const { start, end } = periodAt(item._anchor, step, from)
    const part = shortened({ ...plain, current_period_start: from, current_period_end: end }, item.current_period_end)
    if (start === from && part._whole_end === undefined) lines.push(...advanceLines(call, made, part))
    else if (!free) lines.push(prorationLine(call.at(from), made, part, 1))
    from = end
  }
  return lines
}

/** Refuses items whose prices do not have the same currency. Source of the message: the real API at version 2026-08-26.dahlia. */
function refuseMixedCurrencies(call: OperationContext, items: readonly ItemParams[], currency: string): void {
  for (const [index, item] of items.entries()) {
    const price = call.find('price', item.price ?? '')
    if (price === undefined || pricingIn(price, currency) !== undefined) continue
    throw badRequest(
      `This \`price\` has \`currency=${price.currency}\`, but other items use \`currency=${currency}\`. All items must have ` +
        'pricing in the same currency. When using multi-currency prices, you can specify `currency` at the top level, to be used ' +
        'by all items.',
      `items[${index}][price]`,
    )
  }
}

/**
 * Refuses a second currency, because a customer is billed in one currency at a time. Source: public forum threads that quote Stripe's
 * message.
 */
export function refuseSecondCurrency(call: OperationContext, customer: string, currency: string): void {
  const other = call
    .select('subscription', [{ field: 'customer', is: customer }])
    .find((subscription) => !isEnded(subscription) && subscription.currency !== currency)
  if (other === undefined) return
  throw badRequest(
    'You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, ' +
      `discount, quote, invoice item or active subscription mode checkout session with currency ${other.currency}.`,
  )
}

function redeemAll(
  call: OperationContext,
  params: SubscribeParams,
  blank: SubscriptionBody,
  items: SubscriptionBody['items']['data'],
): string[] {
  const of = { customer: params.customer.id, subscription: blank.id, session: params.session ?? null }
  if (params.phase !== undefined) return discountsOfPhase(call, params.phase.discounts, [], of)
  const licensed = items.filter((item) => !isMetered(priceOf(call, item)))
  const amounts = licensed.map((item) => amountFor(priceOf(call, item), blank.currency, String(item.quantity ?? 1)))
  const subtotal = amounts.reduce((sum, amount) => sum + amount, 0)
  const purchase = { customer: params.customer, currency: blank.currency, subtotal }
  return redeem(call, readDiscounts(call, params.discounts ?? [], purchase), of)
}

function cancellation(
  call: OperationContext,
  params: SubscribeParams,
  at: number | null,
  end: number,
): Pick<SubscriptionBody, 'cancel_at' | 'cancel_at_period_end' | 'canceled_at'> {
  if (params.cancelAtPeriodEnd === true) return { cancel_at: end, cancel_at_period_end: true, canceled_at: call.now }
  return { cancel_at: at, cancel_at_period_end: false, canceled_at: at === null ? null : call.now }
}

/**
 * Returns the error for a customer without a payment method. Source of the message: public threads. Source of code and status: the real API
 * at version 2026-08-26.dahlia.
 */
export function noPaymentMethodError(): Error {
  const message =
    'This customer has no attached payment source or default payment method. Please consider adding a default payment method. ' +
    'For more information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority.'
  return badRequest(message, undefined, 'resource_missing')
}

function firstInvoice(call: OperationContext, made: SubscriptionBody, params: SubscribeParams): SubscriptionBody {
  const licensed = made.items.data.filter((item) => !isMetered(priceOf(call, item)))
  const own = licensed.flatMap((item) => {
    if (made.status === 'trialing') return [trialLine(call, made, item)]
    return firstLines(call, made, item, params)
  })
  const lines = [...own, ...(params.extra?.(made) ?? []), ...meteredStart(call, made)]
  if (lines.length === 0) {
    refuseAuthenticatedSetup(call, made)
    return made
  }
  // A part of a period is charged as a proration. The item records the charge, because a later credit is a share of it.
  const charged = withChargedParts(made, own)
  const period = { start: call.now, end: call.now }
  const waits = params.invoicesLater === true
  const drafted = createDraft(call, {
    subscription: made,
    lines,
    reason: 'subscription_create',
    period,
    staysDraft: waits,
  })
  // A `send_invoice` invoice stays a draft for an hour, like the invoice of a renewal.
  if (made.collection_method === 'send_invoice' || waits)
    return save(call, made, { ...afterInvoice(charged, drafted), latest_invoice: drafted.invoice.id }, null)
  if (drafted.invoice.amount_due === 0) refuseAuthenticatedSetup(call, made)
  const { paymentBehavior } = params
  const unpaid = paymentBehavior === 'default_incomplete' && drafted.invoice.amount_due > 0
  if (!unpaid && drafted.invoice.amount_due > 0 && cardOf(call, drafted.invoice) === undefined)
    throw noPaymentMethodError()
  const invoice = finalize(call, drafted.invoice, !unpaid)
  if (invoice.status !== 'paid' && paymentBehavior === 'error_if_incomplete')
    throw unpaidError(call, invoice, 'subscription')
  const status = statusAfter(call, made, invoice)
  const card = defaultCardAfter(call, made, invoice)
  const after = {
    ...afterInvoice(charged, drafted),
    default_payment_method: card,
    latest_invoice: invoice.id,
    status,
  }
  return save(call, made, after, null)
}

/**
 * Returns the lines without usage that begin a classic subscription of metered prices only: its first invoice is one of 0. A flexible
 * subscription has no such invoice. Source: laravel/cashier-stripe, MeteredBillingTest.
 */
function meteredStart(call: OperationContext, made: SubscriptionBody): InvoiceLineBody[] {
  const { data } = made.items
  const applies = made.billing_mode.type === 'classic' && made.status !== 'trialing'
  if (!applies || data.some((item) => !isMetered(priceOf(call, item)))) return []
  return data.flatMap((item) => meteredLines(call, made, item, { start: call.now, end: call.now }))
}

/**
 * Adds a setup intent to a trial without a payment method, so that a page can collect a card. Source: the SDK's documentation of
 * `pending_setup_intent`.
 */
function withPendingSetup(call: OperationContext, made: SubscriptionBody, params: SubscribeParams): SubscriptionBody {
  if (made.status !== 'trialing' || made.collection_method === 'send_invoice') return made
  if ((params.session ?? null) !== null || params.phase !== undefined) return made
  if (cardOf(call, { ...made, parent: null }) !== undefined) return made
  const intentParams = { customer: made.customer, description: null, metadata: {}, paymentMethod: null }
  const intent = newSetupIntent(call, { ...intentParams, usage: 'off_session', session: null })
  return save(call, made, { ...made, pending_setup_intent: intent.id }, null)
}

/**
 * Refuses a subscription that begins free with a card that needs 3-D Secure. Stripe creates a setup intent for it, which the sandbox does
 * not implement.
 */
function refuseAuthenticatedSetup(call: OperationContext, made: SubscriptionBody): void {
  if (made.collection_method === 'send_invoice' || cardOf(call, { ...made, parent: null })?._asks !== true) return
  throw notSupported('subscriptions that begin free with a card that needs authentication: use another card')
}

export const noPaymentSettings: SubscriptionBody['payment_settings'] = {
  payment_method_options: null,
  payment_method_types: null,
  save_default_payment_method: 'off',
}

function blankSubscription(call: OperationContext, params: SubscribeParams, currency: string): SubscriptionBody {
  const id = newId('sub_1', 23)
  const { trialEnd } = params
  return {
    id,
    object: 'subscription',
    ...(params.terms ?? defaultTerms),
    billing_cycle_anchor: trialEnd ?? params.anchor ?? call.now,
    billing_mode: params.billingMode ?? billingModeOf(undefined),
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    created: call.now,
    currency,
    customer: params.customer.id,
    default_payment_method: params.paymentMethod ?? null,
    description: params.description ?? null,
    discounts: [],
    ended_at: null,
    invoice_settings: params.invoiceText ?? noInvoiceText,
    items: { object: 'list', data: [], has_more: false, url: `/v1/subscription_items?subscription=${id}` },
    latest_invoice: null,
    metadata: params.metadata,
    pause_collection: null,
    payment_settings: params.paymentSettings ?? noPaymentSettings,
    pending_setup_intent: null,
    schedule: params.schedule ?? null,
    start_date: params.backdate ?? call.now,
    status: trialEnd === null ? 'active' : 'trialing',
    test_clock: params.customer.test_clock,
    trial_end: trialEnd,
    trial_settings: trialSettings(params.missingPaymentMethod ?? 'create_invoice'),
    trial_start: trialEnd === null ? null : call.now,
    _due: null,
    _clock: params.customer.test_clock,
    _pending: [],
    _trial_told: trialEnd !== null && trialEnd - call.now <= 3 * day,
  }
}
