// Converts names between the API (snake_case) and the code (camelCase), in both directions. Converts only names in the schema. A member
// that is not in the schema is dropped. Content of an author (`asWritten`) is copied unchanged.
import type { Static, TSchema } from 'typebox'
import { absence, coded, target, verbatim } from './marks.ts'
import { camel } from './names.ts'
import type { Inside } from './schema.ts'

/** Converts a value from its form in the code to its form in the API. */
export function toWire<Schema extends TSchema>(schema: Schema, value: Inside<Schema>): Static<Schema> {
  return encoded(schema, value) as Static<Schema>
}

/**
 * Yields the JSON text of `toWire` in parts, to be joined without separator. Each list item is a part, so that the caller can yield to
 * the event loop between two items: all changes of the largest document take 400 ms.
 */
export function* wireJson(schema: TSchema, value: unknown): Generator<string> {
  const node = schema as Node
  if (node[verbatim] === true || node[coded] !== undefined) yield JSON.stringify(encoded(node, value))
  else if (node[target] !== undefined) yield* wireJson(node[target], value)
  else if (node.anyOf !== undefined) yield* wireJson(branchOf(node.anyOf, value, 'inside'), value)
  else if (node.items !== undefined) {
    let before = '['
    for (const item of value as readonly unknown[]) {
      yield before + JSON.stringify(encoded(node.items, item))
      before = ','
    }
    yield before === '[' ? '[]' : ']'
  } else if (node.properties !== undefined) {
    let text = '{'
    for (const { name, member, given, isPlain } of presentMembers(node, value as Members)) {
      text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:`
      if (isPlain || given === undefined) text += JSON.stringify(given ?? null)
      else {
        yield text
        yield* wireJson(member, given)
        text = ''
      }
    }
    yield `${text}}`
  } else yield JSON.stringify(value)
}

/** Like `toWire`, for a value that the client returned, in which times are already RFC 3339 text. */
export function clientToWire<Schema extends TSchema>(schema: Schema, value: Inside<Schema, string>): Static<Schema> {
  return encoded(schema, value) as Static<Schema>
}

/** Converts validated API input (snake_case, times as RFC 3339) to its form in the code (camelCase, epoch milliseconds). */
export function fromWire<Schema extends TSchema>(schema: Schema, wire: unknown): Inside<Schema> {
  return decoded(schema, wire) as Inside<Schema>
}

/** Members of a JSON Schema that the conversion reads. */
interface Node extends TSchema {
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly additionalProperties?: unknown
  readonly type?: unknown
  readonly [verbatim]?: true
  readonly [target]?: Node
  readonly [coded]?: { encode(inside: unknown): unknown; decode(wire: unknown): unknown }
  readonly [absence]?: { readonly empty: unknown }
}
type Members = Readonly<Record<string, unknown>>

interface NamedMember {
  readonly name: string
  readonly inside: string
  readonly member: Node
  readonly isRequired: boolean
  /** True if the API has the value of the member unchanged, e.g. a text, a number or null. */
  readonly isPlain: boolean
}

/**
 * Cache of the members of a schema with their names in the API and in the code. It saves time, because a push of thousands of prices is
 * converted with the same schemas.
 */
const membersByNode = new WeakMap<Node, readonly NamedMember[]>()

function membersOf(node: Node): readonly NamedMember[] {
  const known = membersByNode.get(node)
  if (known !== undefined) return known
  const members = Object.entries(node.properties ?? {}).map(([name, member]) => ({
    name,
    inside: camel(name),
    member,
    isRequired: node.required?.includes(name) === true,
    isPlain: isPlain(member),
  }))
  membersByNode.set(node, members)
  return members
}

const isPlain = (node: Node): boolean =>
  node[target] === undefined &&
  node[coded] === undefined &&
  node.items === undefined &&
  node.properties === undefined &&
  node.anyOf?.every(isPlain) !== false

function encoded(node: Node, value: unknown): unknown {
  if (node[verbatim] === true) return value
  if (node[coded] !== undefined) return node[coded].encode(value)
  if (node[target] !== undefined) return encoded(node[target], value)
  if (node.anyOf !== undefined) return encoded(branchOf(node.anyOf, value, 'inside'), value)
  if (node.items !== undefined) return (value as readonly unknown[]).map((item) => encoded(node.items as Node, item))
  if (node.properties === undefined) return value
  const wire: Record<string, unknown> = {}
  // JSON has no undefined, so a required member without a value becomes null.
  for (const { name, member, given } of presentMembers(node, value as Members))
    wire[name] = given === undefined ? null : encoded(member, given)
  return wire
}

/** Yields the members that a value has in the API. Omits optional members that are undefined or equal their `empty` value. */
function* presentMembers(node: Node, value: Members) {
  for (const { name, inside, member, isRequired, isPlain } of membersOf(node)) {
    const given = value[inside]
    const isAbsent = given === undefined || (absence in member && given === member[absence].empty)
    if (isRequired || !isAbsent) yield { name, member, given, isPlain }
  }
}

function decoded(node: Node, wire: unknown): unknown {
  if (node[verbatim] === true) return wire
  if (node[coded] !== undefined) return node[coded].decode(wire)
  if (node[target] !== undefined) return decoded(node[target], wire)
  if (node.anyOf !== undefined) return decoded(branchOf(node.anyOf, wire, 'name'), wire)
  if (node.items !== undefined) return (wire as readonly unknown[]).map((item) => decoded(node.items as Node, item))
  if (node.properties === undefined) return wire
  const value: Record<string, unknown> = {}
  for (const { name, inside, member } of membersOf(node)) {
    const given = (wire as Members)[name]
    if (given !== undefined) value[inside] = decoded(member, given)
    else if (absence in member) value[inside] = member[absence].empty
  }
  return value
}

/**
 * Returns the branch of a union for the value. null and a list have their own branches. For any other value it is the first branch whose
 * required members the value has. If there is none, it is a branch whose names are not converted.
 */
function branchOf(branches: readonly Node[], value: unknown, spelling: 'name' | 'inside'): Node {
  const isMembers = typeof value === 'object' && value !== null && !Array.isArray(value)
  const fits = (node: Node): boolean => {
    if (node[target] !== undefined) return fits(node[target])
    if (node[verbatim] === true) return false
    if (node.properties === undefined) return node.type === 'null' ? value === null : !isMembers && value !== null
    return isMembers && membersOf(node).every((member) => !member.isRequired || member[spelling] in value)
  }
  return branches.find(fits) ?? branches.find((node) => node[verbatim] === true) ?? {}
}
