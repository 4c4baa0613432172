import type { CliFailure } from '../failure.ts'
import type { Paint } from '../terminal/output.ts'
import { showIssues } from './issues.ts'
import type { ViewedIssue } from './issues.ts'

/** What went wrong, why, and what to do next. */
export function showFailure({ problem }: CliFailure, paint: Paint): string {
  // What only says the problem once more, with its place in a request that nobody wrote by hand, is told once.
  const issues: readonly ViewedIssue[] = (problem.errors ?? []).filter(({ detail }) => detail !== problem.detail)
  const parts: string[] = []
  if (issues.length > 0) parts.push(`${showIssues(issues, paint)}\n`)
  parts.push(`${paint.red(paint.bold('Error:'))} ${problem.title}. ${paint.dim(`(${problem.code})`)}`)
  if (problem.detail !== problem.title) parts.push(`  ${problem.detail.replaceAll('\n', '\n  ')}`)
  const words = problem.processor
  if (words !== undefined && words !== null && typeof words['message'] === 'string')
    parts.push(`  The processor said: ${words['message']}${processorTail(words)}`)
  parts.push(...stepLines(problem.extra ?? {}))
  if (problem.hint !== undefined) parts.push(`  ${paint.cyan('hint:')} ${problem.hint}`)
  if (problem.requestId !== undefined && problem.requestId !== null)
    parts.push(paint.dim(`  Request id: ${problem.requestId.replace(/^urn:request:/, '')}`))
  return parts.join('\n')
}

function processorTail(words: Readonly<Record<string, unknown>>): string {
  const facts = ['code', 'param', 'request_id'].flatMap((name) =>
    typeof words[name] === 'string' ? [`${name} ${words[name]}`] : [],
  )
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`
}

/** How far a push came before it failed. */
function stepLines(extra: Readonly<Record<string, unknown>>): string[] {
  const { push_id: pushId, steps_done: done, steps_total: total } = extra
  if (typeof pushId !== 'string') return []
  const far = typeof done === 'number' && typeof total === 'number' ? ` ended after ${done} of ${total} steps` : ''
  return [
    `  Push ${pushId}${far}. What customers see has not changed: \`ratecard billing pushes ${pushId}\` shows each step.`,
  ]
}
