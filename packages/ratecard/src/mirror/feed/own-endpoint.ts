// The endpoint that the service makes for itself at the processor, so that events are delivered. The intent is stored before the write, and
// a write of unknown outcome is sent again under its key.
import type { ProcessorId } from '../../catalog/resource.ts'
import type { EventsEndpoint } from '../../processor/mirrored.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import type { Processor } from '../../processor/processor.ts'
import type { Store } from '../../store/store.ts'
import { mirroredEventTypes } from './stale-of-event.ts'

const fact = 'mirror_endpoint'
/** URL path that takes deliveries. */
export const eventsPath = '/api/v1/processor/events'

/** Journal of the endpoint. */
interface EndpointRecord {
  readonly url: string
  /** Idempotency key of its creation. */
  readonly key: string
  /** null until the creation is answered. */
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

/** Returns the signing secret of the service's own endpoint; null if it has none. */
export async function ownSecret(deps: Pick<EndpointDeps, 'store'>): Promise<string | null> {
  const id = (await readRecord(deps))?.id ?? null
  return id === null ? null : deps.store.secrets.webhookSecret(id)
}

/** True if the endpoint is there as it should be, and its secret is known. */
function isKept(endpoint: EventsEndpoint, record: EndpointRecord | null, url: string): boolean {
  const types = [...mirroredEventTypes].sort()
  const right = endpoint.url === url && endpoint.enabled && endpoint.types.join() === types.join()
  return right && endpoint.id === record?.id
}

/** Makes the endpoint at `url` if it is missing, disabled or changed, and removes those that it replaces. */
export async function ensureEndpoint(deps: EndpointDeps, url: string, signal: AbortSignal): Promise<void> {
  const { processor, store, newId } = deps
  const record = await readRecord(deps)
  // Only endpoints with this service's own addresses: another service on the account has its own.
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
    // A refusal is replayed for its key, even when its cause is gone.
    if (error instanceof ProcessorError && error.kind === 'rejected') await store.facts.set(fact, '')
    throw error
  }
}
