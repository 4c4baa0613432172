import type { OperationContext } from '../../protocol/operation-context.ts'
import { pricingIn } from '../../billing/pricing/price-amounts.ts'
import {
  activePrice,
  changedItems,
  itemsAfter,
  newItems,
  wrongCurrency,
  wrongType,
} from '../../billing/subscriptions/subscription-items.ts'
import { cancelOnRequest } from '../../billing/subscriptions/cancel.ts'
import { plannedEndOf, withPlannedEnd } from '../../billing/subscriptions/planned-end.ts'
import { checkProrationDate, withItems } from '../../billing/subscriptions/proration.ts'
import { deletedDiscount, discountsParam, readDiscounts, redeem } from '../../billing/pricing/discounts.ts'
import { invoiceTextAfter, invoiceTextFields, noInvoiceText } from '../../billing/invoices/invoice-text.ts'
import { itemAmount, oneTimeLine } from '../../billing/invoices/invoice-lines.ts'
import { unpaidError } from '../../billing/payments/payments.ts'
import {
  customerOf,
  isMetered,
  isEnded,
  lastPeriodEnd,
  timeOf,
  priceOf,
  save,
} from '../../billing/subscriptions/subscription-records.ts'
import { trialWithoutCard } from '../../billing/subscriptions/renewal.ts'
import {
  noPaymentSettings,
  subscribe,
  trialEndOf,
  trialSettings,
  trialSettingsParam,
} from '../../billing/subscriptions/subscribe.ts'
import { awaitPayment } from '../../billing/subscriptions/pending-update.ts'
import { billingModeOf, billingModeParam } from '../../billing/subscriptions/billing-mode.ts'
import { defaultTerms, taxRatesParam, termFields, termsAfter } from '../../billing/subscriptions/terms.ts'
import { withTrial } from '../../billing/subscriptions/trial.ts'
import { nouns, type PriceBody } from '../../objects/bodies.ts'
import type { InvoiceLineBody, SubscriptionBody } from '../../objects/customer-bodies.ts'
import {
  missingParam,
  noActiveDiscount,
  noSuchResource,
  notSupported,
  onlyOneOf,
  badRequest,
} from '../../protocol/responses/errors.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { post, retrieve, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import {
  boolean,
  emptyable,
  futureTimestamp,
  integer,
  list,
  nowOrTimestamp,
  oneOf,
  required,
  shape,
  text,
  timestamp,
  timestampOr,
} from '../../protocol/parameters/params.ts'
import type { Fields, Read } from '../../protocol/parameters/params.ts'
import { currency } from '../catalog/currencies.ts'
import { inlinePrice, oncePriceData } from '../catalog/inline-prices.ts'
import { resume } from './resume-subscription.ts'
import { subscriptionList } from './subscription-list.ts'

export const prorationBehavior = oneOf('always_invoice', 'create_prorations', 'none')

const details = shape({
  comment: emptyable(text()),
  feedback: emptyable(
    oneOf(
      'customer_service',
      'low_quality',
      'missing_features',
      'other',
      'switched_service',
      'too_complex',
      'too_expensive',
      'unused',
    ),
  ),
})

const sharedFields = {
  cancel_at_period_end: boolean(),
  ...termFields,
  days_until_due: integer({ min: 0, max: 730 }),
  default_payment_method: emptyable(text()),
  description: emptyable(text({ max: 500 })),
  discounts: discountsParam,
  invoice_settings: shape(invoiceTextFields),
  metadata: metadata(),
  off_session: boolean(),
  payment_behavior: oneOf('allow_incomplete', 'error_if_incomplete'),
  payment_settings: shape({
    payment_method_types: emptyable(list(oneOf('card', 'sepa_debit'))),
    save_default_payment_method: oneOf('off', 'on_subscription'),
  }),
  proration_behavior: prorationBehavior,
  trial_end: nowOrTimestamp(),
  trial_settings: trialSettingsParam,
} satisfies Fields

const plannedEnd = timestampOr('max_period_end', 'min_period_end')

