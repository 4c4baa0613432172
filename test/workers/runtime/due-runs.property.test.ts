import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextFire } from '../../../packages/ratecard/src/workers/cron/next-fire.ts'
import { parseCron } from '../../../packages/ratecard/src/workers/cron/parse.ts'
import { firstTicks, graceMs, planDue } from '../../../packages/ratecard/src/workers/runtime/due-runs.ts'

const minute = 60_000
const cron = fc.constantFrom('* * * * *', '*/5 * * * *', '0 * * * *', '30 6 * * 1', '0 0 29 2 *', '17 3 1 * *')
const start = fc.integer({ min: 0, max: 60 * 365 * 24 * 60 }).map((minutes) => minutes * minute)

test('each scheduled time is run or recorded as missed exactly once, however often the scheduler checks, and no run starts late', () => {
  const gaps = fc.array(fc.oneof(fc.integer({ min: 1, max: 3 * minute }), fc.integer({ min: 1, max: 90 * minute })), {
    minLength: 1,
    maxLength: 40,
  })
  fc.assert(
    fc.property(cron, start, gaps, (expression, from, waits) => {
      const schedule = parseCron(expression).schedule
      if (schedule === undefined) throw new Error('unreachable')
      let nextAt = nextFire(schedule, from)
      let now = from
      const seen: number[] = []
      for (const wait of waits) {
        now += wait
        if (nextAt === null || nextAt > now) continue
        const plan = planDue(expression, nextAt, now)
        seen.push(...plan.missed.map(({ scheduledTime }) => scheduledTime))
        if (plan.run !== null) {
          expect(now - plan.run).toBeGreaterThanOrEqual(0)
          expect(now - plan.run).toBeLessThanOrEqual(graceMs)
          seen.push(plan.run)
        }
        nextAt = plan.nextAt
        expect(nextAt ?? Infinity).toBeGreaterThan(now)
      }
      const expected: number[] = []
      for (let tick = nextFire(schedule, from); tick !== null && tick <= now; tick = nextFire(schedule, tick))
        expected.push(tick)
      // The last poll may have been before the last ticks were due.
      expect(seen).toEqual(expected.filter((tick) => tick < (nextAt ?? Infinity)))
    }),
  )
})

test('after a long outage the newest thousand missed runs are listed, with the number of earlier missed runs', () => {
  const first = Date.UTC(2026, 0, 1)
  const now = first + 10 * 24 * 60 * minute
  const plan = planDue('* * * * *', first, now + graceMs + 1)
  expect(plan.run).toBeNull()
  expect(plan.missed).toHaveLength(1_000)
  expect(plan.missed.at(-1)?.scheduledTime).toBe(now)
  expect(plan.missed[0]?.note).toContain(`${String(10 * 24 * 60 + 1 - 1_000)} ticks before it`)
  expect(plan.missed[1]?.note).not.toContain('before it')
  expect(plan.nextAt).toBe(now + minute)
})

test('a scheduled run may start up to ten seconds late, and is recorded as missed after that', () => {
  const tick = Date.UTC(2026, 0, 1)
  expect(planDue('* * * * *', tick, tick + graceMs)).toMatchObject({ run: tick, missed: [] })
  expect(planDue('* * * * *', tick, tick + graceMs + 1)).toMatchObject({ run: null, missed: [{ scheduledTime: tick }] })
})

test('the first scheduled time is after the deployment, never at the time of the deployment', () => {
  const now = Date.UTC(2026, 0, 1)
  expect(firstTicks(['* * * * *', '0 0 1 1 *'], now)).toEqual([
    { cron: '* * * * *', nextAt: now + minute },
    { cron: '0 0 1 1 *', nextAt: Date.UTC(2027, 0, 1) },
  ])
})
