/** The only way to know the time. Tests pass a clock of their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** RFC 3339 in UTC, the form of every time on the wire. */
export function toRfc3339(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

interface Deadline {
  /** Of `performance.now()`. */
  readonly moment: number
  readonly pass: () => void
}

const deadlines = new Set<Deadline>()

/** Runs `pass` once, at a moment of `performance.now()`; the process does not stay alive for it. Returns what calls it off. */
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
 * Runs what is overdue. The timers of a process that was stopped and continued are late, and its answers come before them:
 * whoever is about to do what cannot be undone asks this first, or it would act under a lease that is another’s by now.
 */
export function passDeadlines(): void {
  const now = performance.now()
  for (const deadline of deadlines) if (deadline.moment <= now) deadline.pass()
}
