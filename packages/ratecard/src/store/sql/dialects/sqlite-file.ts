// Opens the file of an embedded database and waits for its other users.
import { randomInt } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import SqliteFile from 'better-sqlite3'

const busyMs = 5000

export interface SqliteFileOptions {
  /** True for expendable data (log lines): the file shrinks when rows are deleted, and a power failure may lose the last commits. */
  readonly spare?: boolean
}

/** Opens or creates the file (0600, its directory 0700), or an in-memory store for `:memory:`. */
export async function openSqlite(
  file: string,
  { spare = false }: SqliteFileOptions = {},
): Promise<SqliteFile.Database> {
  if (file !== ':memory:') createPrivately(file)
  const database = new SqliteFile(file, { timeout: busyMs })
  try {
    // `auto_vacuum` can only be set on an empty file, and switching to WAL writes to it: set it first.
    if (spare) await whenFree(() => database.pragma('auto_vacuum = FULL'))
    // Switching a new file to WAL needs exclusive access, and several processes may start at the same time.
    await whenFree(() => database.pragma('journal_mode = WAL'))
    database.pragma(`synchronous = ${spare ? 'NORMAL' : 'FULL'}`)
    database.pragma('foreign_keys = ON')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Runs BEGIN IMMEDIATE. It waits without blocking the event loop, because the lock may be held by a transaction of this process, which
 * would never finish otherwise.
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
