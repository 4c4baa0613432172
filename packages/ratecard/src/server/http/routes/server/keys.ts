import { keyOperations as rows } from '../../../../api/server/keys.ts'
import { requireOwner } from '../../authentication/auth.ts'
import { timeOf } from '../../request/request-parts.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'

export const keyRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  createKey: route(rows.createKey, async ({ body: { name, expiresAt, ...scope }, request }) => {
    if (scope.scope === 'owner') requireOwner(request)
    return service.createKey(name, {
      ...scope,
      ...(expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt, 'expires_at') }),
    })
  }),
  listKeys: route(rows.listKeys, async () => ({ keys: await service.listKeys() })),
  revokeKey: route(rows.revokeKey, ({ params }) => service.revokeKey(params.id)),
})
