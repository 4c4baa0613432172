// Resumes a subscription that is paused because its trial ended without a payment method.
import { reanchored } from '../../billing/subscriptions/proration.ts'
import { afterInvoice, cardOf, draft, finalize } from '../../billing/invoices/invoicing.ts'
import { statusAfter } from '../../billing/subscriptions/subscription-status.ts'
import { advanceLines } from '../../billing/invoices/invoice-lines.ts'
import { isMetered, isOver, momentOf, priceOf, save } from '../../billing/subscriptions/subscription-records.ts'
import { paidBy } from '../../billing/subscriptions/renewal.ts'
import { nothingToPayWith } from '../../billing/subscriptions/subscribe.ts'
import type { SubscriptionBody } from '../../objects/customer-bodies.ts'
import type { Call } from '../../protocol/operation-context.ts'
import { noSuchResource, refused } from '../../protocol/responses/errors.ts'
import type { Operation } from '../../protocol/operation.ts'
import { oneOf, shape } from '../../protocol/parameters/params.ts'

/** Starts and bills a new period now, whatever the result of the payment (the SDK's types, `resume_on_payment_attempt`). */
function resume(outer: Call): SubscriptionBody {
  const before = outer.subject('subscription')
  outer.read({
    billing_cycle_anchor: shape({ type: oneOf('now') }),
    payment_behavior: oneOf('resume_on_payment_attempt'),
    proration_behavior: oneOf('always_invoice', 'create_prorations', 'none'),
  })
  if (isOver(before)) throw noSuchResource('subscription', before.id, 'id')
  // Message as in the real API (recorded at 2026-08-26.dahlia).
  if (before.status !== 'paused') throw refused('You can only resume a subscription if it is `paused`.')
  const call = outer.at(momentOf(outer, before.test_clock))
  const data = before.items.data.map((item) => reanchored(call, item))
  const running: SubscriptionBody = {
    ...before,
    billing_cycle_anchor: call.now,
    items: { ...before.items, data },
    status: 'active',
  }
  const licensed = data.filter((item) => !isMetered(priceOf(call, item)))
  const lines = [...before._pending, ...licensed.flatMap((item) => advanceLines(call, running, item))]
  const costs = lines.some(({ amount }) => amount > 0) && before.collection_method === 'charge_automatically'
  if (costs && cardOf(call, paidBy(before)) === undefined) throw nothingToPayWith()
  const resumed = save(call, before, billed(call, running, lines), 'customer.subscription.updated')
  call.announce('customer.subscription.resumed', resumed)
  return resumed
}

function billed(
  call: Call,
  subscription: SubscriptionBody,
  lines: Parameters<typeof draft>[1]['lines'],
): SubscriptionBody {
  if (lines.length === 0) return subscription
  const period = { start: call.now, end: call.now }
  const made = draft(call, { subscription, lines, reason: 'subscription_cycle', period })
  const waits = subscription.collection_method === 'send_invoice' || !made.invoice.auto_advance
  const invoice = waits ? made.invoice : finalize(call, made.invoice)
  return {
    ...afterInvoice(subscription, made),
    latest_invoice: invoice.id,
    status: statusAfter(call, subscription, invoice),
    _pending: [],
  }
}

export const resuming: Operation = {
  method: 'POST',
  path: '/v1/subscriptions/:id/resume',
  of: 'subscription',
  run: (call) => ({ object: resume(call) }),
}
