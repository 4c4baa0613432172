// For those who run the service: is the process alive, can it work, what are its figures.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Registry } from 'prom-client'
import type { Clock } from '../../clock.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Readiness, Service } from '../../service.ts'
import type { Authentication } from '../auth.ts'
import { describeRoute } from '../contract.ts'
import { ReadinessSchema } from '../operation-schemas.ts'

export const metricsPath = '/metrics'

export interface OperationsDeps {
  readonly service: Pick<Service, 'readiness'>
  readonly clock: Clock
  readonly registry: Registry
  readonly authentication: Authentication
  readonly isLeaving: () => boolean
}

export function operationRoutes(app: FastifyInstance, deps: OperationsDeps): void {
  const startedAt = deps.clock.now()
  app.get(
    '/healthz',
    {
      schema: describeRoute({
        operationId: 'getHealth',
        summary: 'Whether the process is alive',
        tag: 'Operations',
        access: 'open',
        answers: {
          200: {
            description: 'It is.',
            schema: Type.Object(
              { status: Type.Literal('ok'), uptime_seconds: Type.Integer({ minimum: 0 }) },
              { additionalProperties: false },
            ),
          },
        },
      }),
    },
    (_request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .send({ status: 'ok', uptime_seconds: Math.max(0, Math.floor((deps.clock.now() - startedAt) / 1000)) }),
  )
  app.get(
    '/readyz',
    {
      schema: describeRoute({
        operationId: 'getReadiness',
        summary: 'Whether the service can work: store, processor, workers',
        tag: 'Operations',
        access: 'open',
        answers: { 200: { description: 'It can.', schema: ReadinessSchema } },
        errors: ['store_unavailable', 'processor_unavailable', 'worker_unavailable'],
      }),
    },
    async (_request, reply) => {
      if (deps.isLeaving()) throw new ServiceError('shutting_down', 'This replica is draining.', { retryAfter: 1 })
      const readiness = await deps.service.readiness()
      if (!readiness.ready) throw notReady(readiness)
      return reply.header('cache-control', 'no-store').send({ ready: true, checks: readiness.checks })
    },
  )
  app.get(
    metricsPath,
    {
      onRequest: deps.authentication.required,
      schema: describeRoute({
        operationId: 'getMetrics',
        scope: 'read',
        summary: 'Figures for Prometheus',
        tag: 'Operations',
        access: 'service_key',
        answers: { 200: { description: 'The figures.', schema: Type.String(), mediaType: 'text/plain' } },
      }),
    },
    async (_request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .type(deps.registry.contentType)
        .send(await deps.registry.metrics()),
  )
}

function notReady({ checks }: Readiness): ServiceError {
  const failed = Object.entries(checks).find(([, check]) => !check.ok)
  const code =
    failed?.[0] === 'processor'
      ? 'processor_unavailable'
      : failed?.[0] === 'workers'
        ? 'worker_unavailable'
        : 'store_unavailable'
  return new ServiceError(code, failed === undefined ? 'The service is not ready.' : failed[1].detail, {
    retryAfter: 1,
    extra: { ready: false, checks },
  })
}
