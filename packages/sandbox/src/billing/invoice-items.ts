// What waits for an invoice and becomes a line of it: what is billed beside subscriptions, and their prorations.
import type { Call } from '../protocol/call.ts'
import type { InvoiceItemBody, InvoiceLineBody, SubscriptionBody } from '../objects/customer-bodies.ts'
import { newId } from '../protocol/ids.ts'

/**
 * Oldest first. Those of another subscription, or in another currency, wait for their own; prorations are lines of their
 * subscription already.
 */
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
    .filter(
      ({ proration, parent }) => !proration && (parent === null || parent.subscription_details.subscription === id),
    )
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

type Billed = Pick<SubscriptionBody, 'customer' | 'test_clock'>

/** The lines; each proration among them is an invoice item as well, on the invoice that is named or waiting for one. */
export function withItemsOf(
  call: Call,
  subscription: Billed,
  lines: readonly InvoiceLineBody[],
  invoice: string | null,
): InvoiceLineBody[] {
  return lines.map((line) => {
    const { subscription_item_details: details } = line.parent
    if (details?.proration !== true) return line
    const known = details.invoice_item === null ? undefined : call.find('invoiceitem', details.invoice_item)
    if (known !== undefined) {
      if (known.invoice !== invoice) call.update(known, { ...known, invoice }, null)
      return line
    }
    const item = call.create(prorationItem(call, subscription, line, invoice), 'invoiceitem.created')
    const parent = { ...line.parent, subscription_item_details: { ...details, invoice_item: item.id } }
    return { ...line, parent }
  })
}

function prorationItem(
  call: Call,
  { customer, test_clock: clock }: Billed,
  line: InvoiceLineBody,
  invoice: string | null,
): InvoiceItemBody {
  const { subscription_item_details: details } = line.parent
  return {
    id: newId('ii_1', 23),
    object: 'invoiceitem',
    amount: line.amount,
    currency: line.currency,
    customer,
    customer_account: null,
    date: call.now,
    description: line.description,
    discountable: false,
    discounts: [],
    invoice,
    livemode: false,
    metadata: {},
    net_amount: line.amount,
    parent:
      details === null
        ? null
        : {
            subscription_details: {
              subscription: details.subscription,
              subscription_item: details.subscription_item,
            },
            type: 'subscription_details',
          },
    period: line.period,
    pricing: line.pricing,
    proration: true,
    quantity: line.quantity ?? 1,
    quantity_decimal: line.quantity_decimal ?? '1',
    tax_rates: [],
    test_clock: clock,
  }
}

/** Prorations that no invoice took go with their subscription (the SDK's types, cancellation of a subscription). */
export function dropWaiting(call: Call, { _pending: lines }: Pick<SubscriptionBody, '_pending'>): void {
  for (const { parent } of lines) {
    const item = call.find('invoiceitem', parent.subscription_item_details?.invoice_item ?? '')
    if (item?.invoice === null) call.remove(item, 'invoiceitem.deleted')
  }
}
