// Policies that are for other environments than that of the server. Pure.
import type { Policy } from '../../document/schema/policies/policy-rules.ts'

type Rule = { readonly id: string } & { readonly environments?: Policy['environments'] | readonly string[] | undefined }

/** True if the rule applies in an environment; null is a server that does not know its own, where every rule applies. */
export const appliesIn = ({ environments }: Rule, environment: string | null): boolean =>
  environment === null || (environments?.includes(environment) ?? true)

/** Says which rules do not apply here; null if all do. */
export function elsewhereText(rules: readonly Rule[], environment: string | null): string | null {
  const others = rules.filter((rule) => !appliesIn(rule, environment))
  if (others.length === 0) return null
  const names = others.map(({ id, environments = [] }) => `"${id}" (${environments.join(', ')})`).join(', ')
  const [what, does] = others.length === 1 ? ['The policy', 'does'] : ['The policies', 'do']
  return `${what} ${names} ${does} not apply here: the environment of this server is "${String(environment)}". If it has another name, set RATECARD_ENVIRONMENT where it runs.`
}
