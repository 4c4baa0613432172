import type { OperationContext } from '../protocol/operation-context.ts'
import type { InvoiceBody } from '../objects/customer-bodies.ts'
import type { CheckoutSessionBody, PaymentIntentBody } from '../objects/session-bodies.ts'
import { attemptInvoice, markOverdue, finalizeDraft } from './invoices/invoicing.ts'
import { updateStatusAfter } from './subscriptions/subscription-status.ts'
import { settleDebit } from './payments/payments.ts'
import { expireGrant } from './credits/ledger.ts'
import { renew } from './subscriptions/renewal.ts'
import { startSchedule } from './schedules/schedule-start.ts'
import { cancelSetup } from './payments/setup-intents.ts'

/**
 * Runs all actions on one test clock that are due at the call's time, oldest first. Each action runs at its own due time (e.g. a renewal on
 * 1 March, then the finalization of its invoice an hour later). Returns null when no more actions are due. If `pause` returns true, stops
 * and returns the due time (seconds) of the next action.
 */
export function catchUp(
  call: OperationContext,
  clock: string | null,
  pause: () => boolean = () => false,
): number | null {
  for (;;) {
    const body = call.due(clock, call.now)
    if (body === undefined || !('_due' in body) || typeof body._due !== 'number') return null
    if (pause()) return body._due
    const then = call.at(body._due)
    if (body.object === 'subscription') renew(then, body)
    else if (body.object === 'invoice') actOnInvoice(then, body)
    else if (body.object === 'subscription_schedule') startSchedule(then, body)
    else if (body.object === 'billing.credit_grant') expireGrant(then, body)
    else if (body.object === 'payment_intent') finishDebit(then, body)
    else expireSession(then, body)
    // Every action must change `_due`. If it did not, the object would stay due and this loop would never end.
    const isUnchanged = JSON.stringify(call.find(body.object, body.id)) === JSON.stringify(body)
    if (isUnchanged && call.due(clock, then.now)?.id === body.id)
      throw new Error(`${body.id} stays due after its action`)
  }
}

function actOnInvoice(call: OperationContext, invoice: InvoiceBody): void {
  if (invoice.status === 'draft') finalizeDraft(call, invoice)
  else if (invoice.collection_method === 'send_invoice') markOverdue(call, invoice)
  else updateStatusAfter(call, attemptInvoice(call, invoice))
}

/**
 * Completes a bank debit. Updates the checkout session that the debit pays for. Source: docs.stripe.com/payments/checkout/fulfill-orders.
 */
function finishDebit(call: OperationContext, waiting: PaymentIntentBody): void {
  const { id, status } = settleDebit(call, waiting)
  for (const session of call.select('checkout.session', [{ field: 'payment_intent', is: id }])) {
    if (status === 'succeeded')
      call.update(session, { ...session, payment_status: 'paid' as const }, 'checkout.session.async_payment_succeeded')
    else call.emit('checkout.session.async_payment_failed', session)
  }
}

export function expireSession(call: OperationContext, session: CheckoutSessionBody): CheckoutSessionBody {
  const setup = session.setup_intent === null ? undefined : call.find('setup_intent', session.setup_intent)
  if (setup !== undefined) cancelSetup(call, setup, null)
  const after = { ...session, status: 'expired' as const, url: null, _due: null }
  return call.update(session, after, 'checkout.session.expired')
}
