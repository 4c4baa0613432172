// Operations with which a tenant changes what it has: preview, change, cancel, resume and pause.
import { subscriptionChangeOperations as rows } from '../../../../api/customers/subscription-changes.ts'
import { answerKeyed, keyedCallerOf } from '../../response/keyed-answer.ts'
import { callerOf, timeOf } from '../../request/request-parts.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'
import { bornOf, principalOf, sessionRoute } from '../session-route.ts'

export function subscriptionChangeRoutes(deps: RouteDeps): Routes<typeof rows> {
  const { service } = deps
  return {
    previewChange: route(
      rows.previewChange,
      ({ body: { tenantId, ...change }, request }) => service.previewChange(change, principalOf(request, tenantId)),
      sessionRoute(deps, rows.previewChange),
    ),
    changeSubscription: route(
      rows.changeSubscription,
      (call) => {
        const { tenantId, ...change } = call.body
        const principal = principalOf(call.request, tenantId)
        const work = async () =>
          call.answer(200, await service.changeSubscription(change, principal, keyedCallerOf(call.request)))
        return answerKeyed(service, call, work, bornOf(service, principal))
      },
      sessionRoute(deps, rows.changeSubscription),
    ),
    cancelOwnSubscription: route(
      rows.cancelOwnSubscription,
      (call) => {
        const { tenantId, ...cancellation } = call.body
        const principal = principalOf(call.request, tenantId)
        const work = async () =>
          call.answer(200, await service.cancelOwnSubscription(cancellation, principal, keyedCallerOf(call.request)))
        return answerKeyed(service, call, work, bornOf(service, principal))
      },
      sessionRoute(deps, rows.cancelOwnSubscription),
    ),
    resumeSubscription: route(
      rows.resumeSubscription,
      (call) => {
        const { tenantId, ...resumption } = call.body
        const principal = principalOf(call.request, tenantId)
        const work = async () =>
          call.answer(200, await service.resumeSubscription(resumption, principal, keyedCallerOf(call.request)))
        return answerKeyed(service, call, work, bornOf(service, principal))
      },
      sessionRoute(deps, rows.resumeSubscription),
    ),
    pauseSubscription: route(
      rows.pauseSubscription,
      (call) => {
        const { tenantId, until, ...pause } = call.body
        const principal = principalOf(call.request, tenantId)
        const at = until === undefined ? {} : { until: timeOf(until, 'until') }
        const work = async () =>
          call.answer(200, await service.pauseSubscription({ ...pause, ...at }, principal, callerOf(call.request)))
        return answerKeyed(service, call, work, bornOf(service, principal))
      },
      sessionRoute(deps, rows.pauseSubscription),
    ),
  }
}
