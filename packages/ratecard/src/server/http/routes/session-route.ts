// Routes of a tenant. They accept a tenant's session (from the browser or through the application's server), and a service key that names
// the tenant. This file finds the caller's tenant, and the web origins that may call.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyCorsOptions } from '@fastify/cors'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { checkoutOperations } from '../../../api/customers/checkout.ts'
import { subscriptionChangeOperations } from '../../../api/customers/subscription-changes.ts'
import type { Operation } from '../../../api/notation/operation.ts'
import { memberInvalid } from '../request/request-parts.ts'
import type { RouteDeps } from './deps.ts'
import { sessionInvalid } from '../authentication/auth.ts'
import { sessionValueOf, type Origins } from '../authentication/session.ts'
import type { Principal } from '../../../api/customers/sessions.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** CORS options of one route, which override the scope's options (@fastify/cors). */
    cors?: FastifyCorsOptions
  }
}

/** Returns the id of the session's tenant, or of the tenant that the request with a service key names; null if it names none. */
function tenantIdOf(principal: Principal): string | null {
  return principal.kind === 'session' ? principal.session.tenantId : principal.tenantId
}

/** Returns the id of the tenant whose data the request reads: the tenant of the session, or the tenant that a service key names. */
export function readTenantId(request: FastifyRequest, named: string | undefined): string {
  const id = tenantIdOf(principalOf(request, named))
  if (id === null) throw new ServiceError('internal', 'The route let in a caller without a tenant.')
  return id
}

/**
 * Returns a function that reads the creation time of the tenant for the fingerprint of an idempotent request. A tenant that was deleted and
 * created again under the same id must not get a stored response of the old tenant.
 */
export function bornOf(service: RouteDeps['service'], principal: Principal): () => Promise<string> {
  const id = tenantIdOf(principal)
  return async () => (id === null ? '' : `${id} ${String((await service.findTenant(id)).createdAt)}`)
}

/** Returns the tenant that the request acts for. A session acts for its own tenant only. A service key must name the tenant. */
export function principalOf(request: FastifyRequest, named: string | undefined): Principal {
  const session = request.tenantSession
  if (session !== null) {
    if (named === undefined || named === session.tenantId) return { kind: 'session', session }
    throw new ServiceError('not_allowed', 'The session belongs to another tenant.', {
      hint: 'Leave out tenant_id: the session belongs to one tenant.',
    })
  }
  if (request.caller === null) throw new ServiceError('internal', 'The route let in a caller without a credential.')
  if (named === undefined)
    throw memberInvalid(
      'tenant_id',
      'A request with a service key must name the tenant in "tenant_id".',
      'field_missing',
    )
  return { kind: 'key', keyId: request.caller.id, tenantId: named }
}

/**
 * Returns the principal of a checkout. A service key may name no tenant. Then it sells to the tenant of the session cookie in the request
 * or, without a cookie, to a customer that the processor creates.
 */
export async function buyerOf(
  service: Pick<RouteDeps['service'], 'authenticateSession'>,
  request: FastifyRequest,
  named: string | undefined,
): Promise<Principal> {
  if (request.caller === null || named !== undefined) return principalOf(request, named)
  const value = sessionValueOf(request)
  const session = value === undefined ? null : await service.authenticateSession(value)
  if (value !== undefined && session === null) throw sessionInvalid()
  return { kind: 'key', keyId: request.caller.id, tenantId: session?.tenantId ?? null }
}

export function sessionRoute({ authentication, origins }: RouteDeps, { method }: Pick<Operation, 'method'>) {
  return {
    config: { cors: corsFor(origins, method) },
    onRequest: [authentication.session, notStored],
  }
}

async function notStored(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('cache-control', 'no-store')
  return Promise.resolve()
}

/** Returns CORS options that allow credentials: browsers then send the cookie, but only from pages of allowed origins. */
function corsFor(origins: Origins, method: Operation['method']) {
  return {
    origin: (origin: string | undefined, decide: (error: Error | null, allowed: boolean) => void) => {
      decide(null, origins.isAllowed(origin))
    },
    credentials: true,
    methods: [method],
    allowedHeaders: ['Content-Type', 'X-Request-Id', 'Idempotency-Key'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'Idempotent-Replayed'],
    maxAge: 600,
  }
}

/**
 * Adds routes for CORS preflight requests to these paths. Without them, the preflight response of the public routes (`*`) would be sent for
 * these paths too.
 */
export function allowPreflights(scope: FastifyInstance, prefix: string, origins: Origins): void {
  for (const { path, method } of Object.values({ ...checkoutOperations, ...subscriptionChangeOperations }))
    allowPreflight(scope, path.slice(prefix.length), corsFor(origins, method))
}

function allowPreflight(scope: FastifyInstance, path: string, cors: FastifyCorsOptions): void {
  scope.options(path, { schema: { hide: true }, config: { cors } }, (_request, reply) => {
    reply.callNotFound()
  })
}
