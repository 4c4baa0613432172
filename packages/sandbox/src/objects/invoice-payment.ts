// An invoice payment: the payment of an invoice by a payment intent. The API returns it as a separate object. It is derived, not stored.
import type { InvoiceBody } from './customer-bodies.ts'
import type { PaymentIntentBody } from './session-bodies.ts'

export interface InvoicePaymentBody {
  id: string
  object: 'invoice_payment'
  amount_paid: number | null
  amount_requested: number
  created: number
  currency: string
  invoice: string
  is_default: true
  livemode: false
  payment: { payment_intent: string; type: 'payment_intent' }
  status: 'canceled' | 'open' | 'paid'
  status_transitions: { canceled_at: number | null; paid_at: number | null }
}

const prefix = 'inpay_'

/** Returns the id of the payment intent that an invoice payment belongs to. */
export function intentIdOf(payment: string): string {
  return payment.startsWith(prefix) ? `pi_${payment.slice(prefix.length)}` : ''
}

export function invoicePayment(invoice: InvoiceBody, intent: PaymentIntentBody): InvoicePaymentBody {
  const paid = intent.status === 'succeeded'
  return {
    id: intent.id.replace(/^pi_/, prefix),
    object: 'invoice_payment',
    amount_paid: paid ? intent.amount_received : null,
    amount_requested: intent.amount,
    created: intent.created,
    currency: intent.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent.id, type: 'payment_intent' },
    status: paid ? 'paid' : intent.status === 'canceled' ? 'canceled' : 'open',
    status_transitions: {
      canceled_at: intent.canceled_at,
      paid_at: paid ? invoice.status_transitions.paid_at : null,
    },
  }
}
