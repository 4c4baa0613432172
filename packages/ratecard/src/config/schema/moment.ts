const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** The last second of the year 9999: larger numbers are milliseconds by mistake. */
export const latestMoment = 253_402_300_799

/** A date and a time with a zone that exist in the calendar: 2031-02-30 and 24:00 do not. */
export function isMoment(text: string): boolean {
  const match = rfc3339.exec(text)
  if (match === null || Number.isNaN(Date.parse(text))) return false
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number]
  const date = new Date(Date.UTC(2000, month - 1, day))
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && Number(match[4]) < 24
}

/** Unix seconds of an ISO 8601 moment with a zone (fractions are cut off), or of Unix seconds. Throws RangeError for other text. */
export function toUnixSeconds(value: string | number): number {
  if (typeof value === 'number') return value
  if (!isMoment(value)) throw new RangeError('Not an ISO 8601 moment with a time zone')
  return Math.floor(Date.parse(value) / 1000)
}
