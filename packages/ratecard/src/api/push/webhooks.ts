// Operations on webhooks with their signing secrets, and on events of the processor.
import { Type } from 'typebox'
import { actorHeaders, idParams, operations, processorErrors } from '../notation/operation.ts'
import { asWritten, closed, nullable, shape, Time, type Inside } from '../notation/schema.ts'
import type { Actor } from '../notation/callers.ts'

export const WebhookListing = shape('WebhookListing', {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  processor_id: nullable(Type.String()),
  secret: nullable(Type.String({ description: 'Signing secret; null when the service does not know it.' })),
  secret_known: Type.Boolean(),
  created_at: nullable(Time('Time at which the endpoint was created.')),
})
export type WebhookListing = Inside<typeof WebhookListing>

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
  id: Type.String({ description: 'Configuration id of the webhook.' }),
  url: Type.String(),
  processor_id: Type.String({ description: 'The new endpoint.' }),
  secret: Type.String({ description: 'The new signing secret.' }),
  previous: Type.Object(
    {
      processor_id: Type.String({ description: 'The old endpoint, with the old secret.' }),
      live_until: Time('Time at which the old endpoint is switched off (within a minute).'),
    },
    closed,
  ),
  job_id: Type.String({ description: 'The job that switches the old endpoint off.' }),
})
export type WebhookRotation = Inside<typeof WebhookRotation>

const path = '/api/v1/billing/admin'
const all = { access: 'service_key', scope: 'read', method: 'GET' } as const

export const webhookOperations = operations({
  listWebhooks: {
    ...all,
    tag: 'Configuration',
    path: `${path}/webhooks`,
    summary: 'List the webhooks with their signing secrets',
    description:
      'A key with scope `read` cannot see secrets: `secret` is null, and `secret_known` is true if a secret is stored.',
    query: {
      secrets: Type.Boolean({ default: true, description: 'Return the secrets, if the service key may see them.' }),
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
            description: 'How long both endpoints are live, in seconds. 0 switches the old one off immediately.',
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
    summary: 'List the events of the processor, oldest first',
    description:
      'Without `after`, the response contains only `last`, the id of the newest event. Pass it as `after` in the next request (an empty `after` if it is null). Poll at most once a second. A key of scope `read` gets the events without `url`, `hosted_invoice_url`, `invoice_pdf`, `receipt_url` and `client_secret`.',
    query: {
      after: Type.Optional(Type.String({ maxLength: 255, description: 'Return the events after this event id.' })),
      types: Type.Optional(
        Type.String({ maxLength: 1000, description: 'Event types, separated by commas; at most 20. Default: all.' }),
      ),
    },
    answers: { 200: { description: 'Maximum number of events, at most 100.', schema: ProcessorEvents } },
    errors: processorErrors,
  },
})

export interface RotationRequest extends Actor {
  /**
   * Time (ms) for which the old endpoint stays live beside the new one, e.g. 3600000 for an hour. With 0, the old endpoint is switched off
   * at once.
   */
  readonly overlapMs: number
  readonly requestId: string | null
}
