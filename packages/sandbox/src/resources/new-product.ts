import type { ProductBody } from '../objects/bodies.ts'
import type { Call } from '../protocol/call.ts'
import { alreadyExists, noSuchReference, refused } from '../protocol/errors.ts'
import { newId } from '../protocol/ids.ts'
import { applyMetadata, metadata } from '../protocol/metadata.ts'
import { boolean, emptyable, list, number, oneOf, required, shape, text } from '../protocol/params.ts'
import type { Param, Read } from '../protocol/params.ts'

/** At most 22 characters, without those that the SDK's types forbid, and at least one letter. */
export function statementDescriptor(): Param<string, false> {
  const short = text({ max: 22 })
  return {
    required: false,
    read: (value, name) => {
      const given = short.read(value, name)
      if (/[<>\\'"*]/.test(given)) {
        throw refused(`The statement descriptor cannot contain any of the characters <, >, \\, ', " and *.`, name)
      }
      if (!/\p{L}/u.test(given)) throw refused('The statement descriptor must contain at least one letter.', name)
      return given
    },
  }
}

/** Codes are a list of the processor's own; here every code of their form is known. */
export function taxCode(): Param<string, false> {
  const code = text()
  return {
    required: false,
    read: (value, name) => {
      const given = code.read(value, name)
      if (!/^txcd_\d{8}$/.test(given)) throw noSuchReference('tax code', given, name)
      return given
    },
  }
}

export const taxDetails = shape({ performance_location: text(), tax_code: emptyable(taxCode()) })
export const dimensions = shape({
  height: required(number({ min: 0 })),
  length: required(number({ min: 0 })),
  weight: required(number({ min: 0 })),
  width: required(number({ min: 0 })),
})
export const images = list(text(), { max: 8 })
export const features = list(shape({ name: required(text({ max: 80 })) }), { max: 15 })

export const productFields = {
  name: required(text()),
  active: boolean(),
  description: text({ max: 40_000 }),
  id: text(),
  images,
  marketing_features: features,
  metadata: metadata(),
  package_dimensions: dimensions,
  shippable: boolean(),
  statement_descriptor: statementDescriptor(),
  tax_code: taxCode(),
  tax_details: taxDetails,
  type: oneOf('good', 'service'),
  unit_label: text({ max: 12 }),
  url: text(),
}

export type ProductParams = Read<typeof productFields>

/** A new product, not yet written. Fails when its own id is taken, by an archived product as well. */
export function newProduct(call: Call, params: Partial<ProductParams> & { readonly name: string }): ProductBody {
  if (params.id !== undefined && call.find('product', params.id) !== undefined) throw alreadyExists('Product')
  return {
    id: params.id ?? newId('prod_'),
    object: 'product',
    active: params.active ?? true,
    created: call.now,
    default_price: null,
    description: params.description ?? null,
    images: [...(params.images ?? [])],
    livemode: false,
    marketing_features: [...(params.marketing_features ?? [])],
    metadata: applyMetadata({}, params.metadata),
    name: params.name,
    package_dimensions: params.package_dimensions ?? null,
    shippable: params.shippable ?? null,
    statement_descriptor: params.statement_descriptor ?? null,
    tax_code: params.tax_code ?? null,
    tax_details: toTaxDetails(params.tax_details),
    type: params.type ?? 'service',
    unit_label: params.unit_label ?? null,
    updated: call.now,
    url: params.url ?? null,
  }
}

export function toTaxDetails(given: ProductParams['tax_details'] | null): ProductBody['tax_details'] {
  if (given === undefined || given === null) return null
  return { performance_location: given.performance_location ?? null, tax_code: given.tax_code ?? null }
}
