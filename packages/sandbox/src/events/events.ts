import { isDeepStrictEqual } from 'node:util'
import type { EventBody } from '../objects/bodies.ts'
import { isRecord } from '../protocol/parameters/form.ts'
import { newId } from '../protocol/ids.ts'
import { apiVersion } from '../protocol/api-values.generated.ts'

/** The request that caused an event. */
export interface Cause {
  readonly requestId: string | null
  readonly idempotencyKey: string | null
}

/**
 * Returns an event about `object`, which must be in the form that the API returns. `before` is the same object before an update. `now` is
 * in seconds.
 */
export function newEvent(
  type: string,
  object: Record<string, unknown>,
  before: Record<string, unknown> | undefined,
  cause: Cause,
  now: number,
): EventBody {
  return {
    id: newId('evt_1', 23),
    object: 'event',
    api_version: apiVersion,
    created: now,
    data: { object, ...(before === undefined ? {} : { previous_attributes: previousAttributes(before, object) }) },
    livemode: false,
    pending_webhooks: 0,
    request: { id: cause.requestId, idempotency_key: cause.idempotencyKey },
    type,
  }
}

/** Returns the previous values of the changed members. Metadata is compared key by key; the previous value of a new key is null. */
export function previousAttributes(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, unknown> {
  const previous: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, current] = [before[name], after[name]]
    if (isDeepStrictEqual(old, current)) continue
    previous[name] =
      name === 'metadata' && isRecord(old) && isRecord(current) ? previousAttributes(old, current) : (old ?? null)
  }
  return previous
}
