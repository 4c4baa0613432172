import { amountFor, pricingIn } from '../billing/charges.ts'
import { momentOf, priceOf, save } from '../billing/records.ts'
import { taxRatesParam, usableTaxRates } from '../billing/terms.ts'
import { parseDecimal, scale } from '../money/decimal.ts'
import type { CustomerBody } from '../objects/bodies.ts'
import type { InvoiceItemBody } from '../objects/customer-bodies.ts'
import type { Call } from '../protocol/call.ts'
import { missingParam, onlyOneOf, refused } from '../protocol/errors.ts'
import { newId } from '../protocol/ids.ts'
import { createdIn, pageFields, where } from '../protocol/list-pages.ts'
import { applyMetadata, metadata } from '../protocol/metadata.ts'
import { deleted, retrieve } from '../protocol/operation.ts'
import type { Operation } from '../protocol/operation.ts'
import { boolean, integer, range, required, shape, text, timestamp } from '../protocol/params.ts'
import type { Read } from '../protocol/params.ts'
import { currency } from './currencies.ts'

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
  pricing: shape({ price: text() }),
  subscription: text(),
}
type Params = Read<typeof createFields>

function create(outer: Call): InvoiceItemBody {
  const params = outer.read(createFields)
  if (params.customer === undefined) throw missingParam('customer')
  const customer = outer.reference('customer', params.customer, 'customer')
  const call = outer.at(momentOf(outer, customer.test_clock))
  if (params.subscription !== undefined) call.reference('subscription', params.subscription, 'subscription')
  const cost = costOf(call, params, customer)
  const body: InvoiceItemBody = {
    id: newId('ii_1', 23),
    object: 'invoiceitem',
    ...cost,
    customer: customer.id,
    customer_account: null,
    date: call.now,
    description:
      params.description ??
      (cost.pricing.price_details === undefined ? null : nameOf(call, cost.pricing.price_details.product)),
    discountable: params.discountable ?? cost.amount >= 0,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: applyMetadata({}, params.metadata),
    net_amount: cost.amount,
    parent:
      params.subscription === undefined
        ? null
        : { subscription_details: { subscription: params.subscription }, type: 'subscription_details' },
    period: params.period ?? { end: call.now, start: call.now },
    proration: false,
    tax_rates: usableTaxRates(call, params.tax_rates ?? [], 'tax_rates'),
    test_clock: customer.test_clock,
  }
  return call.create(body, 'invoiceitem.created')
}

type Cost = Pick<InvoiceItemBody, 'amount' | 'currency' | 'pricing' | 'quantity' | 'quantity_decimal'>

/** An amount of its own, or a price that is paid once. */
function costOf(call: Call, params: Params, customer: CustomerBody): Cost {
  const priceId = params.pricing?.price
  if (priceId !== undefined && params.amount !== undefined) throw onlyOneOf('amount', 'pricing[price]')
  if (priceId === undefined) {
    if (params.amount === undefined) throw missingParam('amount')
    if (params.quantity !== undefined) throw onlyOneOf('amount', 'quantity')
    const own = params.currency ?? customer.currency
    if (own === null) throw missingParam('currency')
    return {
      ...{ amount: params.amount, currency: own, quantity: 1, quantity_decimal: '1' },
      pricing: { type: 'price_details', unit_amount_decimal: String(params.amount) },
    }
  }
  const price = call.reference('price', priceId, 'pricing[price]')
  if (!price.active)
    throw refused('The price specified is inactive. This field only accepts active prices.', 'pricing[price]')
  if (price.recurring !== null) {
    const message =
      'The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.'
    throw refused(message, 'pricing[price]')
  }
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

function nameOf(call: Call, product: string): string | null {
  return call.find('product', product)?.name ?? null
}

function refuseBilled(item: InvoiceItemBody, what: string): void {
  if (item.invoice === null) return
  throw refused(`This invoice item cannot be ${what}: it is on the invoice ${item.invoice}.`)
}

function update(call: Call): InvoiceItemBody {
  const before = call.subject('invoiceitem')
  const params = call.read(sharedFields)
  if (before.proration) throw refused('The sandbox does not support changing a proration.')
  const { description, discountable, metadata: about, ...money } = params
  if (Object.values({ description, discountable, ...money }).some((value) => value !== undefined))
    refuseBilled(before, 'changed')
  const quantity = params.quantity ?? before.quantity
  const amount = params.amount ?? amountOf(call, before, quantity)
  const plain = before.pricing.price_details === undefined
  if (plain && params.quantity !== undefined && params.amount !== undefined) throw onlyOneOf('amount', 'quantity')
  const after: InvoiceItemBody = {
    ...before,
    amount,
    description: description ?? before.description,
    discountable: discountable ?? before.discountable,
    metadata: applyMetadata(before.metadata, about),
    net_amount: amount,
    period: params.period ?? before.period,
    ...{ quantity, quantity_decimal: String(quantity) },
    tax_rates: params.tax_rates === undefined ? before.tax_rates : usableTaxRates(call, params.tax_rates, 'tax_rates'),
  }
  return call.update(before, after, null)
}

function amountOf(call: Call, item: InvoiceItemBody, quantity: number): number {
  const { price_details: of, unit_amount_decimal: unit } = item.pricing
  if (of !== undefined) return amountFor(priceOf(call, of), item.currency, String(quantity))
  return unit === null ? item.amount : Number((parseDecimal(unit) * BigInt(quantity)) / scale)
}

/** A proration that is deleted is not billed: it is a line of its subscription. */
function forgetLine(call: Call, item: InvoiceItemBody): void {
  const before = call.find('subscription', item.parent?.subscription_details.subscription ?? '')
  if (before === undefined) return
  const lines = before._pending.filter((line) => line.parent.subscription_item_details?.invoice_item !== item.id)
  save(call, before, { ...before, _pending: lines }, null)
}

const base = '/v1/invoiceitems'
const of = 'invoiceitem'

export const invoiceItems: readonly Operation[] = [
  { method: 'POST', path: base, of, run: (call) => ({ object: create(call) }) },
  {
    method: 'GET',
    path: base,
    of,
    list: true,
    run: (call) => {
      const fields = { ...pageFields, created: range(), customer: text(), invoice: text(), pending: boolean() }
      const params = call.read(fields)
      const pending = params.pending === true ? [{ field: 'invoice', is: null }] : []
      const conditions = [...where('customer', params.customer), ...where('invoice', params.invoice), ...pending]
      const created = createdIn(params.created).map((condition) => ({ ...condition, field: 'date' }))
      return { page: call.page(of, params, [...conditions, ...created]) }
    },
  },
  retrieve(`${base}/:id`, of),
  { method: 'POST', path: `${base}/:id`, of, run: (call) => ({ object: update(call) }) },
  {
    method: 'DELETE',
    path: `${base}/:id`,
    of: null,
    run: (call) => {
      call.read({})
      const item = call.subject(of)
      refuseBilled(item, 'deleted')
      if (item.proration) forgetLine(call, item)
      call.remove(item, 'invoiceitem.deleted')
      return deleted(item.id, of)
    },
  },
]
