// What a tenant does for itself: buy, look after what it bought, and use what is metered. With its session cookie, from the
// browser or through the application's server, or with a service key on its behalf.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyCorsOptions } from '@fastify/cors'
import { toRfc3339 } from '../../clock.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Service } from '../../service.ts'
import type { Principal } from '../../service-tenants.ts'
import type { Authentication } from '../auth.ts'
import { describeRoute, customerErrors } from '../contract.ts'
import type { KeyRoute } from '../contract.ts'
import { answerKeyed, keyErrors, keyHeader } from '../keyed-answer.ts'
import { idempotencyKeyOf } from '../push-answer.ts'
import { memberInvalid, timeOf } from '../request-parts.ts'
import type { Origins } from '../session.ts'
import {
  CheckoutSchema,
  NewCheckoutSchema,
  NewPortalSchema,
  NewUsageSchema,
  PortalSchema,
  UsageSchema,
} from '../tenant-schemas.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What @fastify/cors reads of a route in place of the scope's own. */
    cors?: FastifyCorsOptions
  }
}

export interface CheckoutDeps {
  readonly service: Pick<Service, 'createCheckout' | 'createPortal' | 'recordUsage' | 'idempotent' | 'findTenant'>
  readonly authentication: Authentication
  readonly origins: Origins
}

interface OnBehalfOf {
  readonly tenant_id?: string
}
interface WireCheckout extends OnBehalfOf {
  readonly price_id: string
  readonly success_url: string
  readonly cancel_url: string
  readonly quantity?: number
  readonly trial_period_days?: number
  readonly allow_promotion_codes?: boolean
  readonly promotion_code?: string
  readonly allow_duplicate?: boolean
}
interface WireUsage extends OnBehalfOf {
  readonly meter: string
  readonly value: number | string
  readonly timestamp?: string
  readonly identifier?: string
}

export function checkoutRoutes(app: FastifyInstance, deps: CheckoutDeps): void {
  checkoutRoute(app, deps)
  portalRoute(app, deps)
  usageRoute(app, deps)
  for (const path of ['/checkout', '/portal', '/usage']) allowPreflight(app, path, deps.origins)
}

const contract = (rest: Omit<KeyRoute, 'tag' | 'access'>) =>
  describeRoute({ tag: 'Checkout', access: 'session', ...rest })

function checkoutRoute(app: FastifyInstance, deps: CheckoutDeps): void {
  const { service } = deps
  app.post<{ Body: WireCheckout }>(
    '/checkout',
    {
      ...sessionRoute(deps),
      schema: contract({
        operationId: 'createCheckout',
        scope: 'write',
        summary: 'Send a tenant to the checkout of a price',
        description:
          'A tenant with enterprise pricing gets its own price in place of the base. A free price with an interval begins at once: `url` is then the success URL.',
        headers: keyHeader,
        body: NewCheckoutSchema,
        answers: { 200: { description: 'Where to send the customer.', schema: CheckoutSchema } },
        errors: [
          'price_not_found',
          'config_not_found',
          'tenant_not_found',
          'price_not_sellable',
          'checkout_invalid',
          'already_subscribed',
          'tenant_busy',
          ...customerErrors,
          ...keyErrors,
        ],
      }),
    },
    (request, reply) => {
      const principal = principalOf(request)
      const { price_id, success_url, cancel_url, quantity, trial_period_days, ...rest } = request.body
      const { allow_promotion_codes, promotion_code, allow_duplicate } = rest
      const checkout = {
        priceId: price_id,
        successUrl: success_url,
        cancelUrl: cancel_url,
        ...(quantity === undefined ? {} : { quantity }),
        ...(trial_period_days === undefined ? {} : { trialPeriodDays: trial_period_days }),
        ...(allow_promotion_codes === undefined ? {} : { allowPromotionCodes: allow_promotion_codes }),
        ...(promotion_code === undefined ? {} : { promotionCode: promotion_code }),
        ...(allow_duplicate === undefined ? {} : { allowDuplicate: allow_duplicate }),
      }
      return answerKeyed(
        service,
        request,
        reply,
        async () => {
          const { url, sessionId } = await service.createCheckout(checkout, principal, idempotencyKeyOf(request))
          return { status: 200, body: { url, session_id: sessionId } }
        },
        bornOf(service, principal),
      )
    },
  )
}

