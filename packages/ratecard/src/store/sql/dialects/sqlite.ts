// The embedded engine: one file, many processes. Durable at each commit (FULL), readers never wait (WAL).
import { randomInt } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import SqliteFile from 'better-sqlite3'
import { SqliteDialect, SqliteDriver, SqliteQueryCompiler } from 'kysely'
import type { Driver, QueryCompiler } from 'kysely'
import { storableParameter } from '../text.ts'

const busyMs = 5000

/** Opens or creates the file (0600, its directory 0700), or a store in memory for `:memory:`. */
export async function openSqlite(file: string): Promise<SqliteFile.Database> {
  if (file !== ':memory:') createPrivately(file)
  const database = new SqliteFile(file, { timeout: busyMs })
  try {
    // Turning a new file to WAL needs it alone; several processes may start at the same moment.
    await whenFree(() => database.pragma('journal_mode = WAL'))
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Begins every transaction IMMEDIATE: the default, deferred, fails with SQLITE_BUSY as soon as two processes write. */
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
    super({ database: new PreparedOnce(database) })
    this.#database = database
  }

  override async beginTransaction(): Promise<void> {
    await whenFree(() => {
      // SQLite's own waiting would block the event loop, and with it the transaction of this process that it waits for.
      try {
        this.#database.exec('pragma busy_timeout = 0; begin immediate')
      } finally {
        this.#database.exec(`pragma busy_timeout = ${String(busyMs)}`)
      }
    })
  }

  override rollbackTransaction(): Promise<void> {
    // After some failures (disk full, read error) SQLite has rolled back by itself already.
    if (this.#database.inTransaction) this.#database.exec('rollback')
    return Promise.resolve()
  }
}

const mostStatements = 500

/** Preparing costs more than running, and what each statement holds outside the heap is given back late: a push runs thousands. */
class PreparedOnce {
  readonly #database: SqliteFile.Database
  readonly #statements = new Map<string, SqliteFile.Statement>()

  constructor(database: SqliteFile.Database) {
    this.#database = database
  }

  prepare(text: string): SqliteFile.Statement {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    if (this.#statements.size >= mostStatements) this.#statements.clear()
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

async function whenFree(act: () => unknown): Promise<void> {
  const deadline = performance.now() + busyMs
  for (;;) {
    try {
      act()
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await delay(randomInt(1, 8))
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteFile.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
}
