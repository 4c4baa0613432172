import type { Paint } from '../terminal/output.ts'
import { escapeBreaks } from '../terminal/terminal-text.ts'

export interface ViewedIssue {
  readonly code: string
  readonly pointer: string
  readonly severity: 'error' | 'warning'
  readonly detail: string
  readonly hint?: string
  /** Place in a document that is in no file, in words. Shown instead of the pointer. */
  readonly place?: string
  readonly path?: string
  readonly line?: number
  readonly column?: number
  readonly frame?: string
}

/** Formats one issue with its position, code frame and hint. */
export function showIssue(issue: ViewedIssue, paint: Paint): string {
  const label = issue.severity === 'error' ? paint.red('error') : paint.yellow('warning')
  const place = escapeBreaks(
    issue.path === undefined ? (issue.place ?? issue.pointer) : `${issue.path}:${issue.line ?? 1}:${issue.column ?? 1}`,
  )
  const lines = [`${paint.bold(place)} ${label} ${escapeBreaks(issue.detail)} ${paint.dim(issue.code)}`]
  if (issue.frame !== undefined) lines.push(paintFrame(issue.frame, issue.severity, paint))
  if (issue.hint !== undefined) lines.push(`  ${paint.cyan('hint:')} ${escapeBreaks(issue.hint)}`)
  return lines.join('\n')
}

/** Formats a warning of a plan: `catalog.json:12:9 warning …`, and the hint. */
export function showWarning({ path, line, column, detail, hint }: ViewedIssue, paint: Paint): string {
  const place = path === undefined ? '' : `${paint.bold(escapeBreaks(`${path}:${line ?? 1}:${column ?? 1}`))} `
  const next = hint === undefined ? '' : `\n  ${paint.cyan('hint:')} ${escapeBreaks(hint)}`
  return `${place}${paint.yellow('warning')} ${escapeBreaks(detail)}${next}`
}

export function showIssues(issues: readonly ViewedIssue[], paint: Paint): string {
  return issues.map((issue) => showIssue(issue, paint)).join('\n\n')
}

function paintFrame(frame: string, severity: 'error' | 'warning', paint: Paint): string {
  const mark = severity === 'error' ? paint.red : paint.yellow
  return frame
    .split('\n')
    .map((line) => {
      if (/^\s+\|\s*\^$/.test(line)) return mark(line)
      return line.startsWith('>') ? line : paint.dim(line)
    })
    .map((line) => `  ${line}`)
    .join('\n')
}

/** Formats a number with its noun, e.g. `3 errors`, `1 warning`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
