// Invoice previews. A preview executes the change, advances the subscription to its next invoice, and rolls everything back. So a preview
// and the real invoice are computed by the same code.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { InvoiceBody, SubscriptionBody, PretaxCreditBody } from '../../objects/customer-bodies.ts'
import { changedItems } from '../../billing/subscriptions/subscription-items.ts'
import { isEnded, timeOf } from '../../billing/subscriptions/subscription-records.ts'
import { renew } from '../../billing/subscriptions/renewal.ts'
import { billingModeOf, billingModeParam } from '../../billing/subscriptions/billing-mode.ts'
import { subscribe, trialEndOf } from '../../billing/subscriptions/subscribe.ts'
import { discountsParam, type DiscountParams } from '../../billing/pricing/discounts.ts'
import { StripeError, missingParam, badRequest, notSupported } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { boolean, oneOf, shape, text, timestamp, type Read } from '../../protocol/parameters/params.ts'
import { previewedFields, scheduledSubscription, updateSchedule } from '../schedules/subscription-schedules.ts'
import { applyUpdate, prorationBehavior } from '../subscriptions/subscriptions.ts'
import { currency } from '../catalog/currencies.ts'

const detailFields = {
  billing_cycle_anchor: shape({ type: oneOf('now', 'unchanged') }),
  billing_mode: billingModeParam,
  cancel_at_period_end: boolean(),
  items: changedItems,
  proration_behavior: prorationBehavior,
  proration_date: timestamp(),
  trial_end: timestamp(),
}

const fields = {
  currency: currency(),
  customer: text(),
  discounts: discountsParam,
  preview_mode: oneOf('next', 'recurring'),
  schedule: text(),
  schedule_details: shape(previewedFields),
  subscription: text(),
  subscription_details: shape(detailFields),
}
type PreviewParams = Read<typeof fields>
type PreviewDetails = Partial<Read<typeof detailFields>>

export function preview(call: OperationContext): InvoiceBody {
  const params = call.read(fields)
  if (params.schedule !== undefined) return shownAs(previewSchedule(call, params.schedule, params), params.schedule)
  if (params.schedule_details !== undefined)
    throw notSupported('a preview of a schedule that does not exist yet', 'schedule_details')
  const details = params.subscription_details ?? {}
  const named = params.subscription ?? nextSubscription(call, params.customer, details)?.id
  const invoice = call.rehearse((rehearsal) =>
    named === undefined
      ? previewNew(rehearsal, params.customer, details, params)
      : previewExisting(rehearsal, rehearsal.reference('subscription', named, 'subscription'), details, params),
  )
  return shownAs(invoice, params.customer ?? named ?? '')
}

function shownAs(invoice: InvoiceBody | undefined, of: string): InvoiceBody {
  if (invoice === undefined) throw noUpcomingInvoice(of)
  const id = newId('upcoming_in_1', 23)
  const lines = invoice.lines.data.map((line) => ({ ...line, invoice: id }))
  return { ...invoice, id, lines: { ...invoice.lines, data: lines, url: `/v1/invoices/${id}/lines` } }
}

/** Returns the next invoice of the schedule's subscription if the schedule were updated so. */
function previewSchedule(
  outer: OperationContext,
  id: string,
  { preview_mode: mode, schedule_details: details, subscription, subscription_details: other }: PreviewParams,
): InvoiceBody | undefined {
  if (subscription !== undefined || other !== undefined)
    throw badRequest('You may only specify one of these parameters: schedule, subscription.', 'schedule')
  return outer.rehearse((rehearsal) => {
    const schedule = rehearsal.reference('subscription_schedule', id, 'schedule')
    if (schedule.status !== 'active')
      throw notSupported(`a preview of a schedule that is ${schedule.status}`, 'schedule')
    const before = scheduledSubscription(rehearsal, schedule)
    updateSchedule(rehearsal, schedule, details ?? {})
    const call = rehearsal.at(timeOf(rehearsal, before.test_clock))
    const after = scheduledSubscription(rehearsal, schedule)
    if (mode === 'recurring') return nextInvoice(call, { ...after, _pending: [] })
    return after.latest_invoice === before.latest_invoice
      ? nextInvoice(call, after)
      : invoiceOf(call, after.latest_invoice)
  })
}

function noUpcomingInvoice(id: string): StripeError {
  return new StripeError(`No upcoming invoices for customer: ${id}`, { status: 404, code: 'invoice_upcoming_none' })
}

