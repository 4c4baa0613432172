// Operations for the operator of the service: liveness, readiness, metrics and self-checks.
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { doctorOperations, serverOperations as serverRows, type Readiness } from '../../../../api/server/server.ts'
import type { RouteDeps } from '../deps.ts'
import { rawRoute, route, type Routes } from '../../contract/route.ts'
import { keyOperations as keyRows, type ServiceKey } from '../../../../api/server/keys.ts'
import { requireOwner } from '../../authentication/auth.ts'
import { timeOf } from '../../request/request-parts.ts'
import type { FastifyRequest } from 'fastify'
import { dashboardOperations as dashboardRows } from '../../../../api/server/dashboard.ts'
import { dashboardPath } from '../../dashboard-pages/page-token.ts'

export const metricsPath = serverRows.getMetrics.path

const notStored = { 'cache-control': 'no-store' }

export function serverRoutes(deps: RouteDeps): Routes<typeof serverRows> {
  const startedAt = deps.wallClock.now()
  return {
    getHealth: route(serverRows.getHealth, async ({ answer }) => {
      const uptimeSeconds = Math.max(0, Math.floor((deps.wallClock.now() - startedAt) / 1000))
      return answer(200, { status: 'ok', uptimeSeconds }, notStored)
    }),
    getReadiness: route(serverRows.getReadiness, async ({ answer }) => {
      if (deps.isLeaving()) throw new ServiceError('shutting_down', 'This replica is shutting down.', { retryAfter: 1 })
      const readiness = await deps.service.readiness()
      if (!readiness.ready) throw notReady(readiness)
      return answer(200, readiness, notStored)
    }),
    getMetrics: rawRoute(
      serverRows.getMetrics,
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

export const keyRoutes = ({ service }: RouteDeps): Routes<typeof keyRows> => ({
  createKey: route(keyRows.createKey, async ({ body: { name, expiresAt, ...scope }, request }) => {
    if (scope.scope === 'owner') requireOwner(request)
    return service.createKey(name, {
      ...scope,
      ...(expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt, 'expires_at') }),
    })
  }),
  listKeys: route(keyRows.listKeys, async () => ({ keys: await service.listKeys() })),
  revokeKey: route(keyRows.revokeKey, ({ params }) => service.revokeKey(params.id)),
})

export const dashboardRoutes = ({ service, publicUrl }: RouteDeps): Routes<typeof dashboardRows> => ({
  getOwnKey: route(dashboardRows.getOwnKey, async ({ request }) => keyOf(request)),
  getAccount: route(dashboardRows.getAccount, () => service.accountInfo()),
  getChangeTag: route(dashboardRows.getChangeTag, async () => ({
    tag: await service.changeTag(),
    processorSilentSince: service.processorSilentSince(),
  })),
  createDashboardLink: route(dashboardRows.createDashboardLink, async ({ request }) => {
    const { value, expiresAt } = await service.createDashboardLink(keyOf(request).id)
    return { url: `${publicUrl ?? ''}${dashboardPath}/open?token=${value}`, expiresAt }
  }),
})

function keyOf({ caller }: FastifyRequest): ServiceKey {
  if (caller === null) throw new ServiceError('service_key_missing', 'This route needs the header X-Service-Key.')
  return caller
}
