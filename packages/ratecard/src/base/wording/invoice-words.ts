// Sentences about what pays an invoice beside the customer, for the terminal and the dashboard. Pure.
import { formatMinor } from '../money/format.ts'

/** An invoice as the API shows it, amounts in minor units. `balance` is what the customer has before the invoice; negative if it owes. */
interface PaidInvoice {
  readonly amount: number
  readonly currency: string
  readonly creditApplied: number
  readonly balance: number
  readonly balanceApplied: number
}

/** Returns sentences such as `$294.80 of balance pays it.` or `$20.00 of credit pays it in part.`; empty if the customer pays all. */
export function paidByWords({
  amount,
  currency,
  creditApplied,
  balance,
  balanceApplied,
}: PaidInvoice): readonly string[] {
  const money = (value: number) => formatMinor(value, currency)
  const pays = Math.max(0, Math.min(balance, balanceApplied))
  const small = balanceApplied - pays
  const part = amount > 0 || small > 0 || (creditApplied > 0 && pays > 0) ? ' in part' : ''
  return [
    ...(creditApplied > 0 ? [`${money(creditApplied)} of credit pays it${part}.`] : []),
    ...(pays > 0 ? [`${money(pays)} of balance pays it${part}.`] : []),
    ...(small > 0 ? [`${money(small)} is less than the processor charges, so a later invoice asks it.`] : []),
    ...(balanceApplied < 0
      ? [
          amount === 0
            ? `It gives ${money(-balanceApplied)} of balance, which pays later invoices.`
            : `It asks ${money(-balanceApplied)} that was owed before.`,
        ]
      : []),
  ]
}
