// Start and end of billing periods, in UTC seconds.

/** Billing interval, as in `recurring` of a price. For example `month` and 3 mean every 3 months. */
export interface BillingInterval {
  readonly interval: 'day' | 'week' | 'month' | 'year'
  readonly interval_count: number
}

export interface Period {
  readonly start: number
  readonly end: number
}

const day = 86_400
/**
 * Longest duration (seconds) of each interval, e.g. 31 days for a month. A time divided by it gives an estimate of the number of intervals
 * that is never too high.
 */
const maxLength = { day, week: 7 * day, month: 31 * day, year: 366 * day } as const

/**
 * Returns the anchor plus a number of intervals. If the month is too short, its last day is used. Later months return to the anchor's day
 * (31 January → 28 February → 31 March).
 */
export function addIntervals(anchor: number, step: BillingInterval, times: number): number {
  const count = step.interval_count * times
  if (step.interval === 'day' || step.interval === 'week') return anchor + count * maxLength[step.interval]
  const from = new Date(anchor * 1000)
  const month = from.getUTCMonth() + (step.interval === 'year' ? count * 12 : count)
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const moved = new Date(anchor * 1000)
  moved.setUTCDate(1)
  moved.setUTCFullYear(from.getUTCFullYear(), month, Math.min(from.getUTCDate(), lastDay))
  return moved.getTime() / 1000
}

/** Returns the period that contains the time `at`. If one period ends and the next begins exactly at `at`, returns the next. */
export function periodAt(anchor: number, step: BillingInterval, at: number): Period {
  let times = Math.floor((at - anchor) / (maxLength[step.interval] * step.interval_count))
  while (addIntervals(anchor, step, times) > at) times--
  while (addIntervals(anchor, step, times + 1) <= at) times++
  return { start: addIntervals(anchor, step, times), end: addIntervals(anchor, step, times + 1) }
}

export function isSameInterval(a: BillingInterval, b: BillingInterval): boolean {
  return a.interval === b.interval && a.interval_count === b.interval_count
}
