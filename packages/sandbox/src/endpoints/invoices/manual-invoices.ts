// Manual invoices, which can include pending invoice items, and changes of draft invoices.
import { customFieldsParam, noInvoiceText } from '../../billing/invoices/invoice-text.ts'
import { createDraft, draftLifetime } from '../../billing/invoices/invoicing.ts'
import { day, timeOf } from '../../billing/subscriptions/subscription-records.ts'
import { defaultTerms, termFields, termsAfter } from '../../billing/subscriptions/terms.ts'
import type { CollectionMethod, InvoiceBody, SubscriptionBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { missingParam, onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { boolean, emptyable, integer, oneOf, text, timestamp, type Read } from '../../protocol/parameters/params.ts'
import { currency } from '../catalog/currencies.ts'
import { paymentMethodFor } from '../subscriptions/subscriptions.ts'

const shownFields = {
  auto_advance: boolean(),
  custom_fields: customFieldsParam,
  description: emptyable(text({ max: 1500 })),
  footer: emptyable(text()),
  metadata: metadata(),
}

const dueFields = { days_until_due: integer({ min: 0, max: 730 }), due_date: timestamp() }

const createFields = {
  ...shownFields,
  ...termFields,
  ...dueFields,
  currency: currency(),
  customer: text(),
  default_payment_method: text(),
  pending_invoice_items_behavior: oneOf('exclude', 'include'),
  subscription: text(),
}

/**
 * Checks the due date. Only `send_invoice` accepts a due date, either as a date or as a number of days. Source of the message: the real API
 * at version 2026-08-26.dahlia.
 */
function checkDue(
  method: CollectionMethod,
  { days_until_due: days, due_date: date }: Partial<Read<typeof dueFields>>,
): void {
  const one = "'due_date' or 'days_until_due'"
  if (method === 'charge_automatically' && (days !== undefined || date !== undefined))
    throw badRequest(`You can only specify ${one} if invoice collection method is 'send_invoice'.`)
  if (days !== undefined && date !== undefined) throw onlyOneOf('due_date', 'days_until_due')
}

/**
 * Creates a manual invoice. With `pending_invoice_items_behavior: include`, it bills the pending items in its currency: those of the named
 * subscription, or all of the customer if none is named.
 */
export function createInvoice(outer: OperationContext): InvoiceBody {
  const params = outer.read(createFields)
  const named =
    params.subscription === undefined ? undefined : subscriptionFor(outer, params.subscription, params.customer)
  const id = params.customer ?? named?.customer
  if (id === undefined) throw missingParam('customer')
  const customer = outer.reference('customer', id, 'customer')
  const call = outer.at(timeOf(outer, customer.test_clock))
  const method = params.collection_method ?? 'charge_automatically'
  checkDue(method, params)
  if (method === 'send_invoice' && params.days_until_due === undefined && params.due_date === undefined)
    throw badRequest("If invoice collection method is 'send_invoice', you must specify 'due_date' or 'days_until_due'.")
  const { due_date: dueDate } = params
  const days = dueDate === undefined ? params.days_until_due : 0
  const waiting = call.select('invoiceitem', [
    { field: 'customer', is: customer.id },
    { field: 'invoice', is: null },
  ])
  const includes =
    (params.pending_invoice_items_behavior ?? (named === undefined ? 'exclude' : 'include')) === 'include'
  const own =
    params.currency ?? named?.currency ?? (includes ? waiting[0]?.currency : undefined) ?? customer.currency ?? 'usd'
  const pending = includes
    ? waiting.filter(
        ({ currency: other, parent }) =>
          other === own && (named === undefined || parent?.subscription_details.subscription === named.id),
      )
    : []
  const card = paymentMethodFor(call, params.default_payment_method, customer.id, 'default_payment_method')
  const terms = termsAfter(call, customer.id, defaultTerms, { ...params, days_until_due: days })
  const { invoice } = createDraft(call, {
    subscription: {
      ...terms,
      currency: own,
      customer: customer.id,
      discounts: [],
      id: named?.id ?? null,
      invoice_settings: {
        ...noInvoiceText,
        custom_fields: params.custom_fields ? [...params.custom_fields] : null,
        description: params.description ?? null,
        footer: params.footer ?? null,
      },
      items: { data: [] },
      metadata: named?.metadata ?? {},
      test_clock: customer.test_clock,
    },
    lines: [],
    period: { start: call.now, end: call.now },
    reason: 'manual',
    autoAdvance: params.auto_advance ?? false,
    pending,
    metadata: applyMetadata({}, params.metadata),
    ...(dueDate === undefined ? {} : { dueDate }),
  })
  return card === undefined ? invoice : call.update(invoice, { ...invoice, default_payment_method: card }, null)
}

function subscriptionFor(call: OperationContext, id: string, customer: string | undefined): SubscriptionBody {
  const found = call.reference('subscription', id, 'subscription')
  if (customer !== undefined && found.customer !== customer)
    throw badRequest(`The subscription ${id} is not of the customer ${customer}.`, 'subscription')
  return found
}

const updateFields = { ...shownFields, ...dueFields, default_payment_method: text() }

export function updateInvoice(outer: OperationContext): InvoiceBody {
  const before = outer.subject('invoice', 'id')
  const params = outer.read(updateFields)
  const { metadata: about, auto_advance: advance, ...drafted } = params
  const [named] = Object.entries(drafted)
    .flatMap(([name, value]) => (value === undefined ? [] : [name]))
    .sort()
  if (before.status !== 'draft' && named !== undefined)
    throw badRequest("Finalized invoices can't be updated in this way", named)
  const call = outer.at(timeOf(outer, before.test_clock))
  checkDue(before.collection_method, params)
  const card = paymentMethodFor(call, params.default_payment_method, before.customer, 'default_payment_method')
  const fields = params.custom_fields
  const days = params.days_until_due
  const after: InvoiceBody = {
    ...before,
    ...(before.status === 'draft' && advance !== undefined ? autoAdvanceOf(before, advance) : {}),
    auto_advance: advance ?? before.auto_advance,
    custom_fields: fields === undefined ? before.custom_fields : fields && [...fields],
    default_payment_method: card ?? before.default_payment_method,
    description: params.description === undefined ? before.description : params.description,
    // The days count from the creation of the invoice. Source: the real API at version 2026-08-26.dahlia.
    due_date: params.due_date ?? (days === undefined ? before.due_date : before.created + days * day),
    footer: params.footer === undefined ? before.footer : params.footer,
    metadata: applyMetadata(before.metadata, about),
  }
  return call.update(before, after, 'invoice.updated')
}

/**
 * Returns the time at which a draft is finalized. If it auto-advances, that is an hour after its creation, even if `auto_advance` is set
 * later. Source: the real API at version 2026-08-26.dahlia.
 */
function autoAdvanceOf(
  { collection_method: method, created }: InvoiceBody,
  advances: boolean,
): Pick<InvoiceBody, 'automatically_finalizes_at' | 'next_payment_attempt' | '_due'> {
  const at = advances ? created + draftLifetime : null
  return {
    automatically_finalizes_at: at,
    next_payment_attempt: method === 'charge_automatically' ? at : null,
    _due: at,
  }
}

/** Deletes a manual draft with its lines. Source: the real API at version 2026-08-26.dahlia. */
export function deleteInvoice(call: OperationContext): void {
  call.read({})
  const invoice = call.subject('invoice')
  if (invoice.billing_reason !== 'manual')
    throw badRequest('You can only delete draft invoices that were not created by a subscription.')
  if (invoice.status !== 'draft') throw badRequest('You can only delete draft invoices.')
  call.remove(invoice, 'invoice.deleted')
}
