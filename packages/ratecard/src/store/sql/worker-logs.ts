import { sql } from 'kysely'
import type { LogRecord, WorkerLogStore } from '../worker-store.ts'
import { inBatches } from './batches.ts'
import type { Database } from './database.ts'

type Query = Parameters<WorkerLogStore['list']>[1]
type Keep = Parameters<WorkerLogStore['prune']>[0]

export class SqlWorkerLogs implements WorkerLogStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async add(lines: readonly LogRecord[]): Promise<void> {
    await this.#database.write((db) =>
      inBatches(lines, (some) =>
        db
          .insertInto('workerLogs')
          .values(some)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute(),
      ),
    )
  }

  async list(worker: string, query: Query): Promise<readonly LogRecord[]> {
    const rows = await this.#database.read((db) => {
      let select = db.selectFrom('workerLogs').selectAll().where('worker', '=', worker)
      if (query.since !== undefined) select = select.where('time', '>=', query.since)
      if (query.level !== undefined) select = select.where('level', '=', query.level)
      if (query.runId !== undefined) select = select.where('runId', '=', query.runId)
      if (query.requestId !== undefined) select = select.where('requestId', '=', query.requestId)
      if (query.after !== undefined) select = select.where('id', '>', query.after)
      return select.orderBy('id', 'desc').limit(query.limit).execute()
    })
    return rows.reverse()
  }

  async prune(keep: Keep, batch: number): Promise<number> {
    const workers = await this.#database.read((db) => db.selectFrom('workerLogs').select('worker').distinct().execute())
    let pruned = 0
    for (const { worker } of workers) pruned += await this.#pruneWorker(worker, keep, batch)
    return pruned
  }

  async #pruneWorker(worker: string, keep: Keep, batch: number): Promise<number> {
    const { rows } = await this.#database.read((db) =>
      sql<{ id: string }>`select id from (
        select id, time, row_number() over newest as place, sum(length(message)) over newest as bytes
        from worker_logs where worker = ${worker} window newest as (order by id desc)
      ) as lines
      where place > ${keep.lines} or bytes > ${keep.bytes} or time < ${keep.since}
      order by id limit ${batch}`.execute(db),
    )
    const ids = rows.map((row) => row.id)
    await inBatches(ids, (some) =>
      this.#database.write((db) => db.deleteFrom('workerLogs').where('id', 'in', some).execute()),
    )
    return ids.length
  }
}
