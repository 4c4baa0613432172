// Generates the client's types from the API contract: requests and responses in camelCase, method and path of each operation, and the
// members of bodies that need a case conversion.
import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import * as config from '../../packages/ratecard/src/document/schema/schema.ts'
import { problemCodes } from '../../packages/ratecard/src/base/errors/codes.ts'
import { currencies } from '../../packages/ratecard/src/base/money/currencies.ts'
import { contract } from '../../packages/ratecard/src/api/contract.ts'
import { camel } from '../../packages/ratecard/src/api/notation/names.ts'
import type { Operation } from '../../packages/ratecard/src/api/notation/operation.ts'
import { moment, target, verbatim } from '../../packages/ratecard/src/api/notation/marks.ts'
import { nameOf } from '../../packages/ratecard/src/api/notation/schema.ts'

interface Node extends TSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Node[]
  readonly items?: Node
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Node>>
  readonly description?: string
  readonly [verbatim]?: true
  readonly [target]?: Node
  readonly [moment]?: true
}

/** Types of document objects, whose names stay in snake_case because a document is data. */
const documents = new Map<TSchema, string>([
  [config.BillingConfig, 'BillingDocument'],
  [config.Product, 'ProductDocument'],
  [config.Price, 'PriceDocument'],
  [config.Tier, 'TierDocument'],
  [config.Meter, 'MeterDocument'],
  [config.Webhook, 'WebhookDocument'],
  [config.Coupon, 'CouponDocument'],
  [config.PromotionCode, 'PromotionCodeDocument'],
])
const references: Readonly<Record<string, string>> = {
  'BillingConfig#': 'BillingDocument',
  'Product#': 'ProductDocument',
  'Price#': 'PriceDocument',
  'Meter#': 'MeterDocument',
}
const scalars: Readonly<Record<string, string>> = {
  integer: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
}
/** Members of requests that are ids of the configuration, with the client's types of such ids. */
const idTypes: Readonly<Record<string, string>> = {
  priceId: 'PriceId',
  replaces: 'PriceId',
  productId: 'ProductId',
  couponId: 'CouponId',
  feature: 'FeatureId',
  meter: 'MeterId',
  enterpriseTemplate: 'EnterpriseTemplate',
  enterpriseId: 'EnterpriseId',
}
/** Types that are written by hand in the client, because a newer service may return values that this version does not list. */
const ownTypes = new Set(['Issue'])

interface Side {
  /** True for a request: its members are readonly, and an optional member may be undefined. */
  readonly sent: boolean
  readonly turned: boolean
}

/** Declarations of the client's types by name, in the order of their first use. */
class Types {
  readonly found = new Map<string, string>()

  of(node: Node, side: Side, indent = ''): string {
    const name = nameOf(node)
    if (node[target] !== undefined) return this.of(node[target], side, indent)
    if (name !== undefined) return this.named(name, node, side)
    const document = documents.get(node) ?? (node.$ref === undefined ? undefined : references[node.$ref])
    if (document !== undefined) return document
    return this.body(node, node[verbatim] === true ? { ...side, turned: false } : side, indent)
  }

  /** Declares a type once and returns its name. Two different shapes with one name are an error. */
  named(name: string, node: Node, given: Side): string {
    if (ownTypes.has(name)) return name
    if (!this.found.has(name)) {
      const side = node[verbatim] === true ? { ...given, turned: false } : given
      this.found.set(name, '')
      const text = this.body(node, side, '')
      const keyword = text.startsWith('{') ? `interface ${name} ` : `type ${name} = `
      this.found.set(name, `${comment(node.description, '')}export ${keyword}${text}\n`)
    }
    return name
  }

  body(node: Node, side: Side, indent: string): string {
    if (node[moment] === true) return side.sent ? 'string | Date' : 'string'
    if (node.const !== undefined) return literal(node.const)
    if (node.enum !== undefined) return isCurrency(node.enum) ? 'string' : union(node.enum.map(literal))
    if (node.anyOf !== undefined) return union(node.anyOf.map((choice) => this.of(choice, side, indent)))
    if (Array.isArray(node.type)) return union(node.type.map((type: string) => scalars[type] ?? 'unknown'))
    if (node.items !== undefined) return arrayOf(this.of(node.items, side, indent), side)
    if (node.properties !== undefined && Object.keys(node.properties).length > 0)
      return this.members(node, side, indent)
    if (node.type === 'object') return this.record(node, side, indent)
    return typeof node.type === 'string' ? (scalars[node.type] ?? 'unknown') : 'unknown'
  }

  members({ properties = {}, required = [] }: Node, side: Side, indent: string): string {
    const inner = `${indent}  `
    const lines = Object.entries(properties).map(([name, child]) => {
      const isRequired = required.includes(name)
      const spelt = side.turned ? camel(name) : name
      const own = this.of(child, side, inner)
      const idType = side.sent && side.turned ? idTypes[spelt] : undefined
      const type = `${idType === undefined ? own : own.replace('string', idType)}${side.sent && !isRequired ? ' | undefined' : ''}`
      const quoted = /^[A-Za-z_$][\w$]*$/.test(spelt) ? spelt : `'${spelt}'`
      return `${comment(child.description, inner)}${inner}${side.sent ? 'readonly ' : ''}${quoted}${isRequired ? '' : '?'}: ${type}\n`
    })
    return `{\n${lines.join('')}${indent}}`
  }

