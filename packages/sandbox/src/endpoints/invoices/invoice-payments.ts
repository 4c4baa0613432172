import { invoicePayment } from '../../objects/invoice-payment.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { HandlerResult, Operation } from '../../protocol/operation.ts'
import { pageFields, pageWithin } from '../../protocol/responses/list-pages.ts'
import { oneOf, required, text } from '../../protocol/parameters/params.ts'

const base = '/v1/invoice_payments'

/** Lists the payments of one invoice. The real API can also list the payments of all invoices. */
function page(call: OperationContext): HandlerResult {
  const params = call.read({ ...pageFields, invoice: required(text()), status: oneOf('canceled', 'open', 'paid') })
  const invoice = call.reference('invoice', params.invoice, 'invoice')
  const all = call
    .intentsOf(invoice.id)
    .map((intent) => invoicePayment(invoice, intent))
    .filter(({ status }) => params.status === undefined || status === params.status)
  const { data, hasMore } = pageWithin(all, params, 'invoice_payment')
  return { unstored: { object: 'list', data, has_more: hasMore, url: base } }
}

export const invoicePayments: readonly Operation[] = [{ method: 'GET', path: base, of: null, run: page }]
