import type { ProductBody } from '../../objects/bodies.ts'
import { detailsOf, productDetails, taxCode } from '../../objects/product-details.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { alreadyExists } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { boolean, emptyable, list, oneOf, required, shape, text, type Read } from '../../protocol/parameters/params.ts'

export const taxDetails = shape({ performance_location: text(), tax_code: emptyable(taxCode()) })
export const images = list(text(), { max: 8 })
export const features = list(shape({ name: required(text({ max: 80 })) }), { max: 15 })

export const productFields = {
  ...productDetails,
  name: required(text()),
  active: boolean(),
  id: text(),
  images,
  marketing_features: features,
  metadata: metadata(),
  shippable: boolean(),
  tax_details: taxDetails,
  type: oneOf('good', 'service'),
}

export type ProductParams = Read<typeof productFields>

/** Returns a new product, not written yet. Throws if a product with the given id exists, active or archived. */
export function newProduct(
  call: OperationContext,
  params: Partial<ProductParams> & { readonly name: string },
): ProductBody {
  if (params.id !== undefined && call.find('product', params.id) !== undefined) throw alreadyExists('Product')
  return {
    ...detailsOf(params),
    id: params.id ?? newId('prod_'),
    object: 'product',
    active: params.active ?? true,
    created: call.now,
    default_price: null,
    images: [...(params.images ?? [])],
    marketing_features: [...(params.marketing_features ?? [])],
    metadata: applyMetadata({}, params.metadata),
    name: params.name,
    shippable: params.shippable ?? null,
    tax_details: toTaxDetails(params.tax_details),
    type: params.type ?? 'service',
    updated: call.now,
  }
}

export function toTaxDetails(given: ProductParams['tax_details'] | null): ProductBody['tax_details'] {
  if (given === undefined || given === null) return null
  return { performance_location: given.performance_location ?? null, tax_code: given.tax_code ?? null }
}
