// Resumes a subscription that is paused because its trial ended without a payment method.
import { billNow, restartPeriod } from '../../billing/subscriptions/proration.ts'
import { cardOf } from '../../billing/invoices/invoicing.ts'
import { periodLines, shortened } from '../../billing/subscriptions/planned-end.ts'
import { isMetered, isEnded, timeOf, priceOf, save } from '../../billing/subscriptions/subscription-records.ts'
import { payerOf } from '../../billing/subscriptions/renewal.ts'
import { noPaymentMethodError } from '../../billing/subscriptions/subscribe.ts'
import type { SubscriptionBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { noSuchResource, badRequest } from '../../protocol/responses/errors.ts'
import { oneOf, shape } from '../../protocol/parameters/params.ts'

/**
 * Resumes a subscription. A new period begins and is billed now, whatever the result of the payment. Source: the SDK's documentation of
 * `resume_on_payment_attempt`.
 */
export function resume(outer: OperationContext): SubscriptionBody {
  const before = outer.subject('subscription')
  outer.read({
    billing_cycle_anchor: shape({ type: oneOf('now') }),
    payment_behavior: oneOf('resume_on_payment_attempt'),
    proration_behavior: oneOf('always_invoice', 'create_prorations', 'none'),
  })
  if (isEnded(before)) throw noSuchResource('subscription', before.id, 'id')
  // Source of the message: the real API at version 2026-08-26.dahlia.
  if (before.status !== 'paused') throw badRequest('You can only resume a subscription if it is `paused`.')
  const call = outer.at(timeOf(outer, before.test_clock))
  const data = before.items.data.map((item) => shortened(restartPeriod(call, item), before.cancel_at))
  const running: SubscriptionBody = {
    ...before,
    billing_cycle_anchor: call.now,
    items: { ...before.items, data },
    status: 'active',
  }
  const licensed = data.filter((item) => !isMetered(priceOf(call, item)))
  const lines = [...before._pending, ...licensed.flatMap((item) => periodLines(call, running, item))]
  const costs = lines.some(({ amount }) => amount > 0) && before.collection_method === 'charge_automatically'
  if (costs && cardOf(call, payerOf(before)) === undefined) throw noPaymentMethodError()
  const resumed = save(
    call,
    before,
    billNow(call, running, lines, 'subscription_cycle'),
    'customer.subscription.updated',
  )
  call.emit('customer.subscription.resumed', resumed)
  return resumed
}
