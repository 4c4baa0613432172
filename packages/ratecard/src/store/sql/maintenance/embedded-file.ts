// Operations on the database file of an embedded store: exclusive access, checks and copies. None of them migrates the schema.
import { copyFile, open, rm, stat } from 'node:fs/promises'
import SqliteFile from 'better-sqlite3'
import { SqliteDialect } from 'kysely'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { verifyHistory, type HistoryCheck } from '../../history-chain.ts'
import type { Sealer } from '../../seal.ts'
import { backupSqlite } from './backup.ts'
import { Database } from '../database/database.ts'
import { secretContext } from '../repositories/configuration/secrets.ts'
import { migrations } from '../schema-migrations/migrations.ts'
import { sqlVersions } from '../repositories/configuration/versions.ts'

/** Copies the store at `from` into the new file `to`. `from` may be in use. */
export async function backupFile(from: string, to: string): Promise<void> {
  await withReadOnlyDatabase(from, (database) => backupSqlite(database, to))
}

/**
 * Runs `work` while no other process has the store open. The store is then a single file without a write-ahead log. Throws `store_in_use`.
 * If `work` moves the file, a program that opens it meanwhile cannot write to it.
 */
export async function aloneWith<T>(file: string, work: () => Promise<T>): Promise<T> {
  // Must be checked before SQLite opens the file. If the file is no SQLite database, SQLite would delete the write-ahead log beside it.
  if (!(await isSqlite(file))) throw new SqliteFile.SqliteError(`${file} is no database`, 'SQLITE_NOTADB')
  const database = new SqliteFile(file, { fileMustExist: true, timeout: 0 })
  try {
    takeAlone(database, file)
    return await work()
  } finally {
    database.close()
  }
}

function takeAlone(database: SqliteFile.Database, file: string): void {
  try {
    // Leaves WAL mode, which needs exclusive access. SQLite refuses it while any other connection is open, even an idle one.
    const mode: unknown = database.pragma('journal_mode = DELETE', { simple: true })
    if (mode === 'delete') {
      database.exec('begin exclusive')
      return
    }
  } catch (error) {
    if (!(error instanceof SqliteFile.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error
  }
  throw new ServiceError('store_in_use', `The store ${file} is in use.`, { hint: 'Stop the server first.' })
}

/** Copies a store file and its write-ahead log, if there is one, and merges both into a single file. */
export async function copyWhole(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const log = `${from}-wal`
  if (await fileExists(log)) await copyFile(log, `${to}-wal`)
  const database = new SqliteFile(to, { fileMustExist: true })
  try {
    database.pragma('journal_mode = DELETE')
  } finally {
    database.close()
  }
  const file = await open(to, 'r+')
  try {
    await file.chmod(0o600)
    await file.sync()
  } finally {
    await file.close()
  }
}

export async function removeStore(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${file}${suffix}`, { force: true })
}

/** Schema version of this release. A store with a higher version belongs to a newer release. */
export const knownSchema = migrations.length

export interface StoreCheck {
  readonly schema: number
  /** False if the secrets were sealed with another master key. */
  readonly keyFits: boolean
  readonly history: HistoryCheck
}

/** Reads a whole store without changing it. Returns null if the file is no store or is damaged. */
export async function checkStoreFile(file: string, sealer: Sealer | null): Promise<StoreCheck | null> {
  try {
    return await withReadOnlyDatabase(file, async (database) => {
      const schema = await schemaOf(database)
      if (schema < 1) return null
      const history = await verifyHistory({ versions: sqlVersions(database) })
      return { schema, keyFits: sealer === null || (await opensSecrets(database, sealer)), history }
    })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'store_unavailable') return null
    if (error instanceof SqliteFile.SqliteError) return null
    throw error
  }
}

export interface StorePeek {
  /** Id of the store; null if it has none yet. */
  readonly store: string | null
  /** Newest revision; 0 for none. */
  readonly revision: number
}

/** Reads which store a file contains, without changing it or its log. Returns null if it contains none. */
export function peekStore(file: string): StorePeek | null {
  const database = new SqliteFile(file, { readonly: true, fileMustExist: true })
  try {
    const id = database.prepare(`select value from facts where name = 'store_id'`).pluck().get() as string | undefined
    const revision = database.prepare('select coalesce(max(revision), 0) from versions').pluck().get() as number
    return { store: id ?? null, revision }
  } catch (error) {
    if (error instanceof SqliteFile.SqliteError) return null
    throw error
  } finally {
    database.close()
  }
}

async function withReadOnlyDatabase<T>(file: string, work: (database: Database) => Promise<T>): Promise<T> {
  const handle = new SqliteFile(file, { readonly: true, fileMustExist: true })
  const database = new Database('sqlite', new SqliteDialect({ database: handle }))
  try {
    if (handle.pragma('quick_check', { simple: true }) !== 'ok')
      throw new ServiceError('store_unavailable', `The database ${file} is damaged.`, { hint: 'Use another backup.' })
    return await work(database)
  } finally {
    await database.destroy()
    handle.close()
  }
}

async function schemaOf(database: Database): Promise<number> {
  const { version } = await database.read((db) =>
    db
      .selectFrom('schemaMigrations')
      .select((eb) => eb.fn.coalesce(eb.fn.max('version'), eb.val(0)).as('version'))
      .executeTakeFirstOrThrow(),
  )
  return version
}

async function opensSecrets(database: Database, sealer: Sealer): Promise<boolean> {
  const rows = await database.read((db) => db.selectFrom('secrets').selectAll().execute())
  try {
    for (const row of rows) sealer.open(row.sealed, secretContext(row))
    return rows.length > 0
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'secret_unreadable') return false
    throw error
  }
}

async function isSqlite(file: string): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0)
    return buffer.toString('latin1', 0, bytesRead) === 'SQLite format 3\0'
  } finally {
    await handle.close()
  }
}

async function fileExists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}
