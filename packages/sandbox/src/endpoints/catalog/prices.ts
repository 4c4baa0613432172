import type { PriceBody } from '../../objects/bodies.ts'
import { productDetails } from '../../objects/product-details.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { changed, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { where } from '../../protocol/responses/list-pages.ts'
import { boolean, emptyable, list, oneOf, range, required, shape, text } from '../../protocol/parameters/params.ts'
import type { Read } from '../../protocol/parameters/params.ts'
import { currencyOptions, taxBehavior, toCurrencyOptions } from './amounts.ts'
import { currency } from './currencies.ts'
import { notInline } from './inline-prices.ts'
import {
  freeLookupKey,
  interval,
  lookupKey,
  newPrice,
  priceFields,
  schemeOf,
  usageType,
  writePrice,
} from './new-price.ts'
import { newProduct, taxDetails } from './new-product.ts'

export const productDataFields = {
  active: boolean(),
  id: text(),
  metadata: metadata(),
  name: required(text()),
  statement_descriptor: productDetails.statement_descriptor,
  tax_code: productDetails.tax_code,
  tax_details: taxDetails,
  unit_label: productDetails.unit_label,
}

const createFields = {
  ...priceFields,
  product: text(),
  product_data: shape(productDataFields),
  transfer_lookup_key: boolean(),
}

const updateFields = {
  active: boolean(),
  currency_options: emptyable(currencyOptions),
  lookup_key: lookupKey,
  metadata: metadata(),
  nickname: emptyable(text()),
  tax_behavior: taxBehavior,
  transfer_lookup_key: boolean(),
}

const listFilters = {
  active: boolean(),
  created: range(),
  currency: currency(),
  product: text(),
  type: oneOf('one_time', 'recurring'),
}
const listFields = {
  lookup_keys: list(text({ max: 200 }), { max: 10 }),
  recurring: shape({ interval, meter: text(), usage_type: usageType }),
}

function create(call: OperationContext): PriceBody {
  const { product, product_data: data, transfer_lookup_key: transfer, ...params } = call.read(createFields)
  if (product !== undefined && data !== undefined) throw onlyOneOf('product', 'product_data')
  if (data !== undefined) {
    const made = newProduct(call, data)
    const price = newPrice(call, params, made.id)
    call.create(made, 'product.created')
    return writePrice(call, price, transfer)
  }
  if (product === undefined) {
    throw badRequest('You must specify either `product` or `product_data` when creating a price.')
  }
  const price = newPrice(call, params, call.reference('product', product, 'product').id)
  return writePrice(call, price, transfer)
}

function update(call: OperationContext): PriceBody {
  const before = call.subject('price')
  const { currency_options: options, transfer_lookup_key: transfer, ...params } = call.read(updateFields)
  if (params.active === false && before.active && call.find('product', before.product)?.default_price === before.id) {
    throw badRequest('This price cannot be archived because it is the default price of its product.')
  }
  const behavior = params.tax_behavior ?? before.tax_behavior
  if (behavior !== before.tax_behavior && before.tax_behavior !== 'unspecified') {
    throw badRequest('Once `tax_behavior` is set to `inclusive` or `exclusive`, it cannot be changed.', 'tax_behavior')
  }
  freeLookupKey(call, params.lookup_key ?? null, transfer ?? false, before.id)
  const after: PriceBody = { ...changed(before, params), currency_options: mergeOptions(before, options) }
  return call.update(before, after, 'price.updated')
}

function mergeOptions(
  price: PriceBody,
  given: Read<typeof updateFields>['currency_options'],
): PriceBody['currency_options'] {
  if (given === undefined) return price.currency_options
  if (given === null) return {}
  const own = { currency: price.currency, scheme: schemeOf(price), taxBehavior: price.tax_behavior }
  return { ...price.currency_options, ...toCurrencyOptions(given, own) }
}

export const prices: readonly Operation[] = [
  post('/v1/prices', 'price', create),
  // Without the parameter `active` the list includes archived prices.
  listing('/v1/prices', 'price', listFilters, listFields, ({ lookup_keys: keys, product, recurring }, call) => {
    if (product !== undefined) call.reference('product', product, 'product')
    return [
      ...where('recurring.interval', recurring?.interval),
      ...where('recurring.meter', recurring?.meter),
      ...where('recurring.usage_type', recurring?.usage_type),
      ...(keys === undefined ? [] : [{ field: 'lookup_key', in: keys }]),
      notInline,
    ]
  }),
  retrieve('/v1/prices/:id', 'price'),
  post('/v1/prices/:id', 'price', update),
]
