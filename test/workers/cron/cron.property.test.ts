import { Cron } from 'croner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextFire } from '../../../packages/ratecard/src/workers/cron/next-fire.ts'
import { parseCron } from '../../../packages/ratecard/src/workers/cron/parse.ts'

const minuteMs = 60_000

function field(min: number, max: number): fc.Arbitrary<string> {
  const value = fc.integer({ min, max })
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
  const step = fc.integer({ min: 1, max: max - min })
  const item = fc.oneof(
    value.map(String),
    range,
    fc.tuple(range, step).map(([r, s]) => `${r}/${s}`),
    step.map((s) => `*/${s}`),
  )
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('*') },
    { weight: 3, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(',')) },
  )
}

const expressions = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6))
  .map((fields) => fields.join(' '))
const times = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2099, 0, 1) })

/** A second implementation of a cron field: checks for each value whether an item of the field contains it. */
function names(text: string, value: number, min: number, max: number): boolean {
  return text.split(',').some((item) => {
    const [range = '', step = '1'] = item.split('/')
    const [from = min, to = range === '*' ? max : from] = range === '*' ? [] : range.split('-').map(Number)
    return value >= from && value <= to && (value - from) % Number(step) === 0
  })
}

function fires(expression: string, time: number): boolean {
  const date = new Date(time)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.split(' ')
  const byDate = names(day, date.getUTCDate(), 1, 31)
  const byWeekday = names(weekday, date.getUTCDay(), 0, 6)
  return (
    names(minute, date.getUTCMinutes(), 0, 59) &&
    names(hour, date.getUTCHours(), 0, 23) &&
    names(month, date.getUTCMonth() + 1, 1, 12) &&
    (day === '*' || weekday === '*' ? byDate && byWeekday : byDate || byWeekday)
  )
}

describe('the schedule of a cron expression', () => {
  it('fires at the same times as a search over all minutes', () => {
    fc.assert(
      fc.property(expressions, times, (expression, after) => {
        const { schedule } = parseCron(expression)
        if (!schedule) return
        const found = nextFire(schedule, after)
        expect(found).not.toBeNull()
        expect(fires(expression, found!)).toBe(true)
        const first = (Math.floor(after / minuteMs) + 1) * minuteMs
        const nearEnough = Math.min(found!, first + 1_500 * minuteMs)
        for (let time = first; time < nearEnough; time += minuteMs)
          if (fires(expression, time)) throw new Error(`${expression} fires at ${new Date(time).toISOString()}`)
      }),
      { numRuns: 100 },
    )
  })

  it('fires at the same times as the library croner, for each supported expression', () => {
    fc.assert(
      fc.property(expressions, times, (expression, after) => {
        const oracle = new Cron(expression, { paused: true, mode: '5-part', utcOffset: 0 })
        const { schedule } = parseCron(expression)
        const expected = oracle.nextRun(new Date(after))?.getTime() ?? null
        expect(schedule ? nextFire(schedule, after) : null).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is either refused or parsed, always with the same result, and parsing never throws', () => {
    const alphabet = fc.string({
      unit: fc.constantFrom(...Array.from('0123456789*/,- ?L#@WSUNa.+\t\n')),
      maxLength: 30,
    })
    fc.assert(
      fc.property(fc.oneof(alphabet, fc.string()), (text) => {
        const parsed = parseCron(text)
        if (parsed.issue) expect(parsed.issue.hint).not.toBe('')
        else expect(parseCron(parsed.schedule.expression).schedule).toEqual(parsed.schedule)
      }),
      { numRuns: 2_000 },
    )
  })
})
