import { sql } from 'kysely'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import type { RecordOf } from '../../../records/columns.ts'
import type {
  workerColumns,
  DeploymentRecord,
  DeploymentContent,
  ScheduleRecord,
  WorkerRecord,
} from '../../../records/workers.ts'
import type { Sealer } from '../../../seal.ts'
import type { Database, ReadConnection, Write } from '../../database/database.ts'
import { readPage } from '../../database/queries.ts'
import type { Leases } from '../coordination/leases.ts'
import { secretContext } from '../configuration/secrets.ts'
import { bundleToRow, contentOf, deploymentOf, deploymentToRow, workerOf, workerSelection } from './worker-rows.ts'
import type { LeaseToken } from '../../../lease-token.ts'
import type { PageQuery, Page } from '../../../records/page.ts'

export function sqlWorkers(database: Database, sealer: Sealer, leases: Leases) {
  const deployment = async (worker: string, id: string) => {
    const row = await database.read((db) => deploymentsOf(db, worker).where('id', '=', id).executeTakeFirst())
    return row === undefined ? null : deploymentOf(row)
  }

  return {
    /** Returns the database's own time, because the clocks of replicas differ. */
    async now(): Promise<number> {
      const { rows } = await database.read((db) => sql<{ now: number }>`select ${database.now()} as now`.execute(db))
      return rows[0]?.now ?? 0
    },

    list: (): Promise<readonly WorkerRecord[]> => database.read((db) => readWorkers(db)),

    async find(name: string): Promise<WorkerRecord | null> {
      const [found] = await database.read((db) => readWorkers(db, name))
      return found ?? null
    },

    /**
     * Makes the deployment the active one. Writes the pointer to it, the hostnames, the schedules and the deployment (if it is new) in one
     * transaction. An unchanged schedule keeps the time of its next run. Deletes all deployments except the newest `keep` and the active one.
     * Throws `conflict` if a hostname belongs to another worker, and `push_in_progress` if the lease is lost.
     */
    async activate(
      deployment: DeploymentRecord,
      content: DeploymentContent | null,
      schedules: readonly ScheduleRecord[],
      { keep, token }: { readonly keep: number; readonly token: LeaseToken },
    ): Promise<WorkerRecord> {
      const { worker: name, id } = deployment
      const secret = { scope: 'worker', id } as const
      const sealed = content === null ? null : sealer.seal(content.env, secretContext(secret))
      return database.write(async (db) => {
        await leases.assertHeld(db, token)
        if (content !== null && sealed !== null) {
          await db.insertInto('workerDeployments').values(deploymentToRow(deployment)).execute()
          await db.insertInto('workerBundles').values(bundleToRow(id, content)).execute()
          await db
            .insertInto('secrets')
            .values({ ...secret, sealed })
            .execute()
        }
        // With the explicit type, the compiler checks that all columns are present. Without it, an insert could omit nullable columns.
        const kept: Omit<RecordOf<typeof workerColumns>, 'name' | 'updatedAt'> = { deploymentId: id }
        const pointer = { ...kept, updatedAt: database.now() }
        const worker = await db
          .insertInto('workers')
          .values({ name, ...pointer })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(pointer))
          .returningAll()
          .executeTakeFirstOrThrow()
        await replaceHosts(db, name, deployment.hosts)
        const next = await replaceSchedules(db, name, schedules)
        await forgetOld(db, name, id, keep)
        await countChange(db)
        return { ...worker, deployment, schedules: next }
      })
    },

    /**
     * Removes the worker with its deployments and their secrets. Runs and logs are not removed here but by their own stores. Returns false if
     * the worker does not exist.
     */
    async remove(name: string, token: LeaseToken): Promise<boolean> {
      return database.write(async (db) => {
        await leases.assertHeld(db, token)
        await db.deleteFrom('workerSchedules').where('worker', '=', name).execute()
        await db.deleteFrom('workerHosts').where('worker', '=', name).execute()
        const { numDeletedRows } = await db.deleteFrom('workers').where('name', '=', name).executeTakeFirstOrThrow()
        const ids = await db.selectFrom('workerDeployments').select('id').where('worker', '=', name).execute()
        await forget(
          db,
          ids.map((row) => row.id),
        )
        await countChange(db)
        return numDeletedRows > 0n
      })
    },

    /** Returns a page of deployments, newest first. */
    async deployments(worker: string, page: PageQuery): Promise<Page<DeploymentRecord>> {
      const { items, total } = await database.read((db) => readPage(deploymentsOf(db, worker), page))
      return { items: items.map(deploymentOf), total }
    },

    deployment,

    /** Returns the deployment created before this one; null if there is none. */
    async deploymentBefore(worker: string, id: string): Promise<DeploymentRecord | null> {
      const at = await deployment(worker, id)
      if (at === null) return null
      const row = await database.read((db) =>
        deploymentsOf(db, worker)
          .where((eb) =>
            eb.or([
              eb('createdAt', '<', at.createdAt),
              eb.and([eb('createdAt', '=', at.createdAt), eb('id', '<', at.id)]),
            ]),
          )
          .limit(1)
          .executeTakeFirst(),
      )
      return row === undefined ? null : deploymentOf(row)
    },

    async content(deploymentId: string): Promise<DeploymentContent | null> {
      const secret = { scope: 'worker', id: deploymentId } as const
      return database.read(async (db) => {
        const row = await db
          .selectFrom('workerBundles')
          .selectAll()
          .where('deploymentId', '=', deploymentId)
          .executeTakeFirst()
        const sealed = await db
          .selectFrom('secrets')
          .select('sealed')
          .where('scope', '=', secret.scope)
          .where('id', '=', secret.id)
          .executeTakeFirst()
        if (row === undefined || sealed === undefined) return null
        return contentOf(row, sealer.open(sealed.sealed, secretContext(secret)))
      })
    },

    /** Returns a counter that grows with every activation and removal by any replica. */
    async changeSequence(): Promise<number> {
      const row = await database.read((db) =>
        db.selectFrom('workerChanges').select('sequence').executeTakeFirstOrThrow(),
      )
      return row.sequence
    },
  }
}

