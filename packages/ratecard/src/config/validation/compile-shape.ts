import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Options, ValidateFunction } from 'ajv/dist/2020.js'
import { isMoment } from '../document/moment.ts'
import { BillingConfig } from '../document/schema.ts'

export const shapeFormats = { 'date-time': isMoment }

/** The compiler of the document’s schema. */
export function shapeCompiler(code: Options['code'] = {}): Ajv2020 {
  return new Ajv2020({
    allErrors: true,
    verbose: true,
    ownProperties: true,
    strict: true,
    allowUnionTypes: true,
    formats: shapeFormats,
    code,
  })
}

/** Takes some 30 ms, which whoever checks nothing need not pay. The bundle holds what this gives: scripts/bundle.mjs. */
export function compileShape(): ValidateFunction<BillingConfig> {
  return shapeCompiler().compile<BillingConfig>(BillingConfig)
}
