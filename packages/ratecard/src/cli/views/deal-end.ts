import { showTime } from './text/table.ts'

/** Returns e.g. `ends 2031-01-01 00:00:00 UTC, then the base prices`. */
export function dealEndText(endsAt: string, then: string | null | undefined): string {
  const after = then === 'signed' ? 'the prices signed before it' : 'the base prices'
  return `ends ${showTime(endsAt)} UTC, then ${after}`
}
