// Webhooks with their signing secrets, and what happened at the processor.
import { Type } from 'typebox'
import { operations, processorErrors } from './operation.ts'
import { asWritten, closed, nullable, shape, Time } from './schema.ts'

export const WebhookListing = shape('WebhookListing', {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  processor_id: nullable(Type.String()),
  secret: nullable(Type.String({ description: 'Signing secret; null when it was never told to us.' })),
  secret_known: Type.Boolean(),
  created_at: nullable(Time('When the endpoint was made.')),
})

const Event = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    created_at: Time(),
    body: asWritten(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        description: 'The event as webhook endpoints receive it.',
      }),
    ),
  },
  closed,
)
export const ProcessorEvents = shape('ProcessorEvents', { events: Type.Array(Event), last: nullable(Type.String()) })

const path = '/api/v1/billing/admin'
const all = { access: 'service_key', scope: 'read', method: 'GET' } as const

export const webhookOperations = operations({
  listWebhooks: {
    ...all,
    tag: 'Configuration',
    path: `${path}/webhooks`,
    summary: 'Webhooks with their signing secrets',
    description:
      'A key of scope `read` sees no secrets: `secret` is null, and `secret_known` says whether there is one.',
    answers: {
      200: {
        description: 'The webhooks of the configuration.',
        schema: Type.Object({ webhooks: Type.Array(WebhookListing) }, closed),
      },
    },
    errors: ['secret_unreadable'],
  },
  listProcessorEvents: {
    ...all,
    tag: 'Operations',
    path: `${path}/events`,
    summary: 'What happened at the processor, oldest first',
    description:
      'Without `after` the answer says only where to begin: `last` is the newest event. Ask again with it (or, when it is null, with an empty one) as `after`, at most once a second.',
    query: {
      after: Type.Optional(
        Type.String({ maxLength: 255, description: 'Id of the event before the first one wanted.' }),
      ),
      types: Type.Optional(
        Type.String({ maxLength: 1000, description: 'Event types, separated by commas; at most 20. Default: all.' }),
      ),
    },
    answers: { 200: { description: 'A hundred events at most.', schema: ProcessorEvents } },
    errors: processorErrors,
  },
})
