import { intentIdOf, invoicePayment, type InvoicePaymentBody } from '../../objects/invoice-payment.ts'
import type { PaymentIntentBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { HandlerResult, Operation } from '../../protocol/operation.ts'
import { noSuchResource } from '../../protocol/responses/errors.ts'
import { createdIn, pageFields, pageWithin } from '../../protocol/responses/list-pages.ts'
import { oneOf, range, required, shape, text } from '../../protocol/parameters/params.ts'

const base = '/v1/invoice_payments'
const of = 'invoice_payment'

const listFields = {
  ...pageFields,
  created: range(),
  invoice: text(),
  payment: shape({ payment_intent: text(), type: required(oneOf('payment_intent')) }),
  status: oneOf('canceled', 'open', 'paid'),
}

function paymentOf(call: OperationContext, intent: PaymentIntentBody): InvoicePaymentBody[] {
  const invoice = intent._invoice === null ? undefined : call.find('invoice', intent._invoice)
  return invoice === undefined ? [] : [invoicePayment(invoice, intent)]
}

/** Lists the payments of one invoice or of all, newest first. */
function page(call: OperationContext): HandlerResult {
  const params = call.read(listFields)
  const invoice = params.invoice === undefined ? undefined : call.reference('invoice', params.invoice, 'invoice').id
  const { payment } = params
  const all = call
    .select('payment_intent', [
      ...createdIn(params.created),
      ...(invoice === undefined ? [] : [{ field: '_invoice', is: invoice }]),
    ])
    .filter(({ id }) => payment?.payment_intent === undefined || id === payment.payment_intent)
    .flatMap((intent) => paymentOf(call, intent))
    .filter(({ status }) => params.status === undefined || status === params.status)
  return { page: pageWithin(all, params, of) }
}

function one(call: OperationContext): HandlerResult {
  call.read({})
  const intent = call.find('payment_intent', intentIdOf(call.id))
  const [object] = intent === undefined ? [] : paymentOf(call, intent)
  if (object === undefined) throw noSuchResource('invoice_payment', call.id, 'invoice_payment')
  return { object }
}

export const invoicePayments: readonly Operation[] = [
  { method: 'GET', path: base, of, list: true, run: page },
  { method: 'GET', path: `${base}/:id`, of, run: one },
]
