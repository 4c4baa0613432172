// Tests of the workers' tables. They run on every engine.
import { describe, expect, test as base } from 'vitest'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { refusalOf, type MakePlace } from '../../support/stores/store.ts'
import type { LeaseToken } from '../../../packages/ratecard/src/store/lease-token.ts'
import type {
  DeploymentContent,
  DeploymentRecord,
  DuePlan,
  LogRecord,
  ScheduleRecord,
} from '../../../packages/ratecard/src/store/records/workers.ts'

let count = 0
export const content = (change: Partial<DeploymentContent> = {}): DeploymentContent => ({
  modules: [{ name: 'worker.js', type: 'esm', content: 'export default { \0 "\ud800" }' }],
  main: 'worker.js',
  sourceMap: '{"version":3}',
  compatibilityDate: '2026-01-01',
  compatibilityFlags: ['nodejs_als'],
  cpuMs: 10_000,
  serviceKey: 'read',
  passCredentials: true,
  env: '{"SECRET":"swordfish"}',
  ...change,
})
export const record = (worker: string, change: Partial<DeploymentRecord> = {}): DeploymentRecord => ({
  id: `d${String(++count).padStart(6, '0')}`,
  worker,
  checksum: 'c'.repeat(64),
  author: 'ada',
  message: null,
  environment: 'production',
  variables: ['SECRET'],
  crons: [],
  hosts: [],
  sizeBytes: 10,
  createdAt: 1_000 + count,
  ...change,
})
export const line = (worker: string, id: number, change: Partial<LogRecord> = {}): LogRecord => ({
  id: String(id).padStart(6, '0'),
  worker,
  deploymentId: 'd1',
  time: id,
  level: 'log',
  message: `line ${String(id)}`,
  requestId: null,
  runId: null,
  ...change,
})

const locked = <T>(store: Store, worker: string, work: (token: LeaseToken) => Promise<T>) =>
  store.exclusively(`worker:${worker}`, ({ token }) => work(token))
export const activate = (
  store: Store,
  deployment: DeploymentRecord,
  schedules: readonly ScheduleRecord[] = [],
  keep = 20,
) =>
  locked(store, deployment.worker, (token) => store.workers.activate(deployment, content(), schedules, { keep, token }))

let ids = 0
const newId = () => `r${String(++ids).padStart(6, '0')}`
/** Runs each tick; the schedule has a tick every 60 s. */
const plan = (due: { readonly nextAt: number }): DuePlan => ({ run: due.nextAt, missed: [], nextAt: due.nextAt + 60 })
export const keepAll = { lines: 10_000, bytes: 10_000_000 }
export const claimOptions = { instance: 'a', limit: 100, newId, plan }
const ok = { outcome: 'ok', error: null, cpuMs: 1.5 } as const

