import { describe, expect, test } from 'vitest'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import type { ScheduledResult } from '../../../packages/ratecard/src/workers/runtime/worker-runtime.ts'
import { Scheduler, staleMs } from '../../../packages/ratecard/src/workers/runtime/scheduler.ts'
import { inMemory } from '../../support/stores/store.ts'
import type { RunRecord } from '../../../packages/ratecard/src/store/records/workers.ts'

const minute = 60_000
const start = Date.UTC(2026, 0, 1)
const fine: ScheduledResult = { outcome: 'ok', wallMs: 1, cpuMs: 1 }

async function storeWith(crons: readonly string[]): Promise<KyselyStore> {
  const store = await (await inMemory()).open()
  const deployment = {
    ...{ id: 'd1', worker: 'one', checksum: '', author: null, message: null, environment: null },
    ...{ variables: [], crons, hosts: [], sizeBytes: 1, createdAt: start },
  }
  const content = {
    ...{ modules: [], main: 'worker.js', sourceMap: null, compatibilityDate: '2026-01-01' },
    ...{ compatibilityFlags: [], cpuMs: 10, env: '{}', serviceKey: null, passCredentials: false },
  }
  const schedules = crons.map((cron) => ({ cron, nextAt: start + minute }))
  await store.exclusively('worker:one', ({ token }) =>
    store.workers.activate(deployment, content, schedules, { keep: 1, token }),
  )
  return store
}

interface Replica {
  readonly scheduler: Scheduler
  readonly ran: RunRecord[]
  /** Stops all further polls, heartbeats and ends of runs, like a killed process. */
  kill(): void
}

let ids = 0
function replica(
  store: KyselyStore,
  time: () => number,
  carryOut: (run: RunRecord) => Promise<ScheduledResult> = () => Promise.resolve(fine),
): Replica {
  const ran: RunRecord[] = []
  let dead = false
  const scheduler = new Scheduler({
    runs: store.workerRuns,
    time: () => Promise.resolve(time()),
    instance: `replica-${String(++ids)}`,
    newId: () => `r${String(++ids).padStart(8, '0')}`,
    carryOut: (run) => {
      ran.push(run)
      return dead ? new Promise(() => undefined) : carryOut(run)
    },
    report: (error) => {
      throw error
    },
  })
  return {
    scheduler,
    ran,
    kill: () => {
      dead = true
    },
  }
}

const allRuns = async (store: KyselyStore) =>
  (await store.workerRuns.list('one', { limit: 100_000, offset: 0 })).items.toReversed()

describe('the scheduler of workers:', () => {
  test('over a thousand scheduled times and the crash of one of two replicas, each time ran once or is recorded as skipped or lost', async () => {
    const store = await storeWith(['* * * * *'])
    let now = start
    const a = replica(store, () => now)
    const b = replica(store, () => now)
    const ticks = 1_000
    for (let tick = 1; tick <= ticks; tick++) {
      now = start + tick * minute
      if (tick === ticks / 2) {
        // The last run that it started never ends.
        a.kill()
        await a.scheduler.tick()
      }
      const both = tick % 2 === 0 ? [a, b] : [b, a]
      await Promise.all((tick < ticks / 2 ? both : [b]).map(({ scheduler }) => scheduler.tick()))
      await Promise.all((tick < ticks / 2 ? both : [b]).map(({ scheduler }) => scheduler.idle()))
    }
    const runs = await allRuns(store)
    expect(runs.map(({ scheduledTime }) => scheduledTime)).toEqual(
      Array.from({ length: ticks }, (_, index) => start + (index + 1) * minute),
    )
    const outcomes = Map.groupBy(runs, ({ outcome }) => outcome)
    expect(outcomes.get('lost')).toHaveLength(1)
    expect(outcomes.get('ok')).toHaveLength(ticks - 1)
    expect(a.ran.length + b.ran.length).toBe(ticks)
    expect(a.ran.length).toBeGreaterThan(1)
    expect(new Set([...a.ran, ...b.ran].map(({ scheduledTime }) => scheduledTime)).size).toBe(ticks)
  })

  test('a scheduled time during the previous run is skipped, and the outcome of a run includes its background work', async () => {
    const store = await storeWith(['* * * * *'])
    let now = start
    let end: (result: ScheduledResult) => void = () => undefined
    const one = replica(
      store,
      () => now,
      () => new Promise((resolve) => (end = resolve)),
    )
    for (const tick of [1, 2, 3]) {
      now = start + tick * minute
      await one.scheduler.beat()
      await one.scheduler.tick()
    }
    end({ outcome: 'exception', wallMs: 1, cpuMs: 3, error: 'late' })
    await one.scheduler.idle()
    expect(await allRuns(store)).toMatchObject([
      { outcome: 'exception', error: 'late', cpuMs: 3, finishedAt: now },
      { outcome: 'skipped' },
      { outcome: 'skipped' },
    ])
  })

  test('runs that were due while no replica was running are recorded as missed, and do not run late', async () => {
    const store = await storeWith(['* * * * *'])
    const one = replica(store, () => start + 5 * minute + 30_000)
    expect(await one.scheduler.tick()).toBe(30_000)
    expect(one.ran).toEqual([])
    expect((await allRuns(store)).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'missed'))
  })

  test('a run of a replica without a heartbeat is recorded as lost, and a run of a replica with a heartbeat is not', async () => {
    const store = await storeWith(['0 0 1 1 *'])
    let now = start + minute
    const forever = () => new Promise<ScheduledResult>(() => undefined)
    const silent = replica(store, () => now, forever)
    const other = replica(store, () => now)
    await silent.scheduler.tick()
    now += staleMs
    await silent.scheduler.beat()
    now += staleMs
    await other.scheduler.tick()
    expect(await allRuns(store)).toMatchObject([{ outcome: 'running' }])
    now += staleMs + 1
    await other.scheduler.tick()
    expect(await allRuns(store)).toMatchObject([{ outcome: 'lost' }])
  })

  test('schedules fire automatically, and runs that a stopped scheduler does not wait for are recorded as lost', async () => {
    const store = await storeWith([])
    const real = replica(
      store,
      () => Date.now(),
      (run) => (run.cron === 'hang' ? new Promise(() => undefined) : Promise.resolve(fine)),
    )
    real.scheduler.start()
    await store.database.write((db) =>
      db
        .insertInto('workerSchedules')
        .values([
          { worker: 'one', cron: '* * * * *', nextAt: Date.now() + 100 },
          { worker: 'one', cron: '0 0 1 1 *', nextAt: Date.now() + 24 * 60 * minute },
        ])
        .execute(),
    )
    real.scheduler.wake()
    await expect.poll(() => real.ran.map(({ cron }) => cron)).toEqual(['* * * * *'])
    void real.scheduler.trigger({ worker: 'one', cron: 'hang', deploymentId: 'd1' })
    await expect.poll(() => real.ran.length).toBe(2)
    await real.scheduler.stop(50)
    const runs = await allRuns(store)
    expect(runs.find(({ cron }) => cron === 'hang')).toMatchObject({ outcome: 'lost' })
    expect(runs.find(({ cron }) => cron === '* * * * *')).toMatchObject({ outcome: 'ok' })
  })
})
