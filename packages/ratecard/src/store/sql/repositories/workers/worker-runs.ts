import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SelectQueryBuilder } from 'kysely'
import { inBatches, readPage } from '../../database/queries.ts'
import type { Database, Write } from '../../database/database.ts'
import type { Tables } from '../../../records/tables.ts'
import type { RunRecordOutcome, DuePlan, DueSchedule, NewRun, RunRecord } from '../../../records/workers.ts'
import type { PageQuery, Page } from '../../../records/page.ts'

type RunIds = SelectQueryBuilder<Tables, 'workerRuns', { id: string }>

/** Maximum number of runs deleted per statement, so that an embedded database needs only a few milliseconds for it. */
const runsPerStep = 200

export function sqlWorkerRuns(database: Database) {
  /**
   * Locks the due schedules (PostgreSQL). A second replica waits here for the first one, and then finds that the schedules are no longer
   * due.
   */
  async function lockDue(db: Write, now: number, limit: number): Promise<DueSchedule[]> {
    const rows = await database
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

  /**
   * Advances all schedules in batches: if a thousand schedules are due in the same minute, the last one must not wait for a thousand
   * statements.
   */
  async function moveOn(
    db: Write,
    planned: readonly { readonly due: DueSchedule; readonly plan: DuePlan }[],
  ): Promise<void> {
    const next = planned.flatMap(({ due: { worker, cron }, plan: { nextAt } }) =>
      nextAt === null ? [] : [{ worker, cron, nextAt }],
    )
    await inBatches(next, async (rows) => {
      await db
        .insertInto('workerSchedules')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['worker', 'cron']).doUpdateSet((eb) => ({ nextAt: eb.ref('excluded.nextAt') })),
        )
        .execute()
    })
    for (const { due, plan } of planned) {
      if (plan.nextAt !== null) continue
      const which = { worker: due.worker, cron: due.cron }
      await db
        .deleteFrom('workerSchedules')
        .where((eb) => eb.and(which))
        .execute()
    }
  }

  async function forget(limit: number, which: (runs: RunIds) => RunIds): Promise<number> {
    const rows = await database.read((db) => which(db.selectFrom('workerRuns').select('id')).limit(limit).execute())
    if (rows.length === 0) return 0
    const ids = rows.map((row) => row.id)
    await database.write((db) => db.deleteFrom('workerRuns').where('id', 'in', ids).execute())
    return ids.length
  }

  return {
    /** Returns the time of the next due schedule; null if there is none. */
    async nextDue(): Promise<number | null> {
      const row = await database.read((db) =>
        db
          .selectFrom('workerSchedules')
          .select((eb) => eb.fn.min<number | null>('nextAt').as('nextAt'))
          .executeTakeFirst(),
      )
      return row?.nextAt ?? null
    },

    /**
     * Claims the schedules that are due at `now`. Stores the decisions of `plan` and advances the schedules in one transaction, so that only
     * one of several replicas gets each tick (time at which a schedule fires). Returns the runs that the caller must execute now. If an
     * earlier run of a schedule is still running, its tick is stored as `skipped` instead.
     */
    async claimDue(
      now: number,
      options: {
        readonly instance: string
        readonly limit: number
        readonly newId: () => string
        readonly plan: (due: DueSchedule) => DuePlan
      },
    ): Promise<readonly RunRecord[]> {
      return database.write(async (db) => {
        const planned = (await lockDue(db, now, options.limit)).map((due) => ({ due, plan: options.plan(due) }))
        if (planned.length === 0) return []
        await moveOn(db, planned)
        const newRun = ({ worker, cron, deploymentId }: DueSchedule, scheduledTime: number): NewRun => {
          return { id: options.newId(), worker, cron, scheduledTime, deploymentId }
        }
        const missed = planned.flatMap(({ due, plan }) =>
          plan.missed.map(({ scheduledTime, note }) => unstartedRun(newRun(due, scheduledTime), 'missed', note, now)),
        )
        await insertRuns(db, missed)
        const runs = planned.flatMap(({ due, plan }) => (plan.run === null ? [] : [newRun(due, plan.run)]))
        return startAll(db, runs, options.instance, now)
      })
    },

    /** Stores a manual run as `running`, or as `skipped` if another run of the same cron expression is running. */
    async claim(run: NewRun, instance: string, now: number): Promise<RunRecord> {
      return database.write(async (db) => {
        for (let scheduledTime = run.scheduledTime; ; scheduledTime++) {
          const claimed = await start(db, { ...run, scheduledTime }, instance, now)
          // If a scheduled or another manual run already has this time (in milliseconds), the next millisecond is tried.
          if (claimed !== null) return claimed
        }
      })
    },

    /** Stores the end of a run in state `running`. Returns false if the run was set to `lost` in the meantime. */
    async finish(
      id: string,
      end: { readonly outcome: RunRecordOutcome; readonly error: string | null; readonly cpuMs: number | null },
      now: number,
    ): Promise<boolean> {
      const result = await database.write((db) =>
        db
          .updateTable('workerRuns')
          .set({ ...end, finishedAt: now, heartbeatAt: null })
          .where('id', '=', id)
          .where('outcome', '=', 'running')
          .executeTakeFirst(),
      )
      return result.numUpdatedRows === 1n
    },

    async heartbeat(instance: string, now: number): Promise<void> {
      await database.write((db) =>
        db
          .updateTable('workerRuns')
          .set({ heartbeatAt: now })
          .where('instance', '=', instance)
          .where('outcome', '=', 'running')
          .execute(),
      )
    },

    /** Sets running runs to `lost` if their replica has sent no heartbeat since `before`. Returns the number of these runs. */
    async expireStaleRuns(before: number, now: number): Promise<number> {
      const stale = await database.read((db) =>
        db
          .selectFrom('workerRuns')
          .select('id')
          .where('outcome', '=', 'running')
          .where('heartbeatAt', '<', before)
          .limit(1)
          .executeTakeFirst(),
      )
      // Usually no run is stale. So read first: a write at every poll would make replicas wait for each other.
      if (stale === undefined) return 0
      const error = 'The replica of the run ended or lost its database connection before the run ended.'
      const result = await database.write((db) =>
        db
          .updateTable('workerRuns')
          .set({ outcome: 'lost', finishedAt: now, error, heartbeatAt: null })
          .where('outcome', '=', 'running')
          .where('heartbeatAt', '<', before)
          .executeTakeFirst(),
      )
      return Number(result.numUpdatedRows)
    },

    /** Returns a page of runs, newest first. */
    list: (worker: string, { cron, ...page }: PageQuery & { readonly cron?: string }): Promise<Page<RunRecord>> =>
      database.read((db) => {
        const runs = db.selectFrom('workerRuns').selectAll().where('worker', '=', worker)
        const ordered = runs.orderBy('scheduledTime', 'desc').orderBy('id', 'desc')
        return readPage(cron === undefined ? ordered : ordered.where('cron', '=', cron), page)
      }),

    find: (id: string): Promise<RunRecord | null> =>
      database.readFirst((db) => db.selectFrom('workerRuns').selectAll().where('id', '=', id).executeTakeFirst()),

    /** Deletes at most `limit` ended runs of a worker that are older than `before`. Returns the number of deleted runs. */
    async prune(worker: string, before: number, limit: number): Promise<number> {
      return forget(limit, (runs) =>
        runs
          .where('worker', '=', worker)
          .where('scheduledTime', '<', before)
          .where('outcome', '!=', 'running')
          .orderBy('scheduledTime'),
      )
    },

    /** Deletes all runs of a worker, in several small transactions. */
    async removeAll(worker: string): Promise<void> {
      while ((await forget(runsPerStep, (runs) => runs.where('worker', '=', worker))) > 0) await nextTurn()
    },
  }
}

