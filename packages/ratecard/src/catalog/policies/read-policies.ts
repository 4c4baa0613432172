// Checks a policies file: its schema, then what a schema cannot express.
import { policyShapeIssues } from '../../document/validation/shape.ts'
import { isMoment } from '../../document/schema/moment.ts'
import { pointerOf, type Issue } from '../../base/errors/issue.ts'
import { hasNestedQuantifier } from './nested-quantifiers.ts'
import type { Policies, Policy } from '../../document/schema/policies/policy-rules.ts'

export type ReadPolicies =
  | { readonly policies: Policies; readonly issues: readonly [] }
  | { readonly policies: null; readonly issues: readonly Issue[] }

/** Returns the policies or, if the document has errors, all of the errors. The result does not contain the member `$schema`. */
export function readPolicies(document: unknown): ReadPolicies {
  const issues = policyShapeIssues(document)
  if (issues.length > 0) return { policies: null, issues }
  const { rules } = document as Policies
  const further = [...duplicateIds(rules), ...rules.flatMap(valueIssues)]
  return further.length > 0 ? { policies: null, issues: further } : { policies: { rules }, issues: [] }
}

function duplicateIds(rules: readonly Policy[]): Issue[] {
  const seen = new Set<string>()
  return rules.flatMap(({ id }, index) => {
    const isKnown = seen.has(id)
    seen.add(id)
    return isKnown ? [policyIssue([index, 'id'], `Two rules have the id "${id}".`, 'Give each rule its own id.')] : []
  })
}

function valueIssues(rule: Policy, index: number): Issue[] {
  if (rule.rule === 'id_pattern' && patternOf(rule.value) === null)
    return [
      policyIssue([index, 'value'], `"${rule.value}" is not a regular expression.`, 'Example: "^[a-z][a-z0-9_]*$".'),
    ]
  if (rule.rule === 'id_pattern' && hasNestedQuantifier(rule.value))
    return [
      policyIssue(
        [index, 'value'],
        `"${rule.value}" repeats a group that contains a repetition, which can take forever on an id that almost matches.`,
        'Write it without the inner or the outer repetition, e.g. "^[a-z][a-z0-9_]*$" in place of "^[a-z]+(_[a-z0-9]+)*$".',
      ),
    ]
  if (rule.rule !== 'freeze') return []
  const wrong = (['from', 'to'] as const).filter((end) => timeOf(rule.value[end], end) === null)
  if (wrong.length > 0)
    return wrong.map((end) =>
      policyIssue(
        [index, 'value', end],
        `"${rule.value[end]}" is neither a day nor a time with a zone.`,
        'Example: "2026-12-18" or "2026-12-18T17:00:00+01:00".',
      ),
    )
  const { begin, end } = freezeTimes(rule.value)
  return begin < end ? [] : [policyIssue([index, 'value', 'to'], 'The freeze ends before it begins.')]
}

function policyIssue(path: readonly (string | number)[], detail: string, hint?: string): Issue {
  const pointer = pointerOf(['rules', ...path])
  return { code: 'value_invalid', pointer, severity: 'error', detail, ...(hint === undefined ? {} : { hint }) }
}

/** Returns the regular expression of a pattern; null if the text is none. */
export function patternOf(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return null
  }
}

const dayMs = 24 * 60 * 60_000

/** Returns begin and end (exclusive) of a freeze, epoch milliseconds. */
export function freezeTimes({ from, to }: { readonly from: string; readonly to: string }) {
  return { begin: timeOf(from, 'from') ?? Number.NaN, end: timeOf(to, 'to') ?? Number.NaN }
}

/** A day begins at midnight UTC; as the end of a freeze it is included. */
function timeOf(text: string, end: 'from' | 'to'): number | null {
  if (isMoment(text)) return Date.parse(text)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !isMoment(`${text}T00:00:00Z`)) return null
  return Date.parse(`${text}T00:00:00Z`) + (end === 'to' ? dayMs : 0)
}
