// The file of an embedded database: opening it, and waiting for its other users. Without Kysely, as a thread opens one too.
import { randomInt } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import SqliteFile from 'better-sqlite3'

const busyMs = 5000

export interface SqliteFileOptions {
  /** The file gives room back when rows go, and its last moments may be lost with the machine's power: for what can be spared. */
  readonly spare: boolean
}

/** Opens or creates the file (0600, its directory 0700), or a store in memory for `:memory:`. */
export async function openSqlite(
  file: string,
  { spare }: SqliteFileOptions = { spare: false },
): Promise<SqliteFile.Database> {
  if (file !== ':memory:') createPrivately(file)
  const database = new SqliteFile(file, { timeout: busyMs })
  try {
    // Only an empty file takes it, and WAL already writes into it.
    if (spare) await whenFree(() => database.pragma('auto_vacuum = INCREMENTAL'))
    // Turning a new file to WAL needs it alone; several processes may start at the same moment.
    await whenFree(() => database.pragma('journal_mode = WAL'))
    database.pragma(`synchronous = ${spare ? 'NORMAL' : 'FULL'}`)
    database.pragma('foreign_keys = ON')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** BEGIN IMMEDIATE, waiting without blocking the event loop, and with it the transaction of this process that it waits for. */
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
