import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Service } from '../../service.ts'
import { describeRoute } from '../contract.ts'
import { idParams, timeOf } from '../request-parts.ts'
import type { IdParams } from '../request-parts.ts'
import { findingToWire, serviceKeyToWire } from '../wire.ts'
import { FindingSchema, NewServiceKeyBody, NewServiceKeySchema, ServiceKeySchema } from '../operation-schemas.ts'

const closed = { additionalProperties: false } as const

/** Service keys, and the self-examination of the installation. */
export function adminKeyRoutes(
  app: FastifyInstance,
  { service }: { readonly service: Pick<Service, 'createKey' | 'listKeys' | 'revokeKey' | 'doctor'> },
): void {
  app.post<{ Body: Type.Static<typeof NewServiceKeyBody> }>(
    '/keys',
    {
      schema: describeRoute({
        operationId: 'createKey',
        scope: 'write',
        summary: 'Create a service key',
        description: 'The key is in this answer only; what is stored is its hash.',
        tag: 'Access',
        access: 'service_key',
        body: NewServiceKeyBody,
        answers: { 201: { description: 'The key.', schema: NewServiceKeySchema } },
      }),
    },
    async (request, reply) => {
      const { name, scope, expires_at: expiresAt } = request.body
      const created = await service.createKey(name, {
        ...(scope === undefined ? {} : { scope }),
        ...(expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt, 'expires_at') }),
      })
      return reply.code(201).send({ ...serviceKeyToWire(created), key: created.key })
    },
  )
  app.get(
    '/keys',
    {
      schema: describeRoute({
        operationId: 'listKeys',
        scope: 'read',
        summary: 'Service keys, revoked ones included',
        tag: 'Access',
        access: 'service_key',
        answers: {
          200: { description: 'The keys.', schema: Type.Object({ keys: Type.Array(ServiceKeySchema) }, closed) },
        },
      }),
    },
    async () => ({ keys: (await service.listKeys()).map(serviceKeyToWire) }),
  )
  app.delete<{ Params: IdParams }>(
    '/keys/:id',
    {
      schema: describeRoute({
        operationId: 'revokeKey',
        scope: 'write',
        summary: 'Revoke a service key',
        tag: 'Access',
        access: 'service_key',
        params: idParams,
        answers: { 204: { description: 'Revoked, at once.', schema: null } },
        errors: ['key_not_found', 'key_last'],
      }),
    },
    async (request, reply) => {
      await service.revokeKey(request.params.id)
      return reply.code(204).send()
    },
  )
  app.get(
    '/doctor',
    {
      schema: describeRoute({
        operationId: 'runDoctor',
        scope: 'read',
        summary: 'Examine the installation',
        tag: 'Operations',
        access: 'service_key',
        answers: {
          200: { description: 'The findings.', schema: Type.Object({ findings: Type.Array(FindingSchema) }, closed) },
        },
      }),
    },
    async () => ({ findings: (await service.doctor()).map(findingToWire) }),
  )
}
