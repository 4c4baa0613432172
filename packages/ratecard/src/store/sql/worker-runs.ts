import { sql } from 'kysely'
import type { DuePlan, DueSchedule, NewRun, RunRecord, RunRecordOutcome, WorkerRunStore } from '../worker-store.ts'
import type { Database, Write } from './database.ts'

type ClaimOptions = Parameters<WorkerRunStore['claimDue']>[1]

export class SqlWorkerRuns implements WorkerRunStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async nextDue(): Promise<number | null> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('workerSchedules')
        .select((eb) => eb.fn.min<number | null>('nextAt').as('nextAt'))
        .executeTakeFirst(),
    )
    return row?.nextAt ?? null
  }

  async claimDue(now: number, options: ClaimOptions): Promise<readonly RunRecord[]> {
    return this.#database.write(async (db) => {
      const runs: RunRecord[] = []
      for (const due of await this.#lockDue(db, now, options.limit)) {
        const plan = options.plan(due)
        await this.#moveOn(db, due, plan)
        const { worker, cron, deploymentId } = due
        const base = { worker, cron, deploymentId }
        for (const { scheduledTime, note } of plan.missed)
          await insertRun(db, ended({ ...base, id: options.newId(), scheduledTime }, 'missed', note, now))
        if (plan.run === null) continue
        const run = await start(db, { ...base, id: options.newId(), scheduledTime: plan.run }, options.instance, now)
        if (run?.outcome === 'running') runs.push(run)
      }
      return runs
    })
  }

  /** Of two replicas, the second waits here for the first and then finds the schedules moved on. */
  async #lockDue(db: Write, now: number, limit: number): Promise<DueSchedule[]> {
    const rows = await this.#database
      .locked(db.selectFrom('workerSchedules').selectAll())
      .where('nextAt', '<=', now)
      .orderBy('nextAt')
      .orderBy('worker')
      .orderBy('cron')
      .limit(limit)
      .execute()
    if (rows.length === 0) return []
    const pointers = await db
      .selectFrom('workers')
      .select(['name', 'deploymentId'])
      .where(
        'name',
        'in',
        rows.map((row) => row.worker),
      )
      .execute()
    const active = new Map(pointers.map((row) => [row.name, row.deploymentId]))
    return rows.flatMap((row) => {
      const deploymentId = active.get(row.worker)
      return deploymentId === undefined ? [] : [{ ...row, deploymentId }]
    })
  }

  async #moveOn(db: Write, { worker, cron }: DueSchedule, { nextAt }: DuePlan): Promise<void> {
    const which = { worker, cron }
    if (nextAt === null)
      await db
        .deleteFrom('workerSchedules')
        .where((eb) => eb.and(which))
        .execute()
    else
      await db
        .updateTable('workerSchedules')
        .set({ nextAt })
        .where((eb) => eb.and(which))
        .execute()
  }

  async claim(run: NewRun, instance: string, now: number): Promise<RunRecord> {
    return this.#database.write(async (db) => {
      for (let scheduledTime = run.scheduledTime; ; scheduledTime++) {
        const claimed = await start(db, { ...run, scheduledTime }, instance, now)
        // A tick, or another run by hand, has this very millisecond.
        if (claimed !== null) return claimed
      }
    })
  }

  async finish(
    id: string,
    end: { readonly outcome: RunRecordOutcome; readonly error: string | null; readonly cpuMs: number | null },
    now: number,
  ): Promise<boolean> {
    const result = await this.#database.write((db) =>
      db
        .updateTable('workerRuns')
        .set({ ...end, finishedAt: now, heartbeatAt: null })
        .where('id', '=', id)
        .where('outcome', '=', 'running')
        .executeTakeFirst(),
    )
    return result.numUpdatedRows === 1n
  }

  async heartbeat(instance: string, now: number): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('workerRuns')
        .set({ heartbeatAt: now })
        .where('instance', '=', instance)
        .where('outcome', '=', 'running')
        .execute(),
    )
  }

  async loseStale(before: number, now: number): Promise<number> {
    const stale = await this.#database.read((db) =>
      db
        .selectFrom('workerRuns')
        .select('id')
        .where('outcome', '=', 'running')
        .where('heartbeatAt', '<', before)
        .limit(1)
        .executeTakeFirst(),
    )
    // Nearly always: a write would make every replica wait for the others.
    if (stale === undefined) return 0
    const error = 'The replica that ran it ended, or lost the database, before the run did.'
    const result = await this.#database.write((db) =>
      db
        .updateTable('workerRuns')
        .set({ outcome: 'lost', finishedAt: now, error, heartbeatAt: null })
        .where('outcome', '=', 'running')
        .where('heartbeatAt', '<', before)
        .executeTakeFirst(),
    )
    return Number(result.numUpdatedRows)
  }

  async list(
    worker: string,
    { limit, offset, cron }: { readonly limit: number; readonly offset: number; readonly cron?: string },
  ) {
    return this.#database.read(async (db) => {
      let rows = db.selectFrom('workerRuns').where('worker', '=', worker)
      if (cron !== undefined) rows = rows.where('cron', '=', cron)
      const items = await rows
        .selectAll()
        .orderBy('scheduledTime', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute()
      const { total } = await rows.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
      return { items, total }
    })
  }

  async find(id: string): Promise<RunRecord | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('workerRuns').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row ?? null
  }

  async prune(before: number, limit: number): Promise<number> {
    const old = await this.#database.read((db) =>
      db
        .selectFrom('workerRuns')
        .select('id')
        .where('outcome', '!=', 'running')
        .where('scheduledTime', '<', before)
        .limit(limit)
        .execute(),
    )
    if (old.length === 0) return 0
    const ids = old.map((row) => row.id)
    await this.#database.write((db) => db.deleteFrom('workerRuns').where('id', 'in', ids).execute())
    return ids.length
  }
}

/** `running`, or `skipped` beside one that runs; null when the tick is another's already. */
async function start(db: Write, run: NewRun, instance: string, now: number): Promise<RunRecord | null> {
  const running: RunRecord = {
    ...run,
    startedAt: now,
    finishedAt: null,
    outcome: 'running',
    error: null,
    cpuMs: null,
    instance,
    heartbeatAt: now,
  }
  if (await insertRun(db, running)) return running
  const skipped = ended(run, 'skipped', 'The run before it was still going.', now)
  return (await insertRun(db, skipped)) ? skipped : null
}

function ended(run: NewRun, outcome: 'missed' | 'skipped', error: string, now: number): RunRecord {
  return {
    ...run,
    startedAt: null,
    finishedAt: now,
    outcome,
    error,
    cpuMs: null,
    instance: null,
    heartbeatAt: null,
  }
}

/** False when the tick was claimed before, or (for one that runs) another of its schedule is running. */
async function insertRun(db: Write, run: RunRecord): Promise<boolean> {
  const row = await db
    .insertInto('workerRuns')
    .values(run)
    .onConflict((conflict) => conflict.doNothing())
    .returning(sql<number>`1`.as('added'))
    .executeTakeFirst()
  return row !== undefined
}
