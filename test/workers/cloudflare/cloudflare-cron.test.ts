import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cloudflareCron } from '../../../packages/ratecard/src/workers/cloudflare/schedules.ts'
import { parseCron } from '../../../packages/ratecard/src/workers/cron/parse.ts'

function schedule(expression: string) {
  const parsed = parseCron(expression)
  if (parsed.schedule === undefined) throw new Error(parsed.issue.detail)
  return parsed.schedule
}

/** Parses the weekday field as Cloudflare does: names, or 1 (Sunday) to 7 (Saturday). Returns days in our numbering. */
function daysThere(field: string): number[] {
  const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
  const day = (text: string) => (names.includes(text) ? names.indexOf(text) : Number(text) - 1)
  const days = field.split(',').flatMap((item) => {
    if (item === '*') return [0, 1, 2, 3, 4, 5, 6]
    const [first = '', last = first] = item.split('-')
    return Array.from({ length: day(last) - day(first) + 1 }, (_, index) => day(first) + index)
  })
  return [...new Set(days)].sort()
}

const number = fc.integer({ min: 0, max: 6 })
const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
const stepped = fc.tuple(fc.oneof(range, fc.constant('*')), fc.integer({ min: 1, max: 6 })).map(([r, s]) => `${r}/${s}`)
const item = fc.oneof(number.map(String), range, stepped, fc.constant('*'))
const field = fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => items.join(','))

describe('a schedule that is sent to Cloudflare', () => {
  it.each([
    ['*/15 * * * *', '*/15 * * * *'],
    ['0 0 * * 0', '0 0 * * SUN'],
    ['0 0 * * 6', '0 0 * * SAT'],
    ['0 9 * * 1-5', '0 9 * * MON-FRI'],
    ['0 9 * * 0,3,6', '0 9 * * SUN,WED,SAT'],
    ['0 9 * * 1-5/2', '0 9 * * MON,WED,FRI'],
    ['0 9 * * */3', '0 9 * * SUN,WED,SAT'],
    ['0-30/10 1,2 1-5 */2 0-6', '0-30/10 1,2 1-5 */2 SUN-SAT'],
  ])('is converted: %s is sent as %s', (ours, theirs) => {
    expect(cloudflareCron(schedule(ours))).toBe(theirs)
  })

  it('fires on the same days of the week, and is unrestricted only with a literal *', () => {
    fc.assert(
      fc.property(field, (days) => {
        const ours = schedule(`0 0 1 * ${days}`)
        const theirs = cloudflareCron(ours).split(' ')[4] ?? ''
        const wanted = [0, 1, 2, 3, 4, 5, 6].filter((day) => ours.daysOfWeek[day] === 1)
        expect(daysThere(theirs)).toEqual(wanted)
        expect(theirs === '*').toBe(ours.anyDayOfWeek)
      }),
    )
  })
})
