import { defaultOverlapSeconds, webhookOperations as rows } from '../../../../api/push/webhooks.ts'
import { withoutLinks } from '../../response/conceal.ts'
import { callerOf } from '../../request/request-parts.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'

export const webhookRoutes = ({ service }: RouteDeps): Routes<typeof rows> => ({
  listWebhooks: route(rows.listWebhooks, async ({ request, query }) => ({
    webhooks: await service.listWebhooks({
      secrets: query.secrets && request.caller !== null && request.caller.scope !== 'read',
    }),
  })),
  rotateWebhook: route(rows.rotateWebhook, ({ params, body, request }) =>
    service.rotateWebhook(params.id, {
      ...callerOf(request),
      overlapMs: (body.overlapSeconds ?? defaultOverlapSeconds) * 1000,
    }),
  ),
  listProcessorEvents: route(rows.listProcessorEvents, async ({ request, query: { after = null, types = '' } }) => {
    const found = await service.processorEvents({ after, types: types.split(',').filter((type) => type !== '') })
    if (request.caller !== null && request.caller.scope !== 'read') return found
    return { ...found, events: found.events.map((event) => withoutLinks(event)) }
  }),
})