const createFields = {
  ...sharedFields,
  add_invoice_items: list(
    shape({ price: text(), price_data: oncePriceData, quantity: integer({ min: 1 }), tax_rates: taxRatesParam }),
    { max: 20 },
  ),
  backdate_start_date: timestamp(),
  billing_cycle_anchor: timestamp(),
  payment_behavior: oneOf('allow_incomplete', 'default_incomplete', 'error_if_incomplete'),
  billing_mode: billingModeParam,
  cancel_at: plannedEnd,
  currency: currency(),
  customer: text(),
  items: newItems,
  trial_period_days: integer({ min: 0, max: 730 }),
}

const updateFields = {
  ...sharedFields,
  payment_behavior: oneOf('allow_incomplete', 'error_if_incomplete', 'pending_if_incomplete'),
  billing_cycle_anchor: shape({ type: oneOf('now', 'unchanged') }),
  cancel_at: emptyable(plannedEnd),
  cancellation_details: details,
  items: changedItems,
  pause_collection: emptyable(
    shape({
      behavior: required(oneOf('keep_as_draft', 'mark_uncollectible', 'void')),
      resumes_at: timestamp(),
    }),
  ),
  proration_date: timestamp(),
}
type UpdateParams = Read<typeof updateFields>

/** Checks that the payment method is attached to the customer, and returns its id. */
export function paymentMethodFor(
  call: OperationContext,
  id: string | undefined,
  customer: string,
  name: string,
): string | undefined {
  if (id === undefined) return undefined
  const method = call.reference('payment_method', id, name)
  if (method.customer === customer) return id
  const message = `The customer does not have a payment method with the ID ${id}.`
  throw badRequest(`${message} The payment method must be attached to the customer.`, name, 'resource_missing')
}

function create(outer: OperationContext): SubscriptionBody {
  const params = outer.read(createFields)
  if (params.customer === undefined) throw missingParam('customer')
  const customer = outer.find('customer', params.customer)
  // The error for an unknown customer has status 404, although other ids in parameters lead to 400. Source: the real API at version
  // 2026-08-26.dahlia.
  if (customer === undefined) throw noSuchResource(nouns.customer.noun, params.customer, 'customer')
  const call = outer.at(timeOf(outer, customer.test_clock))
  return subscribe(call, {
    customer,
    items: params.items ?? [],
    currency: params.currency,
    discounts: params.discounts,
    billingMode: billingModeOf(params.billing_mode),
    metadata: applyMetadata({}, params.metadata),
    description: params.description,
    terms: termsAfter(call, customer.id, defaultTerms, params),
    invoiceText: invoiceTextAfter(noInvoiceText, params.invoice_settings),
    paymentMethod: paymentMethodFor(
      call,
      params.default_payment_method ?? undefined,
      customer.id,
      'default_payment_method',
    ),
    trialEnd: trialEndOf(call, params.trial_end, params.trial_period_days),
    anchor: params.billing_cycle_anchor,
    backdate: params.backdate_start_date,
    paymentSettings: paymentSettings(noPaymentSettings, params.payment_settings),
    extra: (made) => extraLines(call, made, params.add_invoice_items ?? []),
    cancelAt: params.cancel_at,
    prorationBehavior: params.proration_behavior,
    cancelAtPeriodEnd: params.cancel_at_period_end,
    paymentBehavior: params.payment_behavior,
    missingPaymentMethod: params.trial_settings?.end_behavior.missing_payment_method,
  })
}

function paymentSettings(
  before: SubscriptionBody['payment_settings'],
  given: UpdateParams['payment_settings'],
): SubscriptionBody['payment_settings'] {
  const { payment_method_types: types, save_default_payment_method: saves } = given ?? {}
  return {
    ...before,
    payment_method_types: types === undefined ? before.payment_method_types : types && [...types],
    save_default_payment_method: saves ?? before.save_default_payment_method,
  }
}

/** Returns the invoice lines of one-time purchases (`add_invoice_items`). */
function extraLines(
  call: OperationContext,
  made: SubscriptionBody,
  given: NonNullable<Read<typeof createFields>['add_invoice_items']>,
): InvoiceLineBody[] {
  return given.map(({ price: id, price_data: data, quantity = 1, tax_rates: rates }, index) => {
    const name = `add_invoice_items[${index}]`
    if (id !== undefined && data !== undefined) throw onlyOneOf(`${name}[price]`, `${name}[price_data]`)
    if ((rates ?? []).length > 0) throw notSupported('tax rates of `add_invoice_items`', `${name}[tax_rates]`)
    const price = data === undefined ? oncePrice(call, id, name) : inlinePrice(call, data, `${name}[price_data]`)
    if (pricingIn(price, made.currency) === undefined) throw wrongCurrency(price, made.currency, name)
    return oneTimeLine(call, made, price, quantity)
  })
}

