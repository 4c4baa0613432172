import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Service } from '../../service.ts'
import { describeRoute } from '../contract.ts'
import { findingToWire } from '../wire.ts'
import { FindingSchema } from '../operation-schemas.ts'

const closed = { additionalProperties: false } as const

/** The self-examination of the installation. */
export function adminKeyRoutes(app: FastifyInstance, { service }: { readonly service: Pick<Service, 'doctor'> }): void {
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
