import type { Call } from '../../protocol/operation-context.ts'
import type {
  InvoiceLineBody,
  ProrationBehavior,
  SubscriptionBody,
  SubscriptionItemBody,
} from '../../objects/customer-bodies.ts'
import { refused } from '../../protocol/responses/errors.ts'
import { periodAt } from '../pricing/billing-intervals.ts'
import { amountFor } from '../pricing/price-amounts.ts'
import { dropWaiting, withItemsOf } from '../invoices/invoice-items.ts'
import { draft } from '../invoices/invoicing.ts'
import { openInvoices } from './subscription-status.ts'
import { arrearsLines, prorationLine, quantityOf } from '../invoices/invoice-lines.ts'
import { isMetered, priceOf, save, stepOf } from './subscription-records.ts'

/**
 * Ends a subscription because somebody asked for it now. `prorate` gives the unused time back; `invoiceNow` bills it together with
 * what was used and what waits. Without both, prorations that wait are dropped (the SDK's types, `cancel`).
 */
export function cancelAsAsked(
  call: Call,
  before: SubscriptionBody,
  { prorate, invoiceNow }: { readonly prorate: boolean; readonly invoiceNow: boolean },
): SubscriptionBody {
  const runs = before.status !== 'trialing' && before.status !== 'incomplete'
  const metered = (item: SubscriptionItemBody): boolean => isMetered(priceOf(call, item))
  const licensed = runs && prorate ? before.items.data.filter((item) => !metered(item)) : []
  const unused = licensed.map((item) => prorationLine(call, before, item, -1)).filter(({ amount }) => amount !== 0)
  const usage = runs && invoiceNow ? before.items.data.filter(metered) : []
  const used = usage.flatMap((item) => arrearsLines(call, before, item, call.now))
  const waiting = withItemsOf(call, before, [...before._pending, ...unused], null)
  if (invoiceNow) return cancelNow(call, before, [...waiting, ...used])
  // They wait for another invoice of the customer.
  return cancelNow(call, prorate ? { ...before, _pending: [] } : before)
}

/** Ends a subscription, with a last invoice when there are lines. A schedule that drove it ends too. */
export function cancelNow(
  call: Call,
  before: SubscriptionBody,
  lines: readonly InvoiceLineBody[] = [],
): SubscriptionBody {
  stopCollecting(call, before)
  const start = Math.min(...before.items.data.map((item) => item.current_period_start))
  const made =
    lines.length === 0
      ? undefined
      : draft(call, { subscription: before, lines, reason: 'subscription_cycle', period: { start, end: call.now } })
  dropWaiting(call, before)
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
  // Read anew: the caller may have changed it without writing.
  const written = call.find('subscription', before.id) ?? before
  return save(call, written, after, 'customer.subscription.deleted')
}

/**
 * An end in the middle of a period is prorated, in the running period as asked for and in a later one always (the SDK's types,
 * `cancel_at`). That is not here, so nobody is billed wrong.
 */
export function refuseBrokenPeriod(
  call: Call,
  subscription: Pick<SubscriptionBody, 'currency' | 'status'> & {
    readonly items: { readonly data: SubscriptionItemBody[] }
  },
  at: number,
  behavior: ProrationBehavior,
): void {
  for (const item of subscription.items.data) {
    const price = priceOf(call, item)
    if (isMetered(price) || amountFor(price, subscription.currency, quantityOf(item)) === 0) continue
    const running = at < item.current_period_end
    if (running && (behavior === 'none' || subscription.status === 'trialing')) continue
    if (!running && periodAt(item._anchor, stepOf(price), at).start === at) continue
    const what = `The sandbox does not support a \`cancel_at\` in the middle of a ${running ? 'period with prorations' : 'later period'}`
    throw refused(
      `${what}. ${running ? 'Give `proration_behavior: none`, or a border of a period.' : 'Give a border of a period.'}`,
      'cancel_at',
    )
  }
}

/** A planned end that fitted the periods has to fit those of a change as well. */
export function refuseBrokenChange(
  call: Call,
  before: SubscriptionBody,
  after: SubscriptionBody,
  behavior: ProrationBehavior,
): void {
  // The end of the period moves along.
  if (after.cancel_at === null || after.cancel_at_period_end) return
  const same = after.items.data.every((item) =>
    before.items.data.some(
      (old) =>
        old.id === item.id &&
        old.current_period_start === item.current_period_start &&
        old.current_period_end === item.current_period_end,
    ),
  )
  if (!same || after.cancel_at !== before.cancel_at) refuseBrokenPeriod(call, after, after.cancel_at, behavior)
}

/** What is open is not tried again by itself (the SDK's types, `cancel`). */
function stopCollecting(call: Call, subscription: SubscriptionBody): void {
  for (const invoice of openInvoices(call, subscription)) {
    // One that was mailed is still due on its day.
    const due = invoice.collection_method === 'send_invoice' ? invoice._due : null
    const left = { ...invoice, auto_advance: false, next_payment_attempt: null, _due: due }
    call.update(invoice, left, 'invoice.updated')
  }
}

function endSchedule(
  call: Call,
  subscription: SubscriptionBody,
  event: 'subscription_schedule.aborted' | 'subscription_schedule.canceled' = 'subscription_schedule.canceled',
): void {
  if (subscription.schedule === null) return
  const schedule = call.find('subscription_schedule', subscription.schedule)
  if (schedule === undefined || schedule.status !== 'active') return
  const after = { ...schedule, canceled_at: call.now, current_phase: null, status: 'canceled' as const }
  call.update(schedule, after, event)
}

/** The schedule of a subscription that ends because nobody paid (the SDK's types, `subscription_schedule.aborted`). */
export function abortSchedule(call: Call, subscription: SubscriptionBody): void {
  endSchedule(call, subscription, 'subscription_schedule.aborted')
}

/** A customer who goes away takes the subscriptions along, and those that a schedule was to begin. */
export function cancelAllOf(call: Call, customer: string): void {
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
