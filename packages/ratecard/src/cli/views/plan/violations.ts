// Formats the policies that a change breaks: the rule, what breaks it, the reason for the rule, and who may override it.
import type { Violation } from '@ratecard/client'
import type { Paint } from '../../terminal/output.ts'
import { escapeBreaks } from '../../terminal/terminal-text.ts'

/** Returns one text block per violation; violations that deny the change come first. Empty if there are no violations. */
export function showViolations(violations: readonly Violation[], override: readonly string[], paint: Paint): string {
  const blocks = inOrder(violations).map(({ id, rule, severity, detail, reason }) => {
    const isOverridden = override.includes(id)
    const label =
      severity === 'warn' ? paint.yellow('warned') : isOverridden ? paint.yellow('overridden') : paint.red('denied')
    const lines = [
      `  ${label} ${escapeBreaks(detail)}`,
      `    ${paint.dim(`by the policy "${escapeBreaks(id)}" (${rule})`)}`,
    ]
    if (reason !== null) lines.push(`    ${paint.dim('why:')} ${escapeBreaks(reason)}`)
    return lines.join('\n')
  })
  return [...blocks, ...(overridesToLift(violations, override) ?? [])].join('\n')
}

/** Returns how the rules that deny the change can be overridden; null if no rule denies it. */
function overridesToLift(violations: readonly Violation[], override: readonly string[]): readonly string[] | null {
  const ids = deniedIds(violations, override)
  if (ids.length === 0) return null
  return [
    `  An owner may override ${ids.length === 1 ? 'it' : 'them'}, with a key of scope "owner":\n    --override ${ids.map(escapeBreaks).join(',')} --message "<why>"`,
  ]
}

/** Returns the ids of the rules that refuse the change. */
export function deniedIds(violations: readonly Violation[], override: readonly string[] = []): readonly string[] {
  const denied = violations.filter(({ severity, id }) => severity === 'deny' && !override.includes(id))
  return [...new Set(denied.map(({ id }) => id))]
}

export function inOrder(violations: readonly Violation[]): readonly Violation[] {
  const isDenied = ({ severity }: Violation) => severity === 'deny'
  return [...violations.filter(isDenied), ...violations.filter((one) => !isDenied(one))]
}
