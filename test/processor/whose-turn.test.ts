// The order in which requests to the processor start: the seller's first, then those of sessions in turns by tenant.
import { expect, it } from 'vitest'
import { createRateBudget } from '../../packages/ratecard/src/processor/rate-budget.ts'
import { createSharedBudget } from '../../packages/ratecard/src/processor/shared-budget.ts'
import { asSessionOf } from '../../packages/ratecard/src/processor/whose-turn.ts'

const signal = new AbortController().signal

/** Lets one request start, then asks: one tenant six times, another one twice, the seller twice, all at once. */
async function started(take: (operation: string, signal: AbortSignal) => Promise<void>): Promise<readonly string[]> {
  const order: string[] = []
  const ask = (who: string) => take('GET /v1/prices', signal).then(() => order.push(who))
  const waiting = [ask('first')]
  const sessions = (who: string, count: number) => {
    for (let one = 0; one < count; one++) waiting.push(asSessionOf(who, () => ask(who)))
  }
  sessions('flood', 6)
  sessions('calm', 2)
  waiting.push(ask('seller'), ask('seller'))
  await Promise.all(waiting)
  return order
}

const fair = ['first', 'seller', 'seller', 'flood', 'calm', 'flood', 'calm', 'flood', 'flood', 'flood', 'flood']

it('within one process is fair to the tenants', async () => {
  const budget = createRateBudget({ perSecond: 50, perOperationPerSecond: 50, clock: { now: () => performance.now() } })
  expect(await started((operation, abort) => budget.take(operation, abort))).toEqual(fair)
})

it('with a budget that replicas share is fair to the tenants', async () => {
  const reserve = (_operation: string, count: number) =>
    Promise.resolve(Array.from({ length: count }, () => ({ from: performance.now(), until: performance.now() + 1000 })))
  const budget = createSharedBudget({ reserve, batch: 1 })
  expect(await started((operation, abort) => budget.take(operation, abort))).toEqual(fair)
})
