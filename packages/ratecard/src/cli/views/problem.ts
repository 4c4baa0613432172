import type { CliFailure } from '../failure.ts'
import type { Paint } from '../terminal/output.ts'
import { showIssues, type ViewedIssue } from './issues.ts'

/** Formats a failure as text: problem, cause, and next step. */
export function showFailure({ problem }: CliFailure, paint: Paint): string {
  // Leaves out issues that only repeat the error message. Their pointers refer to the request, which the CLI created and the user does not
  // know.
  const issues: readonly ViewedIssue[] = (problem.errors ?? []).filter(({ detail }) => detail !== problem.detail)
  const parts: string[] = []
  if (issues.length > 0) parts.push(`${showIssues(issues, paint)}\n`)
  parts.push(`${paint.red(paint.bold('Error:'))} ${problem.title}. ${paint.dim(`(${problem.code})`)}`)
  const words = problem.processor
  const detail = withoutWords(problem.detail, words)
  if (detail !== '' && detail !== problem.title) parts.push(`  ${detail.replaceAll('\n', '\n  ')}`)
  if (words !== undefined && words !== null && typeof words['message'] === 'string')
    parts.push(`  Message from the processor: ${words['message']}${processorTail(words)}`)
  parts.push(...stepLines(problem.extra ?? {}, detail))
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

/** Returns the detail of a problem without the processor's message at its end, because that message is shown on a separate line. */
function withoutWords(detail: string, words: Readonly<Record<string, unknown>> | null | undefined): string {
  const said = words?.['message']
  return typeof said === 'string' && said !== '' && detail.endsWith(said)
    ? detail.slice(0, -said.length).trimEnd()
    : detail
}

/**
 * Returns the line that names the failed push. It contains the number of finished steps, unless the detail of the problem already contains
 * it. Empty if the problem names no push.
 */
function stepLines(extra: Readonly<Record<string, unknown>>, detail: string): string[] {
  const { push_id: pushId, steps_done: done, steps_total: total } = extra
  if (typeof pushId !== 'string') return []
  const steps = typeof done === 'number' && typeof total === 'number' ? `after ${done} of ${total} steps` : null
  const far = steps === null || detail.includes(steps) ? '' : ` ended ${steps}`
  return [
    `  Push ${pushId}${far}. What customers see has not changed: \`ratecard billing pushes ${pushId}\` shows each step.`,
  ]
}
