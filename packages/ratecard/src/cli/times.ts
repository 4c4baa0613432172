import { systemClock, toRfc3339 } from '../base/clock.ts'
import { usageFailure, CliFailure } from './failure.ts'
import type { CommandContext } from './program/command.ts'
import { connect } from './server-address.ts'
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

/**
 * Like {@link futureTime}, but a duration counts from the server's billing time, because deals, credits and grants end by it. Example: if the
 * sandbox's clock is a month ahead, `--until 30d` is two months from today.
 */
export async function futureBillingTime(context: CommandContext, option: string, text: string): Promise<string> {
  const { billingTime } = await connect(context).client.admin.account({ signal: context.io.signal })
  const now = Date.parse(billingTime)
  // A server of an earlier version does not tell its billing time, which is real time there.
  return futureTime(option, text, Number.isNaN(now) ? systemClock.now() : now)
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Parses a duration such as `30s`, `10m`, `2h` or `90d` and returns milliseconds. A plain number is in seconds. Throws a usage error for
 * other text.
 */
export function durationOf(text: string, option: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? []
  const length = count === undefined ? Number.NaN : Number(count) * (units[unit] ?? Number.NaN)
  if (Number.isSafeInteger(length)) return length
  throw new CliFailure(2, {
    code: 'duration_invalid',
    title: 'The command was not understood',
    detail: `${option}: "${text}" is not a duration.`,
    hint: 'Write it like 30s, 10m or 2h.',
  })
}
