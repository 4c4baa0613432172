import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, ReadConnection, Write } from '../../database/database.ts'
import type { LogBound, LogRecord } from '../../../records/workers.ts'

export interface LogQuery {
  readonly limit: number
  readonly since?: number
  readonly level?: string
  readonly runId?: string
  readonly requestId?: string
  /** Returns only lines with ids greater than `after`. */
  readonly after?: string
}

interface ExistingWorkers {
  readonly workers: readonly string[]
  readonly now: number
  readonly since: number
}

interface OldLine {
  readonly id: string
  readonly time: number
  readonly bytes: number
}

/** Maximum number of lines per statement. Lines have up to 16 KB, and the embedded engine blocks all other requests during a statement. */
const linesPerStep = 50

export interface WorkerLogParts {
  /** Opens the database when the first statement needs it. */
  readonly open: () => Promise<Database>
  /**
   * Set only if this store has a separate log file, which it then also closes. Returns false if the file does not exist yet, so that there
   * are no lines to delete.
   */
  readonly ownFileExists?: () => boolean
}

export class SqlWorkerLogs {
  readonly #parts: WorkerLogParts
  #opened: Promise<Database> | undefined

  constructor(parts: WorkerLogParts) {
    this.#parts = parts
  }

  /**
   * Adds lines and deletes the oldest ones, so that no worker has more than `keep`. Ignores lines that exist already, so that a caller can
   * retry a batch.
   */
  async add(lines: readonly LogRecord[], keep: LogBound): Promise<void> {
    const byWorker = Map.groupBy(lines, (line) => line.worker)
    // The workers are sorted, so that two replicas lock rows in the same order and cannot deadlock.
    for (const worker of [...byWorker.keys()].sort()) {
      const own = byWorker.get(worker) ?? []
      for (let start = 0; start < own.length; start += linesPerStep) {
        const some = own.slice(start, start + linesPerStep)
        let over = await this.#write((db) => insert(db, worker, some, keep))
        while (over) {
          await nextTurn()
          over = await this.#write((db) => trimLogs(db, worker, keep))
        }
      }
    }
  }

  /** Returns the newest `limit` lines that match the filters, oldest first. */
  async list(worker: string, query: LogQuery): Promise<readonly LogRecord[]> {
    const rows = await this.#read((db) => {
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

  /** Yields all lines of all workers, ordered by id. */
  async *pages(size: number): AsyncGenerator<readonly LogRecord[]> {
    for (let after = ''; ;) {
      const lines = await this.#read((db) =>
        db.selectFrom('workerLogs').selectAll().where('id', '>', after).orderBy('id').limit(size).execute(),
      )
      const last = lines.at(-1)
      if (last === undefined) return
      yield lines
      after = last.id
    }
  }

  /** Deletes all lines of a worker. */
  async removeAll(worker: string): Promise<void> {
    while ((await this.#forgetOldest(worker, () => true)) > 0) await nextTurn()
    await this.#write((db) => db.deleteFrom('workerLogSizes').where('worker', '=', worker).execute())
  }

  /**
   * Runs one step of the regular cleanup. Deletes lines older than `since`, and lines from before `now` of workers that are not in
   * `workers`. Returns free space to the file system. Returns true if there is more to do.
   */
  async tidy(present: ExistingWorkers): Promise<boolean> {
    if (this.#opened === undefined && this.#parts.ownFileExists?.() === false) return false
    const sizes = await this.#read((db) => db.selectFrom('workerLogSizes').select('worker').execute())
    const known = new Set(present.workers)
    let more = false
    for (const { worker } of sizes) {
      const before = known.has(worker) ? present.since : present.now
      const forgotten = await this.#forgetOldest(worker, (line) => line.time < before)
      more ||= forgotten === linesPerStep
    }
    return more
  }

  async close(): Promise<void> {
    if (this.#parts.ownFileExists !== undefined) await (await this.#opened)?.destroy()
  }

  async #read<T>(work: (db: ReadConnection) => Promise<T>): Promise<T> {
    return (await this.#database()).read(work)
  }

  async #write<T>(work: (db: Write) => Promise<T>): Promise<T> {
    return (await this.#database()).write(work)
  }

  async #database(): Promise<Database> {
    this.#opened ??= this.#parts.open()
    try {
      return await this.#opened
    } catch (error) {
      this.#opened = undefined
      throw error
    }
  }

  /**
   * Deletes the oldest lines of a worker, at most `linesPerStep`. Stops at the first line for which `unwanted` is false. Returns the number
   * of deleted lines.
   */
  async #forgetOldest(worker: string, unwanted: (line: OldLine) => boolean): Promise<number> {
    return this.#write(async (db) => {
      await sizeOf(db, worker)
      const oldest = await oldestLines(db, worker)
      const end = oldest.findIndex((line) => !unwanted(line))
      const going = end < 0 ? oldest : oldest.slice(0, end)
      await forget(db, worker, going)
      return going.length
    })
  }
}

