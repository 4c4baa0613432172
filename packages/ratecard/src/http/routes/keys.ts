import type { Service } from '../../service.ts'
import { keyOperations as rows } from '../../wire/keys.ts'
import { route } from '../route.ts'
import type { Routes } from '../route.ts'

export const keyRoutes = ({
  service,
}: {
  readonly service: Pick<Service, 'createKey' | 'listKeys' | 'revokeKey'>
}): Routes<typeof rows> => ({
  createKey: route(rows.createKey, ({ body }) => service.createKey(body.name)),
  listKeys: route(rows.listKeys, async () => ({ keys: await service.listKeys() })),
  revokeKey: route(rows.revokeKey, ({ params }) => service.revokeKey(params.id)),
})
