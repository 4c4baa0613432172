// Strict parser of cron expressions: five fields, `*`, ranges, lists, steps, Sunday as 0, UTC. Decides the meaning of an expression and the
// reason for a rejection; never reads the clock.

/**
 * A parsed cron expression. Each array is indexed by the value of the field (e.g. `months[1]` is January). 1 means that the schedule fires
 * at that value.
 */
export interface CronSchedule {
  /** Source text without surrounding and repeated blanks. */
  readonly expression: string
  readonly minutes: Uint8Array
  readonly hours: Uint8Array
  readonly daysOfMonth: Uint8Array
  readonly months: Uint8Array
  readonly daysOfWeek: Uint8Array
  /**
   * True if the day-of-month field is a literal `*`. If neither day field is `*`, the schedule fires when either of the two fields matches.
   */
  readonly anyDayOfMonth: boolean
  readonly anyDayOfWeek: boolean
}

export interface CronIssue {
  readonly detail: string
  readonly hint: string
  /** Offset of the error in the expression, starting at 0. */
  readonly position: number
}

export type ParsedCron =
  | { readonly schedule: CronSchedule; readonly issue?: undefined }
  | { readonly schedule?: undefined; readonly issue: CronIssue }

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const minute: Field = { name: 'minute', min: 0, max: 59 }
const hour: Field = { name: 'hour', min: 0, max: 23 }
const dayOfMonth: Field = { name: 'day of month', min: 1, max: 31 }
const month: Field = { name: 'month', min: 1, max: 12, names: monthNames }
const dayOfWeek: Field = { name: 'day of week', min: 0, max: 6, names: weekdayNames }

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const fieldOrder = 'minute hour day-of-month month day-of-week'
const longestMonth = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

class CronError extends Error {
  readonly issue: CronIssue
  constructor(position: number, detail: string, hint: string) {
    super(detail)
    this.issue = { detail, hint, position }
  }
}

/**
 * Parses a cron expression. Rejects everything outside the grammar, and every expression that can never match (e.g. 30 February). The hint
 * contains the fix.
 */
export function parseCron(expression: string): ParsedCron {
  try {
    return { schedule: parse(expression) }
  } catch (error) {
    if (error instanceof CronError) return { issue: error.issue }
    throw error
  }
}

function parse(expression: string): CronSchedule {
  const parts = [...expression.matchAll(/[^ \t]+/g)].map((match) => ({ text: match[0], at: match.index }))
  const [first, second, third, fourth, fifth] = parts
  if (!first || !second || !third || !fourth || !fifth || parts.length > 5) throw wrongCount(parts)
  const schedule: CronSchedule = {
    expression: parts.map((part) => part.text).join(' '),
    minutes: parseField(minute, first.text, first.at),
    hours: parseField(hour, second.text, second.at),
    daysOfMonth: parseField(dayOfMonth, third.text, third.at),
    months: parseField(month, fourth.text, fourth.at),
    daysOfWeek: parseField(dayOfWeek, fifth.text, fifth.at),
    anyDayOfMonth: third.text === '*',
    anyDayOfWeek: fifth.text === '*',
  }
  if (!canMatch(schedule))
    throw new CronError(
      third.at,
      `"${schedule.expression}" never fires: no such month has the day of month "${third.text}".`,
      'Choose a day that exists in at least one of the months.',
    )
  return schedule
}

function wrongCount(parts: readonly { text: string; at: number }[]): CronError {
  const first = parts[0]
  if (!first) return new CronError(0, 'The cron expression is empty.', `Write five fields: ${fieldOrder}.`)
  if (first.text.startsWith('@')) {
    const same = macros[first.text.toLowerCase()]
    const hint = same === undefined ? `Write five fields: ${fieldOrder}.` : `Write "${same}".`
    return new CronError(first.at, `"${first.text}" is not supported.`, hint)
  }
  const extra = parts[5]
  const hint =
    parts.length === 6 ? 'Remove the seconds field: the shortest interval is one minute.' : `Write ${fieldOrder}.`
  return new CronError(extra?.at ?? first.at, `A cron expression has five fields; this one has ${parts.length}.`, hint)
}

