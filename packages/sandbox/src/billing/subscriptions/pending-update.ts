// Updates that wait for their payment (`payment_behavior: pending_if_incomplete`): the subscription stays as it was until the invoice of the
// update is paid. Source: docs.stripe.com/billing/subscriptions/pending-updates.
import type { InvoiceBody, SubscriptionBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { save } from './subscription-records.ts'

/** Seconds after which an unpaid update is dropped: 23 hours, or earlier at the end of the current period. */
const paymentWindow = 23 * 3600

/**
 * If the invoice of an update is unpaid, returns the subscription as before the update, with the update stored as pending until the
 * payment. `after` is the subscription after the update.
 */
export function awaitPayment(
  call: OperationContext,
  before: SubscriptionBody,
  after: SubscriptionBody,
): SubscriptionBody {
  if (after.latest_invoice === before.latest_invoice) return after
  const invoice = call.find('invoice', after.latest_invoice ?? '')
  if (invoice?.status !== 'open' || invoice.collection_method !== 'charge_automatically') return after
  // The invoice is not charged again automatically: the customer pays it, or the update expires.
  call.update(invoice, { ...invoice, next_payment_attempt: null, _due: null }, null)
  const ends = before.items.data.map((item) => item.current_period_end)
  const pending = {
    billing_cycle_anchor:
      after.billing_cycle_anchor === before.billing_cycle_anchor ? null : after.billing_cycle_anchor,
    cancel_at_period_end: null,
    discount: null,
    discounts: after.discounts.join() === before.discounts.join() ? null : after.discounts,
    metadata: changedMetadata(before.metadata, after.metadata),
    expires_at: Math.min(call.now + paymentWindow, ...ends),
    subscription_items: after.items.data,
    trial_end: null,
    trial_from_plan: null,
  }
  const kept = { ...before, latest_invoice: invoice.id, pending_update: pending, _planned: after }
  return save(call, after, kept)
}

/** Returns the metadata values that the update adds or changes; null if there are none. */
function changedMetadata(before: SubscriptionBody['metadata'], after: SubscriptionBody['metadata']) {
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value)
  return changed.length === 0 ? null : Object.fromEntries(changed)
}

const cleared = { pending_update: null, _planned: null } as const

/**
 * Applies or drops the pending update that waits for this invoice, depending on the invoice's status. Returns false if no update waits for
 * it.
 */
export function settlePending(call: OperationContext, before: SubscriptionBody, invoice: InvoiceBody): boolean {
  const planned = before._planned
  if (planned === null || planned === undefined || planned.latest_invoice !== invoice.id) return false
  if (invoice.status === 'open' || invoice.status === 'draft') return true
  if (invoice.status === 'paid') {
    const { default_payment_method: card, status } = before
    // Source: docs.stripe.com/changelog/dahlia/2026-05-27/pending-subscription-update-metadata.
    const metadata = { ...before.metadata, ...before.pending_update?.metadata }
    const applied = save(call, before, { ...planned, ...cleared, default_payment_method: card, metadata, status })
    call.emit('customer.subscription.pending_update_applied', applied)
  } else expirePending(call, before)
  return true
}

export function expirePending(call: OperationContext, before: SubscriptionBody): SubscriptionBody {
  const expired = save(call, before, { ...before, ...cleared })
  call.emit('customer.subscription.pending_update_expired', expired)
  return expired
}
