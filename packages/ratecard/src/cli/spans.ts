// Parses durations and times of the command line, e.g. `90d`, `24h`, `15m`.
import { isMoment } from '../document/schema/moment.ts'

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** Returns the milliseconds of `30s`, `15m`, `24h`, `90d` or `2w`; null for other text and for more than ten years. */
export function durationMs(text: string): number | null {
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(text.trim()) ?? []
  if (count === undefined || unit === undefined) return null
  const span = Number(count) * unitMs[unit as keyof typeof unitMs]
  return span <= 3653 * unitMs.d ? span : null
}

/** Returns epoch milliseconds for a duration from now, a date (midnight UTC), or a time with a zone. Returns null for other text. */
export function timestampOf(text: string, now: number): number | null {
  const span = durationMs(text)
  if (span !== null) return now + span
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  return isMoment(moment) ? Date.parse(moment) : null
}
