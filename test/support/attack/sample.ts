// Values generated from a JSON Schema with the caller’s texts, e.g. a valid request body or a hostile response.
export type Schema = Readonly<Record<string, unknown>>

export interface Choices {
  /** Returns a text where the schema allows any. */
  readonly text: (schema: Schema) => string
  /** Returns a random choice from 0 to `count` - 1. */
  readonly pick: (count: number) => number
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Returns a random value that fits the schema, except that its texts may violate formats and patterns. `$ref` points into `root`. */
export function sample(given: unknown, root: Schema, choices: Choices, depth = 0): unknown {
  const schema = isObject(given) ? given : {}
  if (typeof schema['$ref'] === 'string') return sample(resolved(schema['$ref'], root), root, choices, depth)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][choices.pick(schema['enum'].length)] as unknown
  const branches = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
  if (branches.length > 0) {
    const useful = branches.filter((branch) => branch['type'] !== 'null')
    return sample(useful[choices.pick(useful.length)] ?? branches[0], root, choices, depth)
  }
  const parts = listOf(schema['allOf'])
  if (parts.length > 0)
    return Object.assign(
      {},
      ...[schema, ...parts].map((part) => objectOf(sample({ ...part, allOf: undefined }, root, choices, depth))),
    ) as object
  const [type] = [schema['type']].flat().filter((one) => one !== 'null')
  if (type === 'string') return schema['format'] === 'date-time' ? '2030-01-02T03:04:05.000Z' : choices.text(schema)
  if (type === 'integer' || type === 'number') return Number(schema['minimum'] ?? 1)
  if (type === 'boolean') return choices.pick(2) === 1
  if (type === 'null') return null
  if (type === 'array') return depth > 12 ? [] : [sample(schema['items'], root, choices, depth + 1)]
  if (type !== 'object' && schema['properties'] === undefined) return choices.text(schema)
  const members = Object.entries(isObject(schema['properties']) ? schema['properties'] : {})
    .filter(() => depth <= 12)
    .map(([name, member]) => [name, sample(member, root, choices, depth + 1)] as const)
  const others = isObject(schema['additionalProperties'])
    ? [[choices.text(schema), sample(schema['additionalProperties'], root, choices, depth + 1)] as const]
    : []
  return Object.fromEntries([...members, ...others])
}

const objectOf = (value: unknown) => (isObject(value) ? value : {})

export function resolved(reference: string, root: Schema): unknown {
  let value: unknown = root
  for (const token of reference.replace(/^#\//, '').split('/')) {
    if (!isObject(value)) return undefined
    value = value[decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return value
}

export interface Operation {
  readonly id: string
  readonly method: string
  /** Path of the operation with its parameters as `{name}`. */
  readonly path: string
  readonly query: readonly string[]
  readonly headers: readonly string[]
  /** Schema of the JSON body. Undefined if the operation has no body. */
  readonly body: unknown
  /** True if the operation accepts a service key only. */
  readonly needsKey: boolean
  /** Schema and media type of the first successful response. */
  readonly answer: { readonly status: number; readonly mediaType: string; readonly schema: unknown }
}

/** Returns every operation of the OpenAPI description, so new ones are included automatically. */
export function operationsOf(document: Schema): Operation[] {
  return Object.entries(objectOf(document['paths'])).flatMap(([path, item]) =>
    Object.entries(objectOf(item)).map(([method, given]) => {
      const operation = objectOf(given)
      const named = (place: string) =>
        listOf(operation['parameters']).flatMap((one) => (one['in'] === place ? [String(one['name'])] : []))
      const good = Object.entries(objectOf(operation['responses'])).find(([status]) => status.startsWith('2'))
      const [mediaType = '', content] = Object.entries(objectOf(objectOf(good?.[1])['content']))[0] ?? []
      const security = listOf(operation['security'])
      return {
        id: String(operation['operationId']),
        method: method.toUpperCase(),
        path,
        query: named('query'),
        headers: named('header'),
        body: objectOf(objectOf(objectOf(operation['requestBody'])['content'])['application/json'])['schema'],
        needsKey: security.length === 1 && Object.keys(security[0] ?? {}).length === 1,
        answer: { status: Number(good?.[0] ?? 204), mediaType, schema: objectOf(content)['schema'] },
      }
    }),
  )
}
