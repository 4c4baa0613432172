// Where the next slots of a shared rate lie. Pure: the store keeps the slots that were given and runs this under its lock.

/** A moment at which one call may start, in whole microseconds of the database's clock. */
export interface Slot {
  readonly at: number
  readonly operation: string
}

export interface PaceLimits {
  /** Calls a second in all. */
  readonly perSecond: number
  /** Calls a second of any one operation. */
  readonly perOperationPerSecond: number
}

/** How late a slot may be used. Slots lie so far apart that calls which come this late still keep to the limit. */
export const toleranceMs = 50
const window = (1000 + toleranceMs) * 1000
/** More slots than ever wait at once: what lies further ahead than they reach comes from a clock that was set back. */
const longestQueue = 1000
const shortestHorizon = 60_000_000

/**
 * The next `count` slots of an operation, from `now` (microseconds) on and clear of those given before. Any `perSecond` + 1 consecutive slots
 * (of one operation: `perOperationPerSecond` + 1) span more than a second and the tolerance, as long as fewer than a thousand wait.
 */
export function nextSlots(
  given: readonly Slot[],
  ask: { readonly operation: string; readonly count: number; readonly limits: PaceLimits },
  now: number,
): readonly Slot[] {
  const { operation, count, limits } = ask
  const { apart, apartInOperation } = gaps(limits)
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

/** Those that a later slot must still keep clear of. */
export function stillCounting(given: readonly Slot[], limits: PaceLimits, now: number): readonly Slot[] {
  const horizon = Math.max(shortestHorizon, longestQueue * gaps(limits).apartInOperation)
  return given.filter(({ at }) => at > now - window && at < now + horizon)
}

/** How far slots lie apart at least: any two, and two of one operation. */
function gaps(limits: PaceLimits) {
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
