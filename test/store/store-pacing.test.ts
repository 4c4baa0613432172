import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextSlots, toleranceMs, type Slot } from '../../packages/ratecard/src/store/pacing.ts'

const second = 1_000_000
const tolerance = toleranceMs * 1000

/** Requests of several replicas, with the time that passes before each one. */
const storms = fc.record({
  perSecond: fc.integer({ min: 1, max: 100 }),
  perOperationPerSecond: fc.integer({ min: 1, max: 100 }),
  asks: fc.array(
    fc.record({
      operation: fc.constantFrom('a', 'b', 'c'),
      count: fc.integer({ min: 1, max: 12 }),
      pause: fc.integer({ min: 0, max: 400_000 }),
    }),
    { maxLength: 25 },
  ),
})

function play({ perSecond, perOperationPerSecond, asks }: typeof storms extends fc.Arbitrary<infer T> ? T : never) {
  let now = 1_750_000_000_000_000
  const given: Slot[] = []
  const answers = asks.map(({ operation, count, pause }) => {
    now += pause
    const fresh = nextSlots(given, { operation, count, limits: { perSecond, perOperationPerSecond } }, now)
    given.push(...fresh)
    return { now, fresh }
  })
  return { given, answers }
}

/** Returns the shortest time in which one call too many can start, if the first starts as late and the last as early as possible. */
function shortestOverrun(slots: readonly Slot[], limit: number): number {
  const ats = slots.map(({ at }) => at).sort((one, other) => one - other)
  return Math.min(...ats.slice(limit).map((at, index) => at - (ats[index] ?? -Infinity) - tolerance), Infinity)
}

test('no second has more requests than the limits allow, even if slots are used late within the tolerance', () => {
  fc.assert(
    fc.property(storms, (storm) => {
      const { given } = play(storm)
      expect(shortestOverrun(given, storm.perSecond)).toBeGreaterThanOrEqual(second)
      for (const operation of ['a', 'b', 'c']) {
        const own = given.filter((slot) => slot.operation === operation)
        expect(shortestOverrun(own, storm.perOperationPerSecond)).toBeGreaterThanOrEqual(second)
      }
    }),
    { numRuns: 150 },
  )
})

test('request slots are granted in order, and no slot is earlier than its request', () => {
  fc.assert(
    fc.property(storms, (storm) => {
      for (const { now, fresh } of play(storm).answers) {
        expect(fresh[0]?.at).toBeGreaterThanOrEqual(now)
        expect(fresh.map(({ at }) => at)).toEqual(fresh.map(({ at }) => at).sort((one, other) => one - other))
      }
    }),
    { numRuns: 100 },
  )
})

test('20 request slots span 19 intervals, so that no slot is lost', () => {
  const limits = { perSecond: 21, perOperationPerSecond: 21 }
  const slots = nextSlots([], { operation: 'a', count: 20, limits }, 0)
  expect(slots.map(({ at }) => at)).toEqual(Array.from({ length: 20 }, (_, index) => index * 50_000))
  const other = nextSlots(slots, { operation: 'b', count: 1, limits }, 0)
  expect(other).toEqual([{ at: 1_000_000, operation: 'b' }])
})

test('an operation at its limit leaves the slots in between to other operations', () => {
  const limits = { perSecond: 42, perOperationPerSecond: 21 }
  const slots = nextSlots([], { operation: 'a', count: 3, limits }, 0)
  expect(nextSlots(slots, { operation: 'b', count: 3, limits }, 0).map(({ at }) => at)).toEqual([
    25_000, 75_000, 125_000,
  ])
})

test('a database clock that is set back by hours does not stop the requests', () => {
  const limits = { perSecond: 10, perOperationPerSecond: 10 }
  const before = nextSlots([], { operation: 'a', count: 10, limits }, 7200 * second)
  expect(nextSlots(before, { operation: 'a', count: 1, limits }, 5)).toEqual([{ at: 5, operation: 'a' }])
})

test('a queue of more than a minute of request slots stays within the limit', () => {
  const limits = { perSecond: 1, perOperationPerSecond: 1 }
  const given: Slot[] = []
  for (let ask = 0; ask < 20; ask++) given.push(...nextSlots(given, { operation: 'a', count: 12, limits }, 0))
  expect(shortestOverrun(given, 1)).toBeGreaterThanOrEqual(second)
})
