import { policyOperations as rows } from '../../../../api/push/policies.ts'
import { actorOf } from '../../request/request-parts.ts'
import { pageOf } from '../../response/page.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'

export const policyRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  getPolicies: route(rows.getPolicies, async ({ query }) => {
    const { history, total, ...current } = await service.policies(query)
    const { items, pagination } = pageOf(query, { items: history, total })
    return { ...current, history: [...items], pagination }
  }),
  putPolicies: route(rows.putPolicies, ({ body, request }) => service.setPolicies(body, actorOf(request))),
})
