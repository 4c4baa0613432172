// Due actions of a subscription: end of a trial, billing of a period, the next phase, cancellation, expiry.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { InvoiceLineBody, SubscriptionBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import { periodAt } from '../pricing/billing-intervals.ts'
import { abortSchedule, cancelNow } from './cancel.ts'
import { afterInvoice, cardOf, createDraft, closeUnpaid } from '../invoices/invoicing.ts'
import { expirePending } from './pending-update.ts'
import { openInvoices } from './subscription-status.ts'
import { arrearsLines } from '../invoices/invoice-lines.ts'
import { periodLines, shortened, withChargedParts } from './planned-end.ts'
import { enterNextPhase } from '../schedules/phases.ts'
import { expiryWarning, isMetered, phaseEnd, priceOf, save, intervalOf, emitExpiring } from './subscription-records.ts'

/**
 * Executes one due action of the subscription. If more actions are due at the same time, `_due` stays in the past, and `catchUp` calls
 * `renew` again.
 */
export function renew(call: OperationContext, subscription: SubscriptionBody): SubscriptionBody {
  if (subscription.status === 'incomplete') return expireIncomplete(call, subscription)
  const expiring = expiryWarning(call, subscription)
  if (expiring !== undefined && expiring.at <= call.now) {
    emitExpiring(call, expiring.schedule)
    return save(call, subscription, subscription, null)
  }
  const { pending_update: pending } = subscription
  if (pending !== null && pending !== undefined && pending.expires_at <= call.now)
    return expireUpdate(call, subscription)
  const { pause_collection: pause } = subscription
  // Resumes collection first, so that an invoice that is due at the same time is collected.
  if (pause?.resumes_at !== null && pause?.resumes_at !== undefined && pause.resumes_at <= call.now)
    return save(call, subscription, { ...subscription, pause_collection: null })
  const warned = emitTrialWarning(call, subscription)
  // The last phase of a schedule ends together with its subscription. It is handled first, so that the schedule is completed.
  const phaseOver = (phaseEnd(call, warned) ?? Infinity) <= call.now
  if (warned.cancel_at !== null && warned.cancel_at <= call.now && !phaseOver) return endAsPlanned(call, warned)
  const trialOver = warned.status === 'trialing' && warned.trial_end !== null && warned.trial_end <= call.now
  const running = warned.status === 'trialing' && !trialOver
  const unpaid = trialOver ? trialWithoutCard(call, warned) : undefined
  if (unpaid !== undefined) return unpaid
  const ended = running ? [] : warned.items.data.filter((item) => trialOver || item.current_period_end <= call.now)
  const arrears = trialOver ? [] : usageOf(call, warned, ended)
  const phased = phaseOver ? enterNextPhase(call, warned, ended) : warned
  if (phased.status === 'canceled') return billLast(call, phased, arrears)
  const started: SubscriptionBody = trialOver
    ? {
        ...phased,
        status: 'active',
        billing_cycle_anchor: call.now,
        items: itemsInNextPeriod(call, phased, ended, true),
      }
    : { ...phased, items: itemsInNextPeriod(call, phased, ended, false) }
  if (ended.length === 0) return save(call, subscription, started)
  return save(call, subscription, billPeriod(call, started, ended, arrears))
}

/**
 * Handles a trial that ends without a payment method: pauses or cancels the subscription, as in its `trial_settings`. Returns undefined if
 * the trial ends normally, e.g. with `create_invoice`. Source: the SDK's documentation of `trial_settings`.
 */
export function trialWithoutCard(call: OperationContext, subscription: SubscriptionBody): SubscriptionBody | undefined {
  const { missing_payment_method: missing } = subscription.trial_settings.end_behavior
  if (missing === 'create_invoice' || subscription.collection_method === 'send_invoice') return undefined
  if (cardOf(call, payerOf(subscription)) !== undefined) return undefined
  if (missing === 'cancel') return cancelNow(call, subscription)
  // With `pause_collection` set, the trial ends normally and its invoice is not collected. Source:
  // docs.stripe.com/billing/subscriptions/pause-payment.
  if (subscription.pause_collection !== null) return undefined
  const before = call.find('subscription', subscription.id) ?? subscription
  const ended = { ...subscription, status: 'paused', trial_end: call.now } as const
  const paused = save(call, before, ended)
  call.emit('customer.subscription.paused', paused)
  return paused
}

