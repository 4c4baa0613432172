import type { Service } from '../../service.ts'
import { webhookOperations as rows } from '../../wire/webhooks.ts'
import { route } from '../route.ts'
import type { Routes } from '../route.ts'

export const webhookRoutes = ({
  service,
}: {
  readonly service: Pick<Service, 'listWebhooks' | 'processorEvents'>
}): Routes<typeof rows> => ({
  listWebhooks: route(rows.listWebhooks, async ({ request }) => ({
    webhooks: await service.listWebhooks({ secrets: request.caller?.scope === 'write' }),
  })),
  listProcessorEvents: route(rows.listProcessorEvents, ({ query: { after = null, types = '' } }) =>
    service.processorEvents({ after, types: types.split(',').filter((type) => type !== '') }),
  ),
})
