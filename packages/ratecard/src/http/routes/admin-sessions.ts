import type { FastifyInstance } from 'fastify'
import type { Service } from '../../service.ts'
import { describeRoute } from '../contract.ts'
import { idParams } from '../request-parts.ts'
import type { IdParams } from '../request-parts.ts'
import { setSessionCookie } from '../session.ts'
import { NewSessionSchema, SessionSchema } from '../tenant-schemas.ts'
import { sessionToWire } from '../tenant-wire.ts'

export interface AdminSessionDeps {
  readonly service: Pick<Service, 'createSession' | 'revokeSession'>
  readonly publicUrl: string | null
}

/** Sessions of tenants: minted here, good for checkout, portal and usage of that tenant alone. */
export function adminSessionRoutes(app: FastifyInstance, { service, publicUrl }: AdminSessionDeps): void {
  app.post<{ Body: { tenant_id: string; ttl_seconds?: number } }>(
    '/sessions',
    {
      schema: describeRoute({
        operationId: 'createSession',
        scope: 'write',
        summary: 'Create a session for a tenant',
        description: 'The value is in this answer only; what is stored is its hash.',
        tag: 'Access',
        access: 'service_key',
        body: NewSessionSchema,
        answers: {
          201: {
            description: 'The session.',
            schema: SessionSchema,
            headers: {
              'Set-Cookie': {
                type: 'string',
                description: '`ratecard_session`, for browsers that call by themselves.',
              },
            },
          },
        },
        errors: ['tenant_not_found', 'secret_unreadable'],
      }),
    },
    async (request, reply) => {
      const { tenant_id: tenantId, ttl_seconds: ttl = null } = request.body
      const session = await service.createSession(tenantId, ttl)
      const maxAgeSeconds = Math.round((session.expiresAt - session.createdAt) / 1000)
      setSessionCookie(reply, session.value, { maxAgeSeconds, publicUrl })
      return reply.code(201).send(sessionToWire(session))
    },
  )
  app.delete<{ Params: IdParams }>(
    '/sessions/:id',
    {
      schema: describeRoute({
        operationId: 'revokeSession',
        scope: 'write',
        summary: 'End a session',
        tag: 'Access',
        access: 'service_key',
        params: idParams,
        answers: { 204: { description: 'Ended, at once.', schema: null } },
        errors: ['session_not_found'],
      }),
    },
    async (request, reply) => {
      await service.revokeSession(request.params.id)
      return reply.code(204).send()
    },
  )
}
