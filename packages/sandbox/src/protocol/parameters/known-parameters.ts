// What the real API takes, so that a refusal speaks in the right voice: what the real API has and the sandbox has not is "not
// supported by the sandbox"; what neither has is refused in the real API's words. Read when something is refused, never before.
import { knownParameters, knownRequests } from './known-parameters.generated.ts'

/** 0 is a plain value, 1 anything at all, a list the texts of an enum; `[]` is any element, `*` any name of a hash. */
type Known = 0 | 1 | readonly string[] | { readonly [name: string]: Known }

let parameters: Readonly<Record<string, Known>> | undefined
let requests: { readonly exact: ReadonlySet<string>; readonly patterns: readonly RegExp[] } | undefined

/** `operation` as `POST /v1/prices/:id`, `name` as `tiers[0][up_to]`. */
function find(operation: string, name: string): Known | undefined {
  // The generator's own shape.
  parameters ??= JSON.parse(knownParameters) as Readonly<Record<string, Known>>
  // What the SDK has not takes what nobody knows: a parameter of it is never called unknown.
  let at: Known | undefined = parameters[operation.replaceAll(/:[a-z]+/g, '{id}')] ?? 1
  for (const part of name.replaceAll(']', '').split('[')) {
    if (at === 1) return 1
    if (at === undefined || at === 0 || isEnum(at)) return undefined
    at = Object.hasOwn(at, part) ? at[part] : (at['*'] ?? (/^\d+$/.test(part) ? at['[]'] : undefined))
  }
  return at
}

function isEnum(known: Known): known is readonly string[] {
  return Array.isArray(known)
}

export function isKnownParameter(operation: string, name: string): boolean {
  return find(operation, name) !== undefined
}

export function isKnownValue(operation: string, name: string, value: string): boolean {
  const known = find(operation, name)
  return known !== undefined && known !== 0 && known !== 1 && isEnum(known) && known.includes(value)
}

function everyRequest(): { readonly exact: ReadonlySet<string>; readonly patterns: readonly RegExp[] } {
  if (requests !== undefined) return requests
  const lines = knownRequests.split('\n')
  const patterns = lines.filter((line) => line.includes('{id}'))
  return (requests = {
    exact: new Set(lines.filter((line) => !line.includes('{id}'))),
    patterns: patterns.map((line) => new RegExp(`^${line.replaceAll('.', '\\.').replaceAll('{id}', '[^/]+')}$`)),
  })
}

/** Whether the real API answers this request. */
export function isKnownRequest(method: string, path: string): boolean {
  const { exact, patterns } = everyRequest()
  const asked = `${method} ${path}`
  return exact.has(asked) || patterns.some((pattern) => pattern.test(asked))
}

/** Whether the real API has exactly this request, where the last part could be taken for an id (`/v1/prices/search`). */
export function isLiteralRequest(method: string, path: string): boolean {
  return everyRequest().exact.has(`${method} ${path}`)
}