function oncePrice(call: OperationContext, id: string | undefined, name: string): PriceBody {
  const price = activePrice(call, id, name)
  if (price.recurring !== null) throw wrongType('recurring', `${name}[price]`)
  return price
}

/** Refuses changes of a subscription with a schedule, because the schedule manages items, trial and cancellation. */
export function refuseScheduled(subscription: SubscriptionBody, what: string): void {
  if (subscription.schedule === null) return
  const managed = `The subscription is managed by the subscription schedule \`${subscription.schedule}\``
  throw badRequest(`${managed}, and updating any ${what} directly is not allowed. Please update the schedule instead.`)
}

export function refuseEnded(subscription: SubscriptionBody): void {
  if (!isEnded(subscription)) return
  const message = 'A canceled subscription can only update its cancellation_details and metadata.'
  throw badRequest(message, undefined, 'invalid_canceled_subscription_fields')
}

/** Refuses changes of a paused subscription. It can only be resumed or canceled at once. */
export function refusePaused({ status }: Pick<SubscriptionBody, 'status'>): void {
  if (status === 'paused') throw notSupported('changes of a paused subscription')
}

/**
 * Refuses most changes of an incomplete subscription until its first invoice is paid. Source of the allowed parameters and the error code:
 * the real API at version 2026-08-26.dahlia.
 */
export function refuseIncomplete(
  before: SubscriptionBody,
  params: { readonly [K in keyof UpdateParams]?: unknown },
): void {
  if (before.status !== 'incomplete') return
  const free = new Set(['cancellation_details', 'default_payment_method', 'description', 'metadata'])
  const named = Object.entries(params).find(([name, value]) => value !== undefined && !free.has(name))?.[0]
  if (named === undefined) return
  const message = `You cannot update \`${named}\` of a subscription whose status is \`incomplete\`: its first invoice has to be paid.`
  throw badRequest(message, named, 'status_transition_invalid')
}

function checkUpdate(before: SubscriptionBody, params: UpdateParams): void {
  const { metadata: _metadata, cancellation_details: _details, ...others } = params
  if (Object.values(others).some((value) => value !== undefined)) refuseEnded(before)
  refuseIncomplete(before, params)
  if (before.status === 'paused' && params.trial_end !== undefined) {
    const first = 'Resume the subscription first before setting `trial_end`.'
    throw badRequest(`You cannot set \`trial_end\` while a subscription is \`paused\`. ${first}`)
  }
  if (Object.values(others).some((value) => value !== undefined)) refusePaused(before)
  refuseWithPending(before, params)
  if (params.items !== undefined || params.billing_cycle_anchor?.type === 'now') refuseScheduled(before, 'items')
  if (params.trial_end !== undefined) refuseScheduled(before, 'trial')
  if (params.cancel_at !== undefined || params.cancel_at_period_end !== undefined)
    refuseScheduled(before, 'cancelation behavior')
}

