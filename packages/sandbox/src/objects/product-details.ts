// Details of a product that can be cleared. Each row is a parameter of create, a parameter of update (an empty value clears it) and a
// member of the object (null if not set).
import { noSuchReference, badRequest } from '../protocol/responses/errors.ts'
import { checked, emptyable, number, required, shape, text } from '../protocol/parameters/params.ts'
import type { Param, Read } from '../protocol/parameters/params.ts'

/**
 * A parameter with a statement descriptor: at most 22 characters, at least one letter, and none of the forbidden characters. Source: the
 * SDK's documentation of `statement_descriptor`.
 */
function statementDescriptor(): Param<string, false> {
  return checked(text({ max: 22 }), (given, name) => {
    if (/[<>\\'"*]/.test(given)) {
      throw badRequest(`The statement descriptor cannot contain any of the characters <, >, \\, ', " and *.`, name)
    }
    if (!/\p{L}/u.test(given)) throw badRequest('The statement descriptor must contain at least one letter.', name)
    return given
  })
}

/** A parameter with a tax code. Stripe has a list of tax codes; the sandbox accepts any code of the right form, e.g. `txcd_10000000`. */
export function taxCode(): Param<string, false> {
  return checked(text(), (given, name) => {
    if (!/^txcd_\d{8}$/.test(given)) throw noSuchReference('tax code', given, name)
    return given
  })
}

const dimensions = shape({
  height: required(number({ min: 0 })),
  length: required(number({ min: 0 })),
  weight: required(number({ min: 0 })),
  width: required(number({ min: 0 })),
})

export const productDetails = {
  description: text({ max: 40_000 }),
  package_dimensions: dimensions,
  statement_descriptor: statementDescriptor(),
  tax_code: taxCode(),
  unit_label: text({ max: 12 }),
  url: text(),
}

type DetailFields = typeof productDetails
type Detail<Name extends keyof DetailFields> = NonNullable<Read<DetailFields>[Name]>

export type ProductDetails = { [Name in keyof DetailFields]: Detail<Name> | null }
export type DetailParams = { readonly [Name in keyof DetailFields]?: Detail<Name> | null | undefined }

export const emptyableDetails = Object.fromEntries(
  Object.entries(productDetails).map(([name, param]) => [name, emptyable<unknown>(param)]),
) as { readonly [Name in keyof DetailFields]: Param<Detail<Name> | null, false> }

/** Returns the details of a new product. */
export function detailsOf(params: DetailParams): ProductDetails {
  const names = Object.keys(productDetails) as (keyof DetailFields)[]
  return Object.fromEntries(names.map((name) => [name, params[name] ?? null])) as ProductDetails
}
