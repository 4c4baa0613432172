// Versions and running workers on each replica: the real runtime, and two replicas on one store.
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { hostingDefaults } from '../../../packages/ratecard/src/workers/runtime/hosting.ts'
import type { WorkerRuntime } from '../../../packages/ratecard/src/workers/runtime/worker-runtime.ts'
import { inFile } from '../../support/stores/store.ts'
import { testRuntime } from './bench-host.ts'
import { deployment, replica, serving, type Replica } from './replica.ts'

const state = async ({ workers }: Replica, name: string) => (await workers.findWorker(name)).state
const schedulesOf = async ({ workers }: Replica, name: string) =>
  (await workers.findWorker(name)).crons.map(({ cron }) => cron)

/** A runtime in which no worker can start while `full` is true. */
function crampedMachine(): { runtime: WorkerRuntime; full: boolean; starts: number } {
  const runtime = testRuntime()
  const machine = {
    full: false,
    starts: 0,
    runtime: {
      state: () => runtime.state(),
      start: (...args: Parameters<WorkerRuntime['start']>) => {
        machine.starts++
        return machine.full
          ? Promise.reject(new ServiceError('worker_start_failed', 'no room'))
          : runtime.start(...args)
      },
      runOnce: (...args: Parameters<WorkerRuntime['runOnce']>) => runtime.runOnce(...args),
      close: () => runtime.close(),
    },
  }
  return machine
}

