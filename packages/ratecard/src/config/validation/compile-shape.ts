import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Options, ValidateFunction } from 'ajv/dist/2020.js'
import { isMoment } from '../schema/moment.ts'
import { BillingConfig } from '../schema/schema.ts'
import { shapeParts } from './shape-parts.ts'
import type { ShapePart } from './shape-parts.ts'

export const shapeFormats = { 'date-time': isMoment }

export interface ShapeCheck {
  readonly validate: ValidateFunction
  readonly lists: ShapePart['lists']
}

/** The compiler of the document’s schema. It knows each part by its name. */
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

export function documentParts(): Readonly<Record<string, ShapePart>> {
  return shapeParts(BillingConfig)
}

/** Takes some 30 ms, which whoever checks nothing need not pay. The bundle holds what this gives: scripts/bundle.mjs. */
export function compileShape(): Readonly<Record<string, ShapeCheck>> {
  const ajv = shapeCompiler()
  const check = (name: string, lists: ShapePart['lists']): ShapeCheck => {
    const validate = ajv.getSchema(name)
    if (validate === undefined) throw new Error(`No part of the schema is called "${name}".`)
    return { validate, lists }
  }
  return Object.fromEntries(Object.entries(documentParts()).map(([name, { lists }]) => [name, check(name, lists)]))
}
