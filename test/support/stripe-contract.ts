// Checks requests and responses against the contract that the build makes from the SDK's types (scripts/stripe-contract.ts). A schema is compiled
// at its first use, because compiling all at once takes seconds.
import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
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

const contract = JSON.parse(
  readFileSync(new URL('../../node_modules/.cache/stripe-contract.json', import.meta.url), 'utf8'),
) as Contract

/** Operations of the SDK that the product uses. */
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
        charge: { type: 'string', pattern: '^ch_' },
        payment_intent: { $ref: 'contract#/objects/PaymentIntent' },
        payment_method: { $ref: 'contract#/objects/PaymentMethod' },
        setup_intent: { $ref: 'contract#/objects/SetupIntent' },
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

/** Resolves references within the contract, wherever the schema is used. */
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

/** The same schema for a decoded form, in which every scalar is text: `true`, `12`, and '' for null. */
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
  // A literal path takes precedence: `/v1/prices/search` also matches `/v1/prices/{id}`.
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

/** True for operations of the sandbox that the SDK does not have, for Stripe's own programs. */
function isBeyondSdk(method: string, path: string): boolean {
  return paymentPages.some(
    (own) => own.method === method && new RegExp(`^${own.path.replaceAll(':id', '[^/]+')}$`).test(path),
  )
}

/** Violations in the parameters of a request (a decoded form). Empty if the contract allows it. */
export function checkRequest(method: string, path: string, params: unknown): string[] {
  const operation = operationOf(method, path)
  if (operation === undefined) return [`${method} ${path} is not in the contract`]
  const check = validator(`${operation.name} request`, () => asForm(operation.params) as Schema)
  return problems(check, params, `request ${method} ${path} `)
}

/** Violations in a response. Empty if it matches the contract for this operation and status. */
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

/** A request with its response, as passed to the sandbox's observer. */
export interface ObservedExchange {
  readonly method: string
  readonly path: string
  readonly params: unknown
  readonly status: number
  readonly body: unknown
}

/** Violations in request and response. Only an accepted request must be valid. */
export function checkExchange(exchange: ObservedExchange): string[] {
  const { method, path, params, status, body } = exchange
  // API v2 is not in the contract: only its list of events is used.
  if (path.startsWith('/v2/')) return []
  if (status === 200 && isBeyondSdk(method, path)) return []
  return [...(status === 200 ? checkRequest(method, path, params) : []), ...checkReply(method, path, status, body)]
}

/** Violations in the response only, for programs that use an earlier version of the API. */
export function checkAnswer(exchange: ObservedExchange): string[] {
  const { method, path, status, body } = exchange
  if (path.startsWith('/v2/') || (status === 200 && isBeyondSdk(method, path))) return []
  return checkReply(method, path, status, body)
}
