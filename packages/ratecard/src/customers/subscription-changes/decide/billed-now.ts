// The invoice that a change makes now, in the parts by which a change is compared with its preview. Pure.
import type { InvoicePreview } from '../../../processor/customer-half.ts'
import type { PresentItem } from './decision.ts'

/** Parts of an invoice as text, so that two invoices can be compared. Empty texts if the change makes no invoice. */
export interface BilledNow {
  /** Amounts that the change itself decides, e.g. the rest of the period at the new price. */
  readonly decided: string
  /** Usage of metered items until now. It is owed with or without the change, and grows with each report. */
  readonly usage: string
}

export function billedNow(due: InvoicePreview | null, present: readonly PresentItem[]): BilledNow {
  if (due === null) return { decided: '', usage: '' }
  const metered = new Set<string | null>(
    present.flatMap(({ live: { price } }) => (price.usageType === 'metered' ? [price.id] : [])),
  )
  const { currency, startingBalance, lines } = due
  const entries = (ofUsage: boolean) =>
    lines
      .filter(({ price }) => metered.has(price) === ofUsage)
      .map(({ price, quantity, amount, proration }) => [price, quantity, amount, proration])
  return { decided: JSON.stringify([currency, startingBalance, entries(false)]), usage: JSON.stringify(entries(true)) }
}

/** True if two invoices differ in their usage, and in nothing that the change decides. */
export const onlyUsageDiffers = (one: BilledNow, other: BilledNow): boolean =>
  one.decided === other.decided && one.usage !== other.usage
