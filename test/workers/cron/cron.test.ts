import { describe, expect, it } from 'vitest'
import { describeCron } from '../../../packages/ratecard/src/workers/cron/describe.ts'
import { nextFire } from '../../../packages/ratecard/src/workers/cron/next-fire.ts'
import { parseCron, type CronSchedule } from '../../../packages/ratecard/src/workers/cron/parse.ts'

function schedule(expression: string): CronSchedule {
  const parsed = parseCron(expression)
  if (parsed.issue) throw new Error(parsed.issue.detail)
  return parsed.schedule
}

function next(expression: string, after: string): string | null {
  const found = nextFire(schedule(expression), Date.parse(after))
  return found === null ? null : new Date(found).toISOString()
}

describe('the next time of a cron schedule', () => {
  it.each([
    ['* * * * *', '2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z'],
    ['* * * * *', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01:00.000Z'],
    ['*/5 * * * *', '2026-01-01T00:55:00Z', '2026-01-01T01:00:00.000Z'],
    ['0 * * * *', '2026-12-31T23:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['0 */6 * * *', '2026-01-01T18:00:01Z', '2026-01-02T00:00:00.000Z'],
    ['0 0 * * 0', '2026-11-21T04:00:00Z', '2026-11-22T00:00:00.000Z'],
    ['0 0 1 * *', '2026-01-31T23:59:00Z', '2026-02-01T00:00:00.000Z'],
    ['0 0 1 1 *', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['0 0 31 * *', '2026-01-31T00:00:00Z', '2026-03-31T00:00:00.000Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 29 2 *', '2096-02-29T00:00:00Z', '2104-02-29T00:00:00.000Z'],
    ['0 0 13 * 5', '2026-11-01T00:00:00Z', '2026-11-06T00:00:00.000Z'],
    ['0 0 */2 * 1', '2026-11-01T00:00:00Z', '2026-11-02T00:00:00.000Z'],
    ['30 12 * 6 2,4', '2026-11-01T00:00:00Z', '2027-06-01T12:30:00.000Z'],
    ['59 23 31 12 *', '1969-12-31T00:00:00Z', '1969-12-31T23:59:00.000Z'],
  ])('%s after %s is %s', (expression, after, expected) => {
    expect(next(expression, after)).toBe(expected)
  })
})

describe('a cron expression with a mistake or an impossible date', () => {
  it.each([
    ['0 0 * * 7', 8, 'Write 0 for Sunday.'],
    ['0 0 * * 1-7', 10, 'Write 0 for Sunday.'],
    ['0 0 * * SUN', 8, 'Write the number 0 instead of the name.'],
    ['0 0 1 jan *', 6, 'Write the number 1 instead of the name.'],
    ['0 0 ? * 1', 4, 'Write "*" instead of "?".'],
    ['0 0 L * *', 4, '"L" (last) is not supported: list the days, or check the date in the handler.'],
    ['0 0 15W * *', 4, '"W" (nearest weekday) is not supported: check the date in the handler.'],
    ['0 0 * * 5#2', 8, '"#" (nth weekday) is not supported: check the date in the handler.'],
    ['@daily', 0, 'Write "0 0 * * *".'],
    ['@reboot', 0, 'Write five fields: minute hour day-of-month month day-of-week.'],
    ['5/15 * * * *', 0, 'Write "5-59/15" to start at 5.'],
    ['*/60 * * * *', 2, 'Write "0" to fire once in the field.'],
    ['*/0 * * * *', 2, 'Use a whole number from 1 to 59.'],
    ['*/ * * * *', 2, 'Use a whole number from 1 to 59.'],
    ['60 * * * *', 0, 'Use a number from 0 to 59.'],
    ['0 24 * * *', 2, 'Use a number from 0 to 23.'],
    ['0 0 0 * *', 4, 'Use a number from 1 to 31.'],
    ['0 0 1 13 *', 6, 'Use a number from 1 to 12.'],
    ['0 22-4 * * *', 2, 'Write "22-23,0-4".'],
    ['1,,2 * * * *', 2, 'Remove the extra comma.'],
    ['0 0 * *', 0, 'Write minute hour day-of-month month day-of-week.'],
    ['0 0 0 * * *', 10, 'Remove the seconds field: the shortest interval is one minute.'],
    ['  ', 0, 'Write five fields: minute hour day-of-month month day-of-week.'],
    ['0 0 30 2 *', 4, 'Choose a day that exists in at least one of the months.'],
    ['0 0 31 2,4,6,9,11 *', 4, 'Choose a day that exists in at least one of the months.'],
  ])('is refused: %s at position %i', (expression, position, hint) => {
    expect(parseCron(expression).issue).toMatchObject({ position, hint })
  })

  it.each([
    '-1 * * * *',
    '1- * * * *',
    '1-2-3 * * * *',
    '+1 * * * *',
    '1.5 * * * *',
    '0x5 * * * *',
    '*/1e1 * * * *',
    '** * * * *',
    '*-5 * * * *',
    '1/2/3 * * * *',
    '٣ * * * *',
    '0\n0 * * *',
  ])('is refused: %j', (expression) => {
    expect(parseCron(expression).issue).toBeDefined()
  })

  it('is accepted with an impossible date if a weekday makes the schedule fire', () => {
    expect(next('0 0 30 2 1', '2026-01-01T00:00:00Z')).toBe('2026-02-02T00:00:00.000Z')
  })
})

describe('describeCron()', () => {
  it.each(['0 0 29 2 *', '0 0 29 * *', '0 0 30 * *', '0 0 31 * *'])(
    'has no words for %s, whose day not every month or year has',
    (expression) => {
      expect(describeCron(schedule(expression))).toBeUndefined()
    },
  )

  it.each([
    ['000 12 * * *', 'every day at 12:00 UTC'],
    ['00 * * * *', 'every hour'],
    ['05 * * * *', 'every hour at minute 5'],
    ['0 0 028 * *', 'day 28 of every month at 00:00 UTC'],
    ['0 0 1 01 *', 'every year on 01-01 at 00:00 UTC'],
  ])('reads %s with its leading zeros as %s', (expression, text) => {
    expect(describeCron(schedule(expression))).toBe(text)
  })

  it.each([
    ['* * * * *', 'every minute'],
    ['*/5 * * * *', 'every 5 minutes'],
    ['*/7 * * * *', undefined],
    ['0 * * * *', 'every hour'],
    ['0 */6 * * *', 'every 6 hours'],
    ['0 0 * * *', 'every day at 00:00 UTC'],
    ['30 9 * * 1', 'Mondays at 09:30 UTC'],
    ['0 0 1 * *', 'day 1 of every month at 00:00 UTC'],
    ['0 0 1 1 *', 'every year on 01-01 at 00:00 UTC'],
    ['1-5 2 * * *', undefined],
  ])('describes %s as %s', (expression, text) => {
    expect(describeCron(schedule(expression))).toBe(text)
  })
})
