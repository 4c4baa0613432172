// The parameters and requests of the real API. They decide the text of an error. If the real API has the parameter, it is "not supported by
// the sandbox"; otherwise the error has the real API's message. The lists are parsed at the first error.
import { knownParameters, knownRequests } from './known-parameters.generated.ts'

/**
 * Values that the real API accepts for a parameter. 0: a plain value. 1: anything. A list: the values of an enum. In a map, `[]` is any
 * element and `*` any name.
 */
type Known = 0 | 1 | readonly string[] | { readonly [name: string]: Known }

let parameters: Readonly<Record<string, Known>> | undefined
let requests: { readonly exact: ReadonlySet<string>; readonly patterns: readonly RegExp[] } | undefined

/**
 * Returns the values that the real API accepts for a parameter. Undefined if it does not have the parameter. `operation` is e.g. `POST
 * /v1/prices/:id`, `name` e.g. `tiers[0][up_to]`.
 */
function find(operation: string, name: string): Known | undefined {
  // The generated file contains data of this type.
  parameters ??= JSON.parse(knownParameters) as Readonly<Record<string, Known>>
  // The SDK does not contain some operations. Their parameters are unknown, so every parameter counts as one of the real API.
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

/**
 * Requests of former versions of the real API whose path matches an operation of today: `/v1/invoices/upcoming` is no invoice. Source: the
 * SDK's changelog, version 18.
 */
const formerRequests: ReadonlySet<string> = new Set(['GET /v1/invoices/upcoming', 'GET /v1/invoices/upcoming/lines'])

/** True if a former version of the real API had this request, and no version of today has it. */
export function isFormerRequest(method: string, path: string): boolean {
  return formerRequests.has(`${method} ${path}`)
}

/** True if the real API has, or had, this request. */
export function isKnownRequest(method: string, path: string): boolean {
  if (isFormerRequest(method, path)) return true
  const { exact, patterns } = everyRequest()
  const request = `${method} ${path}`
  return exact.has(request) || patterns.some((pattern) => pattern.test(request))
}

/** True if the real API has this literal path. E.g. `/v1/prices/search` is such a path, although it also matches `/v1/prices/{id}`. */
export function isLiteralRequest(method: string, path: string): boolean {
  return everyRequest().exact.has(`${method} ${path}`)
}
