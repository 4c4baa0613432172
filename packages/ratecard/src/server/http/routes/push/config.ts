import { configOperations as configRows } from '../../../../api/push/config.ts'
import { answerOnce, answerPush, idempotencyKeyOf } from '../../response/push-answer.ts'
import { actorOf, documentOf, callerOf } from '../../request/request-parts.ts'
import { overrideOf } from '../../request/override.ts'
import type { RouteDeps } from '../deps.ts'
import { rawRoute, route, type Routes } from '../../contract/route.ts'
import { policyOperations as policyRows } from '../../../../api/push/policies.ts'
import { pageOf } from '../../response/page.ts'
import { revisionOperations as revisionRows } from '../../../../api/push/revisions.ts'
import { defaultOverlapSeconds, webhookOperations as webhookRows } from '../../../../api/push/webhooks.ts'
import { withoutLinks } from '../../response/conceal.ts'

export const configRoutes = (deps: RouteDeps): Routes<typeof configRows> => {
  const { service } = deps
  return {
    getFullConfig: route(configRows.getFullConfig, () => service.fullConfig()),
    pushConfig: rawRoute(configRows.pushConfig, (call) => {
      const document = documentOf(call.request)
      return answerPush(deps, call, (options) => service.push(document, options))
    }),
    keepWritten: route(configRows.keepWritten, async ({ request }) => ({
      written: await service.keepWritten(documentOf(request)),
    })),
    validateConfig: route(configRows.validateConfig, async ({ request }) => service.validate(documentOf(request))),
    rollbackConfig: rawRoute(configRows.rollbackConfig, (call) =>
      answerPush(deps, call, (options) => service.rollback(call.body.revision, options)),
    ),
    pullConfig: route(configRows.pullConfig, async ({ query, answer }) => {
      const { document, unrepresentable: unrepresented } = await service.pull({ codes: query.codes })
      const headers = { 'x-ratecard-unrepresented': String(unrepresented.length) }
      return query.report ? answer(200, { document, unrepresented }, headers) : answer(200, document, headers)
    }),
    getDrift: route(configRows.getDrift, () => service.drift()),
    resetConfig: rawRoute(configRows.resetConfig, ({ query, request, reply, answer }) =>
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

export const policyRoutes = ({ service }: RouteDeps): Routes<typeof policyRows> => ({
  getPolicies: route(policyRows.getPolicies, async ({ query }) => {
    const { history, total, ...current } = await service.policies(query)
    const { items, pagination } = pageOf(query, { items: history, total })
    return { ...current, history: [...items], pagination }
  }),
  putPolicies: route(policyRows.putPolicies, ({ body, request }) => service.setPolicies(body, actorOf(request))),
})

export const revisionRoutes = ({ service }: RouteDeps): Routes<typeof revisionRows> => ({
  listVersions: route(revisionRows.listVersions, async ({ query }) => {
    const { items: versions, pagination } = pageOf(query, await service.history(query))
    return { versions, pagination }
  }),
  getRevision: route(revisionRows.getRevision, ({ params }) => service.revision(params.revision)),
  compareRevisions: route(revisionRows.compareRevisions, async ({ params: { from, to } }) => ({
    from,
    to,
    differences: await service.difference(from, to),
  })),
})

export const webhookRoutes = ({ service }: RouteDeps): Routes<typeof webhookRows> => ({
  listWebhooks: route(webhookRows.listWebhooks, async ({ request, query }) => ({
    webhooks: await service.listWebhooks({
      secrets: query.secrets && request.caller !== null && request.caller.scope !== 'read',
    }),
  })),
  rotateWebhook: route(webhookRows.rotateWebhook, ({ params, body, request }) =>
    service.rotateWebhook(params.id, {
      ...callerOf(request),
      overlapMs: (body.overlapSeconds ?? defaultOverlapSeconds) * 1000,
    }),
  ),
  listProcessorEvents: route(
    webhookRows.listProcessorEvents,
    async ({ request, query: { after = null, types = '' } }) => {
      const found = await service.processorEvents({ after, types: types.split(',').filter((type) => type !== '') })
      if (request.caller !== null && request.caller.scope !== 'read') return found
      return { ...found, events: found.events.map((event) => withoutLinks(event)) }
    },
  ),
})
