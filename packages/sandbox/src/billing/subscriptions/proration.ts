// Proration of changes in mid-period: unused time is credited and remaining time is charged, unless `proration_behavior` is `none`. Another
// interval, or a change from free to paid, always starts a new period and bills it at once.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type {
  InvoiceLineBody,
  ProrationBehavior,
  SubscriptionBody,
  SubscriptionItemBody,
} from '../../objects/customer-bodies.ts'
import { badRequest } from '../../protocol/responses/errors.ts'
import { periodAt, isSameInterval } from '../pricing/billing-intervals.ts'
import { recordDebits } from '../payments/debits.ts'
import { withProrationItems } from '../invoices/invoice-items.ts'
import { afterInvoice, createDraft, finalize } from '../invoices/invoicing.ts'
import { statusAfter } from './subscription-status.ts'
import { advanceLines, arrearsLines, prorationLine } from '../invoices/invoice-lines.ts'
import { isMetered, priceOf, intervalOf } from './subscription-records.ts'

interface ProrationOptions {
  readonly behavior: ProrationBehavior
  /** True: the request contains `billing_cycle_anchor: now`, which starts a new period. */
  readonly anchorNow?: boolean
  /** Start (seconds) of the time that is prorated. Default: now. */
  readonly prorateFrom?: number | undefined
  /** New discounts of the subscription. Default: its current ones. */
  readonly discounts?: string[]
}

/** Checks that `proration_date` lies in the current period of every item, and returns it. */
export function checkProrationDate(before: SubscriptionBody, given: number | undefined): number | undefined {
  if (given === undefined) return undefined
  const inside = before.items.data.every(
    (item) => given >= item.current_period_start && given <= item.current_period_end,
  )
  if (!inside) throw badRequest('Cannot specify proration_date outside of current billing period.', 'proration_date')
  return given
}

/**
 * Returns the subscription with its new items, for the caller to store. Bills the change now if it needs an invoice; otherwise its lines
 * stay pending.
 */
export function withItems(
  call: OperationContext,
  before: SubscriptionBody,
  newItems: readonly SubscriptionItemBody[],
  change: ProrationOptions,
): SubscriptionBody {
  const trialing = before.status === 'trialing'
  const rebill = !trialing && (change.anchorNow === true || startsNewPeriod(call, before.items.data, newItems))
  const items = rebill ? newItems.map((item) => restartPeriod(call, item)) : [...newItems]
  const planned: SubscriptionBody = {
    ...before,
    ...(rebill ? { billing_cycle_anchor: call.now } : {}),
    discounts: change.discounts ?? before.discounts,
    items: { ...before.items, data: items },
  }
  const none = { credits: [], debits: [] }
  const { credits, debits } = trialing
    ? none
    : prorationLines(call, { before, after: planned }, newItems, change, rebill)
  const prorated = [...credits, ...debits]
  const after = withDebits(planned, debits)
  const advance = rebill ? items.filter((item) => !isMetered(priceOf(call, item))) : []
  const lines = [...before._pending, ...prorated, ...advance.flatMap((item) => advanceLines(call, after, item))]
  const now = rebill || (change.behavior === 'always_invoice' && lines.length > 0)
  return now ? billNow(call, after, lines) : withPendingLines(call, after, lines)
}

/**
 * Returns the subscription after its schedule entered a phase. Items in mid-period are prorated. Items whose period is over are left to the
 * renewal, which bills them together with the pending lines.
 */
export function withPhaseItems(
  call: OperationContext,
  before: SubscriptionBody,
  newItems: readonly SubscriptionItemBody[],
  {
    after,
    behavior,
    ended,
  }: {
    readonly after: SubscriptionBody
    readonly behavior: ProrationBehavior
    readonly ended: readonly SubscriptionItemBody[]
  },
): SubscriptionBody {
  if (before.status === 'trialing') return after
  const over = new Set(ended.map((item) => item.id))
  const running = before.items.data.filter((item) => !over.has(item.id))
  const renews = ended.length > 0
  // Items that the new phase of the schedule added are not included here, because the renewal bills them.
  const kept = newItems.filter((item) => !over.has(item.id) && !(renews && item.current_period_start === call.now))
  const runningBefore = { ...before, items: { ...before.items, data: running } }
  const { credits, debits } = prorationLines(call, { before: runningBefore, after }, kept, { behavior }, false)
  const lines = [...after._pending, ...credits, ...debits]
  const next = withDebits(after, debits)
  return behavior === 'always_invoice' && !renews ? billNow(call, next, lines) : withPendingLines(call, next, lines)
}

