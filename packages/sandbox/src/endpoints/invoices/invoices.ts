import {
  attemptInvoice,
  finalize,
  closeUnpaid,
  markPaidOutOfBand,
  finalizeDraft,
} from '../../billing/invoices/invoicing.ts'
import { updateStatusAfter } from '../../billing/subscriptions/subscription-status.ts'
import { unpaidError } from '../../billing/payments/payments.ts'
import { timeOf } from '../../billing/subscriptions/subscription-records.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { InvoiceBody } from '../../objects/customer-bodies.ts'
import { badRequest } from '../../protocol/responses/errors.ts'
import { deletion, listing, post, retrieve, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import { pageFields, pageWithin, where } from '../../protocol/responses/list-pages.ts'
import { boolean, oneOf, range, text } from '../../protocol/parameters/params.ts'
import { createInvoice, deleteInvoice, updateInvoice } from './manual-invoices.ts'
import { paymentMethodFor } from '../subscriptions/subscriptions.ts'
import { preview } from './invoice-preview.ts'

const listFilters = {
  collection_method: oneOf('charge_automatically', 'send_invoice'),
  created: range(),
  customer: text(),
  status: oneOf('draft', 'open', 'paid', 'uncollectible', 'void'),
}

const payFields = {
  paid_out_of_band: boolean(),
  off_session: boolean(),
  payment_method: text(),
}

/**
 * Attempts payment now. After a decline the response is an error, but the attempt is stored. Source: the real API at version
 * 2026-08-26.dahlia.
 */
function pay(outer: OperationContext): HandlerResult {
  const invoice = outer.subject('invoice', 'id')
  const params = outer.read(payFields)
  if (invoice.status === 'paid') throw badRequest('Invoice is already paid')
  const call = outer.at(timeOf(outer, invoice.test_clock))
  const card = paymentMethodFor(call, params.payment_method, invoice.customer, 'payment_method')
  if (invoice.status === 'void') throw notOpenError()
  const open = invoice.status === 'draft' ? finalize(call, invoice, false) : invoice
  if (params.paid_out_of_band === true && open.status !== 'paid') {
    const paid = markPaidOutOfBand(call, open)
    updateStatusAfter(call, paid)
    return { object: paid }
  }
  const done = open.status === 'paid' ? open : attemptInvoice(call, open, { card, manual: true })
  updateStatusAfter(call, done)
  return done.status === 'paid' ? { object: done } : { refusal: unpaidError(call, done, 'invoice') }
}

function notOpenError(): Error {
  return badRequest("You can only pass in open invoices. This invoice isn't open.")
}

/** Finalizes a draft at once, instead of after an hour. */
function finalizeNow(outer: OperationContext): InvoiceBody {
  const invoice = outer.subject('invoice', 'id')
  const params = outer.read({ auto_advance: boolean() })
  if (invoice.status !== 'draft') {
    throw badRequest("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
  }
  const call = outer.at(timeOf(outer, invoice.test_clock))
  const advances = params.auto_advance ?? invoice.auto_advance
  const open = { ...invoice, auto_advance: advances }
  // An invoice without auto-advance is not charged.
  return advances ? finalizeDraft(call, open) : finalize(call, open, false)
}

function sendNow(outer: OperationContext): InvoiceBody {
  const invoice = outer.subject('invoice')
  outer.read({})
  const call = outer.at(timeOf(outer, invoice.test_clock))
  const isSent = invoice.collection_method === 'send_invoice'
  if (isSent && invoice.status === 'draft') return finalizeDraft(call, invoice)
  if (!isSent || invoice.status !== 'open') {
    const message = 'This invoice cannot be sent right now. Please contact us via https://support.stripe.com/contact'
    throw badRequest(`${message} with details, so we can help.`)
  }
  call.emit('invoice.sent', invoice)
  return invoice
}

function closeInvoice(outer: OperationContext, status: 'void' | 'uncollectible'): InvoiceBody {
  const invoice = outer.subject('invoice', 'id')
  outer.read({})
  // Source of the messages in this file: the real API at version 2026-08-26.dahlia.
  if (status === 'void' && invoice.status === 'paid')
    throw badRequest('Invoices with `paid` payments cannot be voided.')
  if (status === 'uncollectible' && invoice.status === 'uncollectible')
    throw badRequest('This invoice has already been marked uncollectible.')
  if (invoice.status !== 'open' && !(status === 'void' && invoice.status === 'uncollectible')) throw notOpenError()
  const call = outer.at(timeOf(outer, invoice.test_clock))
  const done = closeUnpaid(call, invoice, status)
  updateStatusAfter(call, done)
  return done
}

function lines(call: OperationContext): HandlerResult {
  const params = call.read(pageFields)
  const all = call.subject('invoice').lines.data.map(({ _prorated_discounts: _own, ...shown }) => shown)
  const { data, hasMore } = pageWithin(all, params, 'line_item')
  return { unstored: { object: 'list', data, has_more: hasMore, url: `/v1/invoices/${call.id}/lines` } }
}

const base = '/v1/invoices'
const of = 'invoice'

export const invoices: readonly Operation[] = [
  post(base, of, createInvoice),
  listing(base, of, listFilters, { subscription: text() }, ({ subscription }) =>
    where('parent.subscription_details.subscription', subscription),
  ),
  post(`${base}/create_preview`, of, preview),
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, updateInvoice),
  deletion(`${base}/:id`, of, deleteInvoice),
  { method: 'GET', path: `${base}/:id/lines`, of: null, run: lines },
  { method: 'POST', path: `${base}/:id/pay`, of, run: pay },
  post(`${base}/:id/finalize`, of, finalizeNow),
  post(`${base}/:id/send`, of, sendNow),
  post(`${base}/:id/void`, of, (call) => closeInvoice(call, 'void')),
  post(`${base}/:id/mark_uncollectible`, of, (call) => closeInvoice(call, 'uncollectible')),
]
