// Inline prices (`price_data`) are created for one use, e.g. one invoice item. The object that uses an inline price returns it; lists leave
// it out.
import type { PriceBody, ProductBody } from '../../objects/bodies.ts'
import type { InvoiceItemBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { decimal, integer, required, shape, text, type Read } from '../../protocol/parameters/params.ts'
import { taxBehavior } from './amounts.ts'
import { currency } from './currencies.ts'
import { interval, newPrice } from './new-price.ts'
import { newProduct } from './new-product.ts'

const onceFields = {
  currency: required(currency()),
  product: required(text()),
  tax_behavior: taxBehavior,
  unit_amount: integer(),
  unit_amount_decimal: decimal(),
}

/** Parameter `price_data` of a one-time charge. */
export const oncePriceData = shape(onceFields)

/** Parameter `price_data` of a subscription item. */
export const recurringPriceData = shape({
  ...onceFields,
  recurring: required(shape({ interval: required(interval), interval_count: integer({ min: 1 }) })),
})

type PriceData = Read<typeof onceFields> & {
  readonly recurring?: NonNullable<Parameters<typeof newPrice>[1]['recurring']>
}

export function inlinePrice(call: OperationContext, data: PriceData, name: string): PriceBody {
  const { product: id, ...params } = data
  const product = call.reference('product', id, `${name}[product]`)
  return createInline(call, newPrice(call, params, product.id))
}

function createInline(call: OperationContext, price: PriceBody): PriceBody {
  return call.create({ ...price, active: false, _inline: true as const }, null)
}

/**
 * Creates a price for a plain amount. Its product is `product`, or a new inline product. Source: the real API at version 2026-08-26.dahlia.
 */
export function priceOfAmount(
  call: OperationContext,
  { amount, currency: own, description }: Pick<InvoiceItemBody, 'amount' | 'currency' | 'description'>,
  product?: string,
): PriceBody {
  const of = product ?? inlineProduct(call, description ?? 'Invoice item').id
  return createInline(call, { ...newPrice(call, { currency: own, unit_amount: amount }, of) })
}

function inlineProduct(call: OperationContext, name: string): ProductBody {
  return call.create({ ...newProduct(call, { name, active: false }), _inline: true as const }, null)
}

/** Query condition that leaves inline prices and products out of lists and searches. */
export const notInline = { field: '_inline', is: null } as const