/** Inserts the lines. Returns true if the worker has more than `keep` afterwards. */
async function insert(db: Write, worker: string, lines: readonly LogRecord[], keep: LogBound): Promise<boolean> {
  const size = await sizeOf(db, worker)
  const added = await db
    .insertInto('workerLogs')
    .values(lines)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .execute()
  const ids = new Set(added.map((row) => row.id))
  const bytes = lines.reduce((sum, { id, message }) => (ids.has(id) ? sum + Buffer.byteLength(message) : sum), 0)
  const now = { lines: size.lines + ids.size, bytes: size.bytes + bytes }
  await db.updateTable('workerLogSizes').set(now).where('worker', '=', worker).execute()
  return now.lines > keep.lines || now.bytes > keep.bytes
}

/** Deletes the oldest lines if there are more than `keep`, at most `linesPerStep` of them. Returns true if there are still too many. */
async function trimLogs(db: Write, worker: string, keep: LogBound): Promise<boolean> {
  const { lines, bytes } = await sizeOf(db, worker)
  let excess = { lines: lines - keep.lines, bytes: bytes - keep.bytes }
  const over = () => excess.lines > 0 || excess.bytes > 0
  const going: OldLine[] = []
  for (const line of await oldestLines(db, worker)) {
    if (!over()) break
    going.push(line)
    excess = { lines: excess.lines - 1, bytes: excess.bytes - line.bytes }
  }
  await forget(db, worker, going)
  return over() && going.length > 0
}

/**
 * Returns the number of lines and bytes of the worker. If the numbers are not stored yet, counts the lines. Locks the row until the
 * transaction ends.
 */
async function sizeOf(db: Write, worker: string): Promise<LogBound> {
  const { rows } = await sql<LogBound>`
    insert into worker_log_sizes (worker, lines, bytes) values (${worker}, -1, 0)
    on conflict (worker) do update set lines = worker_log_sizes.lines
    returning lines, bytes`.execute(db)
  const [size] = rows
  if (size !== undefined && size.lines >= 0) return size
  const counted = await db
    .selectFrom('workerLogs')
    .select((eb) => [
      eb.fn.countAll<number>().as('lines'),
      sql<number>`cast(coalesce(sum(octet_length(message)), 0) as bigint)`.as('bytes'),
    ])
    .where('worker', '=', worker)
    .executeTakeFirstOrThrow()
  await db.updateTable('workerLogSizes').set(counted).where('worker', '=', worker).execute()
  return counted
}

async function oldestLines(db: Write, worker: string): Promise<readonly OldLine[]> {
  return db
    .selectFrom('workerLogs')
    .select(['id', 'time', sql<number>`octet_length(message)`.as('bytes')])
    .where('worker', '=', worker)
    .orderBy('id')
    .limit(linesPerStep)
    .execute()
}

async function forget(db: Write, worker: string, lines: readonly OldLine[]): Promise<void> {
  const last = lines.at(-1)
  if (last === undefined) return
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0)
  await db.deleteFrom('workerLogs').where('worker', '=', worker).where('id', '<=', last.id).execute()
  await db
    .updateTable('workerLogSizes')
    .set((eb) => ({ lines: eb('lines', '-', lines.length), bytes: eb('bytes', '-', bytes) }))
    .where('worker', '=', worker)
    .execute()
}
