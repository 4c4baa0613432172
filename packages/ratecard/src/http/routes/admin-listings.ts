import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { toRfc3339 } from '../../clock.ts'
import type { Service } from '../../service.ts'
import { describeRoute, processorErrors } from '../contract.ts'
import { webhookToWire } from '../wire.ts'
import { ref, WebhookListingSchema } from '../wire-schemas.ts'

const closed = { additionalProperties: false } as const
const prices = {
  200: {
    description: 'The prices; none when nothing carries it.',
    schema: Type.Object({ prices: Type.Array(ref('Price')) }, closed),
  },
} as const

/** Enterprise price listings, and the webhooks with their signing secrets. */
export function adminListingRoutes(
  app: FastifyInstance,
  { service }: { readonly service: Pick<Service, 'enterprisePrices' | 'listWebhooks' | 'processorEvents'> },
): void {
  app.get<{ Params: { template: string } }>(
    '/enterprise/prices/by-template/:template',
    {
      schema: describeRoute({
        operationId: 'listTemplatePrices',
        scope: 'read',
        summary: 'Prices of an enterprise template',
        tag: 'Enterprise',
        access: 'service_key',
        params: Type.Object({ template: Type.String({ description: 'Name of the template.' }) }),
        answers: prices,
      }),
    },
    async ({ params: { template } }) => ({ prices: await service.enterprisePrices({ template }) }),
  )
  app.get<{ Params: { enterprise_id: string } }>(
    '/enterprise/prices/by-id/:enterprise_id',
    {
      schema: describeRoute({
        operationId: 'listEnterprisePrices',
        scope: 'read',
        summary: 'Prices of an enterprise id',
        tag: 'Enterprise',
        access: 'service_key',
        params: Type.Object({ enterprise_id: Type.String({ description: 'The enterprise id.' }) }),
        answers: prices,
      }),
    },
    async ({ params }) => ({ prices: await service.enterprisePrices({ enterpriseId: params.enterprise_id }) }),
  )
  app.get(
    '/webhooks',
    {
      schema: describeRoute({
        operationId: 'listWebhooks',
        scope: 'read',
        summary: 'Webhooks with their signing secrets',
        description:
          'A key of scope `read` sees no secrets: `secret` is null, and `secret_known` says whether there is one.',
        tag: 'Configuration',
        access: 'service_key',
        answers: {
          200: {
            description: 'The webhooks of the configuration.',
            schema: Type.Object({ webhooks: Type.Array(WebhookListingSchema) }, closed),
          },
        },
        errors: ['secret_unreadable'],
      }),
    },
    async ({ caller }) => {
      const webhooks = await service.listWebhooks({ secrets: caller?.scope === 'write' })
      return { webhooks: webhooks.map(webhookToWire) }
    },
  )
  eventRoute(app, service)
}

const EventSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    body: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'The event as webhook endpoints receive it.',
    }),
  },
  closed,
)

function eventRoute(app: FastifyInstance, service: Pick<Service, 'processorEvents'>): void {
  app.get<{ Querystring: { after?: string; types?: string } }>(
    '/events',
    {
      schema: describeRoute({
        operationId: 'listProcessorEvents',
        scope: 'read',
        summary: 'What happened at the processor, oldest first',
        description:
          'Without `after` the answer says only where to begin: `last` is the newest event. Ask again with it (or, when it is null, with an empty one) as `after`, at most once a second.',
        tag: 'Operations',
        access: 'service_key',
        query: {
          after: Type.Optional(
            Type.String({ maxLength: 255, description: 'Id of the event before the first one wanted.' }),
          ),
          types: Type.Optional(
            Type.String({
              maxLength: 1000,
              description: 'Event types, separated by commas; at most 20. Default: all.',
            }),
          ),
        },
        answers: {
          200: {
            description: 'A hundred events at most.',
            schema: Type.Object(
              { events: Type.Array(EventSchema), last: Type.Union([Type.String(), Type.Null()]) },
              closed,
            ),
          },
        },
        errors: processorErrors,
      }),
    },
    async ({ query: { after, types } }) => {
      const wanted = (types ?? '').split(',').filter((type) => type !== '')
      const { events, last } = await service.processorEvents({ after: after ?? null, types: wanted })
      return {
        events: events.map(({ id, type, createdAt, body }) => ({ id, type, created_at: toRfc3339(createdAt), body })),
        last,
      }
    },
  )
}
