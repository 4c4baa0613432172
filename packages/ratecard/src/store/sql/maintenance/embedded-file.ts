// The database file of an embedded store while no store is open on it: whether anybody uses it, whether it is whole,
// a copy of it. Nothing here brings a schema up to date.
import { copyFile, open, rm, stat } from 'node:fs/promises'
import SqliteFile from 'better-sqlite3'
import { SqliteDialect } from 'kysely'
import { ServiceError } from '../../../errors/service-error.ts'
import { verifyHistory } from '../../history-chain.ts'
import type { HistoryCheck } from '../../history-chain.ts'
import type { Sealer } from '../../seal.ts'
import { backupSqlite } from './backup.ts'
import { Database } from '../database/database.ts'
import { secretContext } from '../repositories/configuration/secrets.ts'
import { migrations } from '../schema-migrations/migrations.ts'
import { SqlVersions } from '../repositories/configuration/versions.ts'

/** Copies the store at `from`, in use or not, into the new file `to`. */
export async function backupFile(from: string, to: string): Promise<void> {
  await reading(from, (database) => backupSqlite(database, to))
}

/**
 * Runs `work` while nobody else has the store open, which is then in one file, without a log beside it.
 * Fails with `store_in_use`. A program that opens the file meanwhile and finds it moved afterwards cannot write to it.
 */
export async function aloneWith<T>(file: string, work: () => Promise<T>): Promise<T> {
  // Told before SQLite looks: it throws away the log of a file that it does not know for its own.
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
    // Leaving WAL needs the file alone: it is refused while any other connection is open, idle ones too.
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

/** Copies a file as it is, together with its log when there is one, and makes one whole file of them. */
export async function copyWhole(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const log = `${from}-wal`
  if (await exists(log)) await copyFile(log, `${to}-wal`)
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

/** The schema that this release makes; a higher one is of a newer release. */
export const knownSchema = migrations.length

export interface StoreCheck {
  readonly schema: number
  /** False when another master key sealed the secrets. */
  readonly keyFits: boolean
  readonly history: HistoryCheck
}

/** Reads a store through without changing it. null when the file is no store, or a damaged one. */
export async function checkStoreFile(file: string, sealer: Sealer | null): Promise<StoreCheck | null> {
  try {
    return await reading(file, async (database) => {
      const schema = await schemaOf(database)
      if (schema < 1) return null
      const history = await verifyHistory({ versions: new SqlVersions(database) })
      return { schema, keyFits: sealer === null || (await opensSecrets(database, sealer)), history }
    })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'store_unavailable') return null
    if (error instanceof SqliteFile.SqliteError) return null
    throw error
  }
}

async function reading<T>(file: string, work: (database: Database) => Promise<T>): Promise<T> {
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

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}
