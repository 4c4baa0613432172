// Calendar days in UTC as text, e.g. `2026-01-31`. Comparing two texts compares the days.
const dayMs = 24 * 60 * 60 * 1000

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

export function startOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

/** Returns the day that is `count` days later, or earlier for a negative count. */
export function addDays(day: string, count: number): string {
  return dayOf(startOfDay(day) + count * dayMs)
}
