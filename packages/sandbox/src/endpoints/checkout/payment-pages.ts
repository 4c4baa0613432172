// Endpoints of Stripe's own checkout page, which reads and pays a session. The SDK lacks these endpoints, but Stripe's command-line tool
// completes a checkout with them. Source: Stripe's Android SDK and public recordings (ids, fields and codes).
import { completeSession, discountsOf, quote } from '../../billing/checkout.ts'
import { timeOf } from '../../billing/subscriptions/subscription-records.ts'
import type { PaymentMethodBody } from '../../objects/customer-bodies.ts'
import type { CheckoutSessionBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { missingParam, noSuchResource, badRequest } from '../../protocol/responses/errors.ts'
import type { Operation } from '../../protocol/operation.ts'
import { integer, text } from '../../protocol/parameters/params.ts'
import { attachToCustomer, methodForPayment, refuseUnknownMethod } from '../payments/payment-methods.ts'

const sessionPrefix = 'cs_test_'
const pagePrefix = 'ppage_'

/** Returns the session in the path. The path contains the id of the session or of its payment page. */
function sessionOf(call: OperationContext): CheckoutSessionBody {
  const { id } = call
  const session = id.startsWith(pagePrefix) ? `${sessionPrefix}${id.slice(pagePrefix.length)}` : id
  const found = call.find('checkout.session', session)
  if (found === undefined) throw noSuchResource('payment_page', id, 'payment_page')
  return found
}

/** Returns the amount due today: 0 in `setup` mode, and if the session is not open. */
function dueNow(outer: OperationContext, session: CheckoutSessionBody): number {
  if (session.status !== 'open') return 0
  const call = outer.at(timeOf(outer, session._clock))
  return quote(call, session, session.line_items.data, discountsOf(session, null)).total
}

function asPaymentPage(call: OperationContext, session: CheckoutSessionBody): Readonly<Record<string, unknown>> {
  const { id, currency, customer_email, mode, payment_method_types, payment_status, status, success_url } = session
  return {
    id: `${pagePrefix}${id.slice(sessionPrefix.length)}`,
    object: 'checkout.session',
    ...{ currency, customer_email, livemode: false, mode, payment_method_types, payment_status },
    session_id: id,
    ...{ status, success_url },
    total_summary: {
      due: dueNow(call, session),
      subtotal: session.amount_subtotal ?? 0,
      total: session.amount_total ?? 0,
    },
  }
}

function refuseClosed({ status }: CheckoutSessionBody): void {
  if (status === 'complete')
    throw badRequest('This Checkout Session has already been processed.', undefined, 'checkout_succeeded_session')
  if (status === 'expired')
    throw badRequest('This Checkout Session is no longer active.', undefined, 'checkout_not_active_session')
}

/** True if the payment method is to be attached to the customer. A bank account is attached only with `setup_future_usage`. */
function attachesToCustomer(
  { _plan: plan }: CheckoutSessionBody,
  customer: string | null,
  known: PaymentMethodBody | undefined,
): customer is string {
  if (customer === null) return false
  return known?.type !== 'sepa_debit' || (plan.setup_future_usage ?? null) !== null
}

/** Completes the session with an existing payment method, as the hosted page does. */
function confirm(call: OperationContext): CheckoutSessionBody {
  const session = sessionOf(call)
  const { expected_amount: expected, payment_method: card } = call.read({
    expected_amount: integer({ min: 0 }),
    payment_method: text(),
  })
  refuseClosed(session)
  const due = dueNow(call, session)
  if (expected !== undefined && expected !== due) {
    const message = `The \`expected_amount\` ${expected} does not equal the amount due: ${due}.`
    throw badRequest(message, 'expected_amount', 'checkout_amount_mismatch')
  }
  if (card !== undefined) refuseUnknownMethod(call, card)
  const known = card === undefined ? undefined : call.find('payment_method', card)
  return completeSession(call, session, {
    card: (at, customer) => {
      if (card === undefined) throw missingParam('payment_method')
      return attachesToCustomer(session, customer, known)
        ? attachToCustomer(at, card, customer)
        : methodForPayment(at, card, session.customer)
    },
    code: null,
    email: session.customer_email ?? known?.billing_details.email ?? '',
  })
}

const one = '/v1/payment_pages/:id'

/** Operations of Stripe's own checkout page, which the SDK lacks. */
export const paymentPages: readonly Operation[] = [
  {
    method: 'GET',
    path: one,
    of: null,
    run: (call) => {
      call.read({})
      return { unstored: asPaymentPage(call, sessionOf(call)) }
    },
  },
  {
    method: 'POST',
    path: `${one}/confirm`,
    of: null,
    run: (call) => ({ unstored: asPaymentPage(call, confirm(call)) }),
  },
]
