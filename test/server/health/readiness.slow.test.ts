import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { createReadiness, type ReadinessDeps } from '../../../packages/ratecard/src/server/health/readiness.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { startStack } from '../../support/stack.ts'
import { startedForAll } from '../../support/started.ts'
import { inMemory } from '../../support/stores/store.ts'
import type { StoreRefusal } from '../../../packages/ratecard/src/store/records/refusal.ts'

const stack = startedForAll(startStack)
let now = 1_795_000_000_000
let probe: ReturnType<typeof createReadiness>

const readiness = (change: Partial<ReadinessDeps> = {}) =>
  createReadiness({
    store: stack.store,
    processor: stack.processor,
    workers: stack.service.workers,
    clock: { now: () => now },
    stopping: new AbortController().signal,
    patienceMs: 60_000,
    ...change,
  })

beforeEach(() => {
  stack.sandbox.control.clearFaults()
  stack.sandbox.control.clearRequests()
  probe = readiness()
})

const calls = () => stack.sandbox.control.requests().length
const processorCheck = async () => (await probe()).checks.processor

test('readiness checks call the processor at most once a second, however often load balancers request them', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => probe()))
  expect(answers.every(({ ready }) => ready)).toBe(true)
  now += 900
  await probe()
  expect(calls()).toBe(1)
  now += 200
  await probe()
  expect(calls()).toBe(2)
})

test('one timeout of the processor leaves the replica ready, and repeated timeouts make it not ready', async () => {
  // Long enough for the responses that are expected, on a busy machine too.
  probe = readiness({ patienceMs: 2_000 })
  expect(await processorCheck()).toEqual({ ok: true, detail: 'reachable' })
  stack.sandbox.control.fail({ kind: 'latency', path: '/v1/account', latencyMs: 120_000, count: null })
  now += 5_000
  expect(await processorCheck()).toEqual({ ok: true, detail: 'slow' })
  now += 30_000
  expect(await processorCheck()).toEqual({ ok: false, detail: 'unavailable' })
  stack.sandbox.control.clearFaults()
  now += 1_000
  expect(await processorCheck()).toEqual({ ok: true, detail: 'reachable' })
})

test('a replica that has never reached the processor is not ready', async () => {
  probe = readiness({ patienceMs: 100 })
  stack.sandbox.control.fail({ kind: 'latency', path: '/v1/account', latencyMs: 120_000, count: null })
  expect(await probe()).toMatchObject({ ready: false, checks: { store: { ok: true }, processor: { ok: false } } })
})

test('a replica that shuts down is not ready', async () => {
  const stop = new AbortController()
  probe = readiness({ stopping: stop.signal })
  expect((await probe()).ready).toBe(true)
  stop.abort()
  expect(await probe()).toMatchObject({ ready: false, checks: { store: { ok: true }, processor: { ok: true } } })
})

test('the result of a processor check expires even if the system clock is set back', async () => {
  await probe()
  now -= 60_000
  await probe()
  expect(calls()).toBe(2)
})

test('a replica without its store is not ready, and the response contains only the error’s code', async () => {
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
  'a %s that the store refuses makes the replica not ready for a minute, unless the connection was lost',
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

test('a replica is ready again a minute after the store last refused a write', async () => {
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

test('a replica whose workers cannot run is ready, and reports the failed workers', async () => {
  expect((await probe()).checks.workers).toEqual({ ok: true, detail: 'off' })
  probe = readiness({ workers: { state: () => Promise.resolve({ available: false, detail: 'no runtime' }) } })
  expect(await probe()).toMatchObject({ ready: true, checks: { workers: { ok: false, detail: 'no runtime' } } })
})

test.each([
  ['processor_unauthorized', 'the processor rejects the key'],
  ['account_mismatch', 'the key belongs to another account than this store'],
] as const)('a service whose Stripe key is refused (%s) is not ready', async (code, detail) => {
  const refused = {
    account: () => Promise.reject(new ServiceError(code, 'sk_test_secret of acct_1')),
    silentSince: () => null,
  }
  expect(await readiness({ processor: refused })()).toMatchObject({
    ready: false,
    checks: { processor: { ok: false, detail } },
  })
})
