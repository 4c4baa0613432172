import type { ProductBody } from '../../objects/bodies.ts'
import { emptyableDetails } from '../../objects/product-details.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { badRequest, onlyOneOf } from '../../protocol/responses/errors.ts'
import { pageFields } from '../../protocol/responses/list-pages.ts'
import { changed, metadata } from '../../protocol/parameters/metadata.ts'
import { deletion, listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { boolean, emptyable, list, oneOf, range, shape, text } from '../../protocol/parameters/params.ts'
import { notInline } from './inline-prices.ts'
import { defaultPriceFields, newPrice, writePrice } from './new-price.ts'
import { features, images, newProduct, productFields, taxDetails, toTaxDetails } from './new-product.ts'

const createFields = { ...productFields, default_price_data: shape(defaultPriceFields) }

const updateFields = {
  ...emptyableDetails,
  active: boolean(),
  default_price: emptyable(text()),
  images: emptyable(images),
  marketing_features: emptyable(features),
  metadata: metadata(),
  name: text(),
  shippable: boolean(),
  tax_details: emptyable(taxDetails),
}

const listFilters = {
  active: boolean(),
  created: range(),
  shippable: boolean(),
  type: oneOf('good', 'service'),
  url: text(),
}

function create(call: OperationContext): ProductBody {
  const { default_price_data: price, ...params } = call.read(createFields)
  const product = newProduct(call, params)
  if (price === undefined) return call.create(product, 'product.created')
  // As in the real API, the event of the product comes before the event of its default price, and its data already contains the id of that
  // price.
  const first = newPrice(call, price, product.id)
  const priced = call.create({ ...product, default_price: first.id }, 'product.created')
  writePrice(call, first)
  return priced
}

function update(call: OperationContext): ProductBody {
  const before = call.subject('product')
  const { images: given, marketing_features: listed, tax_details: taxes, ...params } = call.read(updateFields)
  const after: ProductBody = {
    ...changed(before, params),
    default_price: defaultPrice(call, before, params.default_price),
    images: given === undefined ? before.images : [...(given ?? [])],
    marketing_features: listed === undefined ? before.marketing_features : [...(listed ?? [])],
    tax_details: taxes === undefined ? before.tax_details : toTaxDetails(taxes),
  }
  // If only `updated` would change, write nothing and emit no event.
  if (JSON.stringify(after) === JSON.stringify(before)) return before
  return call.update(before, { ...after, updated: call.now }, 'product.updated')
}

function defaultPrice(call: OperationContext, product: ProductBody, given: string | null | undefined): string | null {
  if (given === undefined || given === product.default_price) return product.default_price
  if (given === null) return null
  const price = call.reference('price', given, 'default_price')
  if (price.product !== product.id) {
    throw badRequest(`The price \`${given}\` does not belong to the product \`${product.id}\`.`, 'default_price')
  }
  if (!price.active) {
    throw badRequest('The price specified is inactive. This field only accepts active prices.', 'default_price')
  }
  return given
}

function remove(call: OperationContext): void {
  const product = call.subject('product')
  call.read({})
  if (call.select('price', [{ field: 'product', is: product.id }], 1).length > 0) {
    throw badRequest('This product cannot be deleted because it has one or more user-created prices.')
  }
  call.remove({ ...product, active: false }, 'product.deleted')
}

export const products: readonly Operation[] = [
  post('/v1/products', 'product', create),
  listing('/v1/products', 'product', listFilters, { ...pageFields, ids: list(text()) }, (params) => {
    const { ending_before: above, ids, starting_after: below } = params
    if (ids !== undefined && below !== undefined) throw onlyOneOf('ids', 'starting_after')
    if (ids !== undefined && above !== undefined) throw onlyOneOf('ids', 'ending_before')
    return [...(ids === undefined ? [] : [{ field: 'id', in: ids }]), notInline]
  }),
  retrieve('/v1/products/:id', 'product'),
  post('/v1/products/:id', 'product', update),
  deletion('/v1/products/:id', 'product', remove),
]
