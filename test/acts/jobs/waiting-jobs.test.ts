import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createService } from '../../../packages/ratecard/src/server/service/service.ts'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { unlimitedBudget } from '../../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { inMemory } from '../../support/stores/store.ts'
import type { JobRecord } from '../../../packages/ratecard/src/store/records/journal.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const minute = 60_000
/** Waits for more turns of the event loop than a pass needs. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** A service whose reads of the journal are counted and answered by the test. */
async function looked() {
  const store = await (await inMemory()).open()
  const looks: { answer: (jobs: readonly JobRecord[]) => void; fail: (error: Error) => void }[] = []
  const due = () =>
    new Promise<readonly JobRecord[]>((answer, fail) => {
      looks.push({ answer, fail })
    })
  const jobs = new Proxy(store.jobs, {
    get: (target, name) => (name === 'due' ? due : (Reflect.get(target, name) as unknown)),
  })
  const watched: Store = new Proxy(store, {
    get: (target, name) => (name === 'jobs' ? jobs : (Reflect.get(target, name) as unknown)),
  })
  const connection = { secretKey: 'sk_test_nobody_is_asked', apiBase: 'http://127.0.0.1:9', clock: systemClock }
  const service = createService({
    settings: { requireVersionBump: false, workers: 'off' },
    store: watched,
    processor: createStripeProcessor({ ...connection, budget: unlimitedBudget }),
    processorName: 'nobody',
    processorMode: 'sandbox',
    clock: systemClock,
  })
  return { service, looks }
}

test('waiting jobs are checked at the start and one minute after each check, and never twice at the same time', async () => {
  const { service, looks } = await looked()
  service.waitingJobs.start(() => undefined)
  service.waitingJobs.start(() => undefined)
  expect(looks).toHaveLength(1)
  vi.advanceTimersByTime(10 * minute)
  await settled()
  expect(looks).toHaveLength(1)
  for (const passes of [1, 2, 3]) {
    looks.at(-1)?.answer([])
    await settled()
    vi.advanceTimersByTime(minute - 1)
    await settled()
    expect(looks).toHaveLength(passes)
    vi.advanceTimersByTime(1)
    expect(looks).toHaveLength(passes + 1)
  }
  looks.at(-1)?.answer([])
  await service.close()
})

test('a failed check of the waiting jobs is reported, and the next check still takes place', async () => {
  const { service, looks } = await looked()
  const told: unknown[] = []
  service.waitingJobs.start((error) => told.push(error))
  looks[0]?.fail(new Error('the store is away'))
  await settled()
  expect(told).toMatchObject([{ message: 'the store is away' }])
  vi.advanceTimersByTime(minute)
  expect(looks).toHaveLength(2)
  looks[1]?.answer([])
  await service.close()
})

test('closing the service waits for the running check of the waiting jobs, and no further check starts', async () => {
  const { service, looks } = await looked()
  service.waitingJobs.start(() => undefined)
  let closed = false
  const closing = service.close().then(() => (closed = true))
  await settled()
  expect(closed).toBe(false)
  looks[0]?.answer([])
  await closing
  vi.advanceTimersByTime(10 * minute)
  await settled()
  expect(looks).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})
