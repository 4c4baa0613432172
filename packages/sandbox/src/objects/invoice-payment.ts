// An invoice payment: the payment of an invoice by a payment intent. The API returns it as a separate object. It is derived, not stored.
import type { InvoiceBody } from './customer-bodies.ts'
import type { PaymentIntentBody } from './session-bodies.ts'

export interface InvoicePayment {
  readonly id: string
  readonly object: 'invoice_payment'
  readonly [member: string]: unknown
}

export function invoicePayment(invoice: InvoiceBody, intent: PaymentIntentBody): InvoicePayment {
  const paid = intent.status === 'succeeded'
  return {
    id: intent.id.replace(/^pi_/, 'inpay_'),
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
