// What was charged last for each licensed item: what a credit gives back of it.
import type { InvoiceLineBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import { remaining } from '../pricing/discounts.ts'

/** The items with what the lines charge for them. Lines about another period than that of their item are of its past. */
export function debited(
  items: readonly SubscriptionItemBody[],
  lines: readonly InvoiceLineBody[],
): SubscriptionItemBody[] {
  return items.map((item) => {
    const own = lines.filter(
      (line) =>
        line.parent.subscription_item_details?.subscription_item === item.id &&
        line.period.end === item.current_period_end,
    )
    const [first] = own
    if (first === undefined) return item
    const amount = own.reduce((sum, line) => sum + remaining(line), 0)
    return { ...item, _debited: { amount, start: first.period.start, end: first.period.end } }
  })
}

/** The lines of a bill that charge for a whole period. */
export function wholePeriods(
  items: readonly SubscriptionItemBody[],
  lines: readonly InvoiceLineBody[],
): InvoiceLineBody[] {
  const starts = new Map(items.map((item) => [item.id, item.current_period_start]))
  return lines.filter(({ parent: { subscription_item_details: details }, period }) => {
    if (details === null || details.proration) return false
    return starts.get(details.subscription_item) === period.start
  })
}