describe('workers on several replicas:', () => {
  test('a deployment, a rollback and a removal each take effect on the other replica, which polls the store every half second', async () => {
    expect(hostingDefaults.pollMs).toBe(500)
    const place = await inFile()
    const a = await replica(await place.open())
    const b = await replica(await place.open())
    const first = await a.workers.deployWorker(deployment('one', serving('first')))
    await expect.poll(async () => (await b.get('one')).text).toBe('first')
    expect((await b.get('one')).version).toBe(first.deployment.id)
    await b.workers.deployWorker(deployment('one', serving('second')))
    expect((await b.get('one')).text).toBe('second')
    await expect.poll(async () => (await a.get('one')).text).toBe('second')
    await a.workers.rollbackWorker('one', null, { author: null, message: null })
    await expect.poll(async () => (await b.get('one')).text).toBe('first')
    await b.workers.removeWorker('one')
    await expect.poll(async () => (await a.get('one')).text).toBe('worker_not_found')
  })

  test('a worker starts with its first request, is stopped when idle, and starts again', async () => {
    const store = await (await inFile()).open()
    const before = await replica(store, { idleMs: 60_000 })
    await before.workers.deployWorker(deployment('one', serving('hello')))
    await before.close()
    let now = Date.now()
    const again = await replica(store, { idleMs: 60_000, clock: { now: () => now }, pollMs: 20 })
    expect(await state(again, 'one')).toBe('idle')
    const answers = await Promise.all(Array.from({ length: 5 }, () => again.get('one')))
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['hello']))
    expect(await state(again, 'one')).toBe('running')
    now += 30_000
    await again.workers.listWorkers()
    expect(await state(again, 'one')).toBe('running')
    now += 31_000
    await expect.poll(() => state(again, 'one')).toBe('idle')
    expect((await again.get('one')).text).toBe('hello')
  })

  test('a worker is not stopped as idle while it handles a request', async () => {
    const store = await (await inFile()).open()
    let now = Date.now()
    const one = await replica(store, { idleMs: 1_000, clock: { now: () => now }, pollMs: 10 })
    await one.workers.deployWorker(deployment('one', serving('slow')))
    const answer = one.get('one/slow')
    now += 60_000
    expect(await answer).toMatchObject({ text: 'slow', status: 200 })
  })

  test('a version that cannot start on one replica is unavailable there with the reason, and is retried', async () => {
    const store = await (await inFile()).open()
    const good = await replica(store)
    await good.workers.deployWorker(deployment('one', serving('x')))
    await good.workers.deployWorker(deployment('other', serving('x')))
    await good.close()
    let now = Date.now()
    // Damages the stored code, as an example of a version that cannot start on this replica.
    const { deployment: active } = await good.workers.findWorker('one')
    const modules = JSON.stringify([{ name: 'index.js', type: 'esm', content: 'throw new Error("bad disk")' }])
    const damage = (text: string) =>
      store.database.write((db) =>
        db.updateTable('workerBundles').set({ modules: text }).where('deploymentId', '=', active.id).execute(),
      )
    await damage(modules)
    const bad = await replica(store, { clock: { now: () => now } })
    expect(await bad.get('one')).toMatchObject({ status: 503, text: 'worker_unavailable' })
    const view = await bad.workers.findWorker('one')
    expect(view.state).toBe('unavailable')
    expect(view.lastExit).toContain('bad disk')
    const logs = await bad.workers.workerLogs('one', { limit: 10, level: 'system' })
    expect(logs.at(-1)?.message).toContain('bad disk')
    await damage(JSON.stringify([{ name: 'index.js', type: 'esm', content: serving('mended') }]))
    expect(await bad.get('one')).toMatchObject({ status: 503 })
    now += 1_001
    expect(await bad.get('one')).toMatchObject({ text: 'mended' })
    expect(await bad.get('other')).toMatchObject({ text: 'x' })
  })

  test('the start of a version that cannot start is retried with a backoff of at most 30 seconds', async () => {
    const store = await (await inFile()).open()
    const before = await replica(store)
    await before.workers.deployWorker(deployment('one', serving('x')))
    await before.close()
    let now = Date.now()
    const machine = crampedMachine()
    machine.full = true
    const one = await replica(store, { runtime: machine.runtime, clock: { now: () => now } })
    await one.get('one')
    const pauses: number[] = []
    for (let since = 0; pauses.length < 7;) {
      const { starts } = machine
      now += 500
      since += 500
      expect(await one.get('one')).toMatchObject({ status: 503 })
      if (machine.starts === starts) continue
      pauses.push(since / 1_000)
      since = 0
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30])
    machine.full = false
    expect(await one.get('one')).toMatchObject({ status: 503 })
    now += 30_000
    expect(await one.get('one')).toMatchObject({ text: 'x' })
  })

  test('if the next version does not start, the previous version serves requests until it does', async () => {
    const place = await inFile()
    const a = await replica(await place.open())
    let now = Date.now()
    const machine = crampedMachine()
    const b = await replica(await place.open(), { runtime: machine.runtime, clock: { now: () => now }, pollMs: 20 })
    await a.workers.deployWorker(deployment('one', serving('first')))
    await expect.poll(async () => (await b.get('one')).text).toBe('first')
    machine.full = true
    await a.workers.deployWorker(deployment('one', serving('second')))
    const said = async () => (await b.workers.workerLogs('one', { limit: 10, level: 'system' })).at(-1)?.message
    await expect.poll(said).toContain('no room')
    expect((await b.get('one')).text).toBe('first')
    machine.full = false
    now += 1_000
    await expect.poll(async () => (await b.get('one')).text).toBe('second')
  })

  test('a new deployment starts immediately, without the backoff of the previous deployment', async () => {
    const place = await inFile()
    const a = await replica(await place.open())
    await a.workers.deployWorker(deployment('one', serving('first')))
    const machine = crampedMachine()
    const now = Date.now()
    const b = await replica(await place.open(), { runtime: machine.runtime, clock: { now: () => now }, pollMs: 20 })
    machine.full = true
    expect(await b.get('one')).toMatchObject({ status: 503 })
    machine.full = false
    expect(await b.get('one')).toMatchObject({ status: 503 })
    await a.workers.deployWorker(deployment('one', serving('second')))
    await expect.poll(async () => (await b.get('one')).text).toBe('second')
  })

  test('a worker with running requests is not stopped when idle workers are stopped', async () => {
    let now = Date.now()
    const options = { idleMs: 60_000, clock: { now: () => now }, pollMs: 20 }
    const one = await replica(await (await inFile()).open(), options)
    await one.workers.deployWorker(deployment('asked', serving('x')))
    await one.workers.deployWorker(deployment('left', serving('x')))
    now += 30_000
    await one.get('asked')
    now += 30_000
    await expect.poll(() => state(one, 'left')).toBe('idle')
    expect(await state(one, 'asked')).toBe('running')
  })

  test('a scheduled run uses the active deployment, even if this replica still serves the previous one', async () => {
    const place = await inFile()
    const a = await replica(await place.open())
    const b = await replica(await place.open(), { pollMs: 3_600_000 })
    const say = (text: string) => serving(text, `console.log('${text}')`)
    await b.workers.deployWorker(deployment('one', say('first')))
    await a.workers.deployWorker(deployment('one', say('second')))
    expect((await b.get('one')).text).toBe('first')
    expect(await b.workers.triggerCron('one', '* * * * *')).toMatchObject({ outcome: 'ok' })
    const logs = async () => (await b.workers.workerLogs('one', { limit: 9, level: 'log' })).map((line) => line.message)
    await expect.poll(logs).toEqual(['second'])
  })

  test('a hostname is routed to its worker on every replica until the worker is removed', async () => {
    const place = await inFile()
    const a = await replica(await place.open())
    const b = await replica(await place.open(), { pollMs: 20 })
    await a.workers.deployWorker(deployment('one', serving('x'), { hosts: ['shop.example'] }))
    expect(a.workers.workerAtHost('shop.example')).toBe('one')
    await expect.poll(() => b.workers.workerAtHost('shop.example')).toBe('one')
    await a.workers.removeWorker('one')
    expect(a.workers.workerAtHost('shop.example')).toBeNull()
    await expect.poll(() => b.workers.workerAtHost('shop.example')).toBeNull()
  })

  test('a replacement of the version under load fails no request', async () => {
    const one = await replica(await (await inFile()).open())
    await one.workers.deployWorker(deployment('one', serving('0')))
    let running = true
    const failures: string[] = []
    const seen = new Set<string>()
    const load = Array.from({ length: 8 }, async (_, index) => {
      for (let count = 0; running; count++) {
        const answer = await one.get(`one${(count + index) % 10 === 0 ? '/slow' : ''}`).catch((error: unknown) => ({
          status: 0,
          text: String(error),
        }))
        if (answer.status !== 200) failures.push(answer.text)
        seen.add(answer.text)
      }
    })
    for (const version of ['1', '2', '3', '4']) {
      await one.workers.deployWorker(deployment('one', serving(version)))
      expect((await one.get('one')).text).toBe(version)
      await expect.poll(() => seen.has(version)).toBe(true)
    }
    running = false
    await Promise.all(load)
    expect(failures).toEqual([])
  })

  test('a schedule fires on only one of two replicas, in the active version, and no longer fires after a deployment without it', async () => {
    const place = await inFile()
    const store = await place.open()
    // The test controls the time of the tick.
    let now = await store.workers.now()
    const time = () => Promise.resolve(now)
    const a = await replica(store, { time })
    const b = await replica(await place.open(), { time })
    const say = (text: string) => serving('x', `console.log('${text}', event.scheduledTime)`)
    await a.workers.deployWorker(deployment('one', say('first'), { crons: ['* * * * *'] }))
    await a.workers.deployWorker(deployment('one', say('second'), { crons: ['* * * * *'] }))
    const tick = (await a.workers.findWorker('one')).crons[0]?.nextAt ?? 0
    now = tick + 5
    const runs = async () => (await b.workers.cronRuns('one', { limit: 9, offset: 0 })).items
    await expect.poll(runs).toMatchObject([{ scheduledTime: tick, outcome: 'ok', startedAt: now }])
    await expect
      .poll(async () => (await a.workers.workerLogs('one', { limit: 9, level: 'log' })).map(({ message }) => message))
      .toEqual([`second ${String(tick)}`])
    await a.workers.deployWorker(deployment('one', say('third')))
    expect(await schedulesOf(b, 'one')).toEqual([])
  })

  test('endless loops in a request and in a scheduled run end at the CPU limit, while another worker responds', async () => {
    const one = await replica(await (await inFile()).open())
    await one.workers.deployWorker(deployment('fine', serving('fine')))
    await one.workers.deployWorker(
      deployment('wild', serving('wild', 'for (;;) {}'), { cpuMs: 200, crons: ['0 0 1 1 *'] }),
    )
    let running = true
    const neighbour = (async () => {
      while (running) expect((await one.get('fine')).text).toBe('fine')
    })()
    expect(await one.get('wild/spin')).toMatchObject({ status: 503, text: 'worker_exceeded_cpu' })
    expect((await one.get('wild')).text).toBe('wild')
    const run = await one.workers.triggerCron('wild', null)
    expect(run.outcome).toBe('exceeded_cpu')
    expect(run.cpuMs ?? 0).toBeLessThan(200 * 1.2 + 50)
    running = false
    await neighbour
    const logs = await one.workers.workerLogs('wild', { limit: 50 })
    expect(logs.some(({ message }) => message.includes('/spin 503 exceeded_cpu'))).toBe(true)
    expect(await one.workers.findWorker('wild')).toMatchObject({ state: 'running', restarts: 1 })
  })
})
