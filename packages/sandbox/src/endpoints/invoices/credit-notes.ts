// Credit notes without special cases. A credit note reduces the amount due of an open invoice, or returns a paid amount: as customer
// balance, as a refund or out of band. Invoices with taxes or discounts are refused. Source: the SDK's documentation of credit notes.
import { markPaidOutOfBand } from '../../billing/invoices/invoicing.ts'
import { updateStatusAfter } from '../../billing/subscriptions/subscription-status.ts'
import { netAmount } from '../../billing/pricing/discounts.ts'
import { adjustIntent } from '../../billing/payments/payments.ts'
import { customerOf, timeOf } from '../../billing/subscriptions/subscription-records.ts'
import { createRefund } from '../../billing/payments/refunds.ts'
import { divideHalfUp, parseDecimal, scale } from '../../money/decimal.ts'
import { formatMinor } from '../../money/format.ts'
import { isBelowMinimum, minimumText } from '../../money/minimum-charge.ts'
import type { CreditNoteBody, CreditNoteLineBody } from '../../objects/credit-note-bodies.ts'
import type { InvoiceBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { missingParam, noSuchReference, notSupported, onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { pageFields, pageWithin } from '../../protocol/responses/list-pages.ts'
import { applyMetadata, changed, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import {
  decimal,
  integer,
  list,
  oneOf,
  range,
  required,
  shape,
  text,
  timestamp,
} from '../../protocol/parameters/params.ts'
import type { Read } from '../../protocol/parameters/params.ts'

const lineFields = {
  amount: integer({ min: 0 }),
  description: text(),
  invoice_line_item: text(),
  metadata: metadata(),
  quantity: integer({ min: 1 }),
  type: required(oneOf('custom_line_item', 'invoice_line_item')),
  unit_amount: integer({ min: 0 }),
  unit_amount_decimal: decimal(),
}
type LineParams = Read<typeof lineFields>

const createFields = {
  amount: integer({ min: 1 }),
  credit_amount: integer({ min: 0 }),
  effective_at: timestamp(),
  // `email_type` has no effect, because the sandbox sends no email.
  email_type: oneOf('credit_note', 'none'),
  invoice: required(text()),
  lines: list(shape(lineFields), { max: 250 }),
  memo: text(),
  metadata: metadata(),
  out_of_band_amount: integer({ min: 0 }),
  reason: oneOf('duplicate', 'fraudulent', 'order_change', 'product_unsatisfactory'),
  refund_amount: integer({ min: 0 }),
  refunds: list(shape({ amount_refunded: integer({ min: 1 }), refund: required(text()), type: oneOf('refund') })),
}
type CreditNoteParams = Read<typeof createFields>

function create(outer: OperationContext): CreditNoteBody {
  const params = outer.read(createFields)
  const invoice = outer.reference('invoice', params.invoice, 'invoice')
  refuseUncreditable(invoice)
  const call = outer.at(timeOf(outer, invoice.test_clock))
  const lines = linesOf(call, params, invoice)
  const amount = lines.reduce((sum, line) => sum + line.amount, 0)
  const before = call.select('credit_note', [{ field: 'invoice', is: invoice.id }])
  const linked = linkedRefunds(call, params, invoice)
  const credited = [...before.flatMap(({ refunds }) => refunds), ...linked]
  const left = invoice.total - issuedAmount(before) - refundedWithoutNote(call, invoice, credited)
  if (amount > left) {
    const money = (minor: number): string => formatMinor(minor, invoice.currency)
    throw badRequest(
      `The credit note amount (${money(amount)}) is more than what is left of the invoice to be credited (${money(left)}).`,
      params.amount === undefined ? 'lines' : 'amount',
    )
  }
  const pre = Math.min(amount, invoice.amount_remaining)
  const post = amount - pre
  if (invoice.status === 'open' && isBelowMinimum(invoice.amount_remaining - pre, invoice.currency))
    throw notSupported(`credit notes that leave less than ${minimumText(invoice.currency)} of an open invoice`)
  checkReturnedAmount(params, linked, post, invoice.currency)
  const credit = params.credit_amount ?? 0
  const id = newId('cn_1', 23)
  const body: CreditNoteBody = {
    id,
    object: 'credit_note',
    amount,
    created: call.now,
    currency: invoice.currency,
    customer: invoice.customer,
    customer_balance_transaction: credit > 0 ? newId('cbtxn_1', 23) : null,
    effective_at: params.effective_at ?? call.now,
    invoice: invoice.id,
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/credit_notes/${id}/lines` },
    memo: params.memo ?? null,
    metadata: applyMetadata({}, params.metadata),
    number: `${invoice.number ?? ''}-CN-${String(before.length + 1).padStart(2, '0')}`,
    out_of_band_amount: params.out_of_band_amount ?? null,
    pdf: `${call.origin}/invoices/${invoice.id}`,
    post_payment_amount: post,
    pre_payment_amount: pre,
    reason: params.reason ?? null,
    refunds: [...linked, ...newRefund(call, params, invoice)],
    status: 'issued',
    subtotal: amount,
    subtotal_excluding_tax: amount,
    total: amount,
    total_excluding_tax: amount,
    type: post === 0 ? 'pre_payment' : pre === 0 ? 'post_payment' : 'mixed',
    voided_at: null,
  }
  const made = call.create(body, 'credit_note.created')
  if (credit > 0) {
    const customer = customerOf(call, invoice.customer)
    call.update(customer, { ...customer, balance: customer.balance - credit }, 'customer.updated')
  }
  reduceInvoice(call, invoice, pre, post)
  return made
}

function refuseUncreditable(invoice: InvoiceBody): void {
  const { status } = invoice
  if (status === 'uncollectible') throw notSupported('credit notes of uncollectible invoices', 'invoice')
  if (status !== 'open' && status !== 'paid')
    throw badRequest(
      `You can only create a credit note for an open or paid invoice; this one is \`${status}\`.`,
      'invoice',
    )
  if (invoice.total_taxes.length > 0) throw notSupported('credit notes of invoices with taxes', 'invoice')
  if (invoice.total_discount_amounts.length > 0)
    throw notSupported('credit notes of invoices with discounts', 'invoice')
}

function issuedAmount(notes: readonly CreditNoteBody[]): number {
  return notes.filter(({ status }) => status === 'issued').reduce((sum, { amount }) => sum + amount, 0)
}

/** Checks that the paid part of a credit note is returned in full: as balance, refund or out of band. */
function checkReturnedAmount(
  params: CreditNoteParams,
  linked: readonly RefundOfNote[],
  post: number,
  currency: string,
): void {
  const refunded = linked.reduce((sum, { amount_refunded: amount }) => sum + amount, params.refund_amount ?? 0)
  const given = (params.credit_amount ?? 0) + (params.out_of_band_amount ?? 0) + refunded
  if (given === post) return
  const money = (minor: number): string => formatMinor(minor, currency)
  throw badRequest(
    `The sum of credit amount, refund amount and out of band amount (${money(given)}) must equal the credit note amount (${money(post)}).`,
  )
}

type RefundOfNote = CreditNoteBody['refunds'][number]

/** Returns the earlier refunds of the invoice's payment that the credit note refers to. */
function linkedRefunds(
  call: OperationContext,
  { refunds: given = [] }: CreditNoteParams,
  invoice: InvoiceBody,
): RefundOfNote[] {
  const linked = new Map<string, number>()
  for (const { refunds } of call.select('credit_note', [{ field: 'invoice', is: invoice.id }]))
    for (const { refund: id, amount_refunded: amount } of refunds) linked.set(id, (linked.get(id) ?? 0) + amount)
  return given.map(({ amount_refunded: part, refund: id }, index) => {
    const name = `refunds[${index}]`
    const found = call.reference('refund', id, `${name}[refund]`)
    if (call.find('payment_intent', found.payment_intent)?._invoice !== invoice.id)
      throw badRequest(`The refund ${id} is not of the invoice ${invoice.id}.`, `${name}[refund]`)
    const before = linked.get(id) ?? 0
    const amount = part ?? found.amount - before
    if (amount > found.amount - before)
      throw badRequest(
        `The refund ${id} refunded ${formatMinor(found.amount, invoice.currency)}, of which credit notes name ${formatMinor(before, invoice.currency)} already.`,
        `${name}[amount_refunded]`,
      )
    linked.set(id, before + amount)
    return { amount_refunded: amount, payment_record_refund: null, refund: id, type: 'refund' }
  })
}

/** Returns what was refunded of the invoice's payment beyond the refunds of its credit notes. */
function refundedWithoutNote(call: OperationContext, invoice: InvoiceBody, credited: readonly RefundOfNote[]): number {
  const intents = call.select('payment_intent', [{ field: '_invoice', is: invoice.id }]).map(({ id }) => id)
  const refunded = call
    .select('refund', [{ field: 'payment_intent', in: intents }])
    .reduce((sum, { amount }) => sum + amount, 0)
  return refunded - credited.reduce((sum, { amount_refunded: amount }) => sum + amount, 0)
}

/** Creates the refund of a credit note. Returns an empty list if no refund is requested. */
function newRefund(
  call: OperationContext,
  { refund_amount: amount = 0 }: CreditNoteParams,
  invoice: InvoiceBody,
): RefundOfNote[] {
  if (amount === 0) return []
  const [intent] = call.select('payment_intent', [{ field: '_invoice', is: invoice.id }], 1)
  const charge = call.find('charge', intent?.latest_charge ?? '')
  if (charge?.status !== 'succeeded') throw badRequest('The invoice was not paid by a charge.', 'refund_amount')
  const made = createRefund(call, charge, { amount, metadata: {} })
  return [{ amount_refunded: amount, payment_record_refund: null, refund: made.id, type: 'refund' }]
}

function linesOf(call: OperationContext, params: CreditNoteParams, invoice: InvoiceBody): CreditNoteLineBody[] {
  const { amount, lines } = params
  if (amount !== undefined && lines !== undefined) throw notSupported('`amount` together with `lines`', 'amount')
  if (amount !== undefined) {
    return [lineOf({ amount, quantity: 1, unit_amount: amount, unit_amount_decimal: String(amount) })]
  }
  if (lines === undefined || lines.length === 0)
    throw badRequest('One of `amount`, `lines`, or `shipping_cost` must be provided.', 'amount', 'parameter_missing')
  return lines.map((line, index) => {
    const name = `lines[${index}]`
    return line.type === 'custom_line_item' ? customLine(line, name) : creditedLine(call, line, name, invoice)
  })
}

function lineOf(
  own: Pick<CreditNoteLineBody, 'amount' | 'quantity' | 'unit_amount' | 'unit_amount_decimal'> &
    Partial<CreditNoteLineBody>,
): CreditNoteLineBody {
  return {
    id: newId('cnli_1', 23),
    object: 'credit_note_line_item',
    description: null,
    discount_amount: 0,
    discount_amounts: [],
    livemode: false,
    metadata: {},
    pretax_credit_amounts: [],
    tax_rates: [],
    taxes: [],
    type: 'custom_line_item',
    ...own,
  }
}

function customLine(line: LineParams, name: string): CreditNoteLineBody {
  for (const other of ['amount', 'invoice_line_item'] as const)
    if (line[other] !== undefined)
      throw badRequest(`\`${other}\` is only valid when \`type\` is \`invoice_line_item\`.`, `${name}[${other}]`)
  if (line.unit_amount !== undefined && line.unit_amount_decimal !== undefined)
    throw onlyOneOf(`${name}[unit_amount]`, `${name}[unit_amount_decimal]`)
  const unit = line.unit_amount_decimal ?? line.unit_amount?.toString()
  if (unit === undefined) throw missingParam(`${name}[unit_amount]`)
  const quantity = line.quantity ?? 1
  return lineOf({
    amount: Number(divideHalfUp(parseDecimal(unit) * BigInt(quantity), scale)),
    description: line.description ?? null,
    metadata: applyMetadata({}, line.metadata),
    quantity,
    unit_amount: unit.includes('.') ? null : Number(unit),
    unit_amount_decimal: unit,
  })
}

/** Returns a credit for a part of an invoice line, given as an amount or a quantity. */
function creditedLine(
  call: OperationContext,
  line: LineParams,
  name: string,
  invoice: InvoiceBody,
): CreditNoteLineBody {
  for (const other of ['description', 'unit_amount', 'unit_amount_decimal'] as const)
    if (line[other] !== undefined)
      throw badRequest(`\`${other}\` is only valid when \`type\` is \`custom_line_item\`.`, `${name}[${other}]`)
  if (line.invoice_line_item === undefined) throw missingParam(`${name}[invoice_line_item]`)
  const credited = invoice.lines.data.find(({ id }) => id === line.invoice_line_item)
  if (credited === undefined)
    throw noSuchReference('invoice line item', line.invoice_line_item, `${name}[invoice_line_item]`)
  if (line.amount !== undefined && line.quantity !== undefined) throw onlyOneOf(`${name}[amount]`, `${name}[quantity]`)
  if (line.amount === undefined && line.quantity === undefined)
    throw notSupported('crediting a line without its `amount` or `quantity`', name)
  const unit = credited.pricing.unit_amount_decimal
  if (line.quantity !== undefined && (unit === null || unit.includes('.') || credited.quantity === null))
    throw notSupported('crediting a quantity of a line without a whole amount for each', `${name}[quantity]`)
  const amount = line.amount ?? Number(unit) * (line.quantity ?? 0)
  const already = call
    .select('credit_note', [{ field: 'invoice', is: invoice.id }])
    .filter(({ status }) => status === 'issued')
    .flatMap(({ lines }) => lines.data)
    .filter(({ invoice_line_item: id }) => id === credited.id)
    .reduce((sum, { amount: taken }) => sum + taken, 0)
  if (amount > netAmount(credited) - already) {
    const shown = formatMinor(netAmount(credited) - already, invoice.currency)
    throw badRequest(`The line item ${credited.id} can be credited with at most ${shown}.`, name)
  }
  return lineOf({
    amount,
    description: credited.description,
    invoice_line_item: credited.id,
    metadata: applyMetadata({}, line.metadata),
    quantity: line.quantity ?? null,
    type: 'invoice_line_item',
    unit_amount: line.quantity === undefined ? null : Number(unit),
    unit_amount_decimal: line.quantity === undefined ? null : unit,
  })
}

/** Reduces the amounts of the invoice after a credit note. An open invoice with no amount remaining becomes paid. */
function reduceInvoice(call: OperationContext, invoice: InvoiceBody, pre: number, post: number): void {
  const credited: InvoiceBody = {
    ...invoice,
    amount_due: invoice.amount_due - pre,
    amount_remaining: invoice.amount_remaining - pre,
    post_payment_credit_notes_amount: invoice.post_payment_credit_notes_amount + post,
    pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount + pre,
  }
  const written = call.update(invoice, credited, 'invoice.updated')
  if (written.status !== 'open') return
  if (written.amount_remaining > 0) adjustIntent(call, written)
  else updateStatusAfter(call, markPaidOutOfBand(call, written))
}

function voidNote(outer: OperationContext): CreditNoteBody {
  const before = outer.subject('credit_note')
  outer.read({})
  const invoice = outer.find('invoice', before.invoice)
  if (before.status === 'void') throw badRequest('This credit note is already void.')
  if (invoice?.status !== 'open') throw badRequest('You can only void a credit note of an open invoice.')
  if (before.post_payment_amount > 0) throw notSupported('voiding a credit note that returned a payment')
  const call = outer.at(timeOf(outer, invoice.test_clock))
  const done = call.update(before, { ...before, status: 'void' as const, voided_at: call.now }, 'credit_note.voided')
  const pre = before.pre_payment_amount
  const raised: InvoiceBody = {
    ...invoice,
    amount_due: invoice.amount_due + pre,
    amount_remaining: invoice.amount_remaining + pre,
    pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount - pre,
  }
  adjustIntent(call, call.update(invoice, raised, 'invoice.updated'))
  return done
}

function update(call: OperationContext): CreditNoteBody {
  const before = call.subject('credit_note')
  const params = call.read({ memo: text(), metadata: metadata() })
  return call.update(before, changed(before, params), 'credit_note.updated')
}

function lines(call: OperationContext): HandlerResult {
  const params = call.read(pageFields)
  const { data: all, url } = call.subject('credit_note').lines
  const { data, hasMore } = pageWithin(all, params, 'credit_note_line_item')
  return { unstored: { object: 'list', data, has_more: hasMore, url } }
}

const base = '/v1/credit_notes'
const of = 'credit_note'

export const creditNotes: readonly Operation[] = [
  post(base, of, create),
  listing(base, of, { created: range(), customer: text(), invoice: text() }),
  { method: 'GET', path: `${base}/preview`, of, run: (call) => ({ object: call.rehearse(create) }) },
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, update),
  { method: 'GET', path: `${base}/:id/lines`, of: null, run: lines },
  post(`${base}/:id/void`, of, voidNote),
]