function withDebits(subscription: SubscriptionBody, debits: readonly InvoiceLineBody[]): SubscriptionBody {
  return { ...subscription, items: { ...subscription.items, data: recordDebits(subscription.items.data, debits) } }
}

/** Returns the subscription with these pending lines. Its next invoice will bill them. */
function withPendingLines(
  call: OperationContext,
  after: SubscriptionBody,
  lines: readonly InvoiceLineBody[],
): SubscriptionBody {
  return { ...after, _pending: withProrationItems(call, after, lines, null) }
}

/**
 * Bills the lines on a separate invoice and finalizes it now. Without lines nothing is billed. An invoice of a period
 * (`subscription_cycle`) with `send_invoice` stays a draft for an hour.
 */
export function billNow(
  call: OperationContext,
  subscription: SubscriptionBody,
  lines: readonly InvoiceLineBody[],
  reason: 'subscription_cycle' | 'subscription_update' = 'subscription_update',
): SubscriptionBody {
  if (lines.length === 0) return subscription
  const period = { start: call.now, end: call.now }
  const made = createDraft(call, { subscription, lines, reason, period })
  // With `pause_collection` the invoice is already closed (void, uncollectible) or a draft that does not advance. Do not finalize it.
  const isSetAside = made.invoice.status !== 'draft' || !made.invoice.auto_advance
  const isLater = reason === 'subscription_cycle' && subscription.collection_method === 'send_invoice'
  const invoice = isSetAside || isLater ? made.invoice : finalize(call, made.invoice)
  return {
    ...afterInvoice(subscription, made),
    latest_invoice: invoice.id,
    status: statusAfter(call, subscription, invoice),
    _pending: [],
  }
}

function isFree(call: OperationContext, items: readonly SubscriptionItemBody[]): boolean {
  return items.every((item) => priceOf(call, item).unit_amount === 0)
}

function startsNewPeriod(
  call: OperationContext,
  before: readonly SubscriptionItemBody[],
  newItems: readonly SubscriptionItemBody[],
): boolean {
  if (isFree(call, before) && !isFree(call, newItems)) return true
  return newItems.some((item) => {
    const old = before.find((candidate) => candidate.id === item.id)
    return old !== undefined && !isSameInterval(intervalOf(priceOf(call, old)), intervalOf(priceOf(call, item)))
  })
}

/** Returns the item with a new period that begins now. */
export function restartPeriod(call: OperationContext, item: SubscriptionItemBody): SubscriptionItemBody {
  const period = periodAt(call.now, intervalOf(priceOf(call, item)), call.now)
  const { _whole_end: _end, ...rest } = item
  return {
    ...rest,
    _anchor: call.now,
    _usage_from: call.now,
    current_period_start: period.start,
    current_period_end: period.end,
  }
}

/**
 * Returns the lines for a change in mid-period: credits for unused time, debits for remaining time, and usage that would otherwise stay
 * unbilled.
 */
function prorationLines(
  call: OperationContext,
  { before, after }: { readonly before: SubscriptionBody; readonly after: SubscriptionBody },
  newItems: readonly SubscriptionItemBody[],
  { behavior, prorateFrom = call.now }: ProrationOptions,
  rebill: boolean,
): { readonly credits: InvoiceLineBody[]; readonly debits: InvoiceLineBody[] } {
  const prorates = behavior !== 'none'
  const then = call.at(prorateFrom)
  const credits = before.items.data.flatMap((old) => {
    const now = newItems.find((item) => item.id === old.id)
    const same = now !== undefined && now.price === old.price && now.quantity === old.quantity
    if (isMetered(priceOf(call, old))) {
      // A new period bills the usage until now. A price change bills the usage before the change only with flexible billing and prorations.
      const billed = same ? rebill : prorates && before.billing_mode.type === 'flexible'
      return billed ? arrearsLines(call, before, old, call.now) : []
    }
    return prorates && (rebill || !same) ? [prorationLine(then, before, old, -1)] : []
  })
  if (!prorates || rebill) return { credits, debits: [] }
  const debits = newItems.flatMap((item) => {
    const old = before.items.data.find((candidate) => candidate.id === item.id)
    const same = old !== undefined && item.price === old.price && item.quantity === old.quantity
    return same || isMetered(priceOf(call, item)) ? [] : [prorationLine(then, after, item, 1)]
  })
  return { credits, debits }
}
