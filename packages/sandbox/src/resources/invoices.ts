import { attempt, finalize, reflect } from '../billing/invoicing.ts'
import { momentOf } from '../billing/records.ts'
import type { Call } from '../protocol/call.ts'
import { cardDeclined, refused } from '../protocol/errors.ts'
import type { Answer, Operation } from '../protocol/operation.ts'
import { createdIn, pageFields, pageWithin, where } from '../protocol/list-pages.ts'
import { boolean, oneOf, range, text, unsupported } from '../protocol/params.ts'
import { paymentMethodFor } from './subscriptions.ts'
import { preview } from './invoice-preview.ts'

const listFields = {
  ...pageFields,
  collection_method: oneOf('charge_automatically', 'send_invoice'),
  created: range(),
  customer: text(),
  customer_account: unsupported(),
  due_date: unsupported(),
  status: oneOf('draft', 'open', 'paid', 'uncollectible', 'void'),
  subscription: text(),
}

function page(call: Call): Answer {
  const params = call.read(listFields)
  const conditions = [
    ...where('customer', params.customer),
    ...where('parent.subscription_details.subscription', params.subscription),
    ...where('status', params.status),
    ...where('collection_method', params.collection_method),
    ...createdIn(params.created),
  ]
  return { page: call.page('invoice', params, conditions) }
}

const payFields = {
  forgive: unsupported(),
  mandate: unsupported(),
  off_session: boolean(),
  paid_out_of_band: unsupported(),
  payment_method: text(),
  source: unsupported(),
}

/** Tries now. A decline is a refusal, but the try counts (recorded at 2026-08-26.dahlia). */
function pay(outer: Call): Answer {
  const invoice = outer.subject('invoice')
  const params = outer.read(payFields)
  if (invoice.status === 'paid') throw refused('Invoice is already paid', undefined, 'invoice_already_paid')
  const call = outer.at(momentOf(outer, invoice.test_clock))
  const card = paymentMethodFor(call, params.payment_method, invoice.customer, 'payment_method')
  const open = invoice.status === 'draft' ? finalize(call, invoice, false) : invoice
  const done = open.status === 'paid' ? open : attempt(call, open, { card, manual: true })
  reflect(call, done)
  return done.status === 'paid' ? { object: done } : { refusal: cardDeclined() }
}

function lines(call: Call): Answer {
  const params = call.read(pageFields)
  const { data, hasMore } = pageWithin(call.subject('invoice').lines.data, params, 'line_item')
  return { unstored: { object: 'list', data, has_more: hasMore, url: `/v1/invoices/${call.id}/lines` } }
}

export const invoices: readonly Operation[] = [
  { method: 'GET', path: '/v1/invoices', of: 'invoice', list: true, run: page },
  {
    method: 'POST',
    path: '/v1/invoices/create_preview',
    of: 'invoice',
    run: (call) => ({ object: preview(call) }),
  },
  {
    method: 'GET',
    path: '/v1/invoices/:id',
    of: 'invoice',
    run: (call) => {
      call.read({})
      return { object: call.subject('invoice') }
    },
  },
  { method: 'GET', path: '/v1/invoices/:id/lines', of: null, run: lines },
  { method: 'POST', path: '/v1/invoices/:id/pay', of: 'invoice', run: pay },
]
