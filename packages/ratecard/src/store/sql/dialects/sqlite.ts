// SQLite: the embedded engine, one file that several processes may open. Every commit is durable (`synchronous = FULL`), and readers never
// wait (WAL).
import type SqliteFile from 'better-sqlite3'
import { SqliteDialect, SqliteDriver, SqliteQueryCompiler, type Driver, type QueryCompiler } from 'kysely'
import { storableParameter } from '../database/queries.ts'
import { beginImmediate, openSqliteReader } from './sqlite-file.ts'

/**
 * Dialect that begins every transaction with BEGIN IMMEDIATE. A default (deferred) transaction would fail with SQLITE_BUSY as soon as two
 * processes write.
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
    // After some failures (e.g. disk full, read error) SQLite has already rolled back the transaction.
    if (this.#database.inTransaction) this.#database.exec('rollback')
    return Promise.resolve()
  }
}

const maxStatements = 500

/**
 * Cache of prepared statements. It is needed because a push runs thousands of statements, and preparing one takes longer than running it.
 * The memory of prepared statements (outside the heap) is released late.
 */
class StatementCache {
  readonly #database: SqliteFile.Database
  readonly #statements = new Map<string, SqliteFile.Statement>()

  constructor(database: SqliteFile.Database) {
    this.#database = database
  }

  prepare(text: string): Preparable {
    // Several statements, e.g. the schema of a new store, cannot be prepared together.
    if (text.includes(';\n')) return scriptOn(this.#database, text)
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

type Preparable = Pick<SqliteFile.Statement, 'reader' | 'all' | 'run' | 'iterate'>

/** Returns statements that are run at once, as one statement without rows. */
function scriptOn(database: SqliteFile.Database, text: string): Preparable {
  return {
    reader: false,
    all: () => [],
    run: () => {
      database.exec(text)
      return { changes: 0, lastInsertRowid: 0 }
    },
    iterate: () => [].values(),
  }
}

/**
 * Reads of a file on a connection of their own, opened at the first of them. The other connection takes one query or transaction at a
 * time, so a read would wait there for the transaction of a push, and queueing costs more than the read itself.
 */
export class SqliteReader {
  readonly #file: string
  #statements: StatementCache | null = null

  constructor(file: string) {
    this.#file = file
  }

  all(text: string, parameters: readonly unknown[]): readonly unknown[] {
    this.#statements ??= new StatementCache(openSqliteReader(this.#file))
    return this.#statements.prepare(text).all(parameters)
  }

  close(): void {
    this.#statements?.close()
  }
}

class CleaningCompiler extends SqliteQueryCompiler {
  protected override appendValue(parameter: unknown): void {
    super.appendValue(storableParameter(parameter))
  }
}
