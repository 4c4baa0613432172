// What an invoice or a one-time payment asks, and what pays it. The columns are the same in the export and in the invoices of a tenant. Pure.
import type { MirroredInvoice, MirroredPurchase } from '../../../processor/mirrored.ts'

/**
 * Amounts in minor units. `subtotal − discount + tax = total`, and `total − creditApplied − balanceApplied = amountDue`. E.g. lines of $125.93
 * of which a credit grant pays $65.00: subtotal and total are 12593, creditApplied 6500, amountDue 6093.
 */
export interface Booked {
  /** Sum of the lines before discounts, with the tax that their amounts contain. */
  readonly subtotal: number
  readonly discount: number
  /** Tax that is added to the lines. */
  readonly tax: number
  /** Tax that the amounts of the lines contain. */
  readonly taxIncluded: number
  readonly total: number
  readonly creditApplied: number
  /**
   * Customer balance that the invoice used. Negative if the invoice added to the balance, e.g. -500 for a total of -5.00, or collected a
   * debt.
   */
  readonly balanceApplied: number
  /** What the invoice asked when it was finalized; credit notes are not taken off. */
  readonly amountDue: number
  readonly amountPaid: number
}

export function bookedInvoice(invoice: MirroredInvoice): Booked {
  const { lines, discount, amountDue, creditNotes = 0, amountPaid } = invoice
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0)
  const taxIncluded = lines.reduce((sum, { inclusiveTax }) => sum + inclusiveTax, 0)
  const tax = invoice.tax - taxIncluded
  const total = subtotal - discount + tax
  const asked = amountDue + creditNotes
  return {
    ...{ subtotal, discount, tax, taxIncluded, total },
    // The processor's `total` is already reduced by credit grants, ours is not.
    creditApplied: total - invoice.total,
    balanceApplied: invoice.total - asked,
    amountDue: asked,
    amountPaid,
  }
}

export function bookedPurchase({ subtotal, discount, tax, taxIncluded, total }: MirroredPurchase): Booked {
  const [creditApplied, balanceApplied] = [0, 0]
  return {
    subtotal,
    discount,
    tax,
    taxIncluded,
    total,
    creditApplied,
    balanceApplied,
    amountDue: total,
    amountPaid: total,
  }
}

/** Returns the ids of the payments to which refunds of a purchase refer. */
export const paymentsOf = ({ payment }: MirroredPurchase): readonly string[] => (payment === null ? [] : [payment])
