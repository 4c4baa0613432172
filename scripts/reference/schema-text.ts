// Describes JSON Schema objects in prose.

export interface SchemaNode {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: boolean | SchemaNode
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly $ref?: string
  readonly title?: string
}

/** Returns a schema as plain JSON Schema, without the symbols of the schema library. */
export function plainSchema(schema: object): SchemaNode {
  const node: unknown = JSON.parse(JSON.stringify(schema))
  if (!isNode(node)) throw new Error('not a schema')
  return node
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const literal = (value: unknown) => `\`${JSON.stringify(value)}\``

/**
 * Returns the type of a node in one phrase: `string`, `array of price`, `"day" \| "week"`. `nameOf` returns the name of a node that has its
 * own section.
 */
export function typeText(node: SchemaNode, nameOf: (node: SchemaNode) => string | undefined = () => undefined): string {
  const name = nameOf(node)
  if (name !== undefined) return name
  if (node.$ref !== undefined) return node.$ref.slice(node.$ref.lastIndexOf('/') + 1)
  if (node.const !== undefined) return literal(node.const)
  if (node.enum !== undefined) return node.enum.map(literal).join(', ')
  const choices = node.anyOf ?? node.oneOf
  if (choices !== undefined) return choices.map((choice) => typeText(choice, nameOf)).join(' or ')
  if (node.type === 'array') return `list of ${node.items === undefined ? 'anything' : typeText(node.items, nameOf)}`
  if (node.type === 'object' && node.patternProperties !== undefined)
    return `map of text to ${Object.values(node.patternProperties)[0]?.type === 'object' ? 'object' : 'text'}`
  if (node.format !== undefined && node.type === 'string') return `string (${node.format})`
  return node.type ?? 'anything'
}

const range = (low: number | undefined, high: number | undefined, unit: string) => {
  if (low !== undefined && high !== undefined) return `${low.toString()} to ${high.toString()}${unit}`
  if (low !== undefined) return `at least ${low.toString()}${unit}`
  return high === undefined ? undefined : `at most ${high.toString()}${unit}`
}

/** Returns the limits of a node as text: range, length, pattern. Empty if there are none. */
export function limitsText(node: SchemaNode): string {
  const limits = [
    range(node.minimum, node.maximum, ''),
    node.exclusiveMinimum === undefined ? undefined : `more than ${node.exclusiveMinimum.toString()}`,
    node.minLength === 1 && node.maxLength === undefined
      ? 'not empty'
      : range(node.minLength, node.maxLength, ' characters'),
    range(node.minItems, node.maxItems, ' items'),
    range(undefined, node.maxProperties, ' keys'),
    node.pattern === undefined ? undefined : `\`${node.pattern}\``,
  ]
  return limits.filter((limit) => limit !== undefined).join('; ')
}