/** Applies the parameters of an update to the subscription. Invoice previews use it too. */
export function applyUpdate(
  call: OperationContext,
  before: SubscriptionBody,
  params: Partial<UpdateParams>,
): SubscriptionBody {
  let after: SubscriptionBody = {
    ...before,
    ...cancellationAfter(call, before, params),
    ...termsAfter(call, before.customer, before, params),
    default_payment_method:
      params.default_payment_method === null
        ? null
        : (paymentMethodFor(call, params.default_payment_method, before.customer, 'default_payment_method') ??
          before.default_payment_method),
    description: params.description === undefined ? before.description : params.description,
    discounts: discountsAfter(call, before, params.discounts),
    invoice_settings: invoiceTextAfter(before.invoice_settings, params.invoice_settings),
    metadata: applyMetadata(before.metadata, params.metadata),
    pause_collection: pauseAfter(call, before, params.pause_collection),
    payment_settings: paymentSettings(before.payment_settings, params.payment_settings),
    trial_settings: trialSettings(
      params.trial_settings?.end_behavior.missing_payment_method ??
        before.trial_settings.end_behavior.missing_payment_method,
    ),
  }
  if (params.trial_end === 'now' && before.status === 'trialing') {
    const ended = trialWithoutCard(call, after)
    if (ended !== undefined) {
      refuseWithEndOfTrial(params)
      return ended
    }
  }
  const prorateFrom = checkProrationDate(before, params.proration_date)
  const behavior = params.proration_behavior ?? 'create_prorations'
  const anchorNow = params.billing_cycle_anchor?.type === 'now'
  if (params.items !== undefined || anchorNow) {
    const nextItems = itemsAfter(call, after, params.items ?? [])
    // Credits are computed with the discounts before this update, because the old items were charged with them. New charges are computed
    // with the discounts of this update. Source: docs.stripe.com/billing/subscriptions/billing-mode/compare, last discounts used.
    const { discounts } = after
    const withOldDiscounts = { ...after, discounts: before.discounts }
    after = withItems(call, withOldDiscounts, nextItems, { behavior, anchorNow, prorateFrom, discounts })
  }
  if (params.trial_end !== undefined) after = withTrial(call, after, params.trial_end, behavior, prorateFrom)
  after = withPlannedEnd(call, before, after, behavior)
  if (after.cancel_at_period_end) after = { ...after, cancel_at: lastPeriodEnd(after.items.data) }
  return save(call, before, after)
}

/**
 * Refuses parameters that would bill the subscription (e.g. `items`) if the subscription is paused or cancelled at the end of its trial.
 */
function refuseWithEndOfTrial(params: Partial<UpdateParams>): void {
  const billing = ['items', 'billing_cycle_anchor', 'proration_date', 'cancel_at', 'cancel_at_period_end'] as const
  const given = (name: (typeof billing)[number]): boolean => ![undefined, null, false].includes(params[name] as null)
  const named = billing.find(given)
  if (named === undefined) return
  throw notSupported(
    `\`${named}\` together with the end of a trial that pauses or cancels the subscription because it has no card`,
    named,
  )
}

function cancellationAfter(
  call: OperationContext,
  before: SubscriptionBody,
  params: Partial<UpdateParams>,
): Partial<SubscriptionBody> {
  const given = params.cancellation_details
  const { comment, feedback } = before.cancellation_details
  const { cancel_at: at, cancel_at_period_end: atEnd } = params
  const cancellation = {
    ...before.cancellation_details,
    comment: given?.comment === undefined ? comment : given.comment,
    feedback: given?.feedback === undefined ? feedback : given.feedback,
  }
  if (atEnd === true || (at !== undefined && at !== null)) {
    return {
      cancel_at: at === undefined || at === null ? before.cancel_at : plannedEndOf(at, before.items.data),
      cancel_at_period_end: atEnd === true,
      canceled_at: before.canceled_at ?? call.now,
      cancellation_details: { ...cancellation, reason: 'cancellation_requested' },
    }
  }
  if (atEnd === undefined && at === undefined) return { cancellation_details: cancellation }
  const kept = { ...cancellation, reason: null }
  return { cancel_at: null, cancel_at_period_end: false, canceled_at: null, cancellation_details: kept }
}

function pauseAfter(
  call: OperationContext,
  before: SubscriptionBody,
  given: UpdateParams['pause_collection'],
): SubscriptionBody['pause_collection'] {
  if (given === undefined) return before.pause_collection
  if (given === null) return null
  const at = given.resumes_at
  const resumes = at === undefined ? null : futureTimestamp(at, 'pause_collection[resumes_at]', call.now)
  return { behavior: given.behavior, resumes_at: resumes }
}

function discountsAfter(call: OperationContext, before: SubscriptionBody, given: UpdateParams['discounts']): string[] {
  if (given === undefined) return before.discounts
  const licensed = before.items.data.filter((item) => !isMetered(priceOf(call, item)))
  const subtotal = licensed.reduce((sum, item) => sum + itemAmount(call, before, item), 0)
  const purchase = { customer: customerOf(call, before.customer), currency: before.currency, subtotal }
  const of = { customer: before.customer, subscription: before.id, session: null }
  const after = redeem(call, readDiscounts(call, given ?? [], purchase, before.discounts), of)
  for (const id of before.discounts) {
    const removed = after.includes(id) ? undefined : call.find('discount', id)
    if (removed !== undefined) call.emit('customer.discount.deleted', removed)
  }
  return after
}

