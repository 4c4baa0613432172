// Invoice items: charges outside a subscription's items, or prorations. They become lines of an invoice.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { InvoiceItemBody, InvoiceLineBody, SubscriptionBody } from '../../objects/customer-bodies.ts'
import { newId } from '../../protocol/ids.ts'
import { save } from '../subscriptions/subscription-records.ts'

interface PendingItemsQuery {
  readonly id: string | null
  readonly customer: string
  readonly currency: string
}

/**
 * Returns the pending invoice items for an invoice of the subscription `of`, newest first. Items of other subscriptions and in other
 * currencies are left out. Prorations are left out too, because the subscription's `_pending` lines contain them already. Source: the real
 * API at version 2026-08-26.dahlia.
 */
export function pendingItems(call: OperationContext, of: PendingItemsQuery): InvoiceItemBody[] {
  return allPendingItems(call, of).filter(
    ({ proration, parent }) => !proration && (parent === null || parent.subscription_details.subscription === of.id),
  )
}

/** Returns all pending invoice items of a customer in a currency, newest first. Prorations and items of any subscription are included. */
export function allPendingItems(
  call: OperationContext,
  { customer, currency }: Omit<PendingItemsQuery, 'id'>,
): InvoiceItemBody[] {
  return call.select('invoiceitem', [
    { field: 'customer', is: customer },
    { field: 'currency', is: currency },
    { field: 'invoice', is: null },
  ])
}

/** Removes a proration from the pending lines of its subscription, so that the subscription's next invoice does not bill it again. */
export function removePendingLine(call: OperationContext, item: InvoiceItemBody): void {
  const before = call.find('subscription', item.parent?.subscription_details.subscription ?? '')
  if (before === undefined || !item.proration) return
  const lines = before._pending.filter((line) => line.parent.subscription_item_details?.invoice_item !== item.id)
  save(call, before, { ...before, _pending: lines }, null)
}

export function itemLine(item: InvoiceItemBody): InvoiceLineBody {
  const of = item.parent?.subscription_details
  const { id, proration } = item
  const details = { invoice_item: id, proration, proration_details: { credited_items: null } }
  const prorated = proration && of?.subscription_item !== undefined ? { subscription_item: of.subscription_item } : null
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
    parent:
      prorated === null
        ? {
            invoice_item_details: { ...details, subscription: of?.subscription ?? null },
            subscription_item_details: null,
            type: 'invoice_item_details',
          }
        : {
            invoice_item_details: null,
            subscription_item_details: { ...details, subscription: of?.subscription ?? '', ...prorated },
            type: 'subscription_item_details',
          },
    period: item.period,
    pretax_credit_amounts: [],
    pricing: item.pricing,
    quantity: item.quantity,
    quantity_decimal: item.quantity_decimal,
    subscription: of?.subscription ?? null,
    subtotal: item.amount,
    taxes: [],
  }
}

type BilledSubscription = Pick<SubscriptionBody, 'customer' | 'test_clock'>

/**
 * Creates an invoice item for each new proration among the lines. Returns the lines with the ids of their items. `invoice` is null if the
 * prorations are still pending.
 */
export function withProrationItems(
  call: OperationContext,
  subscription: BilledSubscription,
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
  call: OperationContext,
  { customer, test_clock: clock }: BilledSubscription,
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
    date: call.now,
    description: line.description,
    discountable: false,
    invoice,
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

/** Deletes the pending prorations of a canceled subscription. Source: the SDK's documentation of `cancel`. */
export function deletePendingProrations(
  call: OperationContext,
  { _pending: lines }: Pick<SubscriptionBody, '_pending'>,
): void {
  for (const { parent } of lines) {
    const item = call.find('invoiceitem', parent.subscription_item_details?.invoice_item ?? '')
    if (item?.invoice === null) call.remove(item, 'invoiceitem.deleted')
  }
}
