// Credit notes as stored. Members that begin with an underscore are internal and never returned.
import type { ListOf } from './customer-bodies.ts'
import type { Metadata } from '../protocol/parameters/metadata.ts'

export interface CreditNoteLineBody {
  id: string
  object: 'credit_note_line_item'
  amount: number
  description: string | null
  discount_amount: 0
  discount_amounts: never[]
  /** Id of the invoice line that this line credits, if there is one. */
  invoice_line_item?: string
  livemode: false
  metadata: Metadata
  pretax_credit_amounts: never[]
  quantity: number | null
  tax_rates: never[]
  taxes: never[]
  type: 'custom_line_item' | 'invoice_line_item'
  unit_amount: number | null
  unit_amount_decimal: string | null
}

export type CreditReason = 'duplicate' | 'fraudulent' | 'order_change' | 'product_unsatisfactory'

export interface CreditNoteBody {
  id: string
  object: 'credit_note'
  amount: number
  created: number
  currency: string
  customer: string
  customer_balance_transaction: string | null
  effective_at: number
  invoice: string
  lines: ListOf<CreditNoteLineBody>
  memo: string | null
  metadata: Metadata
  number: string
  out_of_band_amount: number | null
  pdf: string
  post_payment_amount: number
  pre_payment_amount: number
  reason: CreditReason | null
  refunds: { amount_refunded: number; payment_record_refund: null; refund: string; type: 'refund' }[]
  status: 'issued' | 'void'
  subtotal: number
  subtotal_excluding_tax: number
  total: number
  total_excluding_tax: number
  type: 'mixed' | 'post_payment' | 'pre_payment'
  voided_at: number | null
}
