/** Source of the wall-clock time. Tests inject their own clock. */
export interface Clock {
  /** Returns the time in epoch milliseconds. */
  now(): number
}

/**
 * The two clocks of a service. They differ only in a service that runs its own sandbox, whose clock can be moved.
 * Source: decisions, billing time.
 */
export interface Clocks {
  /** Billing time: ends of deals and trials, windows of allowances, expiry of credits and grants, audit, days of revenue. */
  readonly clock: Clock
  /** Real time: keys, sessions, rate limits, logs, workers and their cron triggers, durations. Default: `clock`. */
  readonly wallClock?: Clock | undefined
}

export const systemClock: Clock = { now: () => Date.now() }

/** Formats a time as RFC 3339 in UTC, the format of all times in the API. */
export function toRfc3339(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

interface Deadline {
  /** Time at which the callback `pass` runs: a timestamp of `performance.now()` in milliseconds. */
  readonly moment: number
  readonly pass: () => void
}

const deadlines = new Set<Deadline>()

/**
 * Runs the callback `pass` once, at a timestamp of `performance.now()`. Its timer does not keep the process alive. Returns a function that
 * cancels it.
 */
export function atDeadline(moment: number, pass: () => void): () => void {
  const callOff = () => {
    clearTimeout(timer)
    deadlines.delete(deadline)
  }
  const deadline = {
    moment,
    pass: () => {
      callOff()
      pass()
    },
  }
  const timer = setTimeout(deadline.pass, Math.max(1, moment - performance.now())).unref()
  deadlines.add(deadline)
  return callOff
}

/**
 * Runs all overdue deadlines. When a suspended process continues, I/O callbacks may run before overdue timers. So call this before an
 * action that cannot be undone. Otherwise the action could run under a lease that has expired, and that another process has taken.
 */
export function runOverdueDeadlines(): void {
  const now = performance.now()
  for (const deadline of deadlines) if (deadline.moment <= now) deadline.pass()
}
