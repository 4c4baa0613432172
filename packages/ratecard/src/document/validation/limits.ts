import { pointerOf, type Issue, type Severity } from '../../base/errors/issue.ts'
import { errorIssue } from '../rules/draft.ts'

// Maximum number of values in a document. For scale: a price list of 10,000 products with five prices each has about 300,000. Listing every
// problem of a larger document would use too much memory.
const maxValues = 1_000_000
const maxKeys = 1_000
const maxDepth = 32

/** Maximum number of issues in one response. */
export const maxIssues = 1_000

/**
 * Maximum number of issues that are collected before they are sorted. Further issues are not created, because at most {@link maxIssues} are
 * listed.
 */
export const maxCollectedIssues = 5 * maxIssues

/**
 * Returns the issues of a document that exceeds a size limit. Such a document is not checked further. Works iteratively, because nesting
 * depth is one of the limits.
 */
export function limitIssues(document: unknown): Issue[] {
  const waiting: { value: unknown; path: readonly (string | number)[] }[] = [{ value: document, path: [] }]
  let values = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next
    if (typeof value !== 'object' || value === null) continue
    if (path.length > maxDepth) return [tooLarge(path, `Values are nested more than ${maxDepth} levels deep.`)]
    const members: [string | number, unknown][] = Array.isArray(value)
      ? value.map((item, index) => [index, item])
      : Object.entries(value)
    if (!Array.isArray(value) && members.length > maxKeys)
      return [tooLarge(path, `An object has more than ${maxKeys} fields.`)]
    values += members.length
    if (values > maxValues) return [tooLarge([], `The document holds more than ${maxValues} values.`)]
    for (const [key, member] of members)
      if (typeof member === 'object') waiting.push({ value: member, path: [...path, key] })
  }
  return []
}

function tooLarge(path: readonly (string | number)[], detail: string): Issue {
  return errorIssue('document_too_large', pointerOf(path), detail)
}

/** Returns at most {@link maxIssues} issues. If there are more, adds a last issue that states this. */
export function truncateIssues(issues: Issue[], severity: Severity): Issue[] {
  if (issues.length <= maxIssues) return issues
  const detail = `Only the first ${maxIssues} ${severity}s are listed.`
  return [...issues.slice(0, maxIssues), { code: 'issues_truncated', pointer: '#', severity, detail }]
}
