// Webhook endpoints that deliver events to the mirror of a running service. Their metadata marks them, and snapshots leave them out,
// because they belong to no document. So they are never drift, and never pulled or changed by a push.
import { Stripe } from 'stripe'
import { processorId } from '../../../catalog/resource.ts'
import type { EventsEndpoint, MadeEndpoint } from '../../mirrored.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../write-options.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readAll, writeOne } from '../customers/single-object.ts'
import { listOf } from '../connection/reading.ts'

/** Metadata key that marks an endpoint of a mirror. Authors of documents cannot use keys with the prefix `ratecard_`. */
const eventsKey = 'ratecard_events'
const eventsMark = 'mirror'

/** True for an endpoint that delivers events to a mirror. It may be the mirror of another service on the same account. */
export function isEventsEndpoint(endpoint: object): boolean {
  const { metadata } = endpoint as { readonly metadata?: Readonly<Record<string, unknown>> | null }
  return metadata?.[eventsKey] === eventsMark
}

export async function listEventsEndpoints(context: StripeContext, signal: AbortSignal): Promise<EventsEndpoint[]> {
  const request = {
    operation: 'GET /v1/webhook_endpoints',
    page: (paging: Stripe.PaginationParams, options: Stripe.RequestOptions) =>
      context.stripe.webhookEndpoints.list(paging, options),
  }
  const all = await readAll<Stripe.WebhookEndpoint>(context, 'webhook_endpoint', request, signal)
  return all.filter(isEventsEndpoint).map((endpoint) => ({
    id: processorId(endpoint.id),
    url: endpoint.url ?? '',
    enabled: endpoint.status === 'enabled',
    types: [...listOf(endpoint.enabled_events)].sort(),
  }))
}

export async function createEventsEndpoint(
  context: StripeContext,
  { url, types }: { readonly url: string; readonly types: readonly string[] },
  options: WriteOptions,
): Promise<MadeEndpoint> {
  const params: Stripe.WebhookEndpointCreateParams = {
    url,
    enabled_events: [...types] as Stripe.WebhookEndpointCreateParams.EnabledEvent[],
    api_version: Stripe.API_VERSION,
    description: 'Ratecard: keeps the mirror up to date',
    metadata: { [eventsKey]: eventsMark },
  }
  const request = {
    operation: 'POST /v1/webhook_endpoints',
    send: (sending: Stripe.RequestOptions) => context.stripe.webhookEndpoints.create(params, sending),
  }
  const made = await writeOne(context, request, { object: 'webhook_endpoint', id: null }, options)
  const { secret } = made
  if (typeof secret !== 'string' || secret === '')
    throw new ProcessorError('broken', `Stripe’s webhook_endpoint ${made.id} came without its secret.`)
  return { id: processorId(made.id), secret }
}
