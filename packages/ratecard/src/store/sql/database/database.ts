// The only module that has a database handle. Reads go through `read`, and every write goes through `write` (one transaction each). The
// module retries transactions and converts errors of a failed connection. Only this file and the dialects contain code for a particular
// engine.
import { busyMs } from '../dialects/sqlite-file.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { CamelCasePlugin, Kysely, sql } from 'kysely'
import type { CompiledQuery, Dialect, KyselyPlugin, RawBuilder, Transaction } from 'kysely'
import { systemClock, type Clock } from '../../../base/clock.ts'
import { yieldToRequests } from '../../../base/event-loop.ts'
import { asServiceError, isSerializationFailure, refusalOf } from './database-errors.ts'
import type { Tables } from '../../records/tables.ts'
import { createWriteGroups } from './write-groups.ts'
import { refusalMs, type StoreRefusal } from '../../records/refusal.ts'

export type Engine = 'sqlite' | 'postgres'
export type ReadConnection = Kysely<Tables>
export type Write = Transaction<Tables>

const attempts = 5

export interface DatabaseOptions {
  /** True if DATABASE_URL is a unix socket or a loopback address (PostgreSQL only). */
  readonly localAddress?: boolean
  readonly clock?: Clock
  /** Runs prepared reads on a connection of their own. If absent, they run like all other reads (PostgreSQL, and SQLite in memory). */
  readonly reader?: PreparedReader
}

export interface PreparedReader {
  all(text: string, parameters: readonly unknown[]): readonly unknown[]
  close(): void
}

/**
 * Yields to the event loop between statements. The embedded engine runs synchronously, so a transaction of many statements would block all
 * other requests.
 */
const betweenStatements: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    await yieldToRequests()
    return result
  },
}