/** Query of a worker's deployments, newest first. */
const deploymentsOf = (db: ReadConnection, worker: string) =>
  db
    .selectFrom('workerDeployments')
    .selectAll()
    .where('worker', '=', worker)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')

async function readWorkers(db: ReadConnection, name?: string): Promise<WorkerRecord[]> {
  let query = db
    .selectFrom('workers')
    .innerJoin('workerDeployments', 'workerDeployments.id', 'workers.deploymentId')
    .selectAll('workerDeployments')
    .select(workerSelection)
    .orderBy('workers.name')
  let schedules = db.selectFrom('workerSchedules').selectAll().orderBy('nextAt').orderBy('cron')
  if (name !== undefined) {
    query = query.where('workers.name', '=', name)
    schedules = schedules.where('worker', '=', name)
  }
  const rows = await query.execute()
  const byWorker = Map.groupBy(await schedules.execute(), (row) => row.worker)
  return rows.map((row) => ({
    ...workerOf(row),
    deployment: deploymentOf(row),
    schedules: (byWorker.get(row.worker) ?? []).map(({ worker: _of, ...schedule }) => schedule),
  }))
}

async function replaceHosts(db: Write, worker: string, hosts: readonly string[]): Promise<void> {
  await db.deleteFrom('workerHosts').where('worker', '=', worker).execute()
  for (const host of hosts) {
    const added = await db
      .insertInto('workerHosts')
      .values({ host, worker })
      .onConflict((conflict) => conflict.column('host').doNothing())
      .executeTakeFirst()
    if (added.numInsertedOrUpdatedRows === 0n)
      throw new ServiceError('conflict', `The host "${host}" belongs to another worker.`, {
        hint: 'Remove it from that worker and deploy that worker. Then deploy this one.',
      })
  }
}

async function replaceSchedules(
  db: Write,
  worker: string,
  schedules: readonly ScheduleRecord[],
): Promise<ScheduleRecord[]> {
  const present = await db.selectFrom('workerSchedules').selectAll().where('worker', '=', worker).execute()
  await db.deleteFrom('workerSchedules').where('worker', '=', worker).execute()
  const next = schedules.map((schedule) => ({
    ...schedule,
    nextAt: present.find((row) => row.cron === schedule.cron)?.nextAt ?? schedule.nextAt,
  }))
  if (next.length > 0)
    await db
      .insertInto('workerSchedules')
      .values(next.map((schedule) => ({ worker, ...schedule })))
      .execute()
  return next.sort((a, b) => a.nextAt - b.nextAt || (a.cron < b.cron ? -1 : 1))
}

async function forgetOld(db: Write, worker: string, active: string, keep: number): Promise<void> {
  const rows = await db
    .selectFrom('workerDeployments')
    .select('id')
    .where('worker', '=', worker)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
  await forget(
    db,
    rows
      .slice(keep)
      .map((row) => row.id)
      .filter((id) => id !== active),
  )
}

async function forget(db: Write, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.deleteFrom('workerBundles').where('deploymentId', 'in', ids).execute()
  await db.deleteFrom('secrets').where('scope', '=', 'worker').where('id', 'in', ids).execute()
  await db.deleteFrom('workerDeployments').where('id', 'in', ids).execute()
}

async function countChange(db: Write): Promise<void> {
  await db
    .updateTable('workerChanges')
    .set((eb) => ({ sequence: eb('sequence', '+', 1) }))
    .execute()
}
