import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors/service-error.ts'
import type { Service, ServiceKey } from '../../service/service.ts'
import { dashboardOperations as rows } from '../../api/dashboard.ts'
import { dashboardPath } from '../dashboard-pages/paths.ts'
import { route } from '../contract/route.ts'
import type { Routes } from '../contract/route.ts'

export interface DashboardRouteDeps {
  readonly service: Pick<Service, 'changeTag' | 'createDashboardLink'>
  readonly publicUrl: string | null
}

export const dashboardRoutes = ({ service, publicUrl }: DashboardRouteDeps): Routes<typeof rows> => ({
  getOwnKey: route(rows.getOwnKey, async ({ request }) => keyOf(request)),
  getChangeTag: route(rows.getChangeTag, async () => ({ tag: await service.changeTag() })),
  createDashboardLink: route(rows.createDashboardLink, async ({ request }) => {
    const { value, expiresAt } = await service.createDashboardLink(keyOf(request).id)
    return { url: `${publicUrl ?? ''}${dashboardPath}/open?token=${value}`, expiresAt }
  }),
})

function keyOf({ caller }: FastifyRequest): ServiceKey {
  if (caller === null) throw new ServiceError('service_key_missing', 'This route needs the header X-Service-Key.')
  return caller
}
