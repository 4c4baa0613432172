// Stripe's search query language, e.g. `active:"true" AND metadata["plan"]:"pro"`. Parses a query and matches objects; `search.ts` does the
// paging. Source: docs.stripe.com/search.
import { badRequest } from '../../protocol/responses/errors.ts'

/** `token` and `string` fields hold text; only `string` supports substrings (`~`). `numeric` supports comparisons (e.g. `>`). */
export type FieldType = 'token' | 'string' | 'numeric' | 'metadata'
export type SearchFields = Readonly<Record<string, FieldType>>

type Operator = ':' | '~' | '>' | '<' | '>=' | '<='

interface Clause {
  readonly negated: boolean
  readonly field: string
  /** Key of a metadata field. Null for all other fields. */
  readonly key: string | null
  readonly type: FieldType
  readonly operator: Operator
  /** The value to compare with. Null matches objects without a value in the field. */
  readonly value: string | null
}

export interface SearchQuery {
  readonly clauses: readonly Clause[]
  readonly every: boolean
}

const maxClauses = 10
const token =
  /\s*(?:(?<joint>AND|OR)(?=\s)|(?<minus>-)?(?<field>[a-zA-Z_][a-zA-Z0-9_.]*)(?:\[(?<key>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\])?\s*(?<operator>>=|<=|:|~|>|<|=)\s*(?<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?|null))/iy

/** Parses a query. Throws the API's error if it is invalid. `resource` is the plural noun in the messages, e.g. `customers`. */
export function readQuery(text: string, fields: SearchFields, resource: string): SearchQuery {
  const clauses: Clause[] = []
  const joints = new Set<string>()
  const pattern = new RegExp(token)
  let expectsClause = true
  while (text.slice(pattern.lastIndex).trim() !== '') {
    const found = pattern.exec(text)?.groups
    if (found === undefined) throw unreadable()
    if (found['joint'] !== undefined) {
      if (expectsClause) throw unreadable()
      joints.add(found['joint'].toUpperCase())
      expectsClause = true
      continue
    }
    // A space between clauses means AND.
    if (!expectsClause) joints.add('AND')
    clauses.push(clauseOf(found, fields, resource))
    expectsClause = false
  }
  if (clauses.length === 0 || expectsClause) throw unreadable()
  if (joints.size > 1) throw badRequest('Search query may not mix AND and OR operators.', 'query')
  if (clauses.length > maxClauses) throw badRequest(`Search query may have at most ${maxClauses} clauses.`, 'query')
  return { clauses, every: !joints.has('OR') }
}

function unreadable(): Error {
  return badRequest(
    'We were unable to parse your search query. Try using the format `metadata["key"]:"value"` to query for metadata or key:"value" to query for other fields.',
    'query',
  )
}

function clauseOf(found: Readonly<Record<string, string | undefined>>, fields: SearchFields, resource: string): Clause {
  const { field = '', operator: given = ':', value = '' } = found
  const key = found['key'] === undefined ? null : unquote(found['key'])
  const type = Object.hasOwn(fields, field) ? fields[field] : undefined
  if (type === undefined || (type === 'metadata') !== (key !== null)) {
    const message = `Field \`${field}\` is an unsupported search field for resource \`${resource}\`.`
    const link = `See https://stripe.com/docs/search#query-fields-for-${resource} for a list of supported fields.`
    throw badRequest(`${message} ${link}`, 'query')
  }
  const operator = (given === '=' ? ':' : given) as Operator
  const isNull = value.toLowerCase() === 'null'
  checkOperator(field, type, operator, isNull ? null : value)
  return {
    negated: found['minus'] !== undefined,
    ...{ field, key, type, operator },
    value: isNull ? null : unquote(value),
  }
}

function checkOperator(field: string, type: FieldType, operator: Operator, value: string | null): void {
  const compares = operator !== ':' && operator !== '~'
  const quoted = value !== null && /^["']/.test(value)
  if (compares && type !== 'numeric')
    throw badRequest(
      `Operator \`${operator}\` is only supported for numeric fields, and \`${field}\` is none.`,
      'query',
    )
  if (operator === '~' && (type === 'numeric' || type === 'token'))
    throw badRequest(`Operator \`~\` is not supported for field \`${field}\`.`, 'query')
  if (type !== 'numeric' && value !== null && !quoted) throw unreadable()
  if (type === 'numeric' && value !== null && !/^-?\d+(\.\d+)?$/.test(unquote(value)))
    throw badRequest(`Field \`${field}\` takes a number.`, 'query')
  if (operator === '~' && value !== null && unquote(value).length < 3)
    throw badRequest('Substring search needs at least 3 characters.', 'query')
}

function unquote(text: string): string {
  return /^["']/.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text
}

/** True if the object matches the query. `object` must be in the form that the API returns. */
export function matchesQuery(object: Readonly<Record<string, unknown>>, { clauses, every }: SearchQuery): boolean {
  const holds = (clause: Clause): boolean => matches(object, clause) !== clause.negated
  return every ? clauses.every(holds) : clauses.some(holds)
}

function matches(object: Readonly<Record<string, unknown>>, { field, key, operator, type, value }: Clause): boolean {
  const held = key === null ? object[field] : (object[field] as Readonly<Record<string, unknown>>)[key]
  if (held === null || held === undefined || held === '') return value === null
  // An object without a value in the field matches `field:null` only.
  if (value === null) return false
  if (type === 'numeric') return compare(Number(held), operator, Number(value))
  const [own, expected] = [textOf(held).toLowerCase(), value.toLowerCase()]
  return operator === '~' ? own.includes(expected) : own === expected
}

function textOf(held: unknown): string {
  return typeof held === 'string' ? held : JSON.stringify(held)
}

function compare(held: number, operator: Operator, expected: number): boolean {
  switch (operator) {
    case '>':
      return held > expected
    case '<':
      return held < expected
    case '>=':
      return held >= expected
    case '<=':
      return held <= expected
    default:
      return held === expected
  }
}
