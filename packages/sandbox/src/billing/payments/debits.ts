// Records the last charge for each licensed item, because a credit proration is a share of that charge.
import type { InvoiceLineBody, SubscriptionItemBody } from '../../objects/customer-bodies.ts'
import { discountedAmount, summedByDiscount } from '../pricing/discounts.ts'

/** Records on each item what the lines charge for its current period. Ignores lines for another period (e.g. usage of the previous one). */
export function recordDebits(
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
    const amount = own.reduce((sum, line) => sum + discountedAmount(line), 0)
    const discounts = summedByDiscount(own.flatMap((line) => line._prorated_discounts ?? line.discount_amounts))
    return { ...item, _debited: { amount, discounts, start: first.period.start, end: first.period.end } }
  })
}

/** Returns the lines that charge for a whole period, i.e. no prorations. */
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
