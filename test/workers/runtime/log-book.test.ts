import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { LogBuffer } from '../../../packages/ratecard/src/workers/runtime/log-buffer.ts'
import type { RequestOutcome, WorkerLogLine } from '../../../packages/ratecard/src/workers/runtime/worker-runtime.ts'
import { inMemory } from '../../support/stores/store.ts'
import type { LogRecord } from '../../../packages/ratecard/src/store/records/workers.ts'

const said = (message: string): WorkerLogLine => ({ time: 1, level: 'log', message, version: 'd1' })
const answered = (change: Partial<RequestOutcome> = {}): RequestOutcome => ({
  ...{ requestId: 'q1', method: 'GET', url: '/a?token=swordfish', status: 200 },
  ...{ outcome: 'ok', wallMs: 1.25, cpuMs: 0.5 },
  ...change,
})

interface World {
  readonly book: LogBuffer
  readonly store: KyselyStore
  readonly dropped: number[]
  readonly clock: { at: number }
  /** Errors of the next writes. A function is called while the write is in progress. */
  readonly failures: (Error | (() => Error))[]
  messages(): Promise<string[]>
}

async function world(): Promise<World> {
  const store = await (await inMemory()).open()
  const dropped: number[] = []
  const failures: World['failures'] = []
  const clock = { at: 1_000_000 }
  const book = new LogBuffer({
    store: {
      add: async (lines: readonly LogRecord[], keep) => {
        const failure = failures.shift()
        if (failure !== undefined) throw typeof failure === 'function' ? failure() : failure
        await store.workerLogs.add(lines, keep)
      },
      list: (worker, query) => store.workerLogs.list(worker, query),
    },
    clock: { now: () => clock.at },
    instance: 'abcdef',
    report: () => undefined,
    onDropped: (lines) => dropped.push(lines),
  })
  const messages = async () => (await store.workerLogs.list('one', { limit: 20_000 })).map(({ message }) => message)
  return { book, store, dropped, clock, failures, messages }
}

