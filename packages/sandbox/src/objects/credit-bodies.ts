// Billing credits as stored: grants, and the ledger of their balance. Members that begin with an underscore are internal and never returned.
import type { Timed } from './customer-bodies.ts'
import type { Metadata } from '../protocol/parameters/metadata.ts'

export interface CreditAmountBody {
  monetary: { currency: string; value: number }
  type: 'monetary'
}

/** The prices that a grant applies to: all metered prices, or the listed ones. */
export interface CreditScopeBody {
  price_type?: 'metered'
  prices?: { id: string }[]
}

export interface CreditGrantBody extends Timed {
  id: string
  object: 'billing.credit_grant'
  amount: CreditAmountBody
  applicability_config: { scope: CreditScopeBody }
  category: 'paid' | 'promotional'
  created: number
  customer: string
  effective_at: number
  expires_at: number | null
  metadata: Metadata
  name: string | null
  priority: number
  test_clock: string | null
  updated: number
  voided_at: number | null
  /** Sum of the grant's transactions (minor units). A pending grant already has this sum, although its ledger balance is still 0. */
  _balance: number
}

/** The invoice line that credits were applied to. */
export interface CreditedLineBody {
  invoice: string
  invoice_line_item: string
}

export interface CreditTransactionBody {
  id: string
  object: 'billing.credit_balance_transaction'
  created: number
  credit: {
    amount: CreditAmountBody
    credits_application_invoice_voided: CreditedLineBody | null
    type: 'credits_application_invoice_voided' | 'credits_granted'
  } | null
  credit_grant: string
  debit: {
    amount: CreditAmountBody
    credits_applied: CreditedLineBody | null
    type: 'credits_applied' | 'credits_expired' | 'credits_voided'
  } | null
  effective_at: number
  test_clock: string | null
  type: 'credit' | 'debit'
  _customer: string
}

/** The balances of a customer, one per currency. It is computed, never stored. */
export interface CreditSummaryBody {
  /** The real API returns no id, so `render` leaves it out. */
  id: ''
  object: 'billing.credit_balance_summary'
  balances: { available_balance: CreditAmountBody; ledger_balance: CreditAmountBody }[]
  customer: string
}
