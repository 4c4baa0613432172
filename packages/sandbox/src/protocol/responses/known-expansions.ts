// The members that the real API can expand. They decide the text of an error. If the real API can expand a member, its expansion is "not
// supported by the sandbox"; otherwise the error has the real API's message. The list is parsed at the first error.
import { knownExpansions } from './known-expansions.generated.ts'

/** Text: the `object` that a member leads to. 1: any object. */
type Expandable = 1 | string | { readonly [name: string]: Expandable }

let expansions: Readonly<Record<string, Expandable>> | undefined

/** True if the real API can expand the path of member names, e.g. `['latest_invoice', 'application']` of a subscription. */
export function isKnownExpansion(object: string, names: readonly string[]): boolean {
  // The generated file contains data of this type.
  expansions ??= JSON.parse(knownExpansions) as Readonly<Record<string, Expandable>>
  let at: Expandable | undefined = object
  for (const name of names) {
    if (at === undefined) return false
    // Objects that the sandbox does not have are not in the list, so every member of theirs counts as known.
    const members: Expandable = typeof at === 'string' ? (expansions[at] ?? 1) : at
    if (members === 1 || typeof members === 'string') return true
    at = Object.hasOwn(members, name) ? members[name] : undefined
  }
  return at !== undefined
}