function parseField(field: Field, text: string, at: number): Uint8Array {
  const set = new Uint8Array(field.max + 1)
  let position = at
  for (const item of text.split(',')) {
    addItem(field, set, item, position)
    position += item.length + 1
  }
  return set
}

function addItem(field: Field, set: Uint8Array, item: string, at: number): void {
  if (item === '') throw new CronError(at, `The ${field.name} field has an empty list item.`, 'Remove the extra comma.')
  const slash = item.indexOf('/')
  const range = slash < 0 ? item : item.slice(0, slash)
  const step = slash < 0 ? 1 : parseStep(field, item.slice(slash + 1), at + slash + 1)
  const [from, to] = parseRange(field, range, at, slash >= 0 ? step : undefined)
  for (let value = from; value <= to; value += step) set[value] = 1
}

function parseRange(field: Field, text: string, at: number, step: number | undefined): readonly [number, number] {
  if (text === '*') return [field.min, field.max]
  const dash = text.indexOf('-')
  if (dash < 0) {
    const value = parseValue(field, text, at)
    if (step !== undefined)
      throw new CronError(
        at,
        `A step needs \`*\` or a range before it: "${text}/${step}".`,
        `Write "${value}-${field.max}/${step}" to start at ${value}.`,
      )
    return [value, value]
  }
  const from = parseValue(field, text.slice(0, dash), at)
  const to = parseValue(field, text.slice(dash + 1), at + dash + 1)
  if (from > to)
    throw new CronError(
      at,
      `The range "${text}" is in the wrong order in the ${field.name} field.`,
      `Write "${from}-${field.max},${field.min}-${to}".`,
    )
  return [from, to]
}

function parseStep(field: Field, text: string, at: number): number {
  const most = field.max - field.min
  const step = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (step >= 1 && step <= most) return step
  const hint = step > most ? `Write "${field.min}" to fire once in the field.` : `Use a whole number from 1 to ${most}.`
  throw new CronError(
    at,
    `The step "${text}" of the ${field.name} field is not a whole number from 1 to ${most}.`,
    hint,
  )
}

function parseValue(field: Field, text: string, at: number): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (value >= field.min && value <= field.max) return value
  const range = `${field.min} to ${field.max}`
  if (field === dayOfWeek && value === 7)
    throw new CronError(at, 'Day of week 7 does not exist: days are 0 (Sunday) to 6 (Saturday).', 'Write 0 for Sunday.')
  if (!Number.isNaN(value))
    throw new CronError(at, `${text} is out of range in the ${field.name} field.`, `Use a number from ${range}.`)
  throw new CronError(at, `"${text}" is not a value of the ${field.name} field.`, valueHint(field, text))
}

function valueHint(field: Field, text: string): string {
  const named = field.names?.indexOf(text.slice(0, 3).toLowerCase()) ?? -1
  if (named >= 0) return `Write the number ${named + field.min} instead of the name.`
  if (text === '?') return 'Write "*" instead of "?".'
  if (/^\d*L$/i.test(text)) return '"L" (last) is not supported: list the days, or check the date in the handler.'
  if (/^\d+W$/i.test(text)) return '"W" (nearest weekday) is not supported: check the date in the handler.'
  if (text.includes('#')) return '"#" (nth weekday) is not supported: check the date in the handler.'
  return `Use "*", a number from ${field.min} to ${field.max}, a range such as ${field.min}-${field.max}, a list, or a step such as */2.`
}

function canMatch(schedule: CronSchedule): boolean {
  if (!schedule.anyDayOfWeek) return true
  for (let value = 1; value <= 12; value++) {
    if (schedule.months[value] !== 1) continue
    const firstDay = schedule.daysOfMonth.indexOf(1)
    if (firstDay <= longestMonth[value]!) return true
  }
  return false
}
