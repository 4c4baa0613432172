// Opens the file of an embedded database. Waits as long as other processes lock it.
import { randomInt } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import SqliteFile from 'better-sqlite3'

/** Time (ms) that a statement waits for a lock. */
export const busyMs = 5000

export interface SqliteFileOptions {
  /**
   * True for data that may be lost, such as log lines. The last commits may then be lost in a power failure, and the file shrinks when rows
   * are deleted.
   */
  readonly spare?: boolean
}

/** Opens or creates the file (mode 0600, its directory 0700). `:memory:` opens an in-memory store. */
export async function openSqlite(
  file: string,
  { spare = false }: SqliteFileOptions = {},
): Promise<SqliteFile.Database> {
  if (file !== ':memory:') createPrivately(file)
  const database = new SqliteFile(file, { timeout: busyMs })
  try {
    // `auto_vacuum` can only be set on an empty file. So it is set before the switch to WAL, which writes to the file.
    if (spare) await whenFree(() => database.pragma('auto_vacuum = FULL'))
    // Switching a new file to WAL needs exclusive access. Several processes may do that at the same time, so retry until the file is free.
    await whenFree(() => database.pragma('journal_mode = WAL'))
    database.pragma(`synchronous = ${spare ? 'NORMAL' : 'FULL'}`)
    database.pragma('foreign_keys = ON')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens a further connection to a file that `openSqlite` has opened, for reads only. It sees what was committed, and never waits. */
export function openSqliteReader(file: string): SqliteFile.Database {
  const database = new SqliteFile(file, { timeout: busyMs, fileMustExist: true })
  database.pragma('query_only = ON')
  return database
}

/**
 * Runs BEGIN IMMEDIATE. Waits for the lock without blocking the event loop, because the lock may be held by a transaction of this process,
 * which could not finish while the event loop is blocked.
 */
export async function beginImmediate(database: SqliteFile.Database): Promise<void> {
  await whenFree(() => {
    try {
      database.exec('pragma busy_timeout = 0; begin immediate')
    } finally {
      database.exec(`pragma busy_timeout = ${String(busyMs)}`)
    }
  })
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
