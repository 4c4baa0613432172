import type { Service } from '../../service/service.ts'
import { usageOperations as rows } from '../../api/usage.ts'
import { route } from '../contract/route.ts'
import type { Routes } from '../contract/route.ts'

export const usageRoutes = ({ service }: { readonly service: Pick<Service, 'droppedUsage'> }): Routes<typeof rows> => ({
  listDroppedUsage: route(rows.listDroppedUsage, async ({ query }) => ({
    dropped: await service.droppedUsage(query),
  })),
})
