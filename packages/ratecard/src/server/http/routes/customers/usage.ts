import { usageOperations as rows } from '../../../../api/customers/usage.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'

export const usageRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  listDroppedUsage: route(rows.listDroppedUsage, async ({ query }) => ({
    dropped: await service.droppedUsage(query),
  })),
})