describe('the log buffer of workers', () => {
  test('keeps the order of lines with the same timestamp', async () => {
    const { book, messages } = await world()
    const all = Array.from({ length: 1_200 }, (_, index) => `line ${String(index)}`)
    for (const message of all) book.add('one', said(message))
    await book.close()
    expect(await messages()).toEqual(all)
  })

  test('reports the number of lines that did not fit', async () => {
    const { book, dropped, failures, messages } = await world()
    failures.push(new ServiceError('store_unavailable', 'away'))
    for (let index = 0; index < 10_100; index++) book.add('one', said('x'))
    await book.close()
    const kept = await messages()
    expect(kept.filter((message) => message === 'x')).toHaveLength(10_000)
    expect(kept.at(-1)).toBe('100 log lines could not be stored.')
    expect(dropped.reduce((sum, lines) => sum + lines, 0)).toBe(100)
  })

  test('retries to write lines if the database is unavailable, and drops lines that the database refuses', async () => {
    const { book, dropped, failures, messages } = await world()
    failures.push(new ServiceError('store_unavailable', 'away'))
    book.add('one', said('waits'))
    await book.flush()
    expect(await messages()).toEqual([])
    await book.flush()
    expect(await messages()).toEqual(['waits'])
    failures.push(new Error('this line cannot be stored'))
    book.add('one', said('poison'))
    await book.flush()
    book.add('one', said('after'))
    await book.close()
    expect(await messages()).toEqual(['waits', 'after', '1 log lines could not be stored.'])
    expect(dropped).toEqual([1])
  })

  test('does not let a worker that floods its log use the space of another worker', async () => {
    const { book, dropped, failures, store, messages } = await world()
    failures.push(new ServiceError('store_unavailable', 'away'))
    const long = 'x'.repeat(16_000)
    for (let index = 0; index < 9_000; index++) book.add('one', said(long))
    book.add('two', said('quiet'))
    await book.close()
    expect((await store.workerLogs.list('two', { limit: 9 })).map(({ message }) => message)).toEqual(['quiet'])
    const kept = (await messages()).filter((message) => message === long)
    expect(kept.length * long.length).toBeLessThan(4 * 1024 * 1024)
    expect(kept.length + dropped.reduce((sum, lines) => sum + lines, 0)).toBe(9_000)
  })

  test('drops the oldest lines if the buffer overflows while the database is unavailable', async () => {
    const { book, dropped, failures, messages } = await world()
    failures.push(() => {
      for (let index = 0; index < 9_999; index++) book.add('one', said('later'))
      return new ServiceError('store_unavailable', 'away')
    })
    for (const message of ['first', 'second', 'third']) book.add('one', said(message))
    await book.close()
    const kept = await messages()
    expect([kept.length, kept[0], kept[1]]).toEqual([10_001, 'third', 'later'])
    expect(kept.at(-1)).toBe('2 log lines could not be stored.')
    expect(dropped).toEqual([2])
  })

  test('is written to the database periodically, even after the database was unavailable', async () => {
    const { book, failures, messages } = await world()
    book.add('one', said('soon'))
    await expect.poll(messages).toEqual(['soon'])
    failures.push(new ServiceError('store_unavailable', 'away'))
    book.add('one', said('later'))
    await book.flush()
    expect(await messages()).toEqual(['soon'])
    await expect.poll(messages).toEqual(['soon', 'later'])
  })

  test('stores the request and the run of a line, and cuts off a long line', async () => {
    const { book, store } = await world()
    book.add('one', { ...said('x'.repeat(16_384)), requestId: 'q1' })
    book.add('one', { ...said('x'.repeat(16_385)), runId: 'r1' })
    await book.close()
    expect(await store.workerLogs.list('one', { limit: 9 })).toMatchObject([
      { message: 'x'.repeat(16_384), deploymentId: 'd1', requestId: 'q1', runId: null },
      { message: `${'x'.repeat(16_384)}…`, deploymentId: 'd1', requestId: null, runId: 'r1' },
    ])
  })

  test('counts the successful requests per worker that it does not list, and lists only failures as errors', async () => {
    const { book, store } = await world()
    for (let index = 0; index < 101; index++) book.addRequest('one', 'd1', answered())
    book.addRequest('two', 'd2', answered())
    book.addRequest('two', 'd2', answered({ outcome: 'cancelled' }))
    book.addRequest('two', 'd2', answered({ outcome: 'exception' }))
    await book.close()
    const lines = await store.workerLogs.list('two', { limit: 9 })
    expect(lines.map(({ level }) => level)).toEqual(['info', 'info', 'error'])
  })

  test('lists all failures, up to 100 successful requests a second, and never a query string', async () => {
    const { book, clock, messages } = await world()
    for (let index = 0; index < 250; index++) book.addRequest('one', 'd1', answered())
    book.addRequest('one', 'd1', answered({ status: 500, outcome: 'exception' }))
    clock.at += 1_000
    book.addRequest('one', 'd1', answered({ status: null, outcome: 'cancelled', cpuMs: null }))
    await book.close()
    const kept = await messages()
    expect(kept.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 'GET /a 200 ok in 1.3 ms, 0.5 ms CPU'))
    expect(kept.slice(100)).toEqual([
      'GET /a 500 exception in 1.3 ms, 0.5 ms CPU',
      '150 more requests were answered within a second and are not listed.',
      'GET /a - cancelled in 1.3 ms',
    ])
  })

  test('lists at most 500 failures a second', async () => {
    const { book, clock, messages } = await world()
    for (let index = 0; index < 700; index++) book.addRequest('one', 'd1', answered({ outcome: 'exception' }))
    clock.at += 1_000
    book.addRequest('one', 'd1', answered())
    await book.close()
    const kept = await messages()
    expect(kept).toHaveLength(502)
    expect(kept[500]).toBe('200 more requests were answered within a second and are not listed.')
  })

  test('streams lines of another replica even if these lines become visible late', async () => {
    const { book, store, clock } = await world()
    book.add('one', said('before'))
    const leave = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      for await (const line of book.follow('one', leave.signal)) {
        seen.push(line.message)
        if (seen.length === 2) leave.abort()
      }
    })()
    await expect.poll(async () => (await store.workerLogs.list('one', { limit: 9 })).length).toBe(1)
    const other = new LogBuffer({
      ...{ store: store.workerLogs, instance: 'zyxwvu', report: () => undefined },
      clock: { now: () => clock.at - 3_000 },
    })
    clock.at += 100
    book.add('one', said('mine'))
    await book.flush()
    await expect.poll(() => seen).toEqual(['mine'])
    other.add('one', said('late'))
    await other.flush()
    await following
    expect(seen).toEqual(['mine', 'late'])
  })
})
