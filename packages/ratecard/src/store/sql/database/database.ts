// The only holder of a database handle. Reads go through `read`, every write through `write` (one transaction each).
// Decides retries and what a failed connection looks like; the only place, with the dialects, that branches by engine.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { CamelCasePlugin, Kysely, sql } from 'kysely'
import type { Dialect, KyselyPlugin, RawBuilder, Transaction } from 'kysely'
import { yieldToRequests } from '../../../event-loop.ts'
import { asServiceError, isSerializationFailure } from './database-errors.ts'
import type { Tables } from '../../records/tables.ts'

export type Engine = 'sqlite' | 'postgres'
export type Read = Kysely<Tables>
export type Write = Transaction<Tables>

const attempts = 5

/** The embedded engine answers at once: a transaction of many statements would let nobody else go on. */
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

  constructor(engine: Engine, dialect: Dialect) {
    this.engine = engine
    this.#kysely = new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin(), betweenStatements] })
  }

  /** Statements of their own, outside any transaction. Never write here. */
  async read<T>(work: (db: Read) => Promise<T>): Promise<T> {
    this.#refuseInside()
    try {
      return await work(this.#kysely)
    } catch (error) {
      throw asServiceError(error)
    }
  }

  /**
   * One transaction: BEGIN IMMEDIATE on SQLite, READ COMMITTED on PostgreSQL. `work` may run again after a serialization
   * failure, so it must do nothing but use the handle, and never await anything else.
   */
  async write<T>(work: (db: Write) => Promise<T>): Promise<T> {
    this.#refuseInside()
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#kysely.transaction().execute((db) => this.#inside.run(true, () => work(db)))
      } catch (error) {
        if (!isSerializationFailure(error) || attempt === attempts) throw asServiceError(error)
      }
      await delay(randomInt(1, 20 * attempt))
    }
  }

  /** The database's own clock, epoch milliseconds: replicas do not agree on the time. */
  now(): RawBuilder<number> {
    return this.engine === 'sqlite'
      ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
      : sql<number>`cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)`
  }

  /** Locks the rows until the transaction ends. SQLite has one writer at a time anyway. A row that is absent is not locked. */
  locked<Q extends { forUpdate(): Q }>(query: Q): Q {
    return this.engine === 'sqlite' ? query : query.forUpdate()
  }

  async destroy(): Promise<void> {
    await this.#kysely.destroy()
  }

  #refuseInside(): void {
    // It would wait for itself on SQLite, and silently leave the transaction on PostgreSQL.
    if (this.#inside.getStore() === true)
      throw new Error('The store was used inside one of its own transactions: use the handle of the transaction.')
  }
}
