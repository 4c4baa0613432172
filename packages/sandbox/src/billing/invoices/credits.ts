// Billing credits on invoices: decides which grants pay for which lines, after discounts and before taxes. Drafts and previews show the
// credits that finalization would use now; only finalization records them. Source: docs.stripe.com/billing/subscriptions/usage-based/
// billing-credits.
import type { CreditGrantBody, CreditTransactionBody } from '../../objects/credit-bodies.ts'
import type { InvoiceBody, InvoiceLineBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { applyGrant, ledgerBalance, reinstate } from '../credits/ledger.ts'
import { netAmount } from '../pricing/discounts.ts'

/** The part of a line that a grant pays for (minor units). */
export interface CreditUse {
  readonly grant: string
  readonly line: string
  readonly amount: number
}

export type CreditedInvoice = Pick<InvoiceBody, 'currency' | 'customer' | 'period_end'>

/**
 * Returns the credits for the lines of an invoice of a subscription, in the order of the lines. Only lines that bill usage of a meter get
 * credits. `lines` are already discounted.
 */
export function creditUses(
  call: OperationContext,
  invoice: CreditedInvoice,
  lines: readonly InvoiceLineBody[],
): CreditUse[] {
  const billed = lines.filter((line) => netAmount(line) > 0 && isMeterLine(call, line))
  if (billed.length === 0) return []
  const grants = usableGrants(call, invoice)
  const left = new Map(grants.map((grant) => [grant.id, ledgerBalance(grant, call.now)]))
  return billed.flatMap((line) => {
    let open = netAmount(line)
    return grants.flatMap((grant) => {
      const balance = left.get(grant.id) ?? 0
      const amount = appliesTo(grant, line) ? Math.min(open, balance) : 0
      if (amount === 0) return []
      open -= amount
      left.set(grant.id, balance - amount)
      return [{ grant: grant.id, line: line.id, amount }]
    })
  })
}

/** Returns the customer's grants that may pay for an invoice, in the order in which they are used. */
function usableGrants(
  call: OperationContext,
  { currency, customer, period_end: end }: CreditedInvoice,
): CreditGrantBody[] {
  return call
    .select('billing.credit_grant', [
      { field: 'customer', is: customer },
      { field: 'amount.monetary.currency', is: currency },
      { field: '_balance', op: '>', value: 0 },
    ])
    .reverse()
    .filter((grant) => end >= grant.effective_at && end < (grant.expires_at ?? Infinity))
    .sort(byOrderOfUse)
}

/**
 * Orders grants by priority, expiry, category (promotional first), time of effect and creation. Grants that are equal in all of these keep
 * their order.
 */
function byOrderOfUse(a: CreditGrantBody, b: CreditGrantBody): number {
  if (a.priority !== b.priority) return a.priority - b.priority
  if (a.expires_at !== b.expires_at) return (a.expires_at ?? Infinity) - (b.expires_at ?? Infinity)
  if (a.category !== b.category) return a.category === 'promotional' ? -1 : 1
  return a.effective_at - b.effective_at || a.created - b.created
}

function isMeterLine(call: OperationContext, { parent, pricing }: InvoiceLineBody): boolean {
  if (parent.subscription_item_details?.proration !== false) return false
  return (call.find('price', pricing.price_details?.price ?? '')?.recurring?.meter ?? null) !== null
}

function appliesTo({ applicability_config: { scope } }: CreditGrantBody, { pricing }: InvoiceLineBody): boolean {
  return scope.prices === undefined || scope.prices.some(({ id }) => id === pricing.price_details?.price)
}

/** Returns the lines with their credits. `transactions` contains the recorded transaction of each use; a draft has none. */
export function withCredits(
  lines: readonly InvoiceLineBody[],
  uses: readonly CreditUse[],
  transactions: ReadonlyMap<CreditUse, string> = new Map(),
): InvoiceLineBody[] {
  return lines.map((line) => {
    const own = uses.filter((use) => use.line === line.id)
    if (own.length === 0) return line
    const credits = own.map((use) => ({
      amount: use.amount,
      credit_balance_transaction: transactions.get(use) ?? null,
      type: 'credit_balance_transaction' as const,
    }))
    return { ...line, pretax_credit_amounts: [...line.pretax_credit_amounts, ...credits] }
  })
}

/** Returns what a draft plans to use of each grant (minor units). */
export function plannedOf(uses: readonly CreditUse[]): Record<string, number> {
  const planned: Record<string, number> = {}
  for (const { grant, amount } of uses) planned[grant] = (planned[grant] ?? 0) + amount
  return planned
}

/** Debits the grants for an invoice that is finalized now. Returns the transaction of each use. */
export function recordUses(
  call: OperationContext,
  invoice: string,
  uses: readonly CreditUse[],
): Map<CreditUse, string> {
  return new Map(
    uses.map((use) => [use, applyGrant(call, use.grant, use.amount, { invoice, invoice_line_item: use.line })]),
  )
}

/** Returns credits that a voided invoice had used to their grants. Source: docs.stripe.com/changelog, 2024-12-18. */
export function returnCredits(call: OperationContext, invoice: InvoiceBody): void {
  for (const { pretax_credit_amounts: credits } of invoice.lines.data)
    for (const credit of credits) {
      const transaction = creditTransaction(call, credit)
      if (transaction !== undefined) reinstate(call, transaction)
    }
}

function creditTransaction(
  call: OperationContext,
  credit: InvoiceLineBody['pretax_credit_amounts'][number],
): CreditTransactionBody | undefined {
  if (credit.type === 'discount' || credit.credit_balance_transaction === null) return undefined
  return call.find('billing.credit_balance_transaction', credit.credit_balance_transaction)
}
