import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import { isMoment } from '../schema/moment.ts'
import { BillingConfig } from '../schema/schema.ts'
import { policySchema } from '../schema/policies/policy-schema.ts'
import { policiesPart, shapeParts, type ShapePart } from './shape-parts.ts'

export const shapeFormats = { 'date-time': isMoment }

export interface ShapeCheck {
  readonly validate: ValidateFunction
  readonly lists: ShapePart['lists']
}

/** Creates an Ajv instance for the document's schema. Each part of the schema is registered by name. */
export function shapeCompiler(code: Options['code'] = {}): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    ownProperties: true,
    strict: true,
    allowUnionTypes: true,
    allowMatchingProperties: true,
    formats: shapeFormats,
    code,
  })
  for (const [name, { schema }] of Object.entries(documentParts())) ajv.addSchema(schema, name)
  return ajv
}

/** Parts of the document’s schema, and the schema of policies (a separate document). */
export function documentParts(): Readonly<Record<string, ShapePart>> {
  return { ...shapeParts(BillingConfig), [policiesPart]: { schema: policySchema(), lists: {} } }
}

/**
 * Compiles the schema, which takes about 30 ms. So it is done only when a document is checked. The built package contains the compiled
 * result instead; see scripts/bundle.mjs.
 */
export function compileShape(): Readonly<Record<string, ShapeCheck>> {
  const ajv = shapeCompiler()
  const check = (name: string, lists: ShapePart['lists']): ShapeCheck => {
    const validate = ajv.getSchema(name)
    if (validate === undefined) throw new Error(`No part of the schema is called "${name}".`)
    return { validate, lists }
  }
  return Object.fromEntries(Object.entries(documentParts()).map(([name, { lists }]) => [name, check(name, lists)]))
}
