// The only holder of a database handle. Reads go through `read`, every write through `write` (one transaction each). Decides retries and
// the errors of a failed connection. Only this file and the dialects branch by engine.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { CamelCasePlugin, Kysely, sql } from 'kysely'
import type { Dialect, KyselyPlugin, RawBuilder, Transaction } from 'kysely'
import { systemClock, type Clock } from '../../../clock.ts'
import { yieldToRequests } from '../../../event-loop.ts'
import { refusalMs, type StoreRefusal } from '../../store.ts'
import { asServiceError, isSerializationFailure, refusalOf } from './database-errors.ts'
import type { Tables } from '../../records/tables.ts'

export type Engine = 'sqlite' | 'postgres'
export type ReadConnection = Kysely<Tables>
export type Write = Transaction<Tables>

const attempts = 5

export interface DatabaseOptions {
  /** True if DATABASE_URL is a unix socket or a loopback address (PostgreSQL only). */
  readonly localAddress?: boolean
  readonly clock?: Clock
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
  #refusal: StoreRefusal | null = null

  constructor(engine: Engine, dialect: Dialect, options: DatabaseOptions = {}) {
    this.engine = engine
    this.#options = options
    this.#kysely = new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin(), betweenStatements] })
  }

  /** The last refusal; a refusal for damage is kept. */
  get refusal(): StoreRefusal | null {
    return this.#refusal
  }

  /** Checks the file of the embedded engine for damage. Reads all of it: about 1 ms per MB if the file is cached. */
  async checkFile(): Promise<void> {
    // A failed check counts as damage; prices that are still readable are served.
    const found = await this.read((db) => sql<{ quickCheck: string }>`pragma quick_check(1)`.execute(db)).catch(
      () => null,
    )
    if (found?.rows[0]?.quickCheck !== 'ok') this.#refused('read', { code: 'SQLITE_CORRUPT', kind: 'damage' })
  }

  /** Runs statements outside any transaction. Never write here. */
  async read<T>(work: (db: ReadConnection) => Promise<T>): Promise<T> {
    this.#refuseInside()
    try {
      return await work(this.#kysely)
    } catch (error) {
      throw this.#problem('read', error)
    }
  }

  /** Like {@link read}, for a query of one row: null if there is none. */
  async readFirst<T>(work: (db: ReadConnection) => Promise<T | undefined>): Promise<T | null> {
    return (await this.read(work)) ?? null
  }

  /**
   * Runs one transaction: BEGIN IMMEDIATE on SQLite, READ COMMITTED on PostgreSQL. `work` is retried after a serialization failure, so it
   * must use nothing but the handle and never await anything else.
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

  /** Returns the database's own time in epoch milliseconds, because the clocks of replicas differ. */
  now(): RawBuilder<number> {
    return this.engine === 'sqlite'
      ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
      : sql<number>`cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)`
  }

  /**
   * True if the database certainly runs on this machine. SQLite does, because its write-ahead log is shared memory. PostgreSQL does if both
   * ends see a local connection: with a proxy between (e.g. PgBouncer beside either of them) only one end does.
   */
  async isOnThisMachine(db: ReadConnection): Promise<boolean> {
    if (this.engine === 'sqlite' || this.#options.localAddress !== true) return this.engine === 'sqlite'
    const { rows } = await sql<{ local: boolean }>`
      select coalesce(host(inet_client_addr()) in ('127.0.0.1', '::1'), true) as local`.execute(db)
    return rows[0]?.local === true
  }

  /** Locks the rows until the transaction ends (PostgreSQL); SQLite has a single writer anyway. An absent row is not locked. */
  locked<Q extends { forUpdate(): Q }>(query: Q): Q {
    return this.engine === 'sqlite' ? query : query.forUpdate()
  }

  async destroy(): Promise<void> {
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
    // A lost connection stops counting when the database is reached again; a full disk counts for a minute, so it must not be replaced.
    if (last?.kind === 'condition' && refusal.kind === 'connection' && at - last.at < refusalMs) return
    this.#refusal = { ...refusal, access, at }
  }

  #refuseInside(): void {
    // Without this check, the call would deadlock with itself on SQLite, and silently leave the transaction on PostgreSQL.
    if (this.#inside.getStore() === true)
      throw new Error('The store was used inside one of its own transactions: use the handle of the transaction.')
  }
}
