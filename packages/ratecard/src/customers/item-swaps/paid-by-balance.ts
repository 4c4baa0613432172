import type { InvoicePreview } from '../../processor/customer-half.ts'

/** Returns what the balance of the customer pays of an invoice. At the processor, a negative balance is what the customer has. */
export function paidByBalance({ startingBalance, total, amountDue }: InvoicePreview) {
  return { balance: startingBalance === 0 ? 0 : -startingBalance, balanceApplied: total - amountDue }
}
