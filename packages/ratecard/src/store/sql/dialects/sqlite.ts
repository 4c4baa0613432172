// SQLite: the embedded engine, one file that several processes may open. Every commit is durable (`synchronous = FULL`), and readers never
// wait (WAL).
import type SqliteFile from 'better-sqlite3'
import { SqliteDialect, SqliteDriver, SqliteQueryCompiler, type Driver, type QueryCompiler } from 'kysely'
import { storableParameter } from '../database/text.ts'
import { beginImmediate } from './sqlite-file.ts'

/**
 * Dialect that begins every transaction IMMEDIATE: a default (deferred) transaction fails with SQLITE_BUSY as soon as two processes write.
 */
export class ImmediateSqliteDialect extends SqliteDialect {
  readonly #database: SqliteFile.Database

  constructor(database: SqliteFile.Database) {
    super({ database })
    this.#database = database
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#database)
  }

  override createQueryCompiler(): QueryCompiler {
    return new CleaningCompiler()
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #database: SqliteFile.Database

  constructor(database: SqliteFile.Database) {
    super({ database: new StatementCache(database) })
    this.#database = database
  }

  override async beginTransaction(): Promise<void> {
    await beginImmediate(this.#database)
  }

  override rollbackTransaction(): Promise<void> {
    // After some failures (disk full, read error) SQLite has already rolled back by itself.
    if (this.#database.inTransaction) this.#database.exec('rollback')
    return Promise.resolve()
  }
}

const maxStatements = 500

/**
 * Cache of prepared statements. A push runs thousands of statements. Preparing a statement costs more than running it, and the memory of
 * prepared statements (outside the heap) is freed late.
 */
class StatementCache {
  readonly #database: SqliteFile.Database
  readonly #statements = new Map<string, SqliteFile.Statement>()

  constructor(database: SqliteFile.Database) {
    this.#database = database
  }

  prepare(text: string): SqliteFile.Statement {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    if (this.#statements.size >= maxStatements) this.#statements.clear()
    const statement = this.#database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}

class CleaningCompiler extends SqliteQueryCompiler {
  protected override appendValue(parameter: unknown): void {
    super.appendValue(storableParameter(parameter))
  }
}
