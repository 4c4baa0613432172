// Parses the days `from` and `to` of a query, both included, e.g. `?from=2026-01-01&to=2026-01-31` for January.
import { pointerOf } from '../../../base/errors/issue.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Maximum length (days) of a range: ten years. No chart shows more, and ten years still fit into one response. */
const maxDays = 3660

export interface AskedDays {
  readonly from?: string
  readonly to?: string
}

/**
 * Returns the range of days of a query. The default of `to` is today. The default of `from` is `defaultDays` before `to`. `now` is in epoch
 * milliseconds.
 */
export function dayRange(
  asked: AskedDays,
  { now, defaultDays }: { readonly now: number; readonly defaultDays: number },
) {
  const to = dayOf(asked, 'to') ?? startOfDay(now)
  const from = dayOf(asked, 'from') ?? to - defaultDays * dayMs
  requireOrder(from, to)
  if ((to - from) / dayMs >= maxDays)
    throw invalidRange('from', `"from" and "to" must be at most ${String(maxDays)} days apart.`)
  return { from: textOf(from), to: textOf(to) }
}

/** Returns the range of days of a query without a maximum length. `from` is null if the query has none. */
export function openDayRange(asked: AskedDays, now: number): { readonly from: string | null; readonly to: string } {
  const to = dayOf(asked, 'to') ?? startOfDay(now)
  const from = dayOf(asked, 'from')
  if (from !== null) requireOrder(from, to)
  return { from: from === null ? null : textOf(from), to: textOf(to) }
}

/** Returns the start of the day in a member of the query (epoch milliseconds); null if the query does not have the member. */
function dayOf(asked: AskedDays, member: 'from' | 'to'): number | null {
  const text = asked[member]
  if (text === undefined) return null
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // `Date.parse` reads 2026-02-30 as 2 March. So convert the result back and compare it with the given text.
  if (Number.isNaN(time) || textOf(time) !== text)
    throw invalidRange(member, `"${member}" must be a day such as 2026-01-31, but is "${text}".`)
  return time
}

function requireOrder(from: number, to: number): void {
  if (from > to) throw invalidRange('from', `"from" (${textOf(from)}) is after "to" (${textOf(to)}).`)
}

const startOfDay = (time: number) => time - (time % dayMs)
const textOf = (time: number) => new Date(time).toISOString().slice(0, 10)

function invalidRange(member: string, detail: string): ServiceError {
  return new ServiceError('request_invalid', detail, {
    issues: [{ code: 'value_invalid', pointer: pointerOf(['query', member]), severity: 'error', detail }],
  })
}