function portalRoute(app: FastifyInstance, deps: CheckoutDeps): void {
  app.post<{ Body: OnBehalfOf & { readonly return_url: string } }>(
    '/portal',
    {
      ...sessionRoute(deps),
      schema: contract({
        operationId: 'createPortal',
        scope: 'write',
        summary: 'Send a tenant to the customer portal of the processor',
        body: NewPortalSchema,
        answers: { 200: { description: 'Where to send the customer.', schema: PortalSchema } },
        errors: ['tenant_not_found', 'checkout_invalid', 'tenant_busy', ...customerErrors],
      }),
    },
    async (request, reply) => {
      const { url } = await deps.service.createPortal(request.body.return_url, principalOf(request))
      return reply.send({ url })
    },
  )
}

function usageRoute(app: FastifyInstance, deps: CheckoutDeps): void {
  const { service } = deps
  app.post<{ Body: WireUsage }>(
    '/usage',
    {
      ...sessionRoute(deps),
      schema: contract({
        operationId: 'recordUsage',
        scope: 'write',
        summary: 'Record usage of a meter',
        headers: keyHeader,
        body: NewUsageSchema,
        answers: { 200: { description: 'It is recorded.', schema: UsageSchema } },
        errors: [
          'meter_not_found',
          'config_not_found',
          'tenant_not_found',
          'checkout_invalid',
          'tenant_busy',
          ...customerErrors,
          ...keyErrors,
        ],
      }),
    },
    (request, reply) => {
      const principal = principalOf(request)
      const { meter, value, timestamp, identifier = identifierOf(request) } = request.body
      const at = timestamp === undefined ? null : timeOf(timestamp, 'timestamp')
      const usage = {
        meter,
        value,
        ...(at === null ? {} : { timestamp: at }),
        ...(identifier === undefined ? {} : { identifier }),
      }
      return answerKeyed(
        service,
        request,
        reply,
        async () => {
          const recorded = await service.recordUsage(usage, principal)
          return {
            status: 200,
            body: {
              meter: recorded.meter,
              tenant_id: recorded.tenantId,
              value,
              timestamp: at === null ? null : toRfc3339(at),
              identifier: recorded.identifier,
            },
          }
        },
        bornOf(service, principal),
      )
    },
  )
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
function principalOf(request: FastifyRequest<{ Body: OnBehalfOf }>): Principal {
  const named = request.body.tenant_id
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

function sessionRoute({ authentication, origins }: CheckoutDeps) {
  return {
    bodyLimit: 32 * 1024,
    config: { cors: corsFor(origins) },
    onRequest: [authentication.session, notStored],
  }
}

async function notStored(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('cache-control', 'no-store')
  return Promise.resolve()
}

/** The cookie goes with requests of allowed origins only; others get no permission from the browser. */
function corsFor(origins: Origins) {
  return {
    origin: (origin: string | undefined, decide: (error: Error | null, allowed: boolean) => void) => {
      decide(null, origins.isAllowed(origin))
    },
    credentials: true,
    methods: ['POST'],
    allowedHeaders: ['Content-Type', 'X-Request-Id', 'Idempotency-Key'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'Idempotent-Replayed'],
    maxAge: 600,
  }
}

/** Without it the preflight answer for everybody, `*`, would speak for these paths too. */
function allowPreflight(app: FastifyInstance, path: string, origins: Origins): void {
  app.options(path, { schema: { hide: true }, config: { cors: corsFor(origins) } }, (_request, reply) => {
    reply.callNotFound()
  })
}
