// Makes files from the types and code of the installed Stripe SDK. The contract describes the operations that the product uses; tests
// compare the sandbox and the adapter with it. The other files have allowed values and parameters, e.g. the events of a webhook.
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { alsoExpandable, described, heavy, unread, used } from './stripe-contract-scope.ts'

type Schema = Readonly<Record<string, unknown>>

const sdk = join(dirname(createRequire(import.meta.url).resolve('stripe')), '..')
const esm = join(sdk, 'esm')

const program = ts.createProgram(
  used.map(([file]) => join(esm, 'resources', `${file}.d.ts`)),
  { strict: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2024, types: ['node'] },
)
const checker = program.getTypeChecker()
const objects = new Map<string, Schema | null>()

function sourceOf(file: string): ts.SourceFile {
  const source = program.getSourceFile(join(esm, 'resources', `${file}.d.ts`))
  if (source === undefined) throw new Error(`The SDK has no ${file}`)
  return source
}

function schemaOf(type: ts.Type, depth = 0): Schema {
  if (depth > 20) throw new Error(`Too deep: ${checker.typeToString(type)}`)
  if (type.isUnion()) return schemaOfUnion(type, depth)
  if (type.isStringLiteral() || type.isNumberLiteral()) return { enum: [type.value] }
  if (type.flags & ts.TypeFlags.BooleanLiteral) return { enum: [checker.typeToString(type) === 'true'] }
  if (type.flags & ts.TypeFlags.String) return { type: 'string' }
  if (type.flags & ts.TypeFlags.Number) return { type: 'number' }
  if (type.flags & ts.TypeFlags.Null) return { type: 'null' }
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {}
  if (type.aliasSymbol?.name === 'Decimal') return { type: 'string', format: 'decimal' }
  if (type.isIntersection()) return { type: 'string' }
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference)
    if (element === undefined) throw new Error('An array without elements')
    return { type: 'array', items: schemaOf(element, depth + 1) }
  }
  return schemaOfObject(type, depth)
}

function schemaOfUnion(type: ts.UnionType, depth: number): Schema {
  const parts = type.types.filter((part) => !(part.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)))
  const literals = parts.filter((part) => part.isStringLiteral() || part.isNumberLiteral()).map((part) => part.value)
  const booleans = parts.filter((part) => part.flags & ts.TypeFlags.BooleanLiteral)
  const others = parts.filter((part) => {
    // Ignores `string & Record<never, never>`, which leaves an enum open for later API versions: this contract covers one version.
    if (part.isIntersection() && literals.length > 0) return false
    return !part.isStringLiteral() && !part.isNumberLiteral() && !(part.flags & ts.TypeFlags.BooleanLiteral)
  })
  const schemas: Schema[] = others.map((part) => schemaOf(part, depth + 1))
  if (literals.length > 0) schemas.push({ enum: literals.sort() })
  if (booleans.length === 2) schemas.push({ type: 'boolean' })
  else for (const part of booleans) schemas.push(schemaOf(part, depth + 1))
  const [only, second] = schemas
  if (only !== undefined && second === undefined) return only
  return { anyOf: schemas.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) }
}

function schemaOfObject(type: ts.Type, depth: number): Schema {
  const name = type.aliasSymbol?.name ?? type.symbol.name
  if (name === 'ApiList') return listSchema(schemaOf(elementOf(type), depth + 1))
  const marker = type.getProperty('object')
  const markerType = marker === undefined ? undefined : checker.getTypeOfSymbol(marker)
  if (markerType?.isStringLiteral() === true && (depth > 0 || described.has(name))) {
    if (!described.has(name) || (depth > 0 && heavy.has(name))) return anyObject(markerType.value)
    // Uses the value of `object` as key, because two resources are named `Session`.
    const key = name === 'Session' ? markerType.value : name
    if (!objects.has(key)) {
      objects.set(key, null)
      // The depth starts at 0 again, because recursion goes through references by name.
      objects.set(key, members(type, 0))
    }
    return { $ref: `#/objects/${key}` }
  }
  return members(type, depth)
}

function anyObject(object: string): Schema {
  return { type: 'object', required: ['object'], properties: { object: { enum: [object] } } }
}

