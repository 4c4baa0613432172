// A planned end (`cancel_at`) in the middle of a period. The period ends then: the rest is credited if it was charged already, and is not
// charged otherwise. Source: the SDK's documentation of `cancel_at`. The new end of the period is the sandbox's choice.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type {
  InvoiceLineBody,
  ProrationBehavior,
  SubscriptionBody,
  SubscriptionItemBody,
} from '../../objects/customer-bodies.ts'
import { withProrationItems } from '../invoices/invoice-items.ts'
import { advanceLines, prorationLine } from '../invoices/invoice-lines.ts'
import { recordDebits } from '../payments/debits.ts'
import { discountedAmount, summedByDiscount } from '../pricing/discounts.ts'
import { billNow } from './proration.ts'
import { isEnded, isMetered, priceOf } from './subscription-records.ts'

/** A value of `cancel_at`: a time (seconds), or the first or last end of the items' periods. */
export type PlannedEnd = number | 'max_period_end' | 'min_period_end'

/** Returns the time (seconds) of a planned end. */
export function plannedEndOf(end: PlannedEnd, items: readonly SubscriptionItemBody[]): number {
  if (typeof end === 'number') return end
  const ends = items.map(wholeEnd)
  return end === 'min_period_end' ? Math.min(...ends) : Math.max(...ends)
}

/** Returns the end (seconds) that the item's period has without a planned end. */
function wholeEnd(item: SubscriptionItemBody): number {
  return item._whole_end ?? item.current_period_end
}

/** Returns the item with a period that ends at `end`, if that is in the middle of it. Null: the whole period. */
export function shortened(item: SubscriptionItemBody, end: number | null): SubscriptionItemBody {
  const { _whole_end: _end, ...rest } = item
  const whole = wholeEnd(item)
  if (end === null || end >= whole) return { ...rest, current_period_end: whole }
  return { ...rest, current_period_end: Math.max(end, item.current_period_start), _whole_end: whole }
}

/** Returns the lines that charge a licensed item for its current period, or for the part of it before a planned end. */
export function periodLines(
  call: OperationContext,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
): InvoiceLineBody[] {
  if (item._whole_end === undefined) return advanceLines(call, subscription, item)
  return [prorationLine(call.at(item.current_period_start), subscription, item, 1)]
}

/**
 * Records on the items what the prorations among the lines charge. The invoice itself records what its other lines charge.
 */
export function withChargedParts(subscription: SubscriptionBody, lines: readonly InvoiceLineBody[]): SubscriptionBody {
  const parts = lines.filter(({ parent }) => parent.subscription_item_details?.proration === true)
  return { ...subscription, items: { ...subscription.items, data: recordDebits(subscription.items.data, parts) } }
}

/** True if the planned end, the item or its period is new, so that the end of its period must be computed again. */
function isMoved(before: SubscriptionBody, after: SubscriptionBody, item: SubscriptionItemBody): boolean {
  if (before.cancel_at !== after.cancel_at || before.cancel_at_period_end !== after.cancel_at_period_end) return true
  const old = before.items.data.find(({ id }) => id === item.id)
  return old === undefined || old.current_period_start !== item.current_period_start || wholeEnd(old) !== wholeEnd(item)
}

/**
 * Returns the subscription, after an update, with periods that end at its planned end. Credits what they lose, and charges what they get
 * back. With `proration_behavior: none` a period that was charged stays as it is.
 */
export function withPlannedEnd(
  call: OperationContext,
  before: SubscriptionBody,
  after: SubscriptionBody,
  behavior: ProrationBehavior,
): SubscriptionBody {
  if (after.status === 'trialing' || isEnded(after)) return after
  const end = after.cancel_at_period_end ? null : after.cancel_at
  const moved = after.items.data.map((item) => {
    if (!isMoved(before, after, item)) return { item, line: undefined }
    if (behavior === 'none' && item._whole_end === undefined) return { item, line: undefined }
    const next = shortened(item, end)
    const free = behavior === 'none' || isMetered(priceOf(call, item))
    return free ? { item: next, line: undefined } : prorated(call, after, item, next)
  })
  const items = { ...after.items, data: moved.map(({ item }) => item) }
  const lines = moved.flatMap(({ line }) => (line === undefined || line.amount === 0 ? [] : [line]))
  const planned = { ...after, items }
  if (lines.length === 0) return planned
  const pending = [...after._pending, ...lines]
  if (behavior === 'always_invoice') return billNow(call, planned, pending)
  return { ...planned, _pending: withProrationItems(call, planned, pending, null) }
}

/** Returns the credit or charge for a period that ends earlier or later, and the item with what it was charged in all. */
function prorated(
  call: OperationContext,
  subscription: SubscriptionBody,
  item: SubscriptionItemBody,
  next: SubscriptionItemBody,
): { readonly item: SubscriptionItemBody; readonly line: InvoiceLineBody | undefined } {
  const [from, to] = [item.current_period_end, next.current_period_end]
  if (from === to) return { item: next, line: undefined }
  const line =
    to < from ? prorationLine(call.at(to), subscription, item, -1) : prorationLine(call.at(from), subscription, next, 1)
  const debited = item._debited ?? { amount: 0, start: item.current_period_start, end: from }
  const amount = debited.amount + discountedAmount(line)
  const discounts = summedByDiscount([...(debited.discounts ?? []), ...(line._prorated_discounts ?? [])])
  return { item: { ...next, _debited: { ...debited, amount, discounts, end: to } }, line }
}
