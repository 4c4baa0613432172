// What a tenant does for itself: buy, look after what it bought, and use what is metered. With its session cookie, from the
// browser or through the application's server, or with a service key on its behalf.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyCorsOptions } from '@fastify/cors'
import { ServiceError } from '../../errors/service-error.ts'
import type { Service } from '../../service/service.ts'
import type { Principal } from '../../service/tenants.ts'
import { checkoutOperations as rows } from '../../api/checkout.ts'
import type { Operation } from '../../api/notation/operation.ts'
import type { Authentication } from '../authentication/auth.ts'
import { answerKeyed } from '../response/keyed-answer.ts'
import { idempotencyKeyOf } from '../response/push-answer.ts'
import { memberInvalid, timeOf } from '../request/request-parts.ts'
import { route } from '../contract/route.ts'
import type { Routes } from '../contract/route.ts'
import type { Origins } from '../authentication/session.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What @fastify/cors reads of a route in place of the scope's own. */
    cors?: FastifyCorsOptions
  }
}

export interface CheckoutDeps {
  readonly service: Pick<
    Service,
    | 'sessionPrices'
    | 'sessionEntitlements'
    | 'createCheckout'
    | 'createPortal'
    | 'recordUsage'
    | 'idempotent'
    | 'findTenant'
  >
  readonly authentication: Authentication
  readonly origins: Origins
}

export function checkoutRoutes(deps: CheckoutDeps): Routes<typeof rows> {
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
        const { meter, value, tenantId, timestamp, identifier = identifierOf(call.request) } = call.body
        const principal = principalOf(call.request, tenantId)
        const at = timestamp === undefined ? null : timeOf(timestamp, 'timestamp')
        const usage = {
          meter,
          value,
          ...(at === null ? {} : { timestamp: at }),
          ...(identifier === undefined ? {} : { identifier }),
        }
        return answerKeyed(
          service,
          call,
          async () => {
            const recorded = await service.recordUsage(usage, principal)
            // Of an earlier report neither value nor time is known here: what came now did not count, and is not repeated.
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

/** A tenant that was removed and made again under the same id is another one: the first one's checkout is not for it. */
function bornOf(service: CheckoutDeps['service'], principal: Principal): () => Promise<string> {
  const id = principal.kind === 'session' ? principal.session.tenantId : principal.tenantId
  return async () => (id === null ? '' : String((await service.findTenant(id)).createdAt))
}

/** A report without an identifier goes by its key: repeated after an answer that was lost, it must not count again. */
function identifierOf(request: FastifyRequest): string | undefined {
  const key = idempotencyKeyOf(request)
  return key === null ? undefined : `key_${createHash('sha256').update(key).digest('hex')}`
}

/** A session speaks for its own tenant and no other; a key must say for whom. */
function principalOf(request: FastifyRequest, named: string | undefined): Principal {
  const session = request.tenantSession
  if (session !== null) {
    if (named === undefined || named === session.tenantId) return { kind: 'session', session }
    throw new ServiceError('not_allowed', 'The session belongs to another tenant.', {
      hint: 'Leave tenant_id out: the session says who it is.',
    })
  }
  if (request.caller === null) throw new ServiceError('internal', 'The route let in a caller without a credential.')
  if (named === undefined)
    throw memberInvalid('tenant_id', 'With a service key "tenant_id" says for whom.', 'field_missing')
  return { kind: 'key', keyId: request.caller.id, tenantId: named }
}

function sessionRoute({ authentication, origins }: CheckoutDeps, { method }: Pick<Operation, 'method'>) {
  return {
    config: { cors: corsFor(origins, method) },
    onRequest: [authentication.session, notStored],
  }
}

async function notStored(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('cache-control', 'no-store')
  return Promise.resolve()
}

/** The cookie goes with requests of allowed origins only; others get no permission from the browser. */
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

/** Without it the preflight answer for everybody, `*`, would speak for these paths too. */
export function allowPreflights(scope: FastifyInstance, prefix: string, origins: Origins): void {
  for (const { path, method } of Object.values(rows))
    allowPreflight(scope, path.slice(prefix.length), corsFor(origins, method))
}

function allowPreflight(scope: FastifyInstance, path: string, cors: FastifyCorsOptions): void {
  scope.options(path, { schema: { hide: true }, config: { cors } }, (_request, reply) => {
    reply.callNotFound()
  })
}
