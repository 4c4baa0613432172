import { configOperations as rows } from '../../../../api/push/config.ts'
import { answerOnce, answerPush, idempotencyKeyOf } from '../../response/push-answer.ts'
import { actorOf, documentOf } from '../../request/request-parts.ts'
import { overrideOf } from '../../request/override.ts'
import type { RouteDeps } from '../deps.ts'
import { rawRoute, route, type Routes } from '../../contract/route.ts'

export const configRoutes = (deps: RouteDeps): Routes<typeof rows> => {
  const { service } = deps
  return {
    getFullConfig: route(rows.getFullConfig, () => service.fullConfig()),
    pushConfig: rawRoute(rows.pushConfig, (call) => {
      const document = documentOf(call.request)
      return answerPush(deps, call, (options) => service.push(document, options))
    }),
    keepWritten: route(rows.keepWritten, async ({ request }) => ({
      written: await service.keepWritten(documentOf(request)),
    })),
    validateConfig: route(rows.validateConfig, async ({ request }) => service.validate(documentOf(request))),
    rollbackConfig: rawRoute(rows.rollbackConfig, (call) =>
      answerPush(deps, call, (options) => service.rollback(call.body.revision, options)),
    ),
    pullConfig: route(rows.pullConfig, async ({ query, answer }) => {
      const { document, unrepresentable: unrepresented } = await service.pull({ codes: query.codes })
      const headers = { 'x-ratecard-unrepresented': String(unrepresented.length) }
      return query.report ? answer(200, { document, unrepresented }, headers) : answer(200, document, headers)
    }),
    getDrift: route(rows.getDrift, () => service.drift()),
    resetConfig: rawRoute(rows.resetConfig, ({ query, request, reply, answer }) =>
      answerOnce(deps, request, reply, idempotencyKeyOf(request), async () =>
        answer(
          200,
          await service.reset({
            ...actorOf(request),
            ...overrideOf(request, query.override),
            scope: query.scope,
          }),
        ),
      ),
    ),
  }
}
