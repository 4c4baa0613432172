import { systemClock } from '../../packages/ratecard/src/base/clock.ts'
import { buildApp } from '../../packages/ratecard/src/server/http/app.ts'
import type { ScopeNeeded } from '../../packages/ratecard/src/api/notation/operation.ts'
import { code, describedTable, page, table, type Described } from './markdown.ts'
import { limitsText, typeText, type SchemaNode } from './schema-text.ts'
import type { Service } from '../../packages/ratecard/src/server/service/service.ts'

export interface Content {
  readonly schema?: SchemaNode & { readonly allOf?: readonly SchemaNode[] }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: SchemaNode
}

export interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly 'x-key-scope'?: ScopeNeeded
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, Content>> }
  readonly responses?: Readonly<
    Record<string, { readonly description?: string; readonly content?: Readonly<Record<string, Content>> }>
  >
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, SchemaNode>> }
}

const problemType = 'application/problem+json'

const intro = `Bodies are JSON with snake_case names, bare, without an envelope; times are RFC 3339 in UTC. Every answer carries \`X-Request-Id\`. Every error is
\`application/problem+json\`; [Errors](errors.md) explains each code. Unknown query parameters are refused. A running service describes itself at
\`GET /api/v1/openapi.json\` and shows it at \`/docs\`.

Routes marked **service key** need the header \`X-Service-Key\`; on those marked *key optional* a valid key also shows hidden prices. Those marked
**session or service key** also take the cookie \`ratecard_session\` of a tenant (over TLS \`__Host-ratecard_session\`). A key has the scope \`write\` (everything) or \`read\`: then only
what is marked *any scope*, and dry runs (\`dry_run=true\`).`

/** Returns the OpenAPI description as the application serves it. No operation is called, so the service behind it is a stub. */
export async function openApi(): Promise<OpenApi> {
  const unused: object = new Proxy({}, { get: () => () => Promise.reject(new Error('only the description is read')) })
  const app = await buildApp({
    service: unused as Service,
    settings: { rateLimit: 600, publicUrl: null, logLevel: 'silent' },
    clock: systemClock,
  })
  try {
    return (await app.inject('/api/v1/openapi.json')).json<OpenApi>()
  } finally {
    await app.close()
  }
}

const scopeTexts = {
  read: 'any scope',
  dry_run: 'scope write; dry runs any',
  write: 'scope write',
  owner: 'scope owner',
} as const

function accessOf({ security = [], 'x-key-scope': scope = 'write' }: Operation): string {
  if (security.length === 0) return ''
  if (security.some((way) => Object.keys(way).length === 0)) return ' *(key optional)*'
  const key = `service key, ${scopeTexts[scope]}`
  return security.length === 1 ? ` **(${key})**` : ` **(session or ${key})**`
}

const describeSchema = (schema: SchemaNode | undefined): string => {
  if (schema === undefined) return ''
  if (schema.properties === undefined) return typeText(schema, nameOf)
  const required = schema.required ?? []
  const members = Object.entries(schema.properties).map(
    ([name, node]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(node, nameOf)}`,
  )
  return members.length === 0 ? 'object' : `{ ${members.join(', ')} }`
}

const nameOf = (node: SchemaNode) => {
  if (node.$ref === undefined) return undefined
  const name = node.$ref.slice(node.$ref.lastIndexOf('/') + 1)
  return `[${name}](#${name.toLowerCase()})`
}

function describedParameters({ parameters = [] }: Operation): Described[] {
  return parameters.map(({ name, in: place, required = false, description, schema }) => ({
    name,
    required,
    meaning: description ?? schema?.description ?? '',
    value: [`in ${place}`, ...(schema === undefined ? [] : [typeText(schema), limitsText(schema)])],
  }))
}

function problemCodesOf(content: Content | undefined): string[] {
  const codes = (content?.schema?.allOf ?? []).flatMap((part) => part.properties?.['code']?.enum ?? [])
  return codes.map((name) => `[${String(name)}](errors.md#${String(name)})`)
}

function answerRows({ responses = {} }: Operation): string[][] {
  return Object.entries(responses).flatMap(([status, answer]) => {
    const entries = Object.entries(answer.content ?? {})
    const problem = answer.content?.[problemType]
    if (problem !== undefined) return [[code(status), problemCodesOf(problem).join(', ')]]
    const bodies = entries.map(
      ([type, { schema }]) => `${type === 'application/json' ? '' : `${code(type)} `}${describeSchema(schema)}`,
    )
    return [[code(status), [answer.description ?? '', ...bodies].filter(Boolean).join(' ')]]
  })
}

function operationBlocks(method: string, path: string, operation: Operation): string[] {
  const parameters = describedParameters(operation)
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  return [
    `### ${method.toUpperCase()} ${path}`,
    `${operation.summary ?? ''}.${accessOf(operation)}`,
    ...(operation.description === undefined ? [] : [operation.description]),
    ...(parameters.length === 0 ? [] : [describedTable(['Parameter', 'Value'], parameters)]),
    ...(body === undefined ? [] : [`Body: ${describeSchema(body)}`]),
    table(['Status', 'Answer'], answerRows(operation)),
  ]
}

function componentBlocks([name, node]: readonly [string, SchemaNode]): string[] {
  const members = Object.entries(node.properties ?? {}).map(([name, child]) => ({
    name,
    meaning: child.description ?? '',
    value: [typeText(child, nameOf), (node.required ?? []).includes(name) ? '' : 'may be absent'],
  }))
  return [
    `### ${name}`,
    node.description ?? '',
    ...(members.length === 0 ? [] : [describedTable(['Member', 'Value'], members)]),
  ].filter(Boolean)
}

export async function httpPage(): Promise<string> {
  const { paths, components } = await openApi()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method,
      path,
      operation,
      tag: operation.tags?.[0] ?? 'Other',
    })),
  )
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  // Objects of the document, which config.md describes field by field.
  const elsewhere = new Set(['BillingConfig', 'Product', 'Price', 'Meter'])
  return page('HTTP API', 'the OpenAPI description (packages/ratecard/src/server/http)', [
    intro,
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      ...operations
        .filter((each) => each.tag === tag)
        .flatMap(({ method, path, operation }) => operationBlocks(method, path, operation)),
    ]),
    '## Shapes',
    ...Object.entries(components.schemas).flatMap(([name, node]) =>
      elsewhere.has(name)
        ? [`### ${name}`, `See [the configuration document](config.md).`]
        : componentBlocks([name, node]),
    ),
  ])
}