  record({ patternProperties = {} }: Node, side: Side, indent: string): string {
    const values = Object.values(patternProperties).map((value) => this.of(value, side, indent))
    const record = `Record<string, ${values.length === 0 ? 'unknown' : union(values)}>`
    return side.sent ? `Readonly<${record}>` : record
  }
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ')
const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))
const isCurrency = (values: readonly unknown[]) => values.length === currencies.length && values.includes(currencies[0])
const comment = (text: string | undefined, indent: string) => (text === undefined ? '' : `${indent}/** ${text} */\n`)
function arrayOf(item: string, { sent }: Side): string {
  const array = /^[\w.]+$/.test(item) ? `${item}[]` : sent ? `ReadonlyArray<${item}>` : `Array<${item}>`
  return sent && array.endsWith('[]') ? `readonly ${array}` : array
}

/** Members that contain names to convert, by name. */
type Turns = { [name: string]: Turns }

/** Returns the members below a node that contain names to convert. Null if there are none. */
function turnsOf(node: Node): Turns | null {
  if (node[verbatim] === true || (node.$ref !== undefined && node[target] === undefined)) return null
  if (node[target] !== undefined) return turnsOf(node[target])
  if (node.items !== undefined) return turnsOf(node.items)
  if (node.anyOf !== undefined) return merged(node.anyOf.map(turnsOf))
  if (node.properties === undefined) return null
  const turns: Turns = {}
  for (const [name, member] of Object.entries(node.properties)) {
    const inner = turnsOf(member)
    if (inner !== null) turns[name] = inner
  }
  const turnsHere = Object.keys(node.properties).some((name) => camel(name) !== name)
  return turnsHere || Object.keys(turns).length > 0 ? turns : null
}

function merged(all: readonly (Turns | null)[]): Turns | null {
  const present = all.filter((turns) => turns !== null)
  if (present.length === 0) return null
  const names = new Set(present.flatMap((turns) => Object.keys(turns)))
  return Object.fromEntries([...names].map((name) => [name, merged(present.map((turns) => turns[name] ?? null)) ?? {}]))
}

const sent = { sent: true, turned: true }
const received = { sent: false, turned: true }

function operationTypes(types: Types, [id, row]: readonly [string, Operation]): string {
  const fields = (given: Readonly<Record<string, TSchema>>) => {
    const required = Object.keys(given).filter((name) => !isOptional(given[name]))
    return types.body({ properties: given, required }, sent, '    ')
  }
  const successes = Object.entries(row.answers).flatMap(([status, { schema, mediaType = 'application/json' }]) =>
    schema === null || !mediaType.endsWith('json')
      ? []
      : [`      ${status}: ${types.of(schema, received, '      ')}\n`],
  )
  const events = Object.entries(row.events ?? {}).map(
    ([name, data]) => `      ${name}: ${types.of(data, received, '      ')}\n`,
  )
  return [
    `  ${id}: {\n`,
    row.params === undefined ? '' : `    params: ${fields(row.params)}\n`,
    row.query === undefined ? '' : `    query: ${fields(row.query)}\n`,
    row.body === undefined ? '' : `    body: ${types.of(row.body, sent, '    ')}\n`,
    successes.length === 0 ? '' : `    answers: {\n${successes.join('')}    }\n`,
    events.length === 0 ? '' : `    events: {\n${events.join('')}    }\n`,
    '  }\n',
  ].join('')
}

/** True if the member is optional or has a default. */
const isOptional = (schema: TSchema | undefined) => schema === undefined || '~optional' in schema || 'default' in schema

function operationRow([id, row]: readonly [string, Operation]): string {
  const answers = [...Object.values(row.answers).map(({ schema }) => schema), ...Object.values(row.events ?? {})]
  const received = merged(answers.map((schema) => (schema === null ? null : turnsOf(schema))))
  const given = row.body === undefined ? null : turnsOf(row.body)
  const text = (turns: Turns | null) => (turns === null ? 'null' : JSON.stringify(turns).replaceAll('"', ''))
  const parts = [`'${row.method}'`, `'${row.path}'`, text(received), ...(given === null ? [] : [text(given)])]
  return `  ${id}: [${parts.join(', ')}],\n`
}

export function clientTypes(): string {
  const types = new Types()
  const rows = Object.entries<Operation>(contract)
  const operations = rows.map((row) => operationTypes(types, row)).join('')
  const asDocument = { sent: false, turned: false }
  const documentTypes = [...documents].map(([schema, name]) => {
    const node: Node = schema
    return `${comment(node.description, '')}export interface ${name} ${types.body(node, asDocument, '')}\n`
  })
  return [
    '// Made from the contract (packages/ratecard/src/api) by scripts/reference/client-types.ts; do not edit.\n',
    "import type { CouponId, EnterpriseId, EnterpriseTemplate, FeatureId, MeterId, PriceId, ProductId } from './ids.ts'\n",
    "import type { Issue } from './issue.ts'\n",
    ...documentTypes,
    ...types.found.values(),
    `/** Codes of problems that this version knows. */\nexport type ProblemCode = ${union(Object.keys(problemCodes).map(literal))}\n`,
    `/** What each operation takes and answers. */\nexport interface Operations {\n${operations}}\n`,
    `/** Method, path, and where names turn: in its answer, in its body. */\nexport const operations = {\n${rows.map(operationRow).join('')}} as const\n`,
  ].join('\n')
}

/** Returns the source of the case conversion for the client, which has no dependencies and therefore needs a copy. */
export function clientNames(): string {
  const source = new URL('../../packages/ratecard/src/api/notation/names.ts', import.meta.url)
  const text = readFileSync(source, 'utf8').replace(/^(\/\/.*\n)+/, '')
  return `// Copied from packages/ratecard/src/api/notation/names.ts by scripts/reference/client-types.ts; do not edit.\n${text}`
}
