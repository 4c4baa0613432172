import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createReadiness } from '../../packages/ratecard/src/health/readiness.ts'
import type { ReadinessDeps } from '../../packages/ratecard/src/health/readiness.ts'
import { ServiceError } from '../../packages/ratecard/src/errors/service-error.ts'
import { startStack } from '../support/stack.ts'
import type { StoreRefusal } from '../../packages/ratecard/src/store/store.ts'
import { inMemory } from '../support/store.ts'
import type { Stack } from '../support/stack.ts'

let stack: Stack
let now = 1_795_000_000_000
let probe: ReturnType<typeof createReadiness>

const readiness = (change: Partial<ReadinessDeps> = {}) =>
  createReadiness({
    store: stack.store,
    processor: stack.processor,
    workers: stack.service.workers,
    clock: { now: () => now },
    stopping: new AbortController().signal,
    patienceMs: 100,
    ...change,
  })

beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())
beforeEach(() => {
  stack.sandbox.control.clearFaults()
  stack.sandbox.control.clearRequests()
  probe = readiness()
})

const calls = () => stack.sandbox.control.requests().length
const processorCheck = async () => (await probe()).checks.processor

test('however often balancers ask, the processor is asked once a second', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => probe()))
  expect(answers.every(({ ready }) => ready)).toBe(true)
  now += 900
  await probe()
  expect(calls()).toBe(1)
  now += 200
  await probe()
  expect(calls()).toBe(2)
})

test('a processor that is slow for a moment turns nobody away; one that stays silent does', async () => {
  expect(await processorCheck()).toEqual({ ok: true, detail: 'reachable' })
  stack.sandbox.control.fail({ kind: 'latency', path: '/v1/account', latencyMs: 400, count: null })
  now += 5_000
  expect(await processorCheck()).toEqual({ ok: true, detail: 'slow' })
  now += 30_000
  expect(await processorCheck()).toEqual({ ok: false, detail: 'unavailable' })
  stack.sandbox.control.clearFaults()
  now += 1_000
  expect(await processorCheck()).toEqual({ ok: true, detail: 'reachable' })
})

test('a processor that was never reached is not taken for slow', async () => {
  stack.sandbox.control.fail({ kind: 'latency', path: '/v1/account', latencyMs: 400, count: null })
  expect(await probe()).toMatchObject({ ready: false, checks: { store: { ok: true }, processor: { ok: false } } })
})

test('a replica that is stopping is not ready, though all it needs is there', async () => {
  const stop = new AbortController()
  probe = readiness({ stopping: stop.signal })
  expect((await probe()).ready).toBe(true)
  stop.abort()
  expect(await probe()).toMatchObject({ ready: false, checks: { store: { ok: true }, processor: { ok: true } } })
})

test('a clock that is set back does not make an old answer of the processor count for ever', async () => {
  await probe()
  now -= 60_000
  await probe()
  expect(calls()).toBe(2)
})

test('without its store a replica is not ready, and names the code of the error alone', async () => {
  const store = await (await inMemory()).open()
  probe = readiness({ store })
  expect(await probe()).toMatchObject({ ready: true, checks: { store: { ok: true, detail: store.engine } } })
  await store.close()
  const { ready, checks } = await probe()
  expect(ready).toBe(false)
  expect(checks).toMatchObject({
    store: { ok: false, detail: 'the store refused a read (connection lost)' },
    processor: { ok: true },
  })
})

test.each(['read', 'write'] as const)(
  'a refused %s of the store turns requests away for a minute, unless it was a lost connection',
  async (access) => {
    const store = await (await inMemory()).open()
    const refused = (kind: StoreRefusal['kind'], code: string) =>
      readiness({
        store: {
          engine: 'sqlite',
          ping: () => store.ping(),
          refusal: () => ({ access, code, kind, at: now - 59_000 }),
        },
      })
    probe = refused('condition', 'SQLITE_FULL')
    expect((await probe()).checks.store).toEqual({ ok: false, detail: `the store refused a ${access} (SQLITE_FULL)` })
    probe = refused('connection', '57P01')
    expect((await probe()).checks.store).toEqual({ ok: true, detail: 'sqlite' })
    probe = refused('damage', 'SQLITE_CORRUPT')
    expect((await probe()).checks.store).toEqual({ ok: false, detail: 'the store is damaged (SQLITE_CORRUPT)' })
  },
)

test('a minute after the last refusal a replica is ready again', async () => {
  const store = await (await inMemory()).open({ clock: { now: () => now } })
  await store.database.write((db) => sql`pragma max_page_count = 1`.execute(db))
  await expect(store.facts.set('large', 'x'.repeat(10_000_000))).rejects.toMatchObject({ code: 'store_unavailable' })
  probe = readiness({ store })
  const refused = { ok: false, detail: 'the store refused a write (SQLITE_FULL)' }
  expect((await probe()).checks.store).toEqual(refused)
  now += 59_000
  expect(await probe()).toMatchObject({ ready: false, checks: { store: refused } })
  now += 1_000
  expect(await probe()).toMatchObject({ ready: true, checks: { store: { ok: true } } })
})

test('workers that cannot run are told and turn nobody away', async () => {
  expect((await probe()).checks.workers).toEqual({ ok: true, detail: 'off' })
  probe = readiness({ workers: { state: () => Promise.resolve({ available: false, detail: 'no runtime' }) } })
  expect(await probe()).toMatchObject({ ready: true, checks: { workers: { ok: false, detail: 'no runtime' } } })
})

test.each([
  ['processor_unauthorized', 'the processor does not accept the key'],
  ['account_mismatch', 'the key belongs to another account than this store'],
] as const)('a service whose key is refused (%s) does not say that it is ready', async (code, detail) => {
  const refused = { account: () => Promise.reject(new ServiceError(code, 'sk_test_secret of acct_1')) }
  expect(await readiness({ processor: refused })()).toMatchObject({
    ready: false,
    checks: { processor: { ok: false, detail } },
  })
})