export function workerStoreContract(engine: string, makePlace: MakePlace): void {
  const open = async () => (await makePlace()).open()
  const test = base.extend('store', () => open())

  describe(`stored data of workers on ${engine}:`, () => {
    test('a deployment is returned as it was stored, and its environment is encrypted', async ({ store }) => {
      const deployment = record('one', { hosts: ['one.example'], crons: ['* * * * *'] })
      const stored = await activate(store, deployment, [{ cron: '* * * * *', nextAt: 5 }])
      const kept = { name: 'one', deploymentId: deployment.id, updatedAt: expect.any(Number) as number }
      expect(stored).toEqual({ ...kept, deployment, schedules: [{ cron: '* * * * *', nextAt: 5 }] })
      expect(await store.workers.find('one')).toEqual(stored)
      expect(await store.workers.list()).toEqual([stored])
      expect(await store.workers.content(deployment.id)).toEqual(content())
      const rows = await store.database.read((db) => db.selectFrom('secrets').selectAll().execute())
      expect(JSON.stringify(rows)).not.toContain('swordfish')
      expect(await store.workers.find('two')).toBeNull()
      expect(await store.workers.content('nothing')).toBeNull()
    })

    test('the active deployment, hostnames and schedules change together, and a schedule that is kept keeps its next time', async () => {
      const store = await open()
      const before = await store.workers.changeSequence()
      const first = record('one', { hosts: ['a.example', 'b.example'] })
      await activate(store, first, [
        { cron: '1 * * * *', nextAt: 10 },
        { cron: '2 * * * *', nextAt: 20 },
      ])
      const second = record('one', { hosts: ['b.example'] })
      await activate(store, second, [
        { cron: '2 * * * *', nextAt: 99 },
        { cron: '3 * * * *', nextAt: 30 },
      ])
      expect(await store.workers.find('one')).toMatchObject({
        name: 'one',
        deploymentId: second.id,
        deployment: second,
        schedules: [
          { cron: '2 * * * *', nextAt: 20 },
          { cron: '3 * * * *', nextAt: 30 },
        ],
      })
      expect(await store.workers.changeSequence()).toBe(before + 2)
      await activate(store, record('two', { hosts: ['a.example'] }))
      const thief = record('three', { hosts: ['c.example', 'b.example'] })
      expect(await refusalOf(activate(store, thief, [{ cron: '* * * * *', nextAt: 1 }]))).toBe('conflict')
      expect(await store.workers.find('three')).toBeNull()
      expect(await store.workers.deployment('three', thief.id)).toBeNull()
      expect(await store.workerRuns.nextDue()).toBe(20)
    })

    test('a deployment cannot be activated without the lease', async ({ store }) => {
      const token = await locked(store, 'one', (held) => Promise.resolve(held))
      const late = store.workers.activate(record('one'), content(), [], { keep: 20, token })
      expect(await refusalOf(late)).toBe('push_in_progress')
      expect(await store.workers.list()).toEqual([])
    })

    test('the newest deployments and the active deployment are kept, and older deployments are deleted', async ({
      store,
    }) => {
      const all = Array.from({ length: 5 }, () => record('one'))
      for (const deployment of all.slice(0, 4)) await activate(store, deployment, [], 3)
      const page = await store.workers.deployments('one', { limit: 2, offset: 1 })
      expect(page).toEqual({ items: [all[2], all[1]], total: 3 })
      expect(await store.workers.content(all[0]?.id ?? '')).toBeNull()
      const oldest = all[1] as DeploymentRecord
      await locked(store, 'one', (token) => store.workers.activate(oldest, null, [], { keep: 3, token }))
      expect((await store.workers.find('one'))?.deployment).toEqual(oldest)
      expect(await store.workers.deploymentBefore('one', oldest.id)).toBeNull()
      expect(await store.workers.deploymentBefore('one', all[3]?.id ?? '')).toEqual(all[2])
      await locked(store, 'one', (token) => store.workers.activate(oldest, null, [], { keep: 1, token }))
      expect((await store.workers.deployments('one', { limit: 9, offset: 0 })).items).toEqual([all[3], oldest])
    })

    test('the removal of a worker deletes all records of that worker and no others', async ({ store }) => {
      await activate(store, record('one', { hosts: ['one.example'] }), [{ cron: '* * * * *', nextAt: 1 }])
      await activate(store, record('two'))
      await store.workerLogs.add([line('one', 1), line('two', 2)], keepAll)
      await store.workerRuns.claim(
        { id: newId(), worker: 'one', cron: 'x', scheduledTime: 1, deploymentId: 'd' },
        'a',
        1,
      )
      expect(await locked(store, 'one', (token) => store.workers.remove('one', token))).toBe(true)
      expect(await locked(store, 'one', (token) => store.workers.remove('one', token))).toBe(false)
      expect((await store.workers.list()).map(({ name }) => name)).toEqual(['two'])
      await store.workerRuns.removeAll('one')
      await store.workerLogs.removeAll('one')
      expect((await store.workerLogs.list('two', { limit: 9 })).map(({ time }) => time)).toEqual([2])
      for (const table of ['workerHosts', 'workerSchedules', 'workerRuns'] as const)
        expect(await store.database.read((db) => db.selectFrom(table).selectAll().execute())).toEqual([])
      expect(await store.workerLogs.list('one', { limit: 9 })).toEqual([])
      const secrets = await store.database.read((db) =>
        db.selectFrom('secrets').selectAll().where('scope', '=', 'worker').execute(),
      )
      expect(secrets).toHaveLength(1)
    })

    test('each scheduled time is claimed by only one of many concurrent callers', async () => {
      const place = await makePlace()
      const stores = await Promise.all(Array.from({ length: 3 }, () => place.open()))
      const [store] = stores as [KyselyStore]
      const schedules = Array.from({ length: 20 }, (_, index) => ({ cron: String(index), nextAt: 100 }))
      await activate(store, record('one'), schedules)
      const claims = await Promise.all([...stores, ...stores].map((one) => one.workerRuns.claimDue(100, claimOptions)))
      const runs = claims.flat()
      expect(new Set(runs.map(({ cron }) => cron)).size).toBe(20)
      expect(runs).toHaveLength(20)
      expect(await store.workerRuns.nextDue()).toBe(160)
      expect(await store.workerRuns.claimDue(159, claimOptions)).toEqual([])
    })

    test('a scheduled time is skipped while the previous run continues, and missed times are recorded', async ({
      store,
    }) => {
      const { id } = await activate(store, record('one'), [{ cron: 'c', nextAt: 100 }]).then((w) => w.deployment)
      const [run] = await store.workerRuns.claimDue(100, claimOptions)
      expect(run).toMatchObject({ worker: 'one', cron: 'c', deploymentId: id, scheduledTime: 100, outcome: 'running' })
      expect(await store.workerRuns.claimDue(160, claimOptions)).toEqual([])
      expect(await store.workerRuns.finish(run?.id ?? '', ok, 170)).toBe(true)
      expect(await store.workerRuns.finish(run?.id ?? '', ok, 180)).toBe(false)
      const late = () => ({ run: null, missed: [{ scheduledTime: 220, note: 'away' }], nextAt: null })
      expect(await store.workerRuns.claimDue(220, { ...claimOptions, plan: late })).toEqual([])
      const { items, total } = await store.workerRuns.list('one', { limit: 9, offset: 0 })
      expect(items).toMatchObject([
        { scheduledTime: 220, outcome: 'missed', error: 'away', startedAt: null },
        { scheduledTime: 160, outcome: 'skipped', startedAt: null },
        { scheduledTime: 100, outcome: 'ok', startedAt: 100, finishedAt: 170, cpuMs: 1.5 },
      ])
      expect(total).toBe(3)
      expect(await store.workerRuns.nextDue()).toBeNull()
    })

    test('scheduled times that are due together each get their own outcome: run, skipped or missed', async () => {
      const store = await open()
      const due = ['busy', 'free', 'late', 'last'].map((cron) => ({ cron, nextAt: cron === 'busy' ? 100 : 200 }))
      await activate(store, record('one'), due)
      await store.workerRuns.claimDue(100, claimOptions)
      const plan: Parameters<Store['workerRuns']['claimDue']>[1]['plan'] = ({ cron, nextAt }) => ({
        run: cron === 'late' ? null : nextAt,
        missed: cron === 'late' ? [{ scheduledTime: nextAt, note: 'away' }] : [],
        nextAt: cron === 'last' ? null : nextAt + 60,
      })
      const runs = await store.workerRuns.claimDue(200, { ...claimOptions, plan })
      expect(runs.map(({ cron, outcome }) => `${cron} ${outcome}`).sort()).toEqual(['free running', 'last running'])
      const { items } = await store.workerRuns.list('one', { limit: 9, offset: 0 })
      expect(items.map(({ cron, scheduledTime, outcome }) => [cron, scheduledTime, outcome]).sort()).toEqual([
        ['busy', 100, 'running'],
        ['busy', 160, 'skipped'],
        ['free', 200, 'running'],
        ['last', 200, 'running'],
        ['late', 200, 'missed'],
      ])
      const left = (await store.workers.find('one'))?.schedules ?? []
      expect(left.map(({ cron, nextAt }) => `${cron} ${String(nextAt)}`)).toEqual(['busy 220', 'free 260', 'late 260'])
    })

    test('a manual run is skipped if another run is in progress, and has its own scheduled time', async ({ store }) => {
      const by = (cron: string) => ({ id: newId(), worker: 'one', cron, scheduledTime: 7, deploymentId: 'd' })
      const first = await store.workerRuns.claim(by('c'), 'a', 7)
      expect(first.outcome).toBe('running')
      expect(await store.workerRuns.claim(by('c'), 'b', 7)).toMatchObject({ outcome: 'skipped', scheduledTime: 8 })
      expect((await store.workerRuns.claim(by('other'), 'b', 7)).outcome).toBe('running')
      expect(await store.workerRuns.find(first.id)).toEqual(first)
    })

    test('a run of a replica without a heartbeat is recorded as lost, and a run of a replica with a heartbeat is not', async ({
      store,
    }) => {
      const by = (cron: string) => ({ id: newId(), worker: 'one', cron, scheduledTime: 1, deploymentId: 'd' })
      const silent = await store.workerRuns.claim(by('a'), 'dead', 1_000)
      const alive = await store.workerRuns.claim(by('b'), 'alive', 1_000)
      await store.workerRuns.heartbeat('alive', 5_000)
      expect(await store.workerRuns.expireStaleRuns(1_000, 6_000)).toBe(0)
      expect(await store.workerRuns.expireStaleRuns(4_000, 6_000)).toBe(1)
      expect(await store.workerRuns.find(silent.id)).toMatchObject({ outcome: 'lost', finishedAt: 6_000 })
      expect(await store.workerRuns.find(alive.id)).toMatchObject({ outcome: 'running' })
      expect(await store.workerRuns.finish(silent.id, ok, 7_000)).toBe(false)
      expect(await store.workerRuns.prune('one', 10_000, 10)).toBe(1)
      expect(await store.workerRuns.find(alive.id)).not.toBeNull()
    })

    test('log lines can be filtered, and are listed oldest first', async ({ store }) => {
      await store.workerLogs.add(
        [
          line('one', 3, { level: 'error', requestId: 'q' }),
          line('one', 1),
          line('one', 2, { runId: 'r' }),
          line('two', 4),
        ],
        keepAll,
      )
      const list = async (query: Partial<Parameters<typeof store.workerLogs.list>[1]>) =>
        (await store.workerLogs.list('one', { limit: 9, ...query })).map(({ time }) => time)
      expect(await list({})).toEqual([1, 2, 3])
      expect(await list({ limit: 2 })).toEqual([2, 3])
      expect(await list({ since: 2 })).toEqual([2, 3])
      expect(await list({ level: 'error' })).toEqual([3])
      expect(await list({ runId: 'r' })).toEqual([2])
      expect(await list({ requestId: 'q' })).toEqual([3])
      expect(await list({ after: '000001' })).toEqual([2, 3])
    })

    test('each write deletes the oldest log lines of a worker beyond the limits of lines and bytes', async ({
      store,
    }) => {
      const lines = Array.from({ length: 30 }, (_, index) => line('one', index + 1, { message: 'ü'.repeat(5) }))
      const times = async (worker: string) =>
        (await store.workerLogs.list(worker, { limit: 9_999 })).map(({ time }) => time)
      await store.workerLogs.add([line('two', 101), ...lines], { lines: 20, bytes: 1_000 })
      expect([await times('one'), await times('two')]).toEqual([lines.slice(10).map(({ time }) => time), [101]])
      // A line that is sent again after a lost response is stored once.
      await store.workerLogs.add(lines.slice(20), { lines: 20, bytes: 1_000 })
      expect(await times('one')).toHaveLength(20)
      await store.workerLogs.add([line('one', 31, { message: 'x'.repeat(10) })], { lines: 20, bytes: 50 })
      expect(await times('one')).toEqual([27, 28, 29, 30, 31])
      // Many short lines are deleted to make room for a long one.
      const short = Array.from({ length: 1_000 }, (_, index) => line('one', 1_000 + index, { message: 'x' }))
      await store.workerLogs.add(short, { lines: 2_000, bytes: 2_000 })
      await store.workerLogs.add([line('one', 3_000, { message: 'x'.repeat(1_500) })], { lines: 2_000, bytes: 2_000 })
      expect(await times('one')).toEqual([...Array.from({ length: 500 }, (_, index) => 1_500 + index), 3_000])
    })

    test('old lines and lines of removed workers are deleted in batches', async ({ store }) => {
      const old = Array.from({ length: 450 }, (_, index) => line('one', index + 1))
      await store.workerLogs.add(
        [...old, line('two', 5_001, { time: 1 }), line('gone', 5_002, { time: 1 }), line('gone', 5_003, { time: 900 })],
        keepAll,
      )
      const left = async () =>
        Promise.all(
          ['one', 'two', 'gone'].map(async (worker) => (await store.workerLogs.list(worker, { limit: 999 })).length),
        )
      const present = { workers: ['one', 'two'], now: 800, since: 440 }
      expect(await store.workerLogs.tidy(present)).toBe(true)
      expect(await left()).toEqual([400, 0, 1])
      while (await store.workerLogs.tidy(present));
      expect(await left()).toEqual([11, 0, 1])
    })

    test('the environment variables of old deployments can be read with a new master key', async () => {
      const place = await makePlace()
      const old = await place.open()
      const deployment = record('one')
      await activate(old, deployment)
      const keys = `${generateMasterKey('2')},${place.keys}`
      await place.open({ sealer: createSealer(keys) })
      const newest = await place.open({ sealer: createSealer(keys.split(',')[0] ?? '') })
      expect((await newest.workers.content(deployment.id))?.env).toBe(content().env)
    })
  })
}
