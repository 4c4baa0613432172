import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { dashboardOperations as rows } from '../../../../api/server/dashboard.ts'
import { dashboardPath } from '../../dashboard-pages/paths.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'
import type { ServiceKey } from '../../../../api/server/keys.ts'

export const dashboardRoutes = ({ service, publicUrl }: RouteDeps): Routes<typeof rows> => ({
  getOwnKey: route(rows.getOwnKey, async ({ request }) => keyOf(request)),
  getAccount: route(rows.getAccount, () => service.accountInfo()),
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
