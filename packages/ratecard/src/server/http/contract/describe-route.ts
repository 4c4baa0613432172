// Converts an operation of the API contract to a schema for OpenAPI and Fastify. In the schema, unknown parameters are refused, and errors
// are listed by code. A body with a configuration document only refers to the shared component, because the service validates the document.
import { Type, type TSchema } from 'typebox'
import type {} from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { problemCodes, type ProblemCode } from '../../../base/errors/codes.ts'
import type { Operation, ScopeNeeded } from '../../../api/notation/operation.ts'

export const securityScheme = 'ServiceKey'
export const sessionScheme = 'SessionCookie'

const security: Readonly<Record<Operation['access'], readonly Readonly<Record<string, readonly string[]>>[]>> = {
  open: [],
  public: [{}, { [securityScheme]: [] }],
  session: [{ [sessionScheme]: [] }, { [securityScheme]: [] }],
  service_key: [{ [securityScheme]: [] }],
}

declare module 'fastify' {
  interface FastifySchema {
    /** Scope that a service key needs for the route; shown in OpenAPI. */
    readonly 'x-key-scope'?: ScopeNeeded
  }
}

/** Returns the scope that a route requires of a service key. A route without a scope of its own requires `write`. */
export function scopeNeeded(schema: FastifySchema | undefined): ScopeNeeded {
  return schema?.['x-key-scope'] ?? 'write'
}

/** Returns the schema of an operation, for validation by Fastify and for OpenAPI. */
export function describeRoute(operationId: string, row: Operation): FastifySchema {
  if ('scope' in row && row.scope === 'dry_run' && row.query?.['dry_run'] === undefined)
    throw new Error(`${operationId} has no dry run that a read key could be let in for.`)
  return {
    operationId,
    summary: row.summary,
    tags: [row.tag],
    ...(row.description === undefined ? {} : { description: row.description }),
    ...(row.params === undefined ? {} : { params: Type.Object(row.params) }),
    querystring: Type.Object({ ...row.query }, { additionalProperties: false }),
    ...(row.headers === undefined ? {} : { headers: Type.Object(row.headers) }),
    ...(row.body === undefined ? {} : { body: row.body }),
    security: security[row.access],
    'x-key-scope': 'scope' in row ? row.scope : 'read',
    response: { ...answersOf(row), ...problemsOf(row) },
  }
}

const eventStream = 'text/event-stream'

function answersOf({ answers, events }: Operation): Record<string, unknown> {
  const contentOf = (mediaType: string, textType: string | undefined, schema: TSchema) => ({
    [mediaType]: { schema },
    ...(textType === undefined ? {} : { [textType]: { schema: Type.String() } }),
    // The response is a single JSON value or an event stream, depending on the request.
    ...(events === undefined ? {} : { [eventStream]: { schema: Type.String() } }),
  })
  return Object.fromEntries(
    Object.entries(answers).map(
      ([status, { description, schema, mediaType = 'application/json', textType, headers }]) => [
        status,
        {
          description,
          ...(headers === undefined ? {} : { headers }),
          ...(schema === null ? { type: 'null' } : { content: contentOf(mediaType, textType, schema) }),
        },
      ],
    ),
  )
}

function problemsOf(row: Operation): Record<string, unknown> {
  const byStatus = new Map<number, ProblemCode[]>()
  for (const code of errorsOf(row)) {
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

function errorsOf(row: Operation): Set<ProblemCode> {
  const { access, body, errors = [] } = row
  return new Set<ProblemCode>([
    'request_invalid',
    ...(access === 'open'
      ? []
      : (['service_key_invalid', 'service_key_expired', 'rate_limited', 'store_unavailable'] as const)),
    ...('scope' in row && row.scope !== 'read' ? (['key_scope'] as const) : []),
    ...(access === 'service_key' || access === 'session' ? (['service_key_missing', 'not_allowed'] as const) : []),
    ...(access === 'session' ? (['session_invalid', 'secret_unreadable'] as const) : []),
    ...(body === undefined ? [] : (['json_malformed', 'body_too_large', 'media_type_unsupported'] as const)),
    ...errors,
    'internal',
    'shutting_down',
  ])
}
