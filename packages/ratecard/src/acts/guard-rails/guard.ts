// Holds every change of prices to the policies in the store.
import type { Clock } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { decideViolations, type ChangeFacts, type Policy, type Violation } from '../../catalog/policies/decide.ts'
import { appliesIn, elsewhereText } from '../../catalog/policies/elsewhere.ts'
import { patternOf } from '../../catalog/policies/read-policies.ts'
import { patternMatches } from './pattern-matches.ts'
import type { Store } from '../../store/store.ts'

export interface GuardDeps {
  readonly store: Pick<Store, 'policies'>
  readonly clock: Clock
  /** Name of the server's environment; null if it is unknown. */
  readonly environment: string | null
}

/** Result of a change that the policies allow. */
export interface Allowed {
  readonly violations: readonly Violation[]
  /** Ids of the rules that would have refused the change and were overridden. */
  readonly overrides: readonly string[]
}

export interface Guard {
  /** Returns what the change breaks, for a dry run. Throws `request_invalid` if a policy in `override` does not exist. */
  violations(facts: ChangeFacts, override?: readonly string[]): Promise<readonly Violation[]>
  /** Says which rules do not apply in the environment of this server; null if all do. */
  elsewhere(): Promise<string | null>
  /** True if there are rules at all. */
  isNeeded(): Promise<boolean>
  /** True if a rule limits by how much an amount may change. */
  comparesAmounts(): Promise<boolean>
  /**
   * Throws `policy_denied` if a rule of severity `deny` is broken and not overridden, and `request_invalid` if a policy in `override` does
   * not exist. `before` are overrides of an earlier attempt: their policies may have been removed since.
   */
  allow(facts: ChangeFacts, override: readonly string[], before?: readonly string[]): Promise<Allowed>
}

export function createGuard(deps: GuardDeps): Guard {
  const violations = async (facts: ChangeFacts, override: readonly string[] = []) => {
    if (override.length > 0) await requireKnown(deps.store, override)
    const rules = await currentRules(deps.store)
    const patterns = rules.flatMap((rule) =>
      rule.rule === 'id_pattern' && appliesIn(rule, deps.environment) ? [patternOf(rule.value)?.source ?? ''] : [],
    )
    const ids = facts.items.filter(({ isNew }) => isNew).map(({ configId }) => configId)
    const matches = await patternMatches(patterns.map((pattern) => ({ pattern, ids })))
    return decideViolations(rules, facts, { now: deps.clock.now(), environment: deps.environment, matches })
  }
  return {
    violations,
    elsewhere: async () => elsewhereText(await currentRules(deps.store), deps.environment),
    comparesAmounts: async () =>
      (await currentRules(deps.store)).some(
        ({ rule }) => rule === 'max_increase_percent' || rule === 'max_decrease_percent',
      ),
    isNeeded: async () => (await currentRules(deps.store)).length > 0,
    async allow(facts, override, before = []) {
      const found = await violations(facts, override)
      const denied = found.filter(({ severity }) => severity === 'deny')
      const left = denied.filter(({ id }) => !override.includes(id) && !before.includes(id))
      if (left.length > 0) throw policyDenied(left, found)
      return { violations: found, overrides: [...new Set(denied.map(({ id }) => id))] }
    },
  }
}

/** Returns the rules that hold now. */
export async function currentRules(store: Pick<Store, 'policies'>): Promise<readonly Policy[]> {
  const current = await store.policies.current()
  return current === null ? [] : (JSON.parse(current.rules) as readonly Policy[])
}

async function requireKnown(store: Pick<Store, 'policies'>, override: readonly string[]): Promise<void> {
  const known = (await currentRules(store)).map(({ id }) => id)
  const unknown = override.filter((id) => !known.includes(id))
  if (unknown.length === 0) return
  const detail = `There is no policy ${unknown.map((id) => `"${id}"`).join(', ')} to override.`
  throw new ServiceError('request_invalid', detail, {
    hint: known.length === 0 ? 'There are no policies.' : `The policies are ${known.join(', ')}.`,
    issues: [{ code: 'reference_unknown', pointer: '#/query/override', severity: 'error', detail }],
  })
}

function policyDenied(left: readonly Violation[], all: readonly Violation[]): ServiceError {
  const ids = [...new Set(left.map(({ id }) => id))]
  const more = left.length > 1 ? ` (and ${String(left.length - 1)} more)` : ''
  return new ServiceError('policy_denied', `${left[0]?.detail ?? ''}${more} Nothing was written.`, {
    hint: `Change what breaks the rule, or let an owner override it with a reason: --override ${ids.join(',')} --message "…", with a key of scope "owner".`,
    extra: { violations: all.map(violationMember) },
  })
}

/** Serializes a violation as a member of a problem document. */
function violationMember({ configId, ...rest }: Violation): Readonly<Record<string, unknown>> {
  return { ...rest, config_id: configId }
}