/** Returns the customer's subscription with the earliest next action. Undefined if the request plans a new subscription. */
function nextSubscription(
  call: OperationContext,
  customer: string | undefined,
  details: PreviewDetails,
): SubscriptionBody | undefined {
  if (customer === undefined) throw missingParam('customer')
  call.reference('customer', customer, 'customer')
  if (details.items !== undefined) return undefined
  const living = call
    .select('subscription', [{ field: 'customer', is: customer }])
    .filter((subscription) => !isEnded(subscription) && subscription._due !== null)
  const [first] = living.sort((a, b) => (a._due ?? 0) - (b._due ?? 0))
  if (first === undefined) throw noUpcomingInvoice(customer)
  return first
}

function previewNew(
  outer: OperationContext,
  id: string | undefined,
  details: PreviewDetails,
  params: { readonly currency?: string | undefined; readonly discounts?: DiscountParams | null | undefined },
): InvoiceBody | undefined {
  const customer = outer.reference('customer', id ?? '', 'customer')
  const call = outer.at(timeOf(outer, customer.test_clock))
  const made = subscribe(call, {
    customer,
    items: details.items ?? [],
    currency: params.currency,
    discounts: params.discounts,
    billingMode: billingModeOf(details.billing_mode, 'subscription_details[billing_mode]'),
    metadata: {},
    trialEnd: trialEndOf(call, details.trial_end, undefined),
  })
  return invoiceOf(call, made.latest_invoice)
}

/** Returns the subscription as if it were migrated to the billing mode. A migration from flexible to classic does not exist. */
function inBillingMode(subscription: SubscriptionBody, given: PreviewDetails['billing_mode']): SubscriptionBody {
  if (given === undefined) return subscription
  const name = 'subscription_details[billing_mode]'
  const mode = billingModeOf(given, name)
  if (subscription.billing_mode.type === 'flexible' && mode.type === 'classic')
    throw notSupported('a preview of a flexible subscription in classic billing mode', name)
  return { ...subscription, billing_mode: mode }
}

function previewExisting(
  outer: OperationContext,
  before: SubscriptionBody,
  details: PreviewDetails,
  {
    discounts,
    preview_mode: which,
  }: {
    readonly discounts?: DiscountParams | null | undefined
    readonly preview_mode?: 'next' | 'recurring' | undefined
  },
): InvoiceBody | undefined {
  const call = outer.at(timeOf(outer, before.test_clock))
  const { billing_mode: mode, billing_cycle_anchor: anchor, ...plan } = details
  const after = applyUpdate(call, inBillingMode(before, mode), {
    ...plan,
    discounts,
    ...(anchor === undefined ? {} : { billing_cycle_anchor: { type: anchor.type } }),
  })
  // A recurring invoice contains neither the amounts that the change itself bills nor lines that are pending for the next invoice.
  if (which === 'recurring') return nextInvoice(call, { ...after, _pending: [] })
  if (after.latest_invoice !== before.latest_invoice) return invoiceOf(call, after.latest_invoice)
  if (isEnded(after)) throw badRequest('Cannot preview an invoice for a canceled subscription.', 'subscription')
  return nextInvoice(call, after)
}

/** Executes the subscription's next actions, at most 10, until it has a new invoice. Returns that invoice; undefined if there is none. */
function nextInvoice(call: OperationContext, from: SubscriptionBody): InvoiceBody | undefined {
  let current = from
  for (let turns = 0; turns < 10 && current._due !== null; turns++) {
    const then = call.at(Math.max(call.now, current._due))
    current = renew(then, current)
    if (current.latest_invoice !== from.latest_invoice) return invoiceOf(then, current.latest_invoice)
  }
  return undefined
}

/** Returns the invoice as an upcoming draft, whatever its real status and reason. */
function invoiceOf(call: OperationContext, id: string | null): InvoiceBody | undefined {
  const found = id === null ? undefined : call.find('invoice', id)
  if (found === undefined) return undefined
  return {
    ...found,
    amount_paid: 0,
    amount_remaining: found.amount_due,
    attempt_count: 0,
    attempted: false,
    billing_reason: 'upcoming',
    effective_at: null,
    lines: {
      ...found.lines,
      data: found.lines.data.map((line) => ({
        ...line,
        pretax_credit_amounts: line.pretax_credit_amounts.map(withoutTransaction),
      })),
    },
    number: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    total_pretax_credit_amounts: found.total_pretax_credit_amounts.map(withoutTransaction),
  }
}

/** Returns the billing credit of a line without its transaction, because a preview, like a draft, has no transaction. */
function withoutTransaction(credit: PretaxCreditBody): PretaxCreditBody {
  return credit.type === 'discount' ? credit : { ...credit, credit_balance_transaction: null }
}
