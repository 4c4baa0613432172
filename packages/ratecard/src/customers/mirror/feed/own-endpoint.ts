// The webhook endpoint that the service creates for itself at the processor to receive events. Before the creation, a record with an
// idempotency key is stored. If the outcome of the creation is unknown, the request is sent again with that key.
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { EventsEndpoint } from '../../../processor/mirrored.ts'
import { ProcessorError } from '../../../processor/processor-error.ts'
import type { Processor } from '../../../processor/processor.ts'
import type { Store } from '../../../store/store.ts'
import { mirroredEventTypes } from './stale-of-event.ts'

const fact = 'mirror_endpoint'
/** URL path at which the service receives events. */
export const eventsPath = '/api/v1/processor/events'

/** Stored record of the endpoint, written before and after its creation. */
interface EndpointRecord {
  readonly url: string
  /** Idempotency key with which the endpoint is created; null if the processor refused the creation. */
  readonly key: string | null
  /** Processor id of the endpoint; null until the response to its creation has arrived. */
  readonly id: ProcessorId | null
  /** Former endpoint, which this endpoint replaces; null for the first one. Deliveries signed by the former endpoint are still accepted. */
  readonly former: ProcessorId | null
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

/**
 * Returns the signing secrets of the service's own endpoint, and of a second endpoint during a replacement. Empty if there is no endpoint.
 */
export async function ownSecrets(deps: Pick<EndpointDeps, 'store'>): Promise<readonly string[]> {
  const record = await readRecord(deps)
  const secrets: string[] = []
  for (const id of [record?.id ?? null, record?.former ?? null]) {
    const secret = id === null ? null : await deps.store.secrets.webhookSecret(id)
    if (secret !== null) secrets.push(secret)
  }
  return secrets
}

/** True if the endpoint can stay: it is the recorded one, is enabled, and has the right URL and event types. */
function isKept(endpoint: EventsEndpoint, record: EndpointRecord | null, url: string): boolean {
  const types = [...mirroredEventTypes].sort()
  const right = endpoint.url === url && endpoint.enabled && endpoint.types.join() === types.join()
  return right && endpoint.id === record?.id
}

/**
 * Creates the endpoint at `url` if it is missing, disabled or changed, or if its secret is unknown. Then deletes the endpoints that it
 * replaces. If the processor refuses another endpoint (an account can have only 16), deletes them before the creation.
 */
export async function ensureEndpoint(deps: EndpointDeps, url: string, signal: AbortSignal): Promise<void> {
  const { processor, store } = deps
  const record = await readRecord(deps)
  // Considers only endpoints with this service's own URLs, because another service may have an endpoint in the same account.
  const ours = (await processor.eventsEndpoints(signal)).filter((one) => one.url === url || one.url === record?.url)
  const kept = ours.find((endpoint) => isKept(endpoint, record, url))
  if (kept !== undefined && (await store.secrets.webhookSecret(kept.id)) !== null) {
    await discardEndpoints(deps, ours, kept.id, signal)
    return
  }
  try {
    await discardEndpoints(deps, ours, await createEndpoint(deps, url, signal), signal)
  } catch (error) {
    if (!isRefused(error) || ours.length === 0) throw error
    await discardEndpoints(deps, ours, null, signal)
    await createEndpoint(deps, url, signal)
  }
}

/** Removes the endpoints, except the one to keep. */
async function discardEndpoints(
  { processor, newId }: EndpointDeps,
  endpoints: readonly EventsEndpoint[],
  keep: ProcessorId | null,
  signal: AbortSignal,
): Promise<void> {
  for (const endpoint of endpoints)
    if (endpoint.id !== keep)
      await processor.discardWebhook(endpoint.id, { idempotencyKey: `mirror-endpoint-${newId()}`, signal })
}

async function createEndpoint(deps: EndpointDeps, url: string, signal: AbortSignal): Promise<ProcessorId> {
  const { store, processor, newId } = deps
  const record = await readRecord(deps)
  const unanswered = record !== null && record.id === null && record.url === url ? record.key : null
  const key = unanswered ?? `mirror-endpoint-${newId()}`
  const former = record?.id ?? record?.former ?? null
  const write = (change: Pick<EndpointRecord, 'key' | 'id'>) =>
    store.facts.set(fact, JSON.stringify({ url, former, ...change } satisfies EndpointRecord))
  await write({ key, id: null })
  try {
    const made = await processor.createEventsEndpoint(
      { url, types: mirroredEventTypes },
      { idempotencyKey: key, signal },
    )
    await store.secrets.saveWebhookSecret(made.id, made.secret)
    await write({ key, id: made.id })
    return made.id
  } catch (error) {
    // Deletes the idempotency key of a refused creation. Otherwise the processor would replay the refusal for this key, even after its
    // cause is fixed.
    if (isRefused(error)) await write({ key: null, id: null })
    throw error
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof ProcessorError && error.kind === 'rejected'
}
