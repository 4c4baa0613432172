// Operations on webhooks with their signing secrets, and on events of the processor.
import { Type } from 'typebox'
import { actorHeaders, idParams, operations, processorErrors } from './notation/operation.ts'
import { asWritten, closed, nullable, shape, Time } from './notation/schema.ts'

export const WebhookListing = shape('WebhookListing', {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  processor_id: nullable(Type.String()),
  secret: nullable(Type.String({ description: 'Signing secret; null when the service does not know it.' })),
  secret_known: Type.Boolean(),
  created_at: nullable(Time('When the endpoint was created.')),
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

export const maxOverlapSeconds = 30 * 24 * 60 * 60
export const defaultOverlapSeconds = 24 * 60 * 60

export const WebhookRotation = shape('WebhookRotation', {
  id: Type.String({ description: 'Config id of the webhook.' }),
  url: Type.String(),
  processor_id: Type.String({ description: 'The new endpoint.' }),
  secret: Type.String({ description: 'The new signing secret.' }),
  previous: Type.Object(
    {
      processor_id: Type.String({ description: 'The old endpoint, with the old secret.' }),
      live_until: Time('The old endpoint is switched off within a minute after this time.'),
    },
    closed,
  ),
  job_id: Type.String({ description: 'The job that switches the old endpoint off.' }),
})

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
    query: {
      secrets: Type.Boolean({ default: true, description: 'Whether secrets are shown to a key that may see them.' }),
    },
    answers: {
      200: {
        description: 'The webhooks of the configuration.',
        schema: Type.Object({ webhooks: Type.Array(WebhookListing) }, closed),
      },
    },
    errors: ['secret_unreadable'],
  },
  rotateWebhook: {
    method: 'POST',
    path: `${path}/webhooks/:id/rotate`,
    tag: 'Configuration',
    access: 'service_key',
    scope: 'write',
    summary: 'Change the signing secret of a webhook',
    description:
      'Creates a new endpoint beside the old one. Both are live and sign with their own secret until the overlap ends; then the old one is switched off. The document stays as it is.',
    params: idParams,
    headers: actorHeaders,
    body: Type.Object(
      {
        overlap_seconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: maxOverlapSeconds,
            default: defaultOverlapSeconds,
            description: 'How long both are live; 0 switches the old one off at once.',
          }),
        ),
      },
      closed,
    ),
    answers: { 201: { description: 'The new endpoint with its secret.', schema: WebhookRotation } },
    errors: [
      'webhook_not_found',
      'config_not_found',
      'conflict',
      'push_in_progress',
      'push_unfinished',
      'account_mismatch',
      'shutting_down',
      ...processorErrors,
    ],
  },
  listProcessorEvents: {
    ...all,
    tag: 'Operations',
    path: `${path}/events`,
    summary: 'Events of the processor, oldest first',
    description:
      'Without `after` the answer says only where to begin: `last` is the newest event. Ask again with it (or, when it is null, with an empty one) as `after`, at most once a second.',
    query: {
      after: Type.Optional(Type.String({ maxLength: 255, description: 'Return the events after this event id.' })),
      types: Type.Optional(
        Type.String({ maxLength: 1000, description: 'Event types, separated by commas; at most 20. Default: all.' }),
      ),
    },
    answers: { 200: { description: 'At most a hundred events.', schema: ProcessorEvents } },
    errors: processorErrors,
  },
})
