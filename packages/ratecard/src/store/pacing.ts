// Computes the next slots of a rate limit that all replicas share. A slot is the time at which one call may start. Pure: the store keeps
// the granted slots, and locks them while it calls this module.

/** The time at which one call may start, in whole microseconds of the database's clock. */
export interface Slot {
  readonly at: number
  readonly operation: string
}

export interface PaceLimits {
  /** Maximum number of calls a second, e.g. 25. */
  readonly perSecond: number
  /** Maximum number of calls a second of any single operation. */
  readonly perOperationPerSecond: number
}

/** Maximum delay (ms) between a slot's time and its use. Slots are spaced so that even calls with this delay stay within the rate limit. */
export const toleranceMs = 50
const window = (1000 + toleranceMs) * 1000
/** Maximum number of queued slots. A slot that is further ahead was granted before the database clock was set back, so it is ignored. */
const maxQueuedSlots = 1000
const shortestHorizon = 60_000_000

/**
 * Returns the next `count` slots of an operation. They are not before `now` (microseconds), and keep the minimum distance from slots that
 * were already granted. More than `perSecond` slots (of one operation: more than `perOperationPerSecond`) always span more than a second
 * plus the tolerance. This holds as long as fewer than a thousand slots are queued.
 */
export function nextSlots(
  given: readonly Slot[],
  ask: { readonly operation: string; readonly count: number; readonly limits: PaceLimits },
  now: number,
): readonly Slot[] {
  const { operation, count, limits } = ask
  const { apart, apartInOperation } = minimumGaps(limits)
  const taken = stillCounting(given, limits, now)
  const fresh: Slot[] = []
  for (let earliest = now; fresh.length < count;) {
    const at = firstFree([...taken, ...fresh], earliest, (slot) =>
      slot.operation === operation ? apartInOperation : apart,
    )
    fresh.push({ at, operation })
    earliest = at + apartInOperation
  }
  return fresh
}

/** Returns those granted slots that are close enough to `now` to affect new slots, which must keep a minimum distance from them. */
export function stillCounting(given: readonly Slot[], limits: PaceLimits, now: number): readonly Slot[] {
  const horizon = Math.max(shortestHorizon, maxQueuedSlots * minimumGaps(limits).apartInOperation)
  return given.filter(({ at }) => at > now - window && at < now + horizon)
}

/** Returns the minimum distances (microseconds) between any two slots, and between two slots of one operation. */
function minimumGaps(limits: PaceLimits) {
  const apart = Math.ceil(window / limits.perSecond)
  return { apart, apartInOperation: Math.max(apart, Math.ceil(window / limits.perOperationPerSecond)) }
}

function firstFree(taken: readonly Slot[], earliest: number, apart: (slot: Slot) => number): number {
  const ordered = taken.toSorted((one, other) => one.at - other.at)
  for (let at = earliest; ;) {
    const near = ordered.find((slot) => Math.abs(slot.at - at) < apart(slot))
    if (near === undefined) return at
    at = near.at + apart(near)
  }
}

export interface SlotRequest {
  /** Name of the rate limit, which all callers with the same name share. */
  readonly name: string
  readonly operation: string
  readonly count: number
  readonly limits: PaceLimits
}

/** A slot that was granted for one call, as timestamps of this process's `performance.now()`. It must not be used after `until`. */
export interface GrantedSlot {
  readonly from: number
  readonly until: number
}
