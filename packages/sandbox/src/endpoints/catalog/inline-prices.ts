// Prices that are made for one thing alone: shown where they are used, and in no list.
import type { PriceBody, ProductBody } from '../../objects/bodies.ts'
import type { Call } from '../../protocol/operation-context.ts'
import { decimal, integer, required, shape, text } from '../../protocol/parameters/params.ts'
import type { Read } from '../../protocol/parameters/params.ts'
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

/** `price_data` of something that is billed once. */
export const oncePriceData = shape(onceFields)

/** `price_data` of an item of a subscription. */
export const recurringPriceData = shape({
  ...onceFields,
  recurring: required(shape({ interval: required(interval), interval_count: integer({ min: 1 }) })),
})

type PriceData = Read<typeof onceFields> & {
  readonly recurring?: NonNullable<Parameters<typeof newPrice>[1]['recurring']>
}

export function inlinePrice(call: Call, data: PriceData, name: string): PriceBody {
  const { product: id, ...params } = data
  const product = call.reference('product', id, `${name}[product]`)
  return made(call, newPrice(call, params, product.id))
}

function made(call: Call, price: PriceBody): PriceBody {
  return call.create({ ...price, active: false, _inline: true as const }, null)
}

/** What a plain amount is a price of: a product of its own, or that of the amount before (recorded at 2026-08-26.dahlia). */
export function priceOfAmount(
  call: Call,
  {
    amount,
    currency: own,
    description,
  }: Pick<PriceBody, 'currency'> & {
    readonly amount: number
    readonly description: string | null
  },
  product?: string,
): PriceBody {
  const of = product ?? inlineProduct(call, description ?? 'Invoice item').id
  return made(call, { ...newPrice(call, { currency: own, unit_amount: amount }, of) })
}

function inlineProduct(call: Call, name: string): ProductBody {
  return call.create({ ...newProduct(call, { name, active: false }), _inline: true as const }, null)
}

/** What lists and searches leave out. */
export const notInline = { field: '_inline', is: null } as const