/**
 * Applies `error_if_incomplete`: throws if the invoice of the change is unpaid, so that the change is rolled back. Source: the SDK's
 * documentation of `payment_behavior`.
 */
export function refuseUnpaid(
  call: OperationContext,
  before: SubscriptionBody,
  after: SubscriptionBody,
  behavior: UpdateParams['payment_behavior'],
): void {
  if (behavior !== 'error_if_incomplete' || after.latest_invoice === before.latest_invoice) return
  const invoice = call.find('invoice', after.latest_invoice ?? '')
  if (invoice?.status === 'open' && invoice.collection_method === 'charge_automatically')
    throw unpaidError(call, invoice, 'subscription')
}

function update(outer: OperationContext): SubscriptionBody {
  const before = outer.subject('subscription')
  const params = outer.read(updateFields)
  checkUpdate(before, params)
  const call = outer.at(timeOf(outer, before.test_clock))
  const after = applyUpdate(call, before, params)
  refuseUnpaid(call, before, after, params.payment_behavior)
  return params.payment_behavior === 'pending_if_incomplete' ? awaitPayment(call, before, after) : after
}

/**
 * Parameters that an update with `pending_if_incomplete` may have. Source: docs.stripe.com/billing/subscriptions/pending-updates-reference
 * and the changelog of 2026.
 */
const pendingParams = new Set([
  ...['billing_cycle_anchor', 'discounts', 'items', 'metadata', 'payment_behavior', 'proration_behavior'],
  ...['proration_date', 'trial_end'],
])

function refuseWithPending(before: SubscriptionBody, params: UpdateParams): void {
  if (params.payment_behavior !== 'pending_if_incomplete') return
  const named = Object.entries(params).find(([name, value]) => value !== undefined && !pendingParams.has(name))?.[0]
  if (named !== undefined)
    throw badRequest(
      `\`${named}\` cannot be changed with \`payment_behavior\` set to \`pending_if_incomplete\`.`,
      named,
    )
  if (before.collection_method === 'send_invoice')
    throw badRequest(
      '`payment_behavior` can only be set to `pending_if_incomplete` if `collection_method` is `charge_automatically`.',
      'payment_behavior',
    )
  if (before.pending_update !== null && before.pending_update !== undefined)
    throw notSupported('an update of a subscription with a pending update', 'payment_behavior')
}

const cancelFields = { cancellation_details: details, invoice_now: boolean(), prorate: boolean() }

function cancel(outer: OperationContext): SubscriptionBody {
  const before = outer.subject('subscription')
  const params = outer.read(cancelFields)
  if (isEnded(before)) throw noSuchResource(nouns.subscription.noun, before.id, 'id')
  const call = outer.at(timeOf(outer, before.test_clock))
  const { prorate = false, invoice_now: invoiceNow = false } = params
  return cancelOnRequest(call, { ...before, ...cancellationAfter(call, before, params) }, { prorate, invoiceNow })
}

/**
 * Removes the subscription's discount and returns it. The request names no discount, so a subscription with several discounts is refused.
 */
function removeDiscount(outer: OperationContext): HandlerResult {
  outer.read({})
  const before = outer.subject('subscription')
  refuseEnded(before)
  const [id, second] = before.discounts
  const found = id === undefined ? undefined : outer.find('discount', id)
  if (found === undefined) throw noActiveDiscount('subscription', before.id)
  if (second !== undefined) throw notSupported('removing one of several discounts this way')
  const call = outer.at(timeOf(outer, before.test_clock))
  save(call, before, { ...before, discounts: [] })
  call.emit('customer.discount.deleted', found)
  return deletedDiscount(call, found)
}

const base = '/v1/subscriptions'
const of = 'subscription'

export const subscriptions: readonly Operation[] = [
  post(base, of, create),
  subscriptionList,
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, update),
  { method: 'DELETE', path: `${base}/:id`, of, run: (call) => ({ object: cancel(call) }) },
  post(`${base}/:id/resume`, of, resume),
  { method: 'DELETE', path: `${base}/:id/discount`, of: null, run: removeDiscount },
]
