// The document's schema in parts. As one piece its check is a function of half a megabyte, and V8 takes a hundred megabytes to
// compile that one anew for a large document. Each part is compiled by itself, and only once.
import type { TSchema } from 'typebox'

type Schema = Readonly<Record<string, unknown>>

export interface ShapePart {
  /** Says nothing of the items of `lists`. */
  readonly schema: Schema
  /** Lists of objects: the part that each of their items must fit, by the list's name. */
  readonly lists: Readonly<Record<string, string>>
}

/** The name of the part that the whole document must fit. */
export const wholeDocument = 'document'

/** How many members of an object must be alike before they are checked by one piece of code. */
const fewMembers = 10

/** A schema as its parts, by names that a program can give to functions. */
export function shapeParts(schema: TSchema): Readonly<Record<string, ShapePart>> {
  const parts: Record<string, ShapePart> = {}
  divide(wholeDocument, schema as Schema, parts)
  return parts
}

function divide(name: string, schema: Schema, parts: Record<string, ShapePart>): void {
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
  for (const [part, item] of items) divide(part, item, parts)
}

/** The same schema, with one check for members that are all alike. Their names stay known. */
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
