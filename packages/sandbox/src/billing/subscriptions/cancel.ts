import type { OperationContext } from '../../protocol/operation-context.ts'
import type { InvoiceLineBody, SubscriptionBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import { deletePendingProrations, withProrationItems } from '../invoices/invoice-items.ts'
import { createDraft } from '../invoices/invoicing.ts'
import { openInvoices } from './subscription-status.ts'
import { arrearsLines, prorationLine } from '../invoices/invoice-lines.ts'
import { isMetered, priceOf, save } from './subscription-records.ts'

/**
 * Cancels a subscription by request. `prorate` credits unused time. `invoiceNow` bills the credit, the usage and the pending lines. If both
 * are false, pending prorations are deleted. Source: the SDK's documentation of `cancel`.
 */
export function cancelOnRequest(
  call: OperationContext,
  before: SubscriptionBody,
  { prorate, invoiceNow }: { readonly prorate: boolean; readonly invoiceNow: boolean },
): SubscriptionBody {
  const runs = before.status !== 'trialing' && before.status !== 'incomplete'
  const metered = (item: SubscriptionItemBody): boolean => isMetered(priceOf(call, item))
  const licensed = runs && prorate ? before.items.data.filter((item) => !metered(item)) : []
  const unused = licensed.map((item) => prorationLine(call, before, item, -1)).filter(({ amount }) => amount !== 0)
  const usage = runs && invoiceNow ? before.items.data.filter(metered) : []
  const used = usage.flatMap((item) => arrearsLines(call, before, item, call.now))
  const waiting = withProrationItems(call, before, [...before._pending, ...unused], null)
  if (invoiceNow) return cancelNow(call, before, [...waiting, ...used])
  // With `prorate` but without `invoiceNow`, the prorations stay pending as invoice items of the customer.
  return cancelNow(call, prorate ? { ...before, _pending: [] } : before)
}

/** Ends a subscription and cancels its schedule. If there are lines, they are billed on a final invoice. */
export function cancelNow(
  call: OperationContext,
  before: SubscriptionBody,
  lines: readonly InvoiceLineBody[] = [],
): SubscriptionBody {
  stopCollecting(call, before)
  const start = Math.min(...before.items.data.map((item) => item.current_period_start))
  const made =
    lines.length === 0
      ? undefined
      : createDraft(call, {
          subscription: before,
          lines,
          reason: 'subscription_cycle',
          period: { start, end: call.now },
        })
  deletePendingProrations(call, before)
  endSchedule(call, before)
  const after: SubscriptionBody = {
    ...before,
    canceled_at: before.canceled_at ?? call.now,
    cancellation_details: { ...before.cancellation_details, reason: 'cancellation_requested' },
    ended_at: call.now,
    latest_invoice: made?.invoice.id ?? before.latest_invoice,
    schedule: null,
    status: 'canceled',
    _pending: [],
  }
  // Reads the subscription again, because `before` may contain changes that are not stored.
  const written = call.find('subscription', before.id) ?? before
  return save(call, written, after, 'customer.subscription.deleted')
}

/** Stops automatic retries of the subscription's open invoices. Source: the SDK's documentation of `cancel`. */
function stopCollecting(call: OperationContext, subscription: SubscriptionBody): void {
  for (const invoice of openInvoices(call, subscription)) {
    // A `send_invoice` invoice keeps its due date, so it can still become overdue.
    const due = invoice.collection_method === 'send_invoice' ? invoice._due : null
    const left = { ...invoice, auto_advance: false, next_payment_attempt: null, _due: due }
    call.update(invoice, left, 'invoice.updated')
  }
}

function endSchedule(
  call: OperationContext,
  subscription: SubscriptionBody,
  event: 'subscription_schedule.aborted' | 'subscription_schedule.canceled' = 'subscription_schedule.canceled',
): void {
  if (subscription.schedule === null) return
  const schedule = call.find('subscription_schedule', subscription.schedule)
  if (schedule === undefined || schedule.status !== 'active') return
  const after = { ...schedule, canceled_at: call.now, current_phase: null, status: 'canceled' as const }
  call.update(schedule, after, event)
}

/**
 * Ends the schedule of a subscription that ends because it was not paid. Source: the SDK's documentation of
 * `subscription_schedule.aborted`.
 */
export function abortSchedule(call: OperationContext, subscription: SubscriptionBody): void {
  endSchedule(call, subscription, 'subscription_schedule.aborted')
}

/** Cancels the subscriptions of a deleted customer, and its schedules that have not started yet. */
export function cancelAllOf(call: OperationContext, customer: string): void {
  const living = call
    .select('subscription', [{ field: 'customer', is: customer }])
    .filter((subscription) => subscription.ended_at === null)
  for (const subscription of living) cancelNow(call, subscription)
  const waiting = call
    .select('subscription_schedule', [{ field: 'customer', is: customer }])
    .filter(({ status }) => status === 'not_started')
  for (const schedule of waiting) {
    const after = { ...schedule, canceled_at: call.now, status: 'canceled' as const, _due: null }
    call.update(schedule, after, 'subscription_schedule.canceled')
  }
}
