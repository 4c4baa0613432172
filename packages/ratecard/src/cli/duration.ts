import { CliFailure } from './failure.ts'

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
