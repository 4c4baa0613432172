import { timeOf } from '../../billing/subscriptions/subscription-records.ts'
import { createRefund } from '../../billing/payments/refunds.ts'
import type { ChargeBody, RefundBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { applyMetadata, changed, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { integer, oneOf, range, text } from '../../protocol/parameters/params.ts'

const createFields = {
  amount: integer({ min: 1 }),
  charge: text(),
  metadata: metadata(),
  payment_intent: text(),
  reason: oneOf('duplicate', 'fraudulent', 'requested_by_customer'),
}

/** Returns the named charge, or the successful charge of the named payment intent. */
function chargeOf(call: OperationContext, charge: string | undefined, intent: string | undefined): ChargeBody {
  if (charge !== undefined && intent !== undefined) throw onlyOneOf('payment_intent', 'charge')
  if (charge !== undefined) return call.reference('charge', charge, 'charge')
  if (intent === undefined)
    throw badRequest('One of the following params should be provided for this request: payment_intent or charge.')
  const paid = call.reference('payment_intent', intent, 'payment_intent')
  const found = call.find('charge', paid.latest_charge ?? '')
  if (found?.status === 'succeeded') return found
  const message = `This PaymentIntent (${intent}) does not have a successful charge to refund.`
  throw badRequest(message, 'payment_intent')
}

function create(outer: OperationContext): RefundBody {
  const params = outer.read(createFields)
  const charge = chargeOf(outer, params.charge, params.payment_intent)
  const customer = outer.find('customer', charge.customer ?? '')
  const call = outer.at(timeOf(outer, customer?.test_clock ?? null))
  return createRefund(call, charge, {
    amount: params.amount,
    reason: params.reason,
    metadata: applyMetadata({}, params.metadata),
  })
}

function update(call: OperationContext): RefundBody {
  const before = call.subject('refund')
  const written = call.update(before, changed(before, call.read({ metadata: metadata() })), 'refund.updated')
  // `charge.refund.updated` is the older name of the event.
  if (written !== before) call.emitUnstored('charge.refund.updated', call.render(written), call.render(before))
  return written
}

const base = '/v1/refunds'
const of = 'refund'

export const refunds: readonly Operation[] = [
  post(base, of, create),
  listing(base, of, { charge: text(), created: range(), payment_intent: text() }),
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, update),
]
