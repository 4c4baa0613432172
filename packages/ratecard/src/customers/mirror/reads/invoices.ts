// Invoices and one-time payments of a tenant, with their due and refunded amounts.
import { processorId, type ProcessorId } from '../../../catalog/resource.ts'
import type { MirroredInvoice, MirroredInvoiceLine, MirroredPurchase } from '../../../processor/mirrored.ts'
import { tenantNotFound } from '../../tenants/customer-link.ts'
import { furtherAmount, mainAmount } from './amounts.ts'
import { bookedInvoice, bookedPurchase, paymentsOf, type Booked } from './booked.ts'
import type { MirrorReadDeps } from './deps.ts'
import type { MirroredItems } from '../../../api/notation/mirrored.ts'
import type { TenantInvoice } from '../../../api/customers/invoices.ts'
import type { PageQuery } from '../../../store/records/page.ts'

type NamePrice = (price: ProcessorId) => string | undefined

/**
 * Returns a page of finalized invoices and one-time payments, newest first; empty for a tenant without a customer at the processor. Throws
 * `tenant_not_found`.
 */
export async function readTenantInvoices(
  deps: MirrorReadDeps,
  id: string,
  page: PageQuery,
): Promise<MirroredItems<TenantInvoice>> {
  const tenant = await deps.store.tenants.find(id)
  if (tenant === null) throw tenantNotFound(id)
  const { processorCustomerId } = tenant
  const age = await deps.mirror.requireWhole()
  if (processorCustomerId === null) return { ...age, items: [], total: 0 }
  const { items, total } = await deps.store.mirror.billedTo(processorId(processorCustomerId), page)
  const refunded = await deps.store.mirror.refundedOf(
    items.map(({ kind, object }) => (kind === 'invoice' ? object : { id: object.id, payments: paymentsOf(object) })),
  )
  const book = await deps.priceBook()
  const idOf: NamePrice = (price) => book.idOf(price)
  const shown = items.map((item) => {
    const refund = refunded.get(item.object.id) ?? 0
    return item.kind === 'invoice' ? shownInvoice(item.object, refund, idOf) : shownPayment(item.object, refund, idOf)
  })
  return { ...age, items: shown, total }
}

function shownInvoice(invoice: MirroredInvoice, refunded: number, idOf: NamePrice): TenantInvoice {
  const { id, number, subscription, status, createdAt, dueAt, paidAt, currency, attemptCount, nextAttemptAt, url } =
    invoice
  return {
    type: 'invoice',
    ...{ id, number, subscription, createdAt, dueAt, paidAt, currency, attemptCount, nextAttemptAt, url },
    // Never true, because only finalized invoices are listed and none of them is a draft. The comparison only narrows the type.
    status: status === 'draft' ? 'open' : status,
    ...amountsOf(bookedInvoice(invoice), currency),
    ...furtherAmount('amountRemaining', invoice.amountRemaining, currency),
    ...furtherAmount('amountRefunded', refunded, currency),
    lines: invoice.lines.map((line) => shownLine(line, currency, idOf)),
  }
}

function shownPayment(purchase: MirroredPurchase, refunded: number, idOf: NamePrice): TenantInvoice {
  const { createdAt, paidAt, currency } = purchase
  const at = { periodStart: paidAt, periodEnd: paidAt }
  return {
    type: 'payment',
    id: purchase.payment ?? purchase.id,
    ...{ number: null, subscription: null, status: 'paid', createdAt, dueAt: null, paidAt, currency },
    ...{ attemptCount: 1, nextAttemptAt: null, url: null },
    ...amountsOf(bookedPurchase(purchase), currency),
    ...furtherAmount('amountRemaining', 0, currency),
    ...furtherAmount('amountRefunded', refunded, currency),
    lines: purchase.lines.map((line) =>
      shownLine({ ...line, ...at, description: null, proration: false }, currency, idOf),
    ),
  }
}

function amountsOf({ total, creditApplied, balanceApplied, amountDue, amountPaid }: Booked, currency: string) {
  return {
    ...mainAmount('total', total, currency),
    ...furtherAmount('creditApplied', creditApplied, currency),
    ...furtherAmount('balanceApplied', balanceApplied, currency),
    ...furtherAmount('amountDue', amountDue, currency),
    ...furtherAmount('amountPaid', amountPaid, currency),
  }
}

type ShownLine = Omit<MirroredInvoiceLine, 'subscriptionItem' | 'discount' | 'inclusiveTax'>

function shownLine(line: ShownLine, currency: string, idOf: NamePrice): TenantInvoice['lines'][number] {
  const { description, price, quantity, amount, proration, periodStart, periodEnd } = line
  return {
    description,
    priceId: price === null ? null : (idOf(price) ?? null),
    processorPriceId: price,
    quantity,
    ...mainAmount('amount', amount, currency),
    ...{ proration, periodStart, periodEnd },
  }
}
