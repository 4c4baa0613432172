// Splits the document's schema into parts that are compiled separately. As a single function of 500 kB, V8 would need about 100 MB to
// optimize it for a large document.
import type { TSchema } from 'typebox'

type Schema = Readonly<Record<string, unknown>>

export interface ShapePart {
  /** Schema of the part, without constraints on the items of `lists`. */
  readonly schema: Schema
  /** Maps each list of the document to the part of the schema that its items must match. */
  readonly lists: Readonly<Record<string, string>>
}

/** Name of the part for the document itself. */
export const wholeDocument = 'document'
/** Name of the part for a policies file. */
export const policiesPart = 'policies'

/** Minimum number of members with equal schemas that share one check. */
const fewMembers = 10

/** Splits a schema into parts whose names are valid function names. */
export function shapeParts(schema: TSchema): Readonly<Record<string, ShapePart>> {
  const parts: Record<string, ShapePart> = {}
  divideSchema(wholeDocument, schema as Schema, parts)
  return parts
}

function divideSchema(name: string, schema: Schema, parts: Record<string, ShapePart>): void {
  if (parts[name] !== undefined) throw new Error(`Two parts of the schema are called "${name}".`)
  const properties = isObject(schema['properties']) ? { ...schema['properties'] } : undefined
  const lists: Record<string, string> = {}
  const items: (readonly [string, Schema])[] = []
  for (const [member, list] of Object.entries(properties ?? {})) {
    if (properties === undefined || !isListOfObjects(list)) continue
    const { items: item, ...rest } = list
    properties[member] = rest
    lists[member] = `${name}_${member}`
    items.push([`${name}_${member}`, item])
  }
  parts[name] = { schema: compact(properties === undefined ? schema : { ...schema, properties }), lists }
  for (const [part, item] of items) divideSchema(part, item, parts)
}

/**
 * Returns an equivalent schema. If all members of an object have equal schemas, one check is used for all of them; the members' names are
 * still checked.
 */
function compact(schema: Schema): Schema {
  const small = Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, compactValue(value)]))
  const members = isObject(small['properties']) ? Object.entries(small['properties']) : []
  const [first] = members
  const alike =
    first !== undefined &&
    members.length >= fewMembers &&
    small['patternProperties'] === undefined &&
    new Set(members.map(([, member]) => JSON.stringify(member))).size === 1 &&
    members.every(([member]) => /^\w+$/.test(member))
  if (!alike) return small
  const names = members.map(([member]) => member)
  return {
    ...small,
    properties: Object.fromEntries(names.map((member) => [member, {}])),
    patternProperties: { [`^(?:${names.join('|')})$`]: first[1] },
  }
}

function compactValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compactValue)
  return isObject(value) ? compact(value) : value
}

function isListOfObjects(schema: unknown): schema is Schema & { readonly items: Schema } {
  return (
    isObject(schema) && schema['type'] === 'array' && isObject(schema['items']) && schema['items']['type'] === 'object'
  )
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
