// Invoice previews. A preview executes the change, advances the subscription to its next invoice, and rolls everything back. So the same
// code computes the preview and the real invoice.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { InvoiceBody, SubscriptionBody } from '../../objects/customer-bodies.ts'
import { changedItems } from '../../billing/subscriptions/subscription-items.ts'
import { isEnded, timeOf } from '../../billing/subscriptions/subscription-records.ts'
import { renew } from '../../billing/subscriptions/renewal.ts'
import { subscribe, trialEndOf } from '../../billing/subscriptions/subscribe.ts'
import { discountsParam, type DiscountParams } from '../../billing/pricing/discounts.ts'
import { StripeError, missingParam, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { boolean, oneOf, shape, text, timestamp, type Read } from '../../protocol/parameters/params.ts'
import { applyUpdate, prorationBehavior, refuseScheduled } from '../subscriptions/subscriptions.ts'
import { currency } from '../catalog/currencies.ts'

const detailFields = {
  billing_cycle_anchor: shape({ type: oneOf('now', 'unchanged') }),
  billing_mode: shape({
    flexible: shape({ proration_discounts: oneOf('included') }),
    type: oneOf('classic', 'flexible'),
  }),
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
  preview_mode: oneOf('next'),
  subscription: text(),
  subscription_details: shape(detailFields),
}
type PreviewDetails = Partial<Read<typeof detailFields>>

export function preview(call: OperationContext): InvoiceBody {
  const params = call.read(fields)
  const details = params.subscription_details ?? {}
  const named = params.subscription ?? nextSubscription(call, params.customer, details)?.id
  const invoice = call.rehearse((rehearsal) =>
    named === undefined
      ? previewNew(rehearsal, params.customer, details, params)
      : previewExisting(
          rehearsal,
          rehearsal.reference('subscription', named, 'subscription'),
          details,
          params.discounts,
        ),
  )
  if (invoice === undefined) throw noUpcomingInvoice(params.customer ?? named ?? '')
  const id = newId('upcoming_in_1', 23)
  const lines = invoice.lines.data.map((line) => ({ ...line, invoice: id }))
  return { ...invoice, id, lines: { ...invoice.lines, data: lines, url: `/v1/invoices/${id}/lines` } }
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
    mode: details.billing_mode?.type,
    metadata: {},
    trialEnd: trialEndOf(call, details.trial_end, undefined),
  })
  return invoiceOf(call, made.latest_invoice)
}

function previewExisting(
  outer: OperationContext,
  before: SubscriptionBody,
  details: PreviewDetails,
  discounts: DiscountParams | null | undefined,
): InvoiceBody | undefined {
  if (details.items !== undefined) refuseScheduled(before, 'items')
  const call = outer.at(timeOf(outer, before.test_clock))
  const { billing_mode: _mode, billing_cycle_anchor: anchor, ...plan } = details
  const after = applyUpdate(call, before, {
    ...plan,
    discounts,
    ...(anchor === undefined ? {} : { billing_cycle_anchor: { type: anchor.type } }),
  })
  if (after.latest_invoice !== before.latest_invoice) return invoiceOf(call, after.latest_invoice)
  if (isEnded(after)) throw badRequest('Cannot preview an invoice for a canceled subscription.', 'subscription')
  return nextInvoice(call, after)
}

/** Runs the subscription's next actions, at most 10, until it has a new invoice. Returns that invoice, undefined if there is none. */
function nextInvoice(call: OperationContext, from: SubscriptionBody): InvoiceBody | undefined {
  let current = from
  for (let turns = 0; turns < 10 && current._due !== null; turns++) {
    const then = call.at(Math.max(call.now, current._due))
    current = renew(then, current)
    if (current.latest_invoice !== from.latest_invoice) return invoiceOf(then, current.latest_invoice)
  }
  return undefined
}

/** Returns the invoice as a draft, whatever its real status. */
function invoiceOf(call: OperationContext, id: string | null): InvoiceBody | undefined {
  const found = id === null ? undefined : call.find('invoice', id)
  if (found === undefined) return undefined
  return {
    ...found,
    amount_paid: 0,
    amount_remaining: found.amount_due,
    attempt_count: 0,
    attempted: false,
    effective_at: null,
    number: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
  }
}
