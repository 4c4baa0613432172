import { openApi } from './http-page.ts'
import type { Content, OpenApi, Operation } from './http-page.ts'
import type { SchemaNode } from './schema-text.ts'

type Node = Omit<SchemaNode, 'type'> & { readonly type?: string | readonly string[]; readonly allOf?: readonly Node[] }

const head = `// Generated from the OpenAPI description by scripts/reference/wire-types.ts; do not edit.
`

const scalars: Readonly<Record<string, string>> = {
  integer: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ')
const memberName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)
const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))

/** A JSON Schema as the type that its values have. Limits that types cannot say are left out. */
export function typeOf(node: Node, indent = ''): string {
  if (node.$ref !== undefined) return node.$ref.slice(node.$ref.lastIndexOf('/') + 1)
  if (node.const !== undefined) return literal(node.const)
  if (node.enum !== undefined) return union(node.enum.map(literal))
  const choices = node.anyOf ?? node.oneOf
  if (choices !== undefined) return union(choices.map((choice) => typeOf(choice, indent)))
  if (node.allOf !== undefined) return node.allOf.map((part) => typeOf(part, indent)).join(' & ')
  if (Array.isArray(node.type)) return union(node.type.map((type: string) => typeOf({ ...node, type }, indent)))
  if (node.type === 'array') return node.items === undefined ? 'unknown[]' : arrayOf(typeOf(node.items, indent))
  if (node.type === 'object') return objectOf(node, indent)
  return typeof node.type === 'string' ? (scalars[node.type] ?? 'unknown') : 'unknown'
}

const arrayOf = (item: string) => (/^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`)

function objectOf(node: Node, indent: string): string {
  const required = new Set(node.required)
  const inner = `${indent}  `
  const members = Object.entries(node.properties ?? {}).map(
    ([name, child]) => `${inner}${memberName(name)}${required.has(name) ? '' : '?'}: ${typeOf(child, inner)}\n`,
  )
  if (members.length > 0) return `{\n${members.join('')}${indent}}`
  const values = [
    ...Object.values(node.patternProperties ?? {}),
    ...(typeof node.additionalProperties === 'object' ? [node.additionalProperties] : []),
  ]
  return `Record<string, ${values.length === 0 ? 'unknown' : union(values.map((value) => typeOf(value, indent)))}>`
}

/** null for a body that has no form to speak of: none at all, or text. */
function bodyOf(content: Readonly<Record<string, Content>> = {}, indent: string): string | null {
  const schema = Object.entries(content).find(([type]) => /^application\/(\w+\+)?json$/.test(type))?.[1].schema
  return schema === undefined ? null : typeOf(schema, indent)
}

function answersOf({ responses = {} }: Operation): string {
  const bodies = Object.entries(responses).flatMap(([status, { content }]) => {
    const body = status.startsWith('2') ? bodyOf(content, '    ') : null
    return body === null ? [] : [`    ${status}: ${body}`]
  })
  return bodies.length === 0 ? '' : `{\n${bodies.join('\n')}\n  }`
}

/** What is sent is only read on its way. */
function sentBodyOf({ requestBody }: Operation): string {
  const body = bodyOf(requestBody?.content, '  ') ?? ''
  return body.replaceAll(/\bArray</g, 'ReadonlyArray<').replaceAll(/([\w.]+)\[\]/g, 'readonly $1[]')
}

/** Types of what crosses the wire: shared objects, and the bodies of requests and answers by operation. */
export function wireTypesOf({ paths, components }: OpenApi): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const each = (describe: (operation: Operation) => string) =>
    operations
      .map((operation) => [operation.operationId ?? '', describe(operation)] as const)
      .filter(([, type]) => type !== '')
      .map(([id, type]) => `  ${id}: ${type}`)
      .join('\n')
  return [
    head,
    ...Object.entries(components.schemas).map(
      ([name, node]) => `export ${node.type === 'object' ? `interface ${name}` : `type ${name} =`} ${typeOf(node)}\n`,
    ),
    `/** Bodies of JSON answers, by operation and status. */\nexport interface Answers {\n${each(answersOf)}\n}\n`,
    `/** Bodies of requests, by operation. */\nexport interface Bodies {\n${each((operation) => sentBodyOf(operation))}\n}\n`,
  ].join('\n')
}

export async function wireTypes(): Promise<string> {
  return wireTypesOf(await openApi())
}
