// The crossing between the two sides: one walk over the shape, in both directions. Names turn in shapes alone; what a shape
// does not name does not cross, and what belongs to its author crosses as it is.
import type { Static, TSchema } from 'typebox'
import type { Turns } from '../turns.ts'
import { absence, coded, target, verbatim } from './marks.ts'
import { camel } from './names.ts'
import type { Inside } from './schema.ts'

/** The wire's form of a value of the rooms. */
export function toWire<Schema extends TSchema>(schema: Schema, value: Inside<Schema>): Static<Schema> {
  return encoded(schema, value) as Static<Schema>
}

/** {@link toWire}, with a pause after each item of its lists. */
export function toWireTurns<Schema extends TSchema>(schema: Schema, value: Inside<Schema>): Turns<Static<Schema>> {
  return encodedTurns(schema, value, levelsWithPauses) as Turns<Static<Schema>>
}

/** Below these an answer has nothing that is long. */
const levelsWithPauses = 4

/** As `toWire`, for what the client has read: its times are RFC 3339 already. */
export function clientToWire<Schema extends TSchema>(schema: Schema, value: Inside<Schema, string>): Static<Schema> {
  return encoded(schema, value) as Static<Schema>
}

/** The rooms' form of what came over the wire and was checked against the shape. */
export function fromWire<Schema extends TSchema>(schema: Schema, wire: unknown): Inside<Schema> {
  return decoded(schema, wire) as Inside<Schema>
}

/** What the walk looks at of any schema. */
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

function encoded(node: Node, value: unknown): unknown {
  if (node[verbatim] === true) return value
  if (node[coded] !== undefined) return node[coded].encode(value)
  if (node[target] !== undefined) return encoded(node[target], value)
  if (node.anyOf !== undefined) return encoded(branchOf(node.anyOf, value, camel), value)
  if (node.items !== undefined) return (value as readonly unknown[]).map((item) => encoded(node.items as Node, item))
  if (node.properties === undefined) return value
  const wire: Record<string, unknown> = {}
  for (const [name, member, given] of givenMembers(node, value)) wire[name] = encoded(member, given)
  return wire
}

function* encodedTurns(node: Node, value: unknown, levels: number): Turns<unknown> {
  const isLeaf = levels === 0 || node[verbatim] === true || node[coded] !== undefined
  if (isLeaf) return encoded(node, value)
  if (node[target] !== undefined) return yield* encodedTurns(node[target], value, levels)
  if (node.anyOf !== undefined) return yield* encodedTurns(branchOf(node.anyOf, value, camel), value, levels)
  if (node.items !== undefined) {
    const items: unknown[] = []
    for (const item of value as readonly unknown[]) {
      items.push(yield* encodedTurns(node.items, item, levels - 1))
      yield
    }
    return items
  }
  if (node.properties === undefined) return value
  const wire: Record<string, unknown> = {}
  for (const [name, member, given] of givenMembers(node, value))
    wire[name] = yield* encodedTurns(member, given, levels - 1)
  return wire
}

/** The members that cross, with what is given for each. */
function* givenMembers(node: Node, value: unknown): Generator<readonly [string, Node, unknown]> {
  for (const [name, member] of Object.entries(node.properties ?? {})) {
    const given = (value as Members)[camel(name)]
    const isRequired = node.required?.includes(name) === true
    if (!isRequired && (given === undefined || (absence in member && given === member[absence].empty))) continue
    // JSON has no undefined: a member that is always there is null then.
    yield given === undefined ? [name, nothing, null] : [name, member, given]
  }
}

const nothing: Node = { type: 'null' }

function decoded(node: Node, wire: unknown): unknown {
  if (node[verbatim] === true) return wire
  if (node[coded] !== undefined) return node[coded].decode(wire)
  if (node[target] !== undefined) return decoded(node[target], wire)
  if (node.anyOf !== undefined) return decoded(branchOf(node.anyOf, wire, asIs), wire)
  if (node.items !== undefined) return (wire as readonly unknown[]).map((item) => decoded(node.items as Node, item))
  if (node.properties === undefined) return wire
  const value: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(node.properties)) {
    const given = (wire as Members)[name]
    if (given !== undefined) value[camel(name)] = decoded(member, given)
    else if (absence in member) value[camel(name)] = member[absence].empty
  }
  return value
}

const asIs = (name: string) => name

/** The branch that a value is of: null, a list, the first shape whose members it has, else whatever is no shape. */
function branchOf(branches: readonly Node[], value: unknown, spell: (name: string) => string): Node {
  const isMembers = typeof value === 'object' && value !== null && !Array.isArray(value)
  const fits = (node: Node): boolean => {
    if (node[target] !== undefined) return fits(node[target])
    if (node[verbatim] === true) return false
    if (node.properties === undefined) return node.type === 'null' ? value === null : !isMembers && value !== null
    return isMembers && (node.required ?? []).every((name) => spell(name) in value)
  }
  return branches.find(fits) ?? branches.find((node) => node[verbatim] === true) ?? {}
}
