// Receives events that the processor sends. An event only marks objects as stale. It does not move the cursor of the poll. The poll reads
// every event again, and so finds events that were not delivered.
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { FeedDeps } from './deps.ts'
import { staleOfEvent } from './stale-of-event.ts'

export interface DeliveryDeps extends Pick<FeedDeps, 'store' | 'processor'> {
  /** Returns the signing secrets of the endpoints whose events are accepted. */
  readonly secrets: () => Promise<readonly string[]>
  /** Called after stale marks were stored. */
  readonly onMarked: () => void
}

/**
 * Time (ms) for which secrets are cached. Without the cache, a flood of deliveries with wrong signatures would cause many reads of the
 * store.
 */
const secretsTtlMs = 1_000

/** Returns the function that receives an event. It resolves when the stale marks are stored. Throws `delivery_invalid`. */
export function createDeliveries(deps: DeliveryDeps): (body: string, signature: string | null) => Promise<void> {
  let cached: { readonly readAt: number; readonly secrets: Promise<readonly string[]> } | null = null
  const secrets = async (): Promise<readonly string[]> => {
    const now = performance.now()
    if (cached === null || now - cached.readAt >= secretsTtlMs) cached = { readAt: now, secrets: deps.secrets() }
    const { secrets: read } = cached
    try {
      return await read
    } catch (error) {
      cached = null
      throw error
    }
  }
  return async (body, signature) => {
    // A request without a signature is refused before the secrets are read, because any client can send such requests.
    const event = signature === null ? null : deps.processor.delivery({ body, signature, secrets: await secrets() })
    if (event === null)
      throw new ServiceError('delivery_invalid', 'No endpoint of this service signed the event within five minutes.')
    const refs = staleOfEvent(event)
    if (refs.length === 0) return
    await deps.store.mirror.markStale(refs.map((ref) => ({ ...ref, since: event.createdAt })))
    deps.onMarked()
  }
}
