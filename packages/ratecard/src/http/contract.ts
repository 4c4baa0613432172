// One route as OpenAPI tells it, and as Fastify checks it: parameters are closed (an unknown one is refused), errors are named
// by code. Routes that take a configuration document name its component as body; the service judges the document itself.
import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import type {} from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { problemCodes } from '../errors/codes.ts'
import type { ProblemCode } from '../errors/codes.ts'
import type { ScopeNeeded } from '../wire/operation.ts'

export type Tag =
  | 'Price list'
  | 'Checkout'
  | 'Configuration'
  | 'Pushes'
  | 'Tenants'
  | 'Enterprise'
  | 'Jobs'
  | 'Workers'
  | 'Access'
  | 'Operations'

export interface Answer {
  readonly description: string
  /** null: no body. */
  readonly schema: TSchema | null
  readonly mediaType?: string
  readonly headers?: Readonly<Record<string, { readonly type: string; readonly description: string }>>
}

interface RouteBasis {
  readonly operationId: string
  readonly summary: string
  readonly tag: Tag
  readonly description?: string
  readonly params?: TSchema
  readonly query?: Readonly<Record<string, TSchema>>
  readonly headers?: Readonly<Record<string, TSchema>>
  readonly body?: TSchema
  readonly answers: Readonly<Record<number, Answer>>
  readonly errors?: readonly ProblemCode[]
}

/** Anybody may call it; `public` shows more to whoever has a key, of any scope. */
export interface OpenRoute extends RouteBasis {
  readonly access: 'public' | 'open'
}

/** `session`: the session cookie of a tenant, or a service key. */
export interface KeyRoute extends RouteBasis {
  readonly access: 'service_key' | 'session'
  readonly scope: ScopeNeeded
}

export type RouteContract = OpenRoute | KeyRoute

export const securityScheme = 'ServiceKey'
export const sessionScheme = 'SessionCookie'

const security: Readonly<Record<RouteContract['access'], readonly Readonly<Record<string, readonly string[]>>[]>> = {
  open: [],
  public: [{}, { [securityScheme]: [] }],
  session: [{ [sessionScheme]: [] }, { [securityScheme]: [] }],
  service_key: [{ [securityScheme]: [] }],
}

declare module 'fastify' {
  interface FastifySchema {
    /** Which scope a service key needs; OpenAPI shows it too. */
    readonly 'x-key-scope'?: ScopeNeeded
  }
}

/** The scope that a route asks of a key. A route that does not say asks for everything. */
export function scopeNeeded(schema: FastifySchema | undefined): ScopeNeeded {
  return schema?.['x-key-scope'] ?? 'write'
}

/** The schema of a route: what Fastify validates and OpenAPI shows. */
export function describeRoute(contract: RouteContract): FastifySchema {
  if ('scope' in contract && contract.scope === 'dry_run' && contract.query?.['dry_run'] === undefined)
    throw new Error(`${contract.operationId} has no dry run that a read key could be let in for.`)
  return {
    operationId: contract.operationId,
    summary: contract.summary,
    tags: [contract.tag],
    ...(contract.description === undefined ? {} : { description: contract.description }),
    ...(contract.params === undefined ? {} : { params: contract.params }),
    querystring: Type.Object({ ...contract.query }, { additionalProperties: false }),
    ...(contract.headers === undefined ? {} : { headers: Type.Object({ ...contract.headers }) }),
    ...(contract.body === undefined ? {} : { body: contract.body }),
    security: security[contract.access],
    'x-key-scope': 'scope' in contract ? contract.scope : 'read',
    response: { ...answersOf(contract), ...problemsOf(contract) },
  }
}

function answersOf({ answers }: RouteContract): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, mediaType = 'application/json', headers }]) => [
      status,
      {
        description,
        ...(headers === undefined ? {} : { headers }),
        ...(schema === null ? { type: 'null' } : { content: { [mediaType]: { schema } } }),
      },
    ]),
  )
}

function problemsOf(contract: RouteContract): Record<string, unknown> {
  const byStatus = new Map<number, ProblemCode[]>()
  for (const code of errorsOf(contract)) {
    const { status } = problemCodes[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => problemCodes[code].title).join(' · '),
        content: { 'application/problem+json': { schema: problemSchema(codes) } },
      },
    ]),
  )
}

function problemSchema(codes: readonly ProblemCode[]): TSchema {
  return Type.Unsafe({ allOf: [{ $ref: 'Problem#' }, { type: 'object', properties: { code: { enum: codes } } }] })
}

function errorsOf(contract: RouteContract): Set<ProblemCode> {
  const { access, body, errors = [] } = contract
  return new Set<ProblemCode>([
    'request_invalid',
    ...(access === 'open'
      ? []
      : (['service_key_invalid', 'service_key_expired', 'rate_limited', 'store_unavailable'] as const)),
    ...('scope' in contract && contract.scope !== 'read' ? (['key_scope'] as const) : []),
    ...(access === 'service_key' || access === 'session' ? (['service_key_missing', 'not_allowed'] as const) : []),
    ...(access === 'session' ? (['session_invalid', 'secret_unreadable'] as const) : []),
    ...(body === undefined ? [] : (['json_malformed', 'body_too_large', 'media_type_unsupported'] as const)),
    ...errors,
    'internal',
    'shutting_down',
  ])
}

/** What any call of the processor can end with. */
export const processorErrors = [
  'processor_unauthorized',
  'processor_broken',
  'processor_rate_limited',
  'processor_unavailable',
  'processor_timeout',
  'processor_rejected',
] as const satisfies readonly ProblemCode[]

/** What anything that concerns a customer of the processor can end with. */
export const customerErrors = [...processorErrors, 'account_mismatch'] as const satisfies readonly ProblemCode[]

/** What anything that plans and applies can end with. */
export const pushErrors = [
  ...processorErrors,
  'push_in_progress',
  'request_in_progress',
  'push_unfinished',
  'version_conflict',
  'processor_drift',
  'plan_stale',
  'push_cancelled',
  'impact_not_approved',
  'account_mismatch',
  'idempotency_key_reused',
  'config_invalid',
  'written_form_mismatch',
  'plan_refused',
  'secret_unreadable',
] as const satisfies readonly ProblemCode[]
