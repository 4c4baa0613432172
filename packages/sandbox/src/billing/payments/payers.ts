// Effects of an invoice on its customer and on the payment method of its subscription.
import type { InvoiceBody, SubscriptionBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { intentFor } from './payments.ts'

/**
 * Sets `delinquent` of an invoice's customer. A customer becomes delinquent if an automatic payment fails or a due date passes. This ends
 * when the invoice is paid or becomes uncollectible. Source: the SDK's documentation of `delinquent`.
 */
export function setDelinquent(call: OperationContext, invoice: InvoiceBody, delinquent: boolean): void {
  const customer = call.find('customer', invoice.customer)
  if (customer === undefined) return
  call.update(customer, { ...customer, delinquent }, 'customer.updated')
}

/**
 * Returns the subscription's default payment method. With `save_default_payment_method: on_subscription` it becomes the one that paid the
 * invoice. Source: the SDK's documentation of `payment_settings`.
 */
export function defaultCardAfter(
  call: OperationContext,
  subscription: SubscriptionBody,
  invoice: InvoiceBody,
): string | null {
  const before = subscription.default_payment_method
  const keeps = subscription.payment_settings.save_default_payment_method === 'on_subscription'
  if (!keeps || invoice.status !== 'paid' || invoice.amount_due === 0) return before
  const paid = call.find('payment_method', intentFor(call, invoice).payment_method ?? '')
  return paid?.customer === subscription.customer ? paid.id : before
}
