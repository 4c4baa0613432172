// Invoices of a tenant, with their due and refunded amounts.
import { processorId } from '../../../catalog/resource.ts'
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { MirroredInvoice, MirroredInvoiceLine } from '../../../processor/mirrored.ts'
import type { MirroredItems, TenantInvoice } from '../../../api/service/mirror.ts'
import type { PageQuery } from '../../../api/service/service.ts'
import { tenantNotFound } from '../../tenants/customer-link.ts'
import { further, leading } from './amounts.ts'
import type { MirrorReadDeps } from './deps.ts'

type NamePrice = (price: ProcessorId) => string | undefined

/**
 * Returns a page of finalized invoices, newest first; empty for a tenant without a customer at the processor. Throws `tenant_not_found`.
 */
export async function readTenantInvoices(
  deps: MirrorReadDeps,
  id: string,
  page: PageQuery,
): Promise<MirroredItems<TenantInvoice>> {
  const tenant = await deps.store.tenants.find(id)
  if (tenant === null) throw tenantNotFound(id)
  const { processorCustomerId } = tenant
  const age = await deps.mirror.require()
  if (processorCustomerId === null) return { ...age, items: [], total: 0 }
  const { items, total } = await deps.store.mirror.invoicesOf(processorId(processorCustomerId), page)
  const book = await deps.priceBook()
  return { ...age, items: items.map((invoice) => shownInvoice(invoice, (price) => book.idOf(price))), total }
}

function shownInvoice(invoice: MirroredInvoice & { readonly amountRefunded: number }, idOf: NamePrice): TenantInvoice {
  const { id, number, subscription, status, createdAt, dueAt, paidAt, currency, attemptCount, nextAttemptAt, url } =
    invoice
  return {
    ...{ id, number, subscription, createdAt, dueAt, paidAt, currency, attemptCount, nextAttemptAt, url },
    // Never true, because only finalized invoices are listed and none of them is a draft. The comparison only narrows the type.
    status: status === 'draft' ? 'open' : status,
    ...leading('total', invoice.total, currency),
    ...further('amountDue', invoice.amountDue, currency),
    ...further('amountPaid', invoice.amountPaid, currency),
    ...further('amountRemaining', invoice.amountRemaining, currency),
    ...further('amountRefunded', invoice.amountRefunded, currency),
    lines: invoice.lines.map((line) => shownLine(line, currency, idOf)),
  }
}

function shownLine(line: MirroredInvoiceLine, currency: string, idOf: NamePrice): TenantInvoice['lines'][number] {
  const { description, price, quantity, amount, proration, periodStart, periodEnd } = line
  return {
    description,
    priceId: price === null ? null : (idOf(price) ?? null),
    processorPriceId: price,
    quantity,
    ...leading('amount', amount, currency),
    ...{ proration, periodStart, periodEnd },
  }
}
