// Usage that a subscription was billed for in its last finished period.
import type { MirroredInvoice, MirroredInvoiceLine, MirroredSubscription } from '../../processor/mirrored.ts'

/** What the metered items of a subscription were billed in their last finished periods: minor units by item, after discounts. */
export function usageOf(
  { items }: Pick<MirroredSubscription, 'items'>,
  invoices: readonly MirroredInvoice[],
): ReadonlyMap<string, number> {
  const lines = invoices.filter(isBilled).flatMap((invoice) => invoice.lines)
  return new Map(
    items
      .filter(({ price }) => price.usageType === 'metered')
      .map(({ id, currentPeriodStart }) => [id, lastPeriod(lines, id, currentPeriodStart)]),
  )
}

/** Finalized, and not withdrawn. */
function isBilled({ finalizedAt, status }: MirroredInvoice): boolean {
  return finalizedAt !== null && status !== 'void'
}

/** Tiers bill several lines for one period, which all count. */
function lastPeriod(lines: readonly MirroredInvoiceLine[], item: string, currentPeriodStart: number): number {
  const finished = lines.filter(
    (line) => line.subscriptionItem === item && !line.proration && line.periodEnd <= currentPeriodStart,
  )
  const last = Math.max(...finished.map(({ periodEnd }) => periodEnd))
  return finished
    .filter(({ periodEnd }) => periodEnd === last)
    .reduce((sum, { amount, discount }) => sum + amount - discount, 0)
}
