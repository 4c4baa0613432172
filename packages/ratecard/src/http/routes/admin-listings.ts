import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Service } from '../../service.ts'
import { describeRoute } from '../contract.ts'
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
  { service }: { readonly service: Pick<Service, 'enterprisePrices' | 'listWebhooks'> },
): void {
  app.get<{ Params: { template: string } }>(
    '/enterprise/prices/by-template/:template',
    {
      schema: describeRoute({
        operationId: 'listTemplatePrices',
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
        summary: 'Webhooks with their signing secrets',
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
    async () => ({ webhooks: (await service.listWebhooks()).map(webhookToWire) }),
  )
}
