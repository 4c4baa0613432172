/** The only source of the current time. Tests pass their own clock. */
export interface Clock {
  /** Returns the current time in epoch milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
