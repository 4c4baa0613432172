// Invoices that are made by hand, of what waits for an invoice, and changes of drafts.
import { customFieldsParam, noInvoiceText } from '../billing/invoice-text.ts'
import { draft } from '../billing/invoicing.ts'
import { day, momentOf } from '../billing/records.ts'
import { plainTerms, termFields, termsAfter } from '../billing/terms.ts'
import type { InvoiceBody } from '../objects/customer-bodies.ts'
import type { Call } from '../protocol/call.ts'
import { missingParam, notSupported, refused } from '../protocol/errors.ts'
import { applyMetadata, metadata } from '../protocol/metadata.ts'
import { deleted } from '../protocol/operation.ts'
import type { Answer } from '../protocol/operation.ts'
import { boolean, emptyable, integer, oneOf, text } from '../protocol/params.ts'
import { currency } from './currencies.ts'
import { paymentMethodFor } from './subscriptions.ts'

const shownFields = {
  auto_advance: boolean(),
  custom_fields: customFieldsParam,
  description: emptyable(text({ max: 1500 })),
  footer: emptyable(text()),
  metadata: metadata(),
}

const createFields = {
  ...shownFields,
  ...termFields,
  currency: currency(),
  customer: text(),
  days_until_due: integer({ min: 0, max: 730 }),
  default_payment_method: text(),
  pending_invoice_items_behavior: oneOf('exclude', 'include'),
}

/** Its items do not wait any more when it asks for them. */
export function createInvoice(outer: Call): InvoiceBody {
  const params = outer.read(createFields)
  if (params.customer === undefined) throw missingParam('customer')
  const customer = outer.reference('customer', params.customer, 'customer')
  const call = outer.at(momentOf(outer, customer.test_clock))
  const withPending = params.pending_invoice_items_behavior === 'include'
  const waiting = [
    { field: 'customer', is: customer.id },
    { field: 'invoice', is: null },
  ]
  const pending = withPending ? call.select('invoiceitem', waiting) : []
  const [latest] = pending
  const own = params.currency ?? latest?.currency ?? customer.currency ?? 'usd'
  if (pending.some(({ currency: other, parent }) => other === own && parent !== null))
    throw notSupported('invoices by hand that include pending items of subscriptions', 'pending_invoice_items_behavior')
  const card = paymentMethodFor(call, params.default_payment_method, customer.id, 'default_payment_method')
  const { invoice } = draft(call, {
    subscription: {
      ...termsAfter(call, customer.id, plainTerms, params),
      currency: own,
      customer: customer.id,
      discounts: [],
      id: null,
      invoice_settings: {
        ...noInvoiceText,
        custom_fields: params.custom_fields ? [...params.custom_fields] : null,
        description: params.description ?? null,
        footer: params.footer ?? null,
      },
      items: { data: [] },
      metadata: applyMetadata({}, params.metadata),
      test_clock: customer.test_clock,
    },
    lines: [],
    period: { start: call.now, end: call.now },
    reason: 'manual',
    autoAdvance: params.auto_advance ?? false,
    withPending,
  })
  return card === undefined ? invoice : call.update(invoice, { ...invoice, default_payment_method: card }, null)
}

const updateFields = { ...shownFields, days_until_due: integer({ min: 0, max: 730 }), default_payment_method: text() }

export function updateInvoice(outer: Call): InvoiceBody {
  const before = outer.subject('invoice')
  const params = outer.read(updateFields)
  const { metadata: about, auto_advance: advance, ...drafted } = params
  if (before.status !== 'draft' && Object.values(drafted).some((value) => value !== undefined))
    throw refused("Finalized invoices can't be updated in this way.", undefined, 'invoice_not_editable')
  const call = outer.at(momentOf(outer, before.test_clock))
  if (params.days_until_due !== undefined && before.collection_method !== 'send_invoice')
    throw refused('`days_until_due` may only be set when `collection_method` is `send_invoice`.', 'days_until_due')
  const card = paymentMethodFor(call, params.default_payment_method, before.customer, 'default_payment_method')
  const fields = params.custom_fields
  const after: InvoiceBody = {
    ...before,
    auto_advance: advance ?? before.auto_advance,
    custom_fields: fields === undefined ? before.custom_fields : fields && [...fields],
    default_payment_method: card ?? before.default_payment_method,
    description: params.description === undefined ? before.description : params.description,
    due_date: params.days_until_due === undefined ? before.due_date : call.now + params.days_until_due * day,
    footer: params.footer === undefined ? before.footer : params.footer,
    metadata: applyMetadata(before.metadata, about),
  }
  return call.update(before, after, 'invoice.updated')
}

/** Only drafts that were made by hand; what was on it waits again. */
export function deleteInvoice(call: Call): Answer {
  call.read({})
  const invoice = call.subject('invoice')
  if (invoice.parent !== null)
    throw refused('You can only delete draft invoices that were not created by a subscription.')
  if (invoice.status !== 'draft')
    throw refused('You can only delete draft invoices.', undefined, 'invoice_not_editable')
  for (const item of call.select('invoiceitem', [{ field: 'invoice', is: invoice.id }]))
    call.update(item, { ...item, invoice: null }, null)
  call.remove(invoice, 'invoice.deleted')
  return deleted(invoice.id, 'invoice')
}
