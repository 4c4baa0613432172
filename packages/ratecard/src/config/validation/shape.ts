import type { ErrorObject } from 'ajv/dist/2020.js'
import { pointerOf, type Issue } from '../../errors/issue.ts'
import { compileShape, type ShapeCheck } from './compile-shape.ts'
import { maxCollectedIssues } from './limits.ts'
import type { BillingConfig } from '../schema/schema.ts'
import { wholeDocument } from './shape-parts.ts'
import { schemaIssue } from './shape-words.ts'

type Checks = Readonly<Record<string, ShapeCheck>>

let compiled: Checks | undefined

/**
 * Checks a document against the schema only: types, required and unknown fields, formats, ranges. Returns all errors, and the document if
 * there are none.
 */
export function checkShape(document: unknown): { readonly config: BillingConfig | null; readonly issues: Issue[] } {
  const errors: ErrorObject[] = []
  collect((compiled ??= compileShape()), wholeDocument, document, { document, path: '' }, errors)
  return errors.length === 0
    ? { config: document as BillingConfig, issues: [] }
    : { config: null, issues: shapeIssues(errors) }
}

/** Collects the errors of one part of the schema, then those of the items in its lists. */
function collect(
  checks: Checks,
  part: string,
  value: unknown,
  at: { readonly document: unknown; readonly path: string },
  errors: ErrorObject[],
): void {
  const check = checks[part]
  if (check === undefined) throw new Error(`There is no check of "${part}".`)
  const { validate, lists } = check
  const place = { parentData: {}, parentDataProperty: '', rootData: at.document as object, dynamicAnchors: {} }
  if (!validate(value, { instancePath: at.path, ...place }))
    for (const error of validate.errors ?? []) errors.push(error)
  if (typeof value !== 'object' || value === null) return
  for (const [list, itemPart] of Object.entries(lists)) {
    const items: unknown = Object.hasOwn(value, list) ? Reflect.get(value, list) : undefined
    if (!Array.isArray(items)) continue
    for (const [index, item] of items.entries())
      collect(checks, itemPart, item, { document: at.document, path: `${at.path}/${list}/${String(index)}` }, errors)
  }
}

/**
 * Converts schema errors to issues with Ratecard's codes and messages. Errors inside the branches of an `anyOf` are dropped, because the
 * `anyOf` itself has an error.
 */
export function shapeIssues(errors: readonly ErrorObject[]): Issue[] {
  return errors
    .filter(({ schemaPath }) => !/\/anyOf\/\d/.test(schemaPath))
    .slice(0, maxCollectedIssues)
    .map((error) => {
      const path = tokensOf(error.instancePath)
      if (error.keyword === 'additionalProperties') path.push(String(error.params['additionalProperty']))
      return { pointer: pointerOf(path), severity: 'error', ...schemaIssue(error, path) } satisfies Issue
    })
}

// Splits a plain JSON pointer. Unlike a pointer in an issue it is not percent-encoded, so `%` is literal.
function tokensOf(instancePath: string): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}
