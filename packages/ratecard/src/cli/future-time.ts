import { toRfc3339 } from '../base/clock.ts'
import { usageFailure } from './failure.ts'
import { timestampOf } from './spans.ts'

/**
 * Returns the time given in an option as RFC 3339. The option contains a duration from now, a day, or a time with its zone. Throws for
 * other text, and for a time in the past.
 */
export function futureTime(option: string, text: string, now: number): string {
  const moment = timestampOf(text, now)
  const hint = 'Write a duration (90d, 12h), a future day (2031-01-31, until 00:00 UTC), or a time with its zone.'
  if (moment === null) throw usageFailure(`${option}: "${text}" is not a valid time.`, hint)
  if (moment <= now) throw usageFailure(`${option}: "${text}" has passed.`, hint)
  return toRfc3339(moment)
}
