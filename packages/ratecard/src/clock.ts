/** The only way to know the time. Tests pass a clock of their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** RFC 3339 in UTC, the form of every time on the wire. */
export function toRfc3339(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
