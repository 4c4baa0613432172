import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { pointerOf } from '../../errors/issue.ts'
import type { Issue } from '../../errors/issue.ts'
import { compileShape } from './compile-shape.ts'
import { mostFound } from './limits.ts'
import type { BillingConfig } from '../document/schema.ts'
import { saySchemaError } from './shape-words.ts'

let compiled: ValidateFunction<BillingConfig> | undefined

/** What the schema alone has against a document: types, required and unknown fields, formats, ranges. All of it. */
export function checkShape(document: unknown): { readonly config: BillingConfig | null; readonly issues: Issue[] } {
  const validate = (compiled ??= compileShape())
  return validate(document)
    ? { config: document, issues: [] }
    : { config: null, issues: fromAjvErrors(validate.errors ?? []) }
}

/** One issue for each thing wrong, in our codes and words. The branches of an `anyOf` are left to the one issue of their field. */
function fromAjvErrors(errors: readonly ErrorObject[]): Issue[] {
  return errors
    .filter(({ schemaPath }) => !/\/anyOf\/\d/.test(schemaPath))
    .slice(0, mostFound)
    .map((error) => {
      const path = tokensOf(error.instancePath)
      if (error.keyword === 'additionalProperties') path.push(String(error.params['additionalProperty']))
      return { pointer: pointerOf(path), severity: 'error', ...saySchemaError(error, path) } satisfies Issue
    })
}

// A plain JSON pointer, unlike ours not percent-encoded: a "%" in it is a "%" of the key.
function tokensOf(instancePath: string): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}
