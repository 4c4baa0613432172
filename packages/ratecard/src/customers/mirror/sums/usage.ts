// Amounts that were billed for usage in the last complete period of a subscription.
import type { MirroredInvoice, MirroredInvoiceLine, MirroredSubscription } from '../../../processor/mirrored.ts'

/**
 * Returns the amount billed for the last complete period of each metered item of a subscription: minor units by item, after discounts and
 * without tax.
 */
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

/** True if the invoice is finalized and not void. */
export function isBilled({ finalizedAt, status }: MirroredInvoice): boolean {
  return finalizedAt !== null && status !== 'void'
}

/** Adds up all lines of the last complete period. For a price with tiers, one period has several lines. */
function lastPeriod(lines: readonly MirroredInvoiceLine[], item: string, currentPeriodStart: number): number {
  const finished = lines.filter(
    (line) => line.subscriptionItem === item && !line.proration && line.periodEnd <= currentPeriodStart,
  )
  const last = Math.max(...finished.map(({ periodEnd }) => periodEnd))
  return finished
    .filter(({ periodEnd }) => periodEnd === last)
    .reduce((sum, { amount, discount, inclusiveTax }) => sum + amount - discount - inclusiveTax, 0)
}
