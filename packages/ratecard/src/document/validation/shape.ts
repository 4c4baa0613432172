import type { ErrorObject } from 'ajv/dist/2020.js'
import { pointerOf, type Issue } from '../../base/errors/issue.ts'
import { compileShape, type ShapeCheck } from './compile-shape.ts'
import { maxCollectedIssues } from './limits.ts'
import type { BillingConfig } from '../schema/schema.ts'
import { policiesPart, wholeDocument } from './shape-parts.ts'
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

/** Checks a policies file against its schema only. Returns all errors. */
export function policyShapeIssues(document: unknown): Issue[] {
  const errors: ErrorObject[] = []
  collect((compiled ??= compileShape()), policiesPart, document, { document, path: '' }, errors)
  // An error of the keyword `if` only states that its branch failed. It is dropped, because the errors of the branch contain the reason.
  return shapeIssues(errors.filter(({ keyword }) => keyword !== 'if'))
}

/** Collects the errors that one part of the schema finds, then the errors in the items of its lists, which other parts check. */
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

/** Converts schema errors to issues with Ratecard's codes and messages. */
export function shapeIssues(errors: readonly ErrorObject[]): Issue[] {
  return withoutBranches(errors, 0)
    .slice(0, maxCollectedIssues)
    .map((error) => {
      const path = tokensOf(error.instancePath)
      if (error.keyword === 'additionalProperties') path.push(String(error.params['additionalProperty']))
      return { pointer: pointerOf(path), severity: 'error', ...schemaIssue(error, path) } satisfies Issue
    })
}

/**
 * Removes the errors inside the branches of an `anyOf`, which the validator lists before the error of the `anyOf` itself. Exception: if
 * only one branch accepts values of this type (e.g. objects), the errors inside that branch are more precise. Then they replace the error
 * of the `anyOf`. Branches are searched in schema paths from the offset `from`.
 */
function withoutBranches(errors: readonly ErrorObject[], from: number): readonly ErrorObject[] {
  const kept: ErrorObject[] = []
  let inside: ErrorObject[] = []
  for (const error of errors) {
    if (branchOf(error, from) !== null) inside.push(error)
    else {
      if (error.keyword === 'anyOf') for (const one of errorsOfAnyOf(error, inside)) kept.push(one)
      else kept.push(error)
      inside = []
    }
  }
  return kept
}

function errorsOfAnyOf(error: ErrorObject, inside: readonly ErrorObject[]): readonly ErrorObject[] {
  const from = error.schemaPath.length
  const refused = new Set<string>()
  const branches = new Map<string, ErrorObject[]>()
  for (const one of inside) {
    const branch = branchOf(one, from - '/anyOf'.length) ?? ''
    const own = branches.get(branch)
    if (own === undefined) branches.set(branch, [one])
    else own.push(one)
    if (one.instancePath === error.instancePath && (one.keyword === 'type' || one.keyword === 'const'))
      refused.add(branch)
  }
  const fitting = [...branches].filter(([branch]) => !refused.has(branch))
  const [only] = fitting
  if (only === undefined || fitting.length > 1) return [error]
  return withoutBranches(only[1], from + 1 + only[0].length)
}

/** Returns the number of the `anyOf` branch that a schema path leads into; null if the path leads into no branch. */
function branchOf({ schemaPath }: ErrorObject, from: number): string | null {
  return /\/anyOf\/(\d+)/.exec(schemaPath.slice(from))?.[1] ?? null
}

// Splits a plain JSON pointer. Unlike a pointer in an issue it is not percent-encoded, so `%` is literal.
function tokensOf(instancePath: string): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}
