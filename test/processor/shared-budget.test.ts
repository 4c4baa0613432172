import { expect, test } from 'vitest'
import { createSharedBudget, type ReservedMoment } from '../../packages/ratecard/src/processor/shared-budget.ts'

const forever = new AbortController().signal
const now = (): ReservedMoment => ({ from: performance.now(), until: Infinity })
const lost = (): ReservedMoment => ({ from: performance.now() - 100, until: performance.now() - 50 })

/** A budget with recorded reservations. Slots are granted for now, unless `moments` contains other times. */
function sharedBudget(
  batch: number,
  moments: (count: number) => readonly ReservedMoment[] = (count) => Array.from({ length: count }, now),
) {
  const asked: [string, number][] = []
  const budget = createSharedBudget({
    batch,
    reserve: async (operation, count) => {
      asked.push([operation, count])
      await Promise.resolve()
      return moments(count)
    },
  })
  return { budget, asked }
}

test('the callers of an operation are served in the order of their arrival, and their request slots are reserved in batches', async () => {
  const { budget, asked } = sharedBudget(4)
  const served: number[] = []
  await Promise.all(
    Array.from({ length: 9 }, async (_, index) => {
      await budget.take('x', forever)
      served.push(index)
    }),
  )
  expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  expect(asked.map(([, count]) => count)).toEqual([1, 4, 4])
})

test('an operation does not wait for the request slots of other operations', async () => {
  const budget = createSharedBudget({
    batch: 4,
    reserve: (operation) => (operation === 'slow' ? new Promise(() => undefined) : Promise.resolve([now()])),
  })
  let slow = 'waiting'
  void budget.take('slow', forever).then(() => (slow = 'served'))
  await budget.take('fast', forever)
  expect(slow).toBe('waiting')
})

test('a request slot that is granted too late is discarded, and a new slot is reserved', async () => {
  let turns = 0
  const { budget, asked } = sharedBudget(4, () => [turns++ === 0 ? lost() : now()])
  await budget.take('x', forever)
  expect(asked).toEqual([
    ['x', 1],
    ['x', 1],
  ])
})

test('a caller that aborts leaves the queue for request slots, and uses no slot', async () => {
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const budget = createSharedBudget({
    batch: 4,
    reserve: async (_operation, count) => {
      await gate
      return Array.from({ length: count }, now)
    },
  })
  const stop = new AbortController()
  const given = budget.take('x', stop.signal)
  const stays = budget.take('x', forever)
  stop.abort()
  await expect(given).rejects.toMatchObject({ name: 'AbortError' })
  open()
  await stays
  await expect(budget.take('x', AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
})

test('a failed reservation of request slots rejects all waiting callers, and the next caller reserves again', async () => {
  let broken = true
  const budget = createSharedBudget({
    batch: 4,
    reserve: () => (broken ? Promise.reject(new Error('no database')) : Promise.resolve([now()])),
  })
  const waiting = await Promise.allSettled([budget.take('x', forever), budget.take('x', forever)])
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  broken = false
  await budget.take('x', forever)
})