function members(type: ts.Type, depth: number): Schema {
  const index = type.getStringIndexType()
  if (index !== undefined) return { type: 'object', additionalProperties: schemaOf(index, depth + 1) }
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const property of [...type.getProperties()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const own = checker.getTypeOfSymbol(property)
    const bare = own.isUnion() ? own.types : [own]
    // Omits a member with the type `void` (e.g. `deleted?: void`), which means that a live object does not have it.
    if (bare.every((part) => part.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void))) continue
    properties[property.name] = unread.has(property.name) ? { type: ['object', 'null'] } : schemaOf(own, depth + 1)
    if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name)
  }
  if (Object.keys(properties).length === 0) return { type: 'object' }
  return { type: 'object', additionalProperties: false, required, properties }
}

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly params: Schema
  readonly reply: Schema
}

function operationsOf(file: string, className: string, methods: readonly string[]): Operation[] {
  const declaration = sourceOf(file).statements.find(
    (statement): statement is ts.ClassDeclaration =>
      ts.isClassDeclaration(statement) && statement.name?.text === className,
  )
  if (declaration === undefined) throw new Error(`${file} has no ${className}`)
  return methods.map((method) => {
    const member = declaration.members.find(
      (candidate): candidate is ts.MethodDeclaration =>
        ts.isMethodDeclaration(candidate) && ts.isIdentifier(candidate.name) && candidate.name.text === method,
    )
    if (member === undefined) throw new Error(`${className} has no ${method}`)
    return {
      name: `${file}.${method}`,
      ...requestOf(file, className, method),
      params: paramsOf(member),
      reply: replyOf(member),
    }
  })
}

function paramsOf(method: ts.MethodDeclaration): Schema {
  const node = method.parameters.find(
    (parameter) => ts.isIdentifier(parameter.name) && parameter.name.text === 'params',
  )?.type
  if (node === undefined) throw new Error('A method without parameters')
  const schema = members(checker.getTypeFromTypeNode(node), 0)
  return 'properties' in schema ? schema : { ...schema, additionalProperties: false }
}

function replyOf(method: ts.MethodDeclaration): Schema {
  const [outer, inner] = [argumentOf(method.type), argumentOf(argumentOf(method.type))]
  const name = method.type !== undefined && ts.isTypeReferenceNode(method.type) ? method.type.typeName.getText() : ''
  if (name === 'ApiSearchResultPromise') return searchSchema(resourceSchema(outer))
  return name === 'ApiListPromise' ? listSchema(resourceSchema(outer)) : resourceSchema(inner)
}

function objectWith(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties }
}

function searchSchema(items: Schema): Schema {
  const page = objectWith({
    object: { enum: ['search_result'] },
    data: { type: 'array', items },
    has_more: { type: 'boolean' },
    next_page: { anyOf: [{ type: 'null' }, { type: 'string' }] },
    url: { type: 'string' },
  })
  // Present only if the request expands it.
  return { ...page, properties: { ...(page['properties'] as Schema), total_count: { type: 'number' } } }
}

function listSchema(items: Schema): Schema {
  return objectWith({
    object: { enum: ['list'] },
    data: { type: 'array', items },
    has_more: { type: 'boolean' },
    url: { type: 'string' },
  })
}

function elementOf(list: ts.Type): ts.Type {
  const [element] = list.aliasTypeArguments ?? checker.getTypeArguments(list as ts.TypeReference)
  if (element === undefined) throw new Error('A list without elements')
  return element
}

function argumentOf(node: ts.TypeNode | undefined): ts.TypeNode | undefined {
  return node !== undefined && ts.isTypeReferenceNode(node) ? node.typeArguments?.[0] : undefined
}

function resourceSchema(node: ts.TypeNode | undefined): Schema {
  if (node === undefined) throw new Error('A reply without a type')
  // `Event` is a union with one type per event name. The types differ only in `data.object`, so one schema covers all of them.
  if (node.getText() !== 'Event') return schemaOf(checker.getTypeFromTypeNode(node))
  const base = sourceOf('Events').statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === 'EventBase',
  )
  if (base === undefined) throw new Error('The SDK has no EventBase')
  return schemaOf(checker.getTypeAtLocation(base))
}

