// Billing credits: the ledger of each grant. A transaction is never changed or removed. Source: docs.stripe.com/billing/subscriptions/
// usage-based/billing-credits.
import type {
  CreditAmountBody,
  CreditGrantBody,
  CreditTransactionBody,
  CreditedLineBody,
} from '../../objects/credit-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { newId } from '../../protocol/ids.ts'

type Credit = NonNullable<CreditTransactionBody['credit']>['type']
type Debit = NonNullable<CreditTransactionBody['debit']>['type']

export function monetary(currency: string, value: number): CreditAmountBody {
  return { monetary: { currency, value }, type: 'monetary' }
}

/** True if the grant has ended: its expiry time has passed, or a request ended it. */
export function isExpired(grant: CreditGrantBody, now: number): boolean {
  return grant.expires_at !== null && grant.expires_at <= now
}

/** True if the grant is not effective yet. */
export function isPending(grant: CreditGrantBody, now: number): boolean {
  return grant.effective_at > now
}

/** Returns the ledger balance (minor units) of a grant at a time. It is 0 for a pending, expired or voided grant. */
export function ledgerBalance(grant: CreditGrantBody, now: number): number {
  return isPending(grant, now) || isExpired(grant, now) ? 0 : grant._balance
}

/** Creates a transaction and returns its id. `effectiveAt` defaults to the time of the call. */
function record(
  call: OperationContext,
  grant: CreditGrantBody,
  { credit, debit }: Pick<CreditTransactionBody, 'credit' | 'debit'>,
  effectiveAt = call.now,
): string {
  const body: CreditTransactionBody = {
    id: newId('cbtxn_test_61', 30),
    object: 'billing.credit_balance_transaction',
    created: call.now,
    credit,
    credit_grant: grant.id,
    debit,
    effective_at: effectiveAt,
    test_clock: grant.test_clock,
    type: credit === null ? 'debit' : 'credit',
    _customer: grant.customer,
  }
  return call.create(body, 'billing.credit_balance_transaction.created').id
}

function creditGrant(
  call: OperationContext,
  grant: CreditGrantBody,
  type: Credit,
  value: number,
  line: CreditedLineBody | null = null,
): string {
  const amount = monetary(grant.amount.monetary.currency, value)
  const credit = { amount, credits_application_invoice_voided: line, type }
  return record(call, grant, { credit, debit: null }, Math.max(call.now, grant.effective_at))
}

function debitGrant(
  call: OperationContext,
  grant: CreditGrantBody,
  type: Debit,
  value: number,
  line: CreditedLineBody | null = null,
): string {
  const amount = monetary(grant.amount.monetary.currency, value)
  return record(call, grant, { credit: null, debit: { amount, credits_applied: line, type } })
}

/** Stores a new grant and funds it. */
export function fundGrant(call: OperationContext, grant: CreditGrantBody): CreditGrantBody {
  const made = call.create(grant, 'billing.credit_grant.created')
  creditGrant(call, made, 'credits_granted', made._balance)
  return made
}

/** Debits a grant for a line of an invoice that is finalized now. Returns the id of the transaction. */
export function applyGrant(call: OperationContext, id: string, value: number, line: CreditedLineBody): string {
  const grant = grantOf(call, id)
  call.update(grant, { ...grant, _balance: grant._balance - value }, null)
  return debitGrant(call, grant, 'credits_applied', value, line)
}

/**
 * Returns credits to the grant: the amount that a voided invoice had used of it. If the grant has expired meanwhile, the returned credits
 * expire at once.
 */
export function reinstate(call: OperationContext, transaction: CreditTransactionBody): void {
  const { debit } = transaction
  if (debit === null) return
  const grant = grantOf(call, transaction.credit_grant)
  const { value } = debit.amount.monetary
  creditGrant(call, grant, 'credits_application_invoice_voided', value, debit.credits_applied)
  if (isExpired(grant, call.now)) debitGrant(call, grant, 'credits_expired', value)
  else call.update(grant, { ...grant, _balance: grant._balance + value }, null)
}

/** Ends a credit grant: the unused part of its amount expires, and the balance is 0 afterwards. */
export function expireGrant(call: OperationContext, grant: CreditGrantBody): CreditGrantBody {
  if (grant._balance > 0) debitGrant(call, grant, 'credits_expired', grant._balance)
  return call.update(grant, { ...grant, _balance: 0, _due: null }, null)
}

/** Ends a credit grant at once, before its `expires_at`. Source: the operation `POST /v1/billing/credit_grants/:id/expire`. */
export function expireNow(call: OperationContext, grant: CreditGrantBody): CreditGrantBody {
  const ended = call.update(
    grant,
    { ...grant, expires_at: call.now, updated: call.now },
    'billing.credit_grant.updated',
  )
  return expireGrant(call, ended)
}

export function voidGrant(call: OperationContext, grant: CreditGrantBody): CreditGrantBody {
  const after = { ...grant, updated: call.now, voided_at: call.now, _balance: 0, _due: null }
  const voided = call.update(grant, after, 'billing.credit_grant.updated')
  debitGrant(call, grant, 'credits_voided', grant._balance)
  return voided
}

function grantOf(call: OperationContext, id: string): CreditGrantBody {
  const found = call.find('billing.credit_grant', id)
  if (found === undefined) throw new Error(`The credit grant ${id} does not exist`)
  return found
}
