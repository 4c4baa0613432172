// Formats the policies that a change breaks, each once: what breaks it, the reason for the rule, and who may override it. The verdict is a line
// of its own.
import type { Violation } from '@ratecard/client'
import type { Paint } from '../../terminal/output.ts'
import { escapeBreaks } from '../../terminal/terminal-text.ts'
import { count } from '../issues.ts'

/** Maximum number of sentences of a policy. Of further ones only the ids are shown. */
export const mostDetails = 3

/** A policy with everything that breaks it. */
export interface BrokenPolicy extends Pick<Violation, 'id' | 'rule' | 'severity' | 'reason'> {
  readonly details: readonly string[]
  /** Ids of what breaks it beyond `details`. */
  readonly others: readonly string[]
}

/** Returns each policy once, those that deny the change first. */
export function brokenPolicies(violations: readonly Violation[]): readonly BrokenPolicy[] {
  const ids = [...new Set(inOrder(violations).map(({ id }) => id))]
  return ids.flatMap((id) => {
    const own = violations.filter((one) => one.id === id)
    const [first] = own
    if (first === undefined) return []
    const { rule, severity, reason } = first
    return {
      ...{ id, rule, severity, reason },
      details: own.slice(0, mostDetails).map(({ detail }) => detail),
      others: own.slice(mostDetails).map(({ configId, kind }) => configId ?? kind ?? id),
    }
  })
}

/** Returns e.g. `✗ Refused by 1 policy: gentle.`; null if no policy denies the change. */
export function verdictText(violations: readonly Violation[], override: readonly string[] = []): string | null {
  const ids = deniedIds(violations, override)
  return ids.length === 0
    ? null
    : `✗ Refused by ${count(ids.length, 'policy', 'policies')}: ${ids.map(escapeBreaks).join(', ')}.`
}

/** Returns one text block per policy; those that deny the change come first, and the verdict last. Empty if there are no violations. */
export function showViolations(violations: readonly Violation[], override: readonly string[], paint: Paint): string {
  const blocks = brokenPolicies(violations).map(({ id, rule, severity, reason, details, others }) => {
    const isOverridden = override.includes(id)
    const label =
      severity === 'warn' ? paint.yellow('warned') : isOverridden ? paint.yellow('overridden') : paint.red('denied')
    const why = reason === null ? '' : `: ${escapeBreaks(reason)}`
    return [
      `  ${label} by the policy "${escapeBreaks(id)}" (${rule})${why}`,
      ...details.map((detail) => `    ${escapeBreaks(detail)}`),
      ...(others.length === 0 ? [] : [`    and ${String(others.length)} more: ${others.map(escapeBreaks).join(', ')}`]),
    ].join('\n')
  })
  return [
    ...blocks,
    ...(overridesToLift(violations, override) ?? []),
    ...(verdictLine(violations, override, paint) ?? []),
  ].join('\n')
}

function verdictLine(
  violations: readonly Violation[],
  override: readonly string[],
  paint: Paint,
): readonly string[] | null {
  const verdict = verdictText(violations, override)
  return verdict === null ? null : [paint.red(verdict)]
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

function inOrder(violations: readonly Violation[]): readonly Violation[] {
  const isDenied = ({ severity }: Violation) => severity === 'deny'
  return [...violations.filter(isDenied), ...violations.filter((one) => !isDenied(one))]
}
