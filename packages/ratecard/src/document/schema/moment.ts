const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** Largest Unix time (seconds) that is accepted: the last second of the year 9999. Larger numbers are probably milliseconds. */
export const latestMoment = 253_402_300_799

/** True for an ISO 8601 date and time with a zone that exists in the calendar. False e.g. for 2031-02-30 or 24:00. */
export function isMoment(text: string): boolean {
  const match = rfc3339.exec(text)
  if (match === null || Number.isNaN(Date.parse(text))) return false
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number]
  const date = new Date(Date.UTC(2000, month - 1, day))
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && Number(match[4]) < 24
}

/**
 * Converts an ISO 8601 timestamp with a zone to Unix seconds, without fractions. Returns a number unchanged. Throws RangeError for other
 * text.
 */
export function toUnixSeconds(value: string | number): number {
  if (typeof value === 'number') return value
  if (!isMoment(value)) throw new RangeError('Not an ISO 8601 time with a time zone')
  return Math.floor(Date.parse(value) / 1000)
}