/**
 * Stores a run as `running`, or as `skipped` if another run of the schedule is running. Returns null if the run exists already, e.g.
 * because another replica stored it.
 */
async function start(db: Write, run: NewRun, instance: string, now: number): Promise<RunRecord | null> {
  const [running] = await insertRuns(db, [newRunRecord(run, instance, now)])
  if (running !== undefined) return running
  const [skipped] = await insertRuns(db, [stillGoing(run, now)])
  return skipped ?? null
}

/** Stores all runs and returns those that may run. A run whose schedule is already running is stored as `skipped`. */
async function startAll(db: Write, runs: readonly NewRun[], instance: string, now: number): Promise<RunRecord[]> {
  const running = await insertRuns(
    db,
    runs.map((run) => newRunRecord(run, instance, now)),
  )
  const started = new Set(running.map((run) => run.id))
  const rest = runs.filter((run) => !started.has(run.id))
  await insertRuns(
    db,
    rest.map((run) => stillGoing(run, now)),
  )
  return running
}

function newRunRecord(run: NewRun, instance: string, now: number): RunRecord {
  const open = { finishedAt: null, outcome: 'running', error: null, cpuMs: null } as const
  return { ...run, ...open, startedAt: now, instance, heartbeatAt: now }
}

function stillGoing(run: NewRun, now: number): RunRecord {
  return unstartedRun(run, 'skipped', 'The previous run was still in progress.', now)
}

function unstartedRun(run: NewRun, outcome: 'missed' | 'skipped', error: string, now: number): RunRecord {
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

/**
 * Inserts runs and returns the inserted ones. A run is not inserted if it exists already. A run in state `running` is also not inserted if
 * another run of its schedule is running.
 */
async function insertRuns(db: Write, runs: readonly RunRecord[]): Promise<RunRecord[]> {
  const added = new Set<string>()
  await inBatches(runs, async (rows) => {
    const written = await db
      .insertInto('workerRuns')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute()
    for (const { id } of written) added.add(id)
  })
  return runs.filter((run) => added.has(run.id))
}
