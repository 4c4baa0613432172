import { revisionOperations as rows } from '../../../../api/push/revisions.ts'
import { pageOf } from '../../response/page.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'

export const revisionRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  listVersions: route(rows.listVersions, async ({ query }) => {
    const { items: versions, pagination } = pageOf(query, await service.history(query))
    return { versions, pagination }
  }),
  getRevision: route(rows.getRevision, ({ params }) => service.revision(params.revision)),
  compareRevisions: route(rows.compareRevisions, async ({ params: { from, to } }) => ({
    from,
    to,
    differences: await service.difference(from, to),
  })),
})
