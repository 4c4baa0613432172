// Tests of shared rate limits: all replicas together stay within the limits. They run on every engine.
import { describe, expect, test } from 'vitest'
import { createSharedBudget } from '../../../packages/ratecard/src/processor/shared-budget.ts'
import type { RateBudget } from '../../../packages/ratecard/src/processor/rate-budget.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import type { MakePlace } from '../../support/stores/store.ts'

const forever = new AbortController().signal
const limits = { perSecond: 40, perOperationPerSecond: 25 }

const budgetOn = (store: Store): RateBudget =>
  createSharedBudget({
    reserve: (operation, count) => store.paces.reserve({ name: 'processor', operation, count, limits }),
    batch: 6,
  })

interface Start {
  readonly at: number
  readonly replica: number
  readonly operation: string
}

/** Returns the maximum number of calls that started within one second. */
function mostInOneSecond(starts: readonly Start[]): number {
  return Math.max(...starts.map(({ at: from }) => starts.filter(({ at }) => at >= from && at < from + 1000).length))
}

export function pacesContract(engine: string, makePlace: MakePlace): void {
  describe(`a rate limit shared by two replicas on ${engine}`, () => {
    test('is never exceeded in any second, and each replica gets its turn', async () => {
      const place = await makePlace()
      const budgets = (await Promise.all([place.open(), place.open()])).map(budgetOn)
      const starts: Start[] = []
      const calls = budgets.flatMap((budget, replica) =>
        ['POST /v1/prices', 'POST /v1/products'].flatMap((operation) =>
          Array.from({ length: 25 }, async () => {
            await budget.take(operation, forever)
            starts.push({ at: performance.now(), replica, operation })
          }),
        ),
      )
      await Promise.all(calls)
      expect(starts).toHaveLength(100)
      expect(mostInOneSecond(starts)).toBeLessThanOrEqual(limits.perSecond)
      for (const operation of ['POST /v1/prices', 'POST /v1/products'])
        expect(mostInOneSecond(starts.filter((start) => start.operation === operation))).toBeLessThanOrEqual(
          limits.perOperationPerSecond,
        )
      // While both replicas have work, neither waits until the other has finished.
      for (const replica of [0, 1])
        expect(starts.slice(0, 50).filter((start) => start.replica === replica).length).toBeGreaterThan(10)
    })

    test('grants requests with the same name in their order, with a minimum distance in time between them', async () => {
      const place = await makePlace()
      const [one, two] = await Promise.all([place.open(), place.open()])
      const ask = { name: 'a', operation: 'x', count: 5, limits }
      const first = await one.paces.reserve(ask)
      const second = await two.paces.reserve(ask)
      const moments = [...first, ...second]
      for (const [index, moment] of moments.entries()) {
        expect(moment.until).toBeGreaterThan(moment.from)
        const before = moments[index - 1]
        // Two readings of the clock differ by the duration of a reading.
        if (before !== undefined) expect(moment.from).toBeGreaterThan(before.from)
      }
      const other = await two.paces.reserve({ ...ask, name: 'b' })
      expect(other[0]?.from).toBeLessThan(second[0]?.from ?? 0)
    })
  })
}