/** Returns the customer and the payment method of the subscription in the form of an invoice, which `cardOf` needs. */
export function payerOf(subscription: SubscriptionBody): Parameters<typeof cardOf>[1] {
  const { customer, default_payment_method: card, id } = subscription
  return {
    customer,
    default_payment_method: card,
    parent: {
      quote_details: null,
      subscription_details: { metadata: {}, subscription: id },
      type: 'subscription_details',
    },
  }
}

/**
 * Expires a subscription whose first invoice was not paid within 23 hours, and voids that invoice. Source: the SDK's documentation of
 * `status`.
 */
function expireIncomplete(call: OperationContext, subscription: SubscriptionBody): SubscriptionBody {
  for (const invoice of openInvoices(call, subscription)) closeUnpaid(call, invoice, 'void')
  abortSchedule(call, subscription)
  return save(call, subscription, { ...subscription, status: 'incomplete_expired', ended_at: call.now })
}

/** Gives up an update that was not paid in time, and voids its invoice. */
function expireUpdate(call: OperationContext, subscription: SubscriptionBody): SubscriptionBody {
  const invoice = call.find('invoice', subscription._planned?.latest_invoice ?? '')
  if (invoice?.status === 'open') closeUnpaid(call, invoice, 'void')
  return expirePending(call, subscription)
}

function emitTrialWarning(call: OperationContext, subscription: SubscriptionBody): SubscriptionBody {
  if (subscription.status !== 'trialing' || subscription._trial_told) return subscription
  call.emit('customer.subscription.trial_will_end', subscription)
  return { ...subscription, _trial_told: true }
}

function usageOf(
  call: OperationContext,
  subscription: SubscriptionBody,
  items: readonly SubscriptionItemBody[],
): InvoiceLineBody[] {
  return items
    .filter((item) => isMetered(priceOf(call, item)))
    .flatMap((item) => arrearsLines(call, subscription, item, Math.min(item.current_period_end, call.now)))
}

/**
 * Moves the items in `ended`, whose period is over, to their next period. Returns all items of the subscription. An item that a phase has
 * replaced in the meantime is not included.
 */
function itemsInNextPeriod(
  call: OperationContext,
  subscription: SubscriptionBody,
  ended: readonly SubscriptionItemBody[],
  anew: boolean,
): SubscriptionBody['items'] {
  const over = new Set(ended.map((item) => item.id))
  const data = subscription.items.data.map((item) => {
    if (!over.has(item.id)) return item
    const anchor = anew ? call.now : item._anchor
    const period = periodAt(anchor, intervalOf(priceOf(call, item)), call.now)
    const { _whole_end: _former, ...rest } = item
    const next = { ...rest, _anchor: anchor, _usage_from: call.now }
    const whole = { ...next, current_period_start: period.start, current_period_end: period.end }
    return shortened(whole, subscription.cancel_at_period_end ? null : subscription.cancel_at)
  })
  return { ...subscription.items, data }
}

function billPeriod(
  call: OperationContext,
  subscription: SubscriptionBody,
  ended: readonly SubscriptionItemBody[],
  arrears: readonly InvoiceLineBody[],
): SubscriptionBody {
  const over = new Set(ended.map((item) => item.id))
  // Items that the phase added are included, because their period begins now.
  const begun = subscription.items.data.filter(
    (item) => (over.has(item.id) || item.current_period_start === call.now) && !isMetered(priceOf(call, item)),
  )
  const lines = [
    ...subscription._pending,
    ...arrears,
    ...begun.flatMap((item) => periodLines(call, subscription, item)),
  ]
  if (lines.length === 0) return subscription
  const period = { start: Math.min(...ended.map((item) => item.current_period_start)), end: call.now }
  const made = createDraft(call, { subscription, lines, reason: 'subscription_cycle', period })
  return { ...afterInvoice(withChargedParts(subscription, lines), made), latest_invoice: made.invoice.id, _pending: [] }
}

/** Ends the subscription at its `cancel_at`. Bills the usage of the last period first. */
function endAsPlanned(call: OperationContext, subscription: SubscriptionBody): SubscriptionBody {
  const ended = subscription.items.data.filter((item) => item.current_period_end <= call.now)
  const arrears = subscription.status === 'trialing' ? [] : usageOf(call, subscription, ended)
  return billLast(call, subscription, arrears)
}

function billLast(
  call: OperationContext,
  subscription: SubscriptionBody,
  arrears: readonly InvoiceLineBody[],
): SubscriptionBody {
  return cancelNow(call, subscription, [...subscription._pending, ...arrears])
}