/** Returns the method and path of an operation, from the request in the SDK's code. */
function requestOf(
  file: string,
  className: string,
  method: string,
): { readonly method: string; readonly path: string } {
  const name = join(esm, 'resources', `${file}.js`)
  const source = ts.createSourceFile(name, readFileSync(name, 'utf8'), ts.ScriptTarget.ES2024, true)
  let found: { method: string; path: string } | undefined
  const visit = (node: ts.Node, inMethod: boolean): void => {
    const here = inMethod || (ts.isMethodDeclaration(node) && node.name.getText() === method)
    if (here && ts.isCallExpression(node) && node.expression.getText() === 'this._makeRequest') {
      const [verb, path] = node.arguments
      // Keeps the last request of the method. (In `accounts.retrieve`, the request without an id is in another method.)
      if (verb !== undefined && ts.isStringLiteral(verb) && path !== undefined)
        found = { method: verb.text, path: pathText(path) }
    }
    ts.forEachChild(node, (child) => visit(child, here))
  }
  for (const statement of source.statements) {
    if (ts.isClassDeclaration(statement) && statement.name?.text === className) visit(statement, false)
  }
  if (found === undefined) throw new Error(`${className}.${method} makes no request`)
  return found
}

function pathText(node: ts.Node): string {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!ts.isTemplateExpression(node)) throw new Error(`Not a path: ${node.getText()}`)
  return node.head.text + node.templateSpans.map((span) => `{id}${span.literal.text}`).join('')
}

function enumOf(operation: Operation | undefined, ...path: string[]): readonly string[] {
  let at: unknown = operation?.params
  for (const name of path)
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined
  if (!Array.isArray(at) || at.length < 50) throw new Error(`No values at ${path.join('.')}`)
  return at.map(String)
}

function constant(name: string, values: readonly string[]): string {
  return `export const ${name} = [\n${values.map((value) => `  '${value}',\n`).join('')}] as const\n`
}

const operations = used.flatMap(([file, className, ...methods]) => operationsOf(file, className, methods))
const createEndpoint = operations.find((operation) => operation.name === 'WebhookEndpoints.create')
const eventTypes = enumOf(createEndpoint, 'properties', 'enabled_events', 'items', 'enum').filter(
  (name) => name !== '*',
)
const apiVersions = enumOf(createEndpoint, 'properties', 'api_version', 'enum')
const apiVersion = /ApiVersion = ["']([^"']+)["']/.exec(readFileSync(join(esm, 'apiVersion.d.ts'), 'utf8'))?.[1]
if (apiVersion === undefined) throw new Error('The SDK names no API version')

const contract = {
  api_version: apiVersion,
  operations,
  objects: Object.fromEntries([...objects].sort(([a], [b]) => (a < b ? -1 : 1))),
}

/**
 * Parameters as a tree: a name maps to its members, `[]` is any element of a list, `*` any key of a map. A list of strings is an enum, 0 is
 * a scalar, 1 is any value.
 */
type Known = 0 | 1 | readonly string[] | { readonly [name: string]: Known }

function knownOf(schema: unknown): Known {
  if (typeof schema !== 'object' || schema === null) return 1
  const { properties, additionalProperties, items, anyOf, enum: values, type } = schema as Record<string, unknown>
  if (Array.isArray(anyOf)) return anyOf.map(knownOf).reduce(merged)
  if (Array.isArray(values)) return values.some((value) => typeof value === 'string') ? values.map(String) : 0
  if (items !== undefined) return { '[]': knownOf(items) }
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties as object).map(([name, inner]) => [name, knownOf(inner)]))
  if (typeof additionalProperties === 'object' && additionalProperties !== null)
    return { '*': knownOf(additionalProperties) }
  return type === 'object' || Array.isArray(type) || type === undefined ? 1 : 0
}

function isEnum(known: Known): known is readonly string[] {
  return Array.isArray(known)
}

function merged(a: Known, b: Known): Known {
  if (a === 1 || b === 1) return 1
  if (a === 0) return b
  if (b === 0) return a
  if (isEnum(a)) return isEnum(b) ? [...a, ...b] : b
  return isEnum(b) ? a : { ...a, ...b }
}

/**
 * Members that `expand` may name, as a tree: a text is the `object` that the member leads to, 1 is any object, and a tree leads to nested
 * members.
 */
type Expandable = 1 | string | { readonly [name: string]: Expandable }

/** Returns what a member's schema leads to. Undefined if neither the member nor anything below it can be expanded. */
function expandableOf(schema: Schema, optional: boolean): Expandable | undefined {
  const { anyOf, items, properties, $ref: ref, additionalProperties } = schema
  if (Array.isArray(anyOf)) {
    const parts = (anyOf as Schema[]).map((part) => expandableOf(part, optional)).filter((part) => part !== undefined)
    return parts.find((part) => typeof part === 'string') ?? parts.find((part) => part !== 1) ?? parts[0]
  }
  if (typeof ref === 'string') return objectNamed(ref)
  if (items !== undefined) return expandableOf(items as Schema, false)
  if (properties === undefined && additionalProperties !== undefined)
    return expandableOf(additionalProperties as Schema, false)
  if (properties === undefined) return undefined
  const { object, ...others } = properties as Readonly<Record<string, Schema>>
  if (object !== undefined && Object.keys(others).length === 0) return nameIn(schema)
  const below = expandablesIn(schema)
  const list = (object?.['enum'] as readonly unknown[] | undefined)?.includes('list') === true
  return Object.keys(below).length > 0 || (list && optional) ? below : undefined
}

