import type { Call } from '../protocol/call.ts'
import type { InvoiceLineBody, SubscriptionBody } from '../objects/customer-bodies.ts'
import { draft } from './invoicing.ts'
import { save } from './records.ts'

/** Ends a subscription, with a last invoice when there are lines. A schedule that drove it ends too. */
export function cancelNow(
  call: Call,
  before: SubscriptionBody,
  lines: readonly InvoiceLineBody[] = [],
): SubscriptionBody {
  const start = Math.min(...before.items.data.map((item) => item.current_period_start))
  const made =
    lines.length === 0
      ? undefined
      : draft(call, { subscription: before, lines, reason: 'subscription_cycle', period: { start, end: call.now } })
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

function endSchedule(call: Call, subscription: SubscriptionBody): void {
  if (subscription.schedule === null) return
  const schedule = call.find('subscription_schedule', subscription.schedule)
  if (schedule === undefined || schedule.status !== 'active') return
  const after = { ...schedule, canceled_at: call.now, current_phase: null, status: 'canceled' as const }
  call.update(schedule, after, 'subscription_schedule.canceled')
}

/** A customer who goes away takes the subscriptions along. */
export function cancelAllOf(call: Call, customer: string): void {
  const living = call
    .select('subscription', [{ field: 'customer', is: customer }])
    .filter((subscription) => subscription.ended_at === null)
  for (const subscription of living) cancelNow(call, subscription)
}
