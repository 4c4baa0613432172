/** The only source of the current time. Tests pass their own clock. */
export interface Clock {
  /** Returns the current time in epoch milliseconds. */
  now(): number
}

/** Parses a time in RFC 3339. Returns NaN for a day that does not exist, which `Date.parse` would move to the next month, and without a zone. */
export function parseTime(text: string): number {
  const [, day = ''] =
    /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:\d{2})$/.exec(text) ?? []
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const exists = Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(day)
  return exists ? Date.parse(text) : Number.NaN
}

export const systemClock: Clock = { now: () => Date.now() }
