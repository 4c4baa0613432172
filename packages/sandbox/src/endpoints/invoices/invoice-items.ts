import { amountFor, pricingIn } from '../../billing/pricing/price-amounts.ts'
import { withLines } from '../../billing/invoices/draft-lines.ts'
import { itemLine, removePendingLine } from '../../billing/invoices/invoice-items.ts'
import { inactivePrice, wrongType } from '../../billing/subscriptions/subscription-items.ts'
import { timeOf, priceOf } from '../../billing/subscriptions/subscription-records.ts'
import { taxRatesParam, usableTaxRates } from '../../billing/subscriptions/terms.ts'
import { parseDecimal, scale } from '../../money/decimal.ts'
import type { PriceBody } from '../../objects/bodies.ts'
import type { InvoiceBody, InvoiceItemBody, InvoiceLineBody, PricingBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { missingParam, onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { createdIn } from '../../protocol/responses/list-pages.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { deletion, listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { boolean, integer, range, required, shape, text, timestamp } from '../../protocol/parameters/params.ts'
import type { Read } from '../../protocol/parameters/params.ts'
import { currency } from '../catalog/currencies.ts'
import { inlinePrice, oncePriceData, priceOfAmount } from '../catalog/inline-prices.ts'

const sharedFields = {
  amount: integer(),
  description: text(),
  discountable: boolean(),
  metadata: metadata(),
  period: shape({ end: required(timestamp()), start: required(timestamp()) }),
  quantity: integer({ min: 0 }),
  tax_rates: taxRatesParam,
}

const createFields = {
  ...sharedFields,
  currency: currency(),
  customer: text(),
  invoice: text(),
  price_data: oncePriceData,
  pricing: shape({ price: text() }),
  subscription: text(),
}
type InvoiceItemParams = Read<typeof createFields>

/** Returns the period of a request. A period that ends before it starts is refused. */
function checkedPeriod(period: InvoiceItemParams['period']): InvoiceItemParams['period'] {
  if (period !== undefined && period.end < period.start)
    throw badRequest('The period must not end before it starts.', 'period[end]')
  return period
}

function create(outer: OperationContext): InvoiceItemBody {
  const params = outer.read(createFields)
  const invoice =
    params.invoice === undefined ? undefined : requireDraft(outer.reference('invoice', params.invoice, 'invoice'))
  const id = params.customer ?? invoice?.customer
  if (id === undefined) throw missingParam('customer')
  const customer = outer.reference('customer', id, 'customer')
  if (invoice !== undefined && invoice.customer !== customer.id)
    throw badRequest(`The invoice ${invoice.id} is not of the customer ${customer.id}.`, 'invoice')
  const call = outer.at(timeOf(outer, customer.test_clock))
  if (params.subscription !== undefined) call.reference('subscription', params.subscription, 'subscription')
  const cost = itemAmountOf(call, params, invoice?.currency ?? customer.currency)
  if (invoice !== undefined && cost.currency !== invoice.currency)
    throw badRequest(`The currency of the invoice is \`${invoice.currency}\`, not \`${cost.currency}\`.`, 'currency')
  const body: InvoiceItemBody = {
    id: newId('ii_1', 23),
    object: 'invoiceitem',
    ...cost,
    customer: customer.id,
    date: call.now,
    description:
      params.description ??
      (params.amount === undefined ? nameOf(call, cost.pricing.price_details?.product ?? '') : null),
    discountable: params.discountable ?? cost.amount >= 0,
    invoice: invoice?.id ?? null,
    metadata: applyMetadata({}, params.metadata),
    net_amount: cost.amount,
    parent:
      params.subscription === undefined
        ? null
        : { subscription_details: { subscription: params.subscription }, type: 'subscription_details' },
    period: checkedPeriod(params.period) ?? { end: call.now, start: call.now },
    proration: false,
    tax_rates: usableTaxRates(call, params.tax_rates ?? [], 'tax_rates'),
    test_clock: customer.test_clock,
  }
  const made = call.create(body, 'invoiceitem.created')
  if (invoice !== undefined) {
    const line = itemLine(call, made)
    const rates = made.tax_rates.length === 0 ? invoice.default_tax_rates : made.tax_rates
    withLines(call, invoice, [line, ...invoice.lines.data], new Map([[line.id, rates]]))
  }
  return made
}

/** Throws unless the invoice is a draft, because only drafts can be edited. Source: the real API at version 2026-08-26.dahlia. */
function requireDraft(invoice: InvoiceBody): InvoiceBody {
  if (invoice.status === 'draft') return invoice
  throw badRequest('Invalid invoice: This invoice is no longer editable', undefined, 'invoice_not_editable')
}

/** Updates the draft invoice that contains the item. Replaces the item's line or, if `line` is null, removes it. */
function updateDraft(call: OperationContext, item: InvoiceItemBody, line: InvoiceLineBody | null): void {
  const invoice = call.find('invoice', item.invoice ?? '')
  if (invoice === undefined) return
  const { data } = invoice.lines
  const known = data.find(({ parent }) => parent.invoice_item_details?.invoice_item === item.id)
  if (known === undefined) return
  if (line === null) {
    withLines(
      call,
      invoice,
      data.filter((one) => one !== known),
    )
    return
  }
  const rates = item.tax_rates.length === 0 ? invoice.default_tax_rates : item.tax_rates
  const lines = data.map((one) => (one === known ? { ...line, id: known.id } : one))
  withLines(call, invoice, lines, new Map([[known.id, rates]]))
}

type ItemAmount = Pick<InvoiceItemBody, 'amount' | 'currency' | 'pricing' | 'quantity' | 'quantity_decimal'>

/** Returns the amount of an invoice item: the given amount, or that of a one-time price. */
function itemAmountOf(call: OperationContext, params: InvoiceItemParams, usual: string | null): ItemAmount {
  const { amount, price_data: data } = params
  const priceId = params.pricing?.price
  if (priceId !== undefined && amount !== undefined) throw onlyOneOf('amount', 'pricing[price]')
  if (priceId !== undefined && data !== undefined) throw onlyOneOf('pricing[price]', 'price_data')
  if (amount !== undefined && data !== undefined) throw onlyOneOf('amount', 'price_data')
  if (data !== undefined) return amountOfPrice(inlinePrice(call, data, 'price_data'), params)
  if (priceId === undefined) {
    if (amount === undefined) throw missingParam('amount')
    if (params.quantity !== undefined) throw onlyOneOf('amount', 'quantity')
    const own = params.currency ?? usual
    if (own === null) throw missingParam('currency')
    const { description = null } = params
    const { id, product } = priceOfAmount(call, { amount, currency: own, description })
    return {
      ...{ amount, currency: own, quantity: 1, quantity_decimal: '1' },
      pricing: {
        price_details: { price: id, product },
        type: 'price_details',
        unit_amount_decimal: String(amount),
      },
    }
  }
  const price = call.reference('price', priceId, 'pricing[price]')
  if (!price.active) throw inactivePrice('pricing[price]')
  if (price.recurring !== null) throw wrongType('recurring', 'pricing[price]')
  return amountOfPrice(price, params)
}

function amountOfPrice(price: PriceBody, params: InvoiceItemParams): ItemAmount {
  const own = params.currency ?? price.currency
  const quantity = params.quantity ?? 1
  return {
    ...{ amount: amountFor(price, own, String(quantity)), currency: own, quantity, quantity_decimal: String(quantity) },
    pricing: {
      price_details: { price: price.id, product: price.product },
      type: 'price_details',
      unit_amount_decimal: pricingIn(price, own)?.unit_amount_decimal ?? null,
    },
  }
}

function nameOf(call: OperationContext, product: string): string | null {
  return call.find('product', product)?.name ?? null
}

function isEditable(call: OperationContext, item: InvoiceItemBody): boolean {
  return item.invoice === null || call.find('invoice', item.invoice)?.status === 'draft'
}

function update(call: OperationContext): InvoiceItemBody {
  const before = call.subject('invoiceitem')
  const params = call.read(sharedFields)
  if (before.proration) throw badRequest('The sandbox does not support changing a proration.')
  const { description, discountable, metadata: about, ...money } = params
  const changes = Object.values({ description, discountable, ...money }).some((value) => value !== undefined)
  if (before.invoice !== null && call.find('invoice', before.invoice) === undefined)
    throw badRequest('This invoice item has been deleted.')
  if (changes && !isEditable(call, before)) throw noLongerEditable('update')
  if (params.quantity !== undefined && params.amount !== undefined) throw onlyOneOf('amount', 'quantity')
  const quantity = params.quantity ?? (params.amount === undefined ? before.quantity : 1)
  const amount = params.amount ?? amountOf(call, before, quantity)
  const after: InvoiceItemBody = {
    ...before,
    amount,
    description: description ?? before.description,
    discountable: discountable ?? before.discountable,
    metadata: applyMetadata(before.metadata, about),
    net_amount: amount,
    period: checkedPeriod(params.period) ?? before.period,
    pricing: params.amount === undefined ? before.pricing : withNewPrice(call, before, params.amount),
    ...{ quantity, quantity_decimal: String(quantity) },
    tax_rates: params.tax_rates === undefined ? before.tax_rates : usableTaxRates(call, params.tax_rates, 'tax_rates'),
  }
  const written = call.update(before, after, null)
  updateDraft(call, written, itemLine(call, written))
  return written
}

/** Creates a price for the new amount of an invoice item, with the same product. Source: the real API at version 2026-08-26.dahlia. */
function withNewPrice(
  call: OperationContext,
  { currency: own, description, pricing }: InvoiceItemBody,
  amount: number,
): PricingBody {
  const { id, product } = priceOfAmount(call, { amount, currency: own, description }, pricing.price_details?.product)
  return { ...pricing, price_details: { price: id, product }, unit_amount_decimal: String(amount) }
}

function noLongerEditable(what: 'delete' | 'update'): Error {
  return badRequest(`Can't ${what} an invoice item that is attached to an invoice that is no longer editable`)
}

function amountOf(call: OperationContext, item: InvoiceItemBody, quantity: number): number {
  const { price_details: of, unit_amount_decimal: unit } = item.pricing
  if (of !== undefined) return amountFor(priceOf(call, of), item.currency, String(quantity))
  return unit === null ? item.amount : Number((parseDecimal(unit) * BigInt(quantity)) / scale)
}

const base = '/v1/invoiceitems'
const of = 'invoiceitem'

export const invoiceItems: readonly Operation[] = [
  post(base, of, create),
  listing(
    base,
    of,
    { customer: text(), invoice: text() },
    { created: range(), pending: boolean() },
    ({ created, pending }) => [
      ...(pending === true ? [{ field: 'invoice', is: null }] : []),
      // Selects items with any invoice id, i.e. not null. In SQLite, text is greater than any number, and a comparison with null is never
      // true.
      ...(pending === false ? [{ field: 'invoice', op: '>=', value: 0 } as const] : []),
      ...createdIn(created).map((condition) => ({ ...condition, field: 'date' })),
    ],
  ),
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, update),
  deletion(`${base}/:id`, of, (call) => {
    call.read({})
    const item = call.subject(of)
    if (!isEditable(call, item)) throw noLongerEditable('delete')
    // A proration is also a pending line of its subscription, so remove it there too.
    removePendingLine(call, item)
    updateDraft(call, item, null)
    call.remove(item, 'invoiceitem.deleted')
  }),
]
