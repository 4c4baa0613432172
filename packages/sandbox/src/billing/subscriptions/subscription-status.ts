// Status of a subscription after its invoices were paid, declined, overdue or closed.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { InvoiceBody, SubscriptionBody } from '../../objects/customer-bodies.ts'
import { defaultCardAfter } from '../payments/payers.ts'
import { settlePending } from './pending-update.ts'
import { isEnded, save } from './subscription-records.ts'

/** Returns the unpaid finalized invoices of a subscription, at most `most`. */
export function openInvoices(call: OperationContext, { id }: { readonly id: string }, most?: number): InvoiceBody[] {
  const conditions = [
    { field: 'parent.subscription_details.subscription', is: id },
    { field: 'status', is: 'open' },
  ]
  return call.select('invoice', conditions, most)
}

export function subscriptionOf({ parent }: Pick<InvoiceBody, 'parent'>): string | null {
  return parent?.subscription_details.subscription ?? null
}

/** Updates the subscription of an invoice after the invoice was paid, declined or closed. */
export function updateStatusAfter(call: OperationContext, invoice: InvoiceBody): void {
  const before = call.find('subscription', subscriptionOf(invoice) ?? '')
  if (before === undefined || isEnded(before) || settlePending(call, before, invoice)) return
  const status = statusAfter(call, before, invoice)
  const card = defaultCardAfter(call, before, invoice)
  if (status === before.status && card === before.default_payment_method) return
  const ended = status === 'incomplete_expired' ? call.now : before.ended_at
  save(call, before, { ...before, default_payment_method: card, status, ended_at: ended })
}

export function statusAfter(
  call: OperationContext,
  subscription: SubscriptionBody,
  invoice: InvoiceBody,
): SubscriptionBody['status'] {
  const paid = invoice.status === 'paid' || invoice.status === 'void' || invoice.status === 'uncollectible'
  if (invoice.status === 'draft') return subscription.status
  if (invoice.billing_reason === 'subscription_create' && invoice.collection_method === 'charge_automatically') {
    // Voiding the first invoice of an incomplete subscription expires the subscription. Source: the SDK's documentation of `status`.
    if (invoice.status === 'void' && subscription.status === 'incomplete') return 'incomplete_expired'
    // The first invoice of a schedule stays a draft for an hour, so its subscription is already active.
    const runs = subscription.status === 'active' && subscription.latest_invoice === invoice.id
    if (!paid) return runs ? 'past_due' : subscription.status === 'past_due' ? 'past_due' : 'incomplete'
    return subscription.status === 'incomplete' || subscription.status === 'past_due' ? 'active' : subscription.status
  }
  if (subscription.status === 'trialing') return 'trialing'
  if (!paid) return isNotDueYet(call, invoice) ? subscription.status : 'past_due'
  if (subscription.status !== 'past_due') return subscription.status
  return openInvoices(call, subscription, 1).length === 0 ? 'active' : 'past_due'
}

/** True if the invoice was sent by email and its due date has not passed. */
function isNotDueYet(call: OperationContext, invoice: InvoiceBody): boolean {
  return invoice.collection_method === 'send_invoice' && invoice.due_date !== null && invoice.due_date > call.now
}