export class Database {
  readonly engine: Engine
  readonly #kysely: Kysely<Tables>
  readonly #inside = new AsyncLocalStorage<true>()
  readonly #options: DatabaseOptions
  readonly #together = createWriteGroups(
    (work) => this.write(work),
    (error) => this.#problem('write', error),
  )
  #refusal: StoreRefusal | null = null

  constructor(engine: Engine, dialect: Dialect, options: DatabaseOptions = {}) {
    this.engine = engine
    this.#options = options
    this.#kysely = new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin(), betweenStatements] })
  }

  /**
   * The last read or write that the database refused; null if there was none. A refusal because of a damaged file is never replaced by a
   * later refusal.
   */
  get refusal(): StoreRefusal | null {
    return this.#refusal
  }

  /** Checks the embedded database file for damage. Reads the whole file, which takes about 1 ms per MB if the file is cached. */
  async checkFile(): Promise<void> {
    // If the check itself fails, the file is treated as damaged. Prices that can still be read are served.
    const found = await this.read((db) => sql<{ quickCheck: string }>`pragma quick_check(1)`.execute(db)).catch(
      () => null,
    )
    if (found?.rows[0]?.quickCheck !== 'ok') this.#refused('read', { code: 'SQLITE_CORRUPT', kind: 'damage' })
  }

  /** Moves SQLite's write-ahead log into the database file. What a reader of another process still needs stays until the next checkpoint. */
  async checkpoint(): Promise<void> {
    if (this.engine === 'sqlite')
      await this.read(async (db) => {
        await sql`pragma busy_timeout = 0`.execute(db)
        await sql`pragma wal_checkpoint(truncate)`
          .execute(db)
          .finally(() => sql.raw(`pragma busy_timeout = ${String(busyMs)}`).execute(db))
      })
  }

  /** Runs statements outside any transaction. `work` must not write. */
  async read<T>(work: (db: ReadConnection) => Promise<T>): Promise<T> {
    this.#refuseInside()
    try {
      return await work(this.#kysely)
    } catch (error) {
      throw this.#problem('read', error)
    }
  }

  /** Runs a compiled query outside any transaction. It must name its columns as the rows do, in camelCase. */
  async readPrepared<Row>(compile: (db: ReadConnection) => CompiledQuery<Row>): Promise<readonly Row[]> {
    const { reader } = this.#options
    if (reader === undefined) return this.read(async (db) => (await db.executeQuery(compile(db))).rows)
    this.#refuseInside()
    try {
      const { sql: text, parameters } = compile(this.#kysely)
      return reader.all(text, parameters) as readonly Row[]
    } catch (error) {
      throw this.#problem('read', error)
    }
  }

  /** Runs a query for one row, outside any transaction. Returns the row; null if there is none. */
  async readFirst<T>(work: (db: ReadConnection) => Promise<T | undefined>): Promise<T | null> {
    return (await this.read(work)) ?? null
  }

  /**
   * Runs one transaction: BEGIN IMMEDIATE on SQLite, READ COMMITTED on PostgreSQL. `work` is retried after a serialization failure, so it
   * must have no effects outside the database and must await only its own statements.
   */
  async write<T>(work: (db: Write) => Promise<T>): Promise<T> {
    this.#refuseInside()
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#kysely.transaction().execute((db) => this.#inside.run(true, () => work(db)))
      } catch (error) {
        if (!isSerializationFailure(error) || attempt === attempts) throw this.#problem('write', error)
      }
      await delay(randomInt(1, 20 * attempt))
    }
  }

  /**
   * Like `write`, for short transactions of which many run at the same time. Those that wait for each other are committed together. All of
   * them do on SQLite, which has a single writer; on PostgreSQL those of one `lane`, e.g. because they lock the same row.
   */
  async writeTogether<T>(lane: string, work: (db: Write) => Promise<T>): Promise<T> {
    this.#refuseInside()
    return this.#together(this.engine === 'sqlite' ? '' : lane, work)
  }

  /** Returns the database's own time in epoch milliseconds, because the clocks of replicas differ. */
  now(): RawBuilder<number> {
    return this.engine === 'sqlite'
      ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
      : sql<number>`cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)`
  }

  /**
   * True if the database certainly runs on this machine. SQLite always does, because its write-ahead log needs shared memory. For
   * PostgreSQL, client and server must both see a local address. With a proxy between them (e.g. PgBouncer), only one of them does.
   */
  async isOnThisMachine(db: ReadConnection): Promise<boolean> {
    if (this.engine === 'sqlite' || this.#options.localAddress !== true) return this.engine === 'sqlite'
    const { rows } = await sql<{ local: boolean }>`
      select coalesce(host(inet_client_addr()) in ('127.0.0.1', '::1'), true) as local`.execute(db)
    return rows[0]?.local === true
  }

  /**
   * Makes the query lock its rows until the transaction ends (PostgreSQL). SQLite needs no lock, because it has a single writer. A row that
   * does not exist is not locked.
   */
  locked<Q extends { forUpdate(): Q }>(query: Q): Q {
    return this.engine === 'sqlite' ? query : query.forUpdate()
  }

  async destroy(): Promise<void> {
    this.#options.reader?.close()
    await this.#kysely.destroy()
  }

  #problem(access: StoreRefusal['access'], error: unknown): unknown {
    const problem = asServiceError(error)
    const refusal = refusalOf(problem)
    if (refusal !== null && problem !== error) this.#refused(access, refusal)
    return problem
  }

  #refused(access: StoreRefusal['access'], refusal: Pick<StoreRefusal, 'code' | 'kind'>): void {
    const last = this.#refusal
    const at = (this.#options.clock ?? systemClock).now()
    if (last?.kind === 'damage') return
    // After a failure such as a full disk, that failure stays the stored one for a minute. A lost connection must not replace it: the
    // failure of a lost connection is cleared as soon as the database is reached again.
    if (last?.kind === 'condition' && refusal.kind === 'connection' && at - last.at < refusalMs) return
    this.#refusal = { ...refusal, access, at }
  }

  #refuseInside(): void {
    // Without this check, a call within a transaction would deadlock on SQLite, and run outside of the transaction on PostgreSQL.
    if (this.#inside.getStore() === true)
      throw new Error('The store was used inside one of its own transactions: use the handle of the transaction.')
  }
}
