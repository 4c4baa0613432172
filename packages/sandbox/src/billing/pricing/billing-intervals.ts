// When periods begin and end, in UTC seconds. Knows no prices.

/** As a price's `recurring` says it. */
export interface Step {
  readonly interval: 'day' | 'week' | 'month' | 'year'
  readonly interval_count: number
}

export interface Period {
  readonly start: number
  readonly end: number
}

const day = 86_400
/** No interval is longer: an estimate made with it never overshoots. */
const longest = { day, week: 7 * day, month: 31 * day, year: 366 * day } as const

/** The anchor moved by a number of steps. A day the month does not have is its last one; the anchor's own day comes back. */
export function stepped(anchor: number, step: Step, times: number): number {
  const count = step.interval_count * times
  if (step.interval === 'day' || step.interval === 'week') return anchor + count * longest[step.interval]
  const from = new Date(anchor * 1000)
  const month = from.getUTCMonth() + (step.interval === 'year' ? count * 12 : count)
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const moved = new Date(anchor * 1000)
  moved.setUTCDate(1)
  moved.setUTCFullYear(from.getUTCFullYear(), month, Math.min(from.getUTCDate(), lastDay))
  return moved.getTime() / 1000
}

/** The period that a moment lies in; one that begins at it, when it is a border. */
export function periodAt(anchor: number, step: Step, at: number): Period {
  let times = Math.floor((at - anchor) / (longest[step.interval] * step.interval_count))
  while (stepped(anchor, step, times) > at) times--
  while (stepped(anchor, step, times + 1) <= at) times++
  return { start: stepped(anchor, step, times), end: stepped(anchor, step, times + 1) }
}

export function sameStep(a: Step, b: Step): boolean {
  return a.interval === b.interval && a.interval_count === b.interval_count
}
