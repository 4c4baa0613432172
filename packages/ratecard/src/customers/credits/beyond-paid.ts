// Looks at credit from outside: grants that are larger than what their invoice paid for, or that an invoice has twice. The service makes none;
// who else writes at the processor, or an earlier version, might have.
import { yieldToRequests } from '../../base/event-loop.ts'
import type { MirroredCreditGrant } from '../../processor/mirrored.ts'
import type { CreditHistory } from './credit-terms.ts'
import { paymentOfInvoice } from './decide-credits.ts'
import { decideOwed, type OwedDeps } from './owed-credits.ts'

export interface CreditBeyondPaid {
  readonly invoice: string
  readonly currency: string
  readonly granted: number
  readonly paidFor: number
}

const page = 200

/** Returns the invoices with more credit than they paid for, as far as the mirror has grants and invoices. */
export async function creditBeyondPaid(deps: OwedDeps, history: CreditHistory): Promise<readonly CreditBeyondPaid[]> {
  const granted = new Map<string, { currency: string; amount: number }>()
  for (let after: string | null = null; ;) {
    const grants: readonly MirroredCreditGrant[] = await deps.store.mirror.page('credit_grant', after, page)
    for (const { source, currency, amount, voidedAt } of grants)
      if (voidedAt === null && source?.startsWith('in_') === true)
        granted.set(source, { currency, amount: (granted.get(source)?.amount ?? 0) + amount })
    if (grants.length < page) break
    after = grants.at(-1)?.id ?? null
  }
  const found: CreditBeyondPaid[] = []
  for (const [source, { currency, amount }] of granted) {
    const invoice = source.split('/')[0] ?? ''
    const mirrored = await deps.store.mirror.find('invoice', invoice)
    const payment = mirrored === null ? null : paymentOfInvoice(mirrored)
    if (payment === null) continue
    const owed = await decideOwed(deps, history, payment, payment.paidAt)
    const paidFor = owed.find((one) => one.source === source)?.amount ?? 0
    if (amount > paidFor) found.push({ invoice, currency, granted: amount, paidFor })
    await yieldToRequests()
  }
  return found
}
