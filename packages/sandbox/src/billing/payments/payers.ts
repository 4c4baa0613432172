// What becomes of an invoice, for whoever pays it and with which card.
import type { InvoiceBody, SubscriptionBody } from '../../objects/customer-bodies.ts'
import type { Call } from '../../protocol/operation-context.ts'
import { intentFor } from './payments.ts'

/**
 * A payment that fails by itself, or a day that passes, makes the customer delinquent; an invoice that is paid or given up as
 * uncollectible ends that (the SDK's types, `delinquent`).
 */
export function setDelinquent(call: Call, invoice: InvoiceBody, delinquent: boolean): void {
  const customer = call.find('customer', invoice.customer)
  if (customer === undefined) return
  call.update(customer, { ...customer, delinquent }, 'customer.updated')
}

/** The card that pays the subscription from now on: the one that paid, where that was asked for (the SDK's types, `payment_settings`). */
export function keptCard(call: Call, subscription: SubscriptionBody, invoice: InvoiceBody): string | null {
  const before = subscription.default_payment_method
  const keeps = subscription.payment_settings.save_default_payment_method === 'on_subscription'
  if (!keeps || invoice.status !== 'paid' || invoice.amount_due === 0) return before
  const paid = call.find('payment_method', intentFor(call, invoice).payment_method ?? '')
  return paid?.customer === subscription.customer ? paid.id : before
}
