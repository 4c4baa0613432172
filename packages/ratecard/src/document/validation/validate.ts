// Validates a document: its shape by the schema, and relations between fields by the rules. Reports all problems at once. Used by the CLI
// and by the service. Expands no variables, changes nothing and does not contact the processor.
import { pathOf, type Issue } from '../../base/errors/issue.ts'
import { truncateIssues, limitIssues, maxCollectedIssues } from './limits.ts'
import { ruleIssues } from '../rules/rules.ts'
import type { BillingConfig } from '../schema/schema.ts'
import { checkShape } from './shape.ts'
import { textIssues } from '../rules/text.ts'

export interface ConfigValidation {
  readonly valid: boolean
  /** Errors in document order, at most 1,000. If there are more, a last issue states this. `warnings` has the same order and limit. */
  readonly errors: Issue[]
  readonly warnings: Issue[]
  /** The document itself if it is valid; null otherwise. */
  readonly config: BillingConfig | null
}

/** Validates any JSON or YAML value; never throws. Warnings do not make a document invalid. */
export function validateConfig(document: unknown): ConfigValidation {
  const tooLarge = limitIssues(document)
  const { config, issues } = tooLarge.length > 0 ? { config: null, issues: tooLarge } : validateDocument(document)
  const errors = issues.filter(({ severity }) => severity === 'error')
  const warnings = issues.filter(({ severity }) => severity === 'warning')
  return {
    valid: errors.length === 0,
    errors: truncateIssues(inDocumentOrder(document, errors), 'error'),
    warnings: truncateIssues(inDocumentOrder(document, warnings), 'warning'),
    config: errors.length === 0 ? config : null,
  }
}

function validateDocument(document: unknown): { config: BillingConfig | null; issues: Issue[] } {
  const { config, issues } = checkShape(document)
  const text = textIssues(document, maxCollectedIssues)
  // For a malformed text no other issue is reported.
  const said = new Set(text.map(({ pointer }) => pointer))
  const others = [...issues, ...ruleIssues(document, maxCollectedIssues)].filter(({ pointer }) => !said.has(pointer))
  return { config, issues: [...text, ...others] }
}

function inDocumentOrder(document: unknown, issues: readonly Issue[]): Issue[] {
  const ranks = new WeakMap<object, Map<string, number>>()
  return issues
    .map((issue) => ({ issue, order: positionsOf(document, issue.pointer, ranks) }))
    .sort((a, b) => compare(a.order, b.order))
    .map(({ issue }) => issue)
}

/**
 * Returns the sort key of an issue: for each token of its pointer, the token's index in the document. Issues sorted by these keys are in
 * document order.
 */
function positionsOf(document: unknown, pointer: string, ranks: WeakMap<object, Map<string, number>>): number[] {
  const order: number[] = []
  let value = document
  for (const token of pathOf(pointer)) {
    if (typeof value !== 'object' || value === null) break
    let rank = ranks.get(value)
    if (rank === undefined) ranks.set(value, (rank = new Map(Object.keys(value).map((key, index) => [key, index]))))
    order.push(rank.get(token) ?? 0)
    const next: unknown = Object.hasOwn(value, token) ? Reflect.get(value, token) : undefined
    value = next
  }
  return order
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
