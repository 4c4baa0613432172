// Operations for the operator of the service: liveness, readiness, metrics and self-checks.
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { doctorOperations, serverOperations as rows, type Readiness } from '../../../../api/server/server.ts'
import type { RouteDeps } from '../deps.ts'
import { rawRoute, route, type Routes } from '../../contract/route.ts'

export const metricsPath = rows.getMetrics.path

const notStored = { 'cache-control': 'no-store' }

export function serverRoutes(deps: RouteDeps): Routes<typeof rows> {
  const startedAt = deps.clock.now()
  return {
    getHealth: route(rows.getHealth, async ({ answer }) => {
      const uptimeSeconds = Math.max(0, Math.floor((deps.clock.now() - startedAt) / 1000))
      return answer(200, { status: 'ok', uptimeSeconds }, notStored)
    }),
    getReadiness: route(rows.getReadiness, async ({ answer }) => {
      if (deps.isLeaving()) throw new ServiceError('shutting_down', 'This replica is shutting down.', { retryAfter: 1 })
      const readiness = await deps.service.readiness()
      if (!readiness.ready) throw notReady(readiness)
      return answer(200, readiness, notStored)
    }),
    getMetrics: rawRoute(
      rows.getMetrics,
      async ({ reply }) =>
        reply
          .headers(notStored)
          .type(deps.registry.contentType)
          .send(await deps.registry.metrics()),
      { onRequest: deps.authentication.required },
    ),
  }
}

export const doctorRoutes = ({ service }: RouteDeps): Routes<typeof doctorOperations> => ({
  runDoctor: route(doctorOperations.runDoctor, async ({ query }) => ({
    findings: await service.doctor({ maxAgeSeconds: query.maxAge }),
  })),
})

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