function expandablesIn({ properties, required }: Schema): Record<string, Expandable> {
  const found = Object.entries(properties as Readonly<Record<string, Schema>>).flatMap(([name, inner]) => {
    const leads = expandableOf(inner, !(required as readonly string[]).includes(name))
    return leads === undefined ? [] : [[name, leads] as const]
  })
  return Object.fromEntries(found)
}

/** Returns the value of `object` of a schema that a reference names. */
function objectNamed(ref: string): Expandable {
  return nameIn(objects.get(ref.replace('#/objects/', '')) ?? {})
}

function nameIn({ properties }: Schema): Expandable {
  const [name] = ((properties as Readonly<Record<string, Schema>>)['object']?.['enum'] ?? []) as readonly string[]
  return name ?? 1
}

/** Returns the expandable members of every object that the contract describes, by the value of its `object`. */
function knownExpansions(): Record<string, Expandable> {
  const all = [...objects].flatMap(([key, schema]) => {
    const name = objectNamed(`#/objects/${key}`)
    return schema === null || typeof name !== 'string' || key.startsWith('Deleted') ? [] : [[name, schema] as const]
  })
  return Object.fromEntries(
    all
      .map(([name, schema]) => [name, { ...expandablesIn(schema), ...alsoExpandable[name] }] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Returns every request of the SDK, e.g. `GET /v1/prices/{id}`. */
function everyRequest(): string[] {
  const folder = join(esm, 'resources')
  const found = new Set<string>()
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue
    const text = readFileSync(join(folder, name), 'utf8')
    for (const [, method, path] of text.matchAll(/_makeRequest\('(GET|POST|DELETE)', ['`](\/v[12]\/[^'`]+)['`]/g))
      found.add(`${method ?? ''} ${(path ?? '').replaceAll(/\$\{[^}]+\}/g, '{id}')}`)
  }
  if (found.size < 400) throw new Error(`Only ${found.size} requests were found`)
  return [...found].sort()
}

const generated = '// Made by scripts/stripe-contract.ts from the types of the installed SDK; do not edit.\n\n'

/** The text of each file, by its path in the repository. */
export const stripeFiles: Readonly<Record<string, string>> = {
  'node_modules/.cache/stripe-contract.json': JSON.stringify(contract),
  'packages/ratecard/src/document/schema/webhook-events.generated.ts':
    generated +
    '/** Every name that `events` of a webhook may hold; `*` is all of them. */\n' +
    `export const webhookEvents: readonly string[] = [\n${['*', ...eventTypes].map((name) => `  '${name}',\n`).join('')}]\n`,
  'packages/sandbox/src/protocol/parameters/known-parameters.generated.ts':
    generated +
    '/** What the real API takes for each operation here, as JSON: read only when something is refused. */\n' +
    `export const knownParameters = '${JSON.stringify(
      Object.fromEntries(operations.map(({ method, path, params }) => [`${method} ${path}`, knownOf(params)])),
    ).replaceAll("'", "\\'")}'\n\n` +
    '/** Every request of the real API, a line each. */\n' +
    `export const knownRequests = '${everyRequest().join('\\n')}'\n`,
  'packages/sandbox/src/protocol/responses/known-expansions.generated.ts':
    generated +
    '/** The members of each object that the real API can expand, as JSON: read only when one is refused. */\n' +
    `export const knownExpansions =\n  '${JSON.stringify(knownExpansions())}'\n`,
  'packages/sandbox/src/protocol/api-values.generated.ts':
    generated +
    `/** The version of the real API that this server speaks, whatever \`Stripe-Version\` a caller sends. */\n` +
    `export const apiVersion = '${apiVersion}'\n\n` +
    `/** Every event that can be subscribed to, without \`*\`. */\n${constant('eventTypes', eventTypes)}\n` +
    `/** Every version that a webhook endpoint may ask for. */\n${constant('apiVersions', apiVersions)}`,
}
