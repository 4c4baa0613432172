// Moves the end of a trial, or ends the trial now.
import { advanceLines, prorationLine, trialLine } from '../invoices/invoice-lines.ts'
import { cardOf } from '../invoices/invoicing.ts'
import type { ProrationBehavior, SubscriptionBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { billNow, restartPeriod } from './proration.ts'
import { payerOf } from './renewal.ts'
import { noPaymentMethodError, trialEndOf } from './subscribe.ts'
import { isMetered, priceOf } from './subscription-records.ts'

/**
 * Sets a new end of the trial. If a paid period is running, its unused time is credited on an invoice now. A trial that ends now is billed
 * now, with `billing_reason: subscription_update`. Source: the real API at version 2026-08-26.dahlia.
 */
export function withTrial(
  call: OperationContext,
  before: SubscriptionBody,
  end: number | 'now',
  behavior: ProrationBehavior,
  prorateFrom = call.now,
): SubscriptionBody {
  if (end === 'now') return before.status === 'trialing' ? endTrial(call, before) : before
  const until = trialEndOf(call, end, undefined) ?? call.now
  const items = before.items.data.map(({ _whole_end: _end, ...item }) => ({
    ...item,
    current_period_start: call.now,
    current_period_end: until,
  }))
  const after: SubscriptionBody = {
    ...before,
    billing_cycle_anchor: until,
    items: { ...before.items, data: items },
    status: 'trialing',
    trial_end: until,
    trial_start: before.status === 'trialing' ? before.trial_start : call.now,
    _trial_told: false,
  }
  if (before.status === 'trialing') return after
  const licensed = (one: SubscriptionItemBody): boolean => !isMetered(priceOf(call, one))
  const unused =
    behavior === 'none'
      ? []
      : before.items.data.filter(licensed).map((item) => prorationLine(call.at(prorateFrom), before, item, -1))
  const lines = [...before._pending, ...unused, ...items.filter(licensed).map((item) => trialLine(call, after, item))]
  return billNow(call, after, lines)
}

/** Ends the trial and bills at once, so a payment method is required. Source: the real API at version 2026-08-26.dahlia. */
function endTrial(call: OperationContext, before: SubscriptionBody): SubscriptionBody {
  const items = before.items.data.map((item) => restartPeriod(call, item))
  const after: SubscriptionBody = {
    ...before,
    billing_cycle_anchor: call.now,
    items: { ...before.items, data: items },
    status: 'active',
    trial_end: call.now,
    _trial_told: true,
  }
  const over = before.items.data
    .filter((item) => !isMetered(priceOf(call, item)))
    .map((item) => trialLine(call, before, { ...item, current_period_end: call.now }))
  const begun = items
    .filter((item) => !isMetered(priceOf(call, item)))
    .flatMap((item) => advanceLines(call, after, item))
  const lines = [...before._pending, ...over, ...begun]
  const costs = lines.some(({ amount }) => amount > 0) && before.collection_method === 'charge_automatically'
  if (costs && cardOf(call, payerOf(before)) === undefined) throw noPaymentMethodError()
  const billed = billNow(call, after, lines)
  if (!before._trial_told) call.emit('customer.subscription.trial_will_end', billed)
  return billed
}
