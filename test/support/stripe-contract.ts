// Checks requests and replies against the contract generated from the SDK's types (scripts/stripe-contract.ts).
// Schemas are compiled when an operation is first met: all of them at once would cost seconds.
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import { paymentPages } from '../../packages/sandbox/src/endpoints/checkout/payment-pages.ts'

type Schema = Readonly<Record<string, unknown>>

export interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly params: Schema
  readonly reply: Schema
}

interface Contract {
  readonly api_version: string
  readonly operations: readonly Operation[]
  readonly objects: Readonly<Record<string, Schema>>
}

/** The generated file; its shape is the generator's own. */
const contract = JSON.parse(
  readFileSync(new URL('stripe-contract.generated.json', import.meta.url), 'utf8'),
) as Contract

/** What the SDK can ask for, of what we use. */
export const operations = contract.operations

export const contractVersion = contract.api_version

const ajv = new Ajv({ allErrors: true, strict: false, allowUnionTypes: true })
ajv.addFormat('decimal', /^-?\d+(\.\d+)?$/)
ajv.addSchema({ $id: 'contract', objects: contract.objects })

const errorSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'message'],
      properties: {
        type: { enum: ['api_error', 'card_error', 'idempotency_error', 'invalid_request_error'] },
        message: { type: 'string', minLength: 1 },
        code: { type: 'string', pattern: '^[a-z_]+$' },
        decline_code: { type: 'string', pattern: '^[a-z_]+$' },
        param: { type: 'string', minLength: 1 },
        doc_url: { type: 'string' },
        request_log_url: { type: 'string' },
      },
    },
  },
}

const compiled = new Map<string, ValidateFunction>()

function validator(name: string, schema: () => Schema): ValidateFunction {
  const known = compiled.get(name)
  if (known !== undefined) return known
  const made = ajv.compile(schema())
  compiled.set(name, made)
  return made
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** References point into the contract, wherever the schema stands. */
function located(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(located)
  if (!isRecord(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === '$ref' && typeof value === 'string' ? `contract${value}` : located(value),
    ]),
  )
}

/** The same schema for a decoded form, where every scalar is text: `true`, `12`, and null is the empty text. */
function asForm(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asForm)
  if (!isRecord(schema)) return schema
  if (schema['type'] === 'number') return { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' }
  if (schema['type'] === 'boolean') return { enum: ['true', 'false'] }
  if (schema['type'] === 'null') return { enum: [''] }
  if (Array.isArray(schema['enum'])) return { enum: schema['enum'].map(String) }
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, asForm(value)]))
}

function operationOf(method: string, path: string): Operation | undefined {
  const fits = (operation: Operation): boolean =>
    operation.method === method && new RegExp(`^${operation.path.replaceAll('{id}', '[^/]+')}$`).test(path)
  // `/v1/prices/search` would fit `/v1/prices/{id}` too: a literal path wins.
  return (
    contract.operations.find((operation) => operation.method === method && operation.path === path) ??
    contract.operations.find(fits)
  )
}

function problems(check: ValidateFunction, value: unknown, where: string): string[] {
  if (check(value)) return []
  return (check.errors ?? []).map(
    (error) => `${where}${error.instancePath}: ${error.message ?? ''} ${JSON.stringify(error.params)}`,
  )
}

/** What the sandbox has beyond the SDK, for programs of Stripe's own. */
function isBeyondSdk(method: string, path: string): boolean {
  return paymentPages.some(
    (own) => own.method === method && new RegExp(`^${own.path.replaceAll(':id', '[^/]+')}$`).test(path),
  )
}

/** What is wrong with the parameters of a request (a decoded form); empty when the contract allows it. */
export function checkRequest(method: string, path: string, params: unknown): string[] {
  const operation = operationOf(method, path)
  if (operation === undefined) return [`${method} ${path} is not in the contract`]
  const check = validator(`${operation.name} request`, () => asForm(operation.params) as Schema)
  return problems(check, params, `request ${method} ${path} `)
}

/** What is wrong with a reply; empty when it is what the contract promises for this operation and status. */
export function checkReply(method: string, path: string, status: number, body: unknown): string[] {
  const where = `reply ${status} ${method} ${path} `
  if (status !== 200)
    return problems(
      validator('error', () => errorSchema),
      body,
      where,
    )
  const operation = operationOf(method, path)
  if (operation === undefined) return [`${method} ${path} is not in the contract`]
  return problems(
    validator(`${operation.name} reply`, () => located(operation.reply) as Schema),
    body,
    where,
  )
}

/** A request that was answered, as the sandbox's observer sees it. */
export interface ObservedExchange {
  readonly method: string
  readonly path: string
  readonly params: unknown
  readonly status: number
  readonly body: unknown
}

/** Both sides of an exchange. A refused request need not be a right one; an accepted one must be. */
export function checkExchange(exchange: ObservedExchange): string[] {
  const { method, path, params, status, body } = exchange
  // The second API is not in the contract: one list of events is all that is used of it.
  if (path.startsWith('/v2/')) return []
  if (status === 200 && isBeyondSdk(method, path)) return []
  return [...(status === 200 ? checkRequest(method, path, params) : []), ...checkReply(method, path, status, body)]
}

/** The answers alone, for programs that speak a former version of the API. */
export function checkAnswer(exchange: ObservedExchange): string[] {
  const { method, path, status, body } = exchange
  if (path.startsWith('/v2/') || (status === 200 && isBeyondSdk(method, path))) return []
  return checkReply(method, path, status, body)
}
