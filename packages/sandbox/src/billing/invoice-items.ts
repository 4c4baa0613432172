// What is billed beside subscriptions: it waits for an invoice, and becomes a line of it.
import type { Call } from '../protocol/call.ts'
import type { InvoiceItemBody, InvoiceLineBody } from '../objects/customer-bodies.ts'
import { newId } from '../protocol/ids.ts'

/** Oldest first. Those of another subscription, or in another currency, wait for their own. */
export function pendingItems(
  call: Call,
  { id, customer, currency }: { readonly id: string | null; readonly customer: string; readonly currency: string },
): InvoiceItemBody[] {
  const waiting = [
    { field: 'customer', is: customer },
    { field: 'currency', is: currency },
    { field: 'invoice', is: null },
  ]
  return call
    .select('invoiceitem', waiting)
    .filter(({ parent }) => parent === null || parent.subscription_details.subscription === id)
    .reverse()
}

export function itemLine(item: InvoiceItemBody): InvoiceLineBody {
  return {
    id: newId('il_1', 23),
    object: 'line_item',
    amount: item.amount,
    currency: item.currency,
    description: item.description,
    discount_amounts: [],
    discountable: item.discountable,
    discounts: [],
    invoice: '',
    livemode: false,
    metadata: item.metadata,
    parent: {
      invoice_item_details: {
        invoice_item: item.id,
        proration: false,
        proration_details: { credited_items: null },
        subscription: item.parent?.subscription_details.subscription ?? null,
      },
      subscription_item_details: null,
      type: 'invoice_item_details',
    },
    period: item.period,
    pretax_credit_amounts: [],
    pricing: item.pricing,
    quantity: item.quantity,
    quantity_decimal: item.quantity_decimal,
    subscription: item.parent?.subscription_details.subscription ?? null,
    subtotal: item.amount,
    taxes: [],
  }
}
