import { discountOperations as rows } from '../../../../api/customers/discounts.ts'
import { answerKeyed, keyedCallerOf } from '../../response/keyed-answer.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'

/** Routes of the discounts of running subscriptions. A dry run has no effects, so its response is never replayed for an idempotency key. */
export const discountRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  listDiscounts: route(rows.listDiscounts, async ({ params }) => ({
    discounts: await service.tenantDiscounts(params.id),
  })),
  addDiscount: route(rows.addDiscount, async (call) => {
    const { params, body, query, request } = call
    if (query.dryRun) return call.answer(200, await service.planDiscount(params.id, body))
    return answerKeyed(service, call, async () =>
      call.answer(201, await service.addDiscount(params.id, body, keyedCallerOf(request))),
    )
  }),
  removeDiscount: route(rows.removeDiscount, async (call) => {
    const { params, query, request } = call
    if (query.dryRun) return call.answer(200, await service.planDiscountRemoval(params.id, params.discount))
    return answerKeyed(service, call, async () => {
      await service.removeDiscount(params.id, params.discount, keyedCallerOf(request))
      return call.answer(204, undefined)
    })
  }),
})
