// Invoice items: charges outside a subscription's items, or prorations. They become lines of an invoice.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type {
  CreditedByItem,
  CreditedItems,
  InvoiceItemBody,
  InvoiceLineBody,
  SubscriptionBody,
} from '../../objects/customer-bodies.ts'
import { discountedAmount, isItemDiscount } from '../pricing/discounts.ts'
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

export function itemLine(call: OperationContext, item: InvoiceItemBody): InvoiceLineBody {
  const of = item.parent?.subscription_details
  const { id, proration } = item
  const credited = item.proration_details?.credited_items
  const creditedItems = credited?.type === 'invoice_line_items' ? credited.invoice_line_item_details : null
  const details = { invoice_item: id, proration, proration_details: { credited_items: creditedItems } }
  const discounts = (item.proration_details?.discount_amounts ?? []).filter(
    ({ amount, discount }) => amount !== 0 || !isItemDiscount(call, discount),
  )
  const prorated = proration && of?.subscription_item !== undefined ? { subscription_item: of.subscription_item } : null
  return {
    id: newId('il_1', 23),
    object: 'line_item',
    amount: item.amount,
    currency: item.currency,
    description: item.description,
    discount_amounts: discounts,
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
    pretax_credit_amounts: discounts
      .filter(({ amount }) => amount !== 0)
      .map((taken) => ({ ...taken, type: 'discount' as const })),
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
  return lines.reduce<InvoiceLineBody[]>((done, line) => {
    const { subscription_item_details: details } = line.parent
    if (details?.proration !== true) return [...done, line]
    const known = details.invoice_item === null ? undefined : call.find('invoiceitem', details.invoice_item)
    if (known !== undefined) {
      if (known.invoice !== invoice) call.update(known, { ...known, invoice }, null)
      return [...done, line]
    }
    const body = { ...prorationItem(call, subscription, line, done), invoice }
    const item = call.create(body, 'invoiceitem.created')
    const parent = { ...line.parent, subscription_item_details: { ...details, invoice_item: item.id } }
    return [...done, { ...line, parent }]
  }, [])
}

/** Returns what a proration says of the charge that it credits, and of its discounts. Source: the SDK's documentation. */
function prorationDetails(
  line: InvoiceLineBody,
  earlier: readonly InvoiceLineBody[],
): NonNullable<InvoiceItemBody['proration_details']> {
  const details = line.parent.subscription_item_details
  const invoiced = details?.proration_details.credited_items ?? null
  const isPendingCharge = ({ amount, parent, period }: InvoiceLineBody): boolean =>
    amount > 0 &&
    parent.subscription_item_details?.subscription_item === details?.subscription_item &&
    period.end === line.period.end
  const pending = invoiced === null && line.amount < 0 ? earlier.findLast(isPendingCharge) : undefined
  const charge = pending?.parent.subscription_item_details?.invoice_item ?? null
  // With `proration_discounts: included` the line does not show what a discount took off, so the invoice item shows 0.
  const shown = new Map(line.discount_amounts.map(({ amount, discount }) => [discount, amount]))
  const discounts = (line._prorated_discounts ?? []).map(({ discount }) => ({
    amount: shown.get(discount) ?? 0,
    discount,
  }))
  return { credited_items: creditedByItem(invoiced, charge), discount_amounts: discounts }
}

function creditedByItem(invoiced: CreditedItems | null, charge: string | null): CreditedByItem | null {
  if (invoiced !== null) return { invoice_line_item_details: invoiced, type: 'invoice_line_items' }
  return charge === null ? null : { invoice_item: charge, type: 'invoice_item' }
}

function prorationItem(
  call: OperationContext,
  { customer, test_clock: clock }: BilledSubscription,
  line: InvoiceLineBody,
  earlier: readonly InvoiceLineBody[],
): Omit<InvoiceItemBody, 'invoice'> {
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
    metadata: {},
    net_amount: discountedAmount(line),
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
    proration_details: prorationDetails(line, earlier),
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
