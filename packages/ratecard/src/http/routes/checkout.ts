// Operations for a tenant: checkout, managing subscriptions, and reporting usage. Callers use the tenant's session cookie (from the browser
// or through the application's server), or a service key that names the tenant.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyCorsOptions } from '@fastify/cors'
import { ServiceError } from '../../errors/service-error.ts'
import type { Principal } from '../../service/tenants.ts'
import { checkoutOperations as rows } from '../../api/checkout.ts'
import type { Operation } from '../../api/notation/operation.ts'
import { answerKeyed } from '../response/keyed-answer.ts'
import { idempotencyKeyOf } from '../response/push-answer.ts'
import { memberInvalid, timeOf } from '../request/request-parts.ts'
import type { RouteDeps } from './deps.ts'
import { route, type Routes } from '../contract/route.ts'
import type { Origins } from '../authentication/session.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** CORS options of one route, which override the scope's options (@fastify/cors). */
    cors?: FastifyCorsOptions
  }
}

export function checkoutRoutes(deps: RouteDeps): Routes<typeof rows> {
  const { service } = deps
  return {
    listSessionPrices: route(
      rows.listSessionPrices,
      async ({ query, request }) => ({
        prices: await service.sessionPrices(principalOf(request, query.tenantId)),
      }),
      sessionRoute(deps, rows.listSessionPrices),
    ),
    getEntitlements: route(
      rows.getEntitlements,
      ({ query, request }) => service.sessionEntitlements(principalOf(request, query.tenantId)),
      sessionRoute(deps, rows.getEntitlements),
    ),
    checkEntitlements: route(
      rows.checkEntitlements,
      async ({ body, request }) => {
        const { feature, checks, used, requested, tenantId } = body
        const principal = principalOf(request, tenantId)
        if (checks === undefined) {
          if (feature === undefined)
            throw memberInvalid('feature', '"feature" or "checks" says what is asked.', 'field_missing')
          const question = {
            feature,
            ...(used !== undefined && { used }),
            ...(requested !== undefined && { requested }),
          }
          return service.checkFeature(question, principal)
        }
        if (feature !== undefined || used !== undefined || requested !== undefined)
          throw memberInvalid(
            'checks',
            '"checks" takes the place of "feature", "used" and "requested".',
            'value_invalid',
          )
        return { checks: await service.checkFeatures(checks, principal) }
      },
      sessionRoute(deps, rows.checkEntitlements),
    ),
    createCheckout: route(
      rows.createCheckout,
      (call) => {
        const { tenantId, ...checkout } = call.body
        const principal = principalOf(call.request, tenantId)
        return answerKeyed(
          service,
          call,
          async () =>
            call.answer(200, await service.createCheckout(checkout, principal, idempotencyKeyOf(call.request))),
          bornOf(service, principal),
        )
      },
      sessionRoute(deps, rows.createCheckout),
    ),
    createPortal: route(
      rows.createPortal,
      async ({ body, request }) => service.createPortal(body.returnUrl, principalOf(request, body.tenantId)),
      sessionRoute(deps, rows.createPortal),
    ),
    recordUsage: route(
      rows.recordUsage,
      (call) => {
        const {
          meter,
          value,
          tenantId,
          timestamp,
          identifier = identifierOf(call.request),
          strict,
          enforce,
        } = call.body
        const principal = principalOf(call.request, tenantId)
        const at = timestamp === undefined ? null : timeOf(timestamp, 'timestamp')
        const usage = {
          meter,
          value,
          ...(at === null ? {} : { timestamp: at }),
          ...(identifier === undefined ? {} : { identifier }),
          ...(strict === undefined ? {} : { strict }),
          ...(enforce === undefined ? {} : { enforce }),
        }
        return answerKeyed(
          service,
          call,
          async () => {
            const recorded = await service.recordUsage(usage, principal)
            // `alreadyCounted` means that the report was a duplicate: its values were not counted, so they are not returned. The values of
            // the first report are not stored.
            const said = recorded.alreadyCounted ? { value: null, timestamp: null } : { value, timestamp: at }
            return call.answer(200, { ...recorded, ...said })
          },
          bornOf(service, principal),
        )
      },
      sessionRoute(deps, rows.recordUsage),
    ),
  }
}

/**
 * Returns a function for the creation time of the tenant, which is part of the idempotency fingerprint. A tenant that was deleted and
 * re-created under the same id must not get a replayed response of the old tenant.
 */
function bornOf(service: RouteDeps['service'], principal: Principal): () => Promise<string> {
  const id = principal.kind === 'session' ? principal.session.tenantId : principal.tenantId
  return async () => (id === null ? '' : String((await service.findTenant(id)).createdAt))
}

/**
 * Returns an identifier derived from the idempotency key, for a report without an identifier. So a retry after a lost response is not
 * counted twice.
 */
function identifierOf(request: FastifyRequest): string | undefined {
  const key = idempotencyKeyOf(request)
  return key === null ? undefined : `key_${createHash('sha256').update(key).digest('hex')}`
}

/** Returns the tenant that the request acts for. A session acts for its own tenant only. A service key must name the tenant. */
function principalOf(request: FastifyRequest, named: string | undefined): Principal {
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

function sessionRoute({ authentication, origins }: RouteDeps, { method }: Pick<Operation, 'method'>) {
  return {
    config: { cors: corsFor(origins, method) },
    onRequest: [authentication.session, notStored],
  }
}

async function notStored(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('cache-control', 'no-store')
  return Promise.resolve()
}

/** Returns CORS options with credentials: browsers send the cookie for allowed origins only. */
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

/** Adds preflight routes for the paths of this file. Without them the public preflight response (`*`) would also apply to these paths. */
export function allowPreflights(scope: FastifyInstance, prefix: string, origins: Origins): void {
  for (const { path, method } of Object.values(rows))
    allowPreflight(scope, path.slice(prefix.length), corsFor(origins, method))
}

function allowPreflight(scope: FastifyInstance, path: string, cors: FastifyCorsOptions): void {
  scope.options(path, { schema: { hide: true }, config: { cors } }, (_request, reply) => {
    reply.callNotFound()
  })
}
