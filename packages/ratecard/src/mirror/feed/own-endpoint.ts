// The webhook endpoint that the service creates for itself at the processor to receive events. A record with an idempotency key is stored
// before the endpoint is created. If the outcome is unknown, the creation is sent again under that key.
import type { ProcessorId } from '../../catalog/resource.ts'
import type { EventsEndpoint } from '../../processor/mirrored.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import type { Processor } from '../../processor/processor.ts'
import type { Store } from '../../store/store.ts'
import { mirroredEventTypes } from './stale-of-event.ts'

const fact = 'mirror_endpoint'
/** URL path at which the service receives events. */
export const eventsPath = '/api/v1/processor/events'

/** Stored record of the endpoint, written before and after its creation. */
interface EndpointRecord {
  readonly url: string
  /** Idempotency key with which the endpoint is created. */
  readonly key: string
  /** Processor id of the endpoint; null until the response to its creation arrived. */
  readonly id: ProcessorId | null
}

export interface EndpointDeps {
  readonly store: Pick<Store, 'facts' | 'secrets'>
  readonly processor: Pick<Processor, 'eventsEndpoints' | 'createEventsEndpoint' | 'discardWebhook'>
  readonly newId: () => string
}

async function readRecord({ store }: Pick<EndpointDeps, 'store'>): Promise<EndpointRecord | null> {
  const text = await store.facts.get(fact)
  return text === null || text === '' ? null : (JSON.parse(text) as EndpointRecord)
}

/** Returns the signing secret of the service's own endpoint; null if there is no endpoint. */
export async function ownSecret(deps: Pick<EndpointDeps, 'store'>): Promise<string | null> {
  const id = (await readRecord(deps))?.id ?? null
  return id === null ? null : deps.store.secrets.webhookSecret(id)
}

/** True if the endpoint is the recorded one, is enabled, and has the right URL and event types. */
function isKept(endpoint: EventsEndpoint, record: EndpointRecord | null, url: string): boolean {
  const types = [...mirroredEventTypes].sort()
  const right = endpoint.url === url && endpoint.enabled && endpoint.types.join() === types.join()
  return right && endpoint.id === record?.id
}

/**
 * Creates the endpoint at `url` if it is missing, disabled or changed, or if its secret is unknown. Removes the endpoints that it replaces.
 */
export async function ensureEndpoint(deps: EndpointDeps, url: string, signal: AbortSignal): Promise<void> {
  const { processor, store, newId } = deps
  const record = await readRecord(deps)
  // Considers only endpoints with this service's own URLs, because another service may have an endpoint in the same account.
  const ours = (await processor.eventsEndpoints(signal)).filter((one) => one.url === url || one.url === record?.url)
  const kept = ours.find((endpoint) => isKept(endpoint, record, url))
  const known = kept !== undefined && (await store.secrets.webhookSecret(kept.id)) !== null
  const id = known ? kept.id : await create(deps, url, record, signal)
  for (const endpoint of ours)
    if (endpoint.id !== id)
      await processor.discardWebhook(endpoint.id, { idempotencyKey: `mirror-endpoint-${newId()}`, signal })
}

async function create(
  { store, processor, newId }: EndpointDeps,
  url: string,
  record: EndpointRecord | null,
  signal: AbortSignal,
): Promise<ProcessorId> {
  const unanswered = record !== null && record.id === null && record.url === url
  const key = unanswered ? record.key : `mirror-endpoint-${newId()}`
  await store.facts.set(fact, JSON.stringify({ url, key, id: null } satisfies EndpointRecord))
  try {
    const made = await processor.createEventsEndpoint(
      { url, types: mirroredEventTypes },
      { idempotencyKey: key, signal },
    )
    await store.secrets.saveWebhookSecret(made.id, made.secret)
    await store.facts.set(fact, JSON.stringify({ url, key, id: made.id } satisfies EndpointRecord))
    return made.id
  } catch (error) {
    // Deletes the record with its key: the processor would replay the refusal for the key, even after its cause is gone.
    if (error instanceof ProcessorError && error.kind === 'rejected') await store.facts.set(fact, '')
    throw error
  }
}
