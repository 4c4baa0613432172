// Offline operations on a whole store: backup, restore, move to PostgreSQL. A file is verified before it becomes the store, and no data is
// deleted.
import { existsSync } from 'node:fs'
import { link, open, readFile, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { ServiceError } from '../../base/errors/service-error.ts'
import { readSettings, type Settings } from '../settings.ts'
import { createSealer, type Sealer } from '../../store/seal.ts'
import { copyStore } from '../../store/sql/maintenance/copy.ts'
import {
  aloneWith,
  backupFile,
  checkStoreFile,
  copyWhole,
  knownSchema,
  peekStore,
  removeStore,
} from '../../store/sql/maintenance/embedded-file.ts'
import { openStore } from '../../store/sql/open-store.ts'
import { makePrivate } from './key-files.ts'
import { writeMark } from './store-mark.ts'

export interface MaintenanceOptions {
  readonly env: NodeJS.ProcessEnv
  /** Folder that relative paths in the settings start from. */
  readonly cwd: string
  readonly dataDir: string | undefined
}

/** Paths of an embedded store and of its master key. */
interface StorePaths {
  readonly dataDir: string
  readonly store: string
  readonly keyFile: string
  /** Decrypts the secrets in the store; null if there is no master key. */
  readonly sealer: Sealer | null
  /** Origin of the master key: a file path, or the name of the setting. */
  readonly keySource: string
}

export interface BackupReport {
  readonly file: string
  readonly sizeBytes: number
  readonly revisions: number
  /** Origin of the master key. Without that key the backup is useless. */
  readonly masterKey: string
  /** True if the master key decrypts the backup; null if there is no key to try. */
  readonly keyFits: boolean | null
}

/** Writes a copy of the store to a new file and verifies the copy. Works while the store is in use. */
export async function backupStore(options: MaintenanceOptions, file: string): Promise<BackupReport> {
  const place = await placeOf(options)
  refuseMissing(place)
  await backupFile(place.store, file)
  const check = await checkStoreFile(file, place.sealer)
  if (check === null || !check.history.ok) {
    await removeStore(file)
    throw new ServiceError(
      'backup_invalid',
      `The store ${place.store} is damaged, so a backup of it would be damaged too.`,
      {
        hint: 'Run `ratecard doctor` for details, and keep your backups: you may have to restore one.',
      },
    )
  }
  const { size } = await stat(file)
  return {
    file,
    sizeBytes: size,
    revisions: check.history.checked,
    masterKey: place.keySource,
    keyFits: place.sealer === null ? null : check.keyFits,
  }
}

export interface RestoreReport {
  readonly store: string
  /** New path of the replaced store; null if there was no store. */
  readonly kept: string | null
  readonly revisions: number
}

/**
 * Replaces the store with a backup. The backup is copied and verified first. An existing store is replaced only if `mayReplace` returns
 * true. The replaced store is kept beside the new one. At any time the store's path refers to a complete store.
 */
export async function restoreStore(
  options: MaintenanceOptions,
  file: string,
  mayReplace: (store: string, kept: string) => Promise<boolean>,
): Promise<RestoreReport> {
  const place = await placeOf(options)
  if (place.sealer === null) throw backupKeyMissing(place)
  if (!existsSync(file))
    throw new ServiceError('backup_invalid', `There is no file ${file}.`, {
      hint: 'Name a file that `db backup` made.',
    })
  makePrivate(place.dataDir)
  const stamp = new Date().toISOString().replaceAll(/[-:.]/g, '')
  const draft = `${place.store}.restoring-${stamp}-${String(process.pid)}`
  try {
    const revisions = await draftOf(file, draft, place)
    const kept = `${place.store}.before-${stamp}`
    const replaces = existsSync(place.store)
    if (replaces) await refuseInUse(place.store)
    if (replaces && !(await mayReplace(place.store, kept)))
      throw new ServiceError('conflict', `There is a store already: ${place.store}.`, {
        hint: 'To replace it with the backup, add --force. The current store is kept beside the new one.',
      })
    await (replaces ? swapStores(place.store, draft, kept) : putFirst(place.store, draft, kept))
    const restored = peekStore(place.store)
    if (restored !== null) writeMark(place.dataDir, restored)
    await syncFolder(place.dataDir)
    return { store: place.store, kept: replaces ? kept : null, revisions }
  } finally {
    await removeStore(draft)
  }
}

/** Copies the backup to the temporary file `draft` and verifies the copy. Returns the number of revisions in it. */
async function draftOf(file: string, draft: string, place: StorePaths): Promise<number> {
  try {
    await copyWhole(file, draft)
  } catch (error) {
    throw backupInvalid(file, 'it is not a database, or is damaged', error)
  }
  const check = await checkStoreFile(draft, place.sealer)
  if (check === null) throw backupInvalid(file, 'it is not a store, or is damaged')
  if (check.schema > knownSchema) throw backupInvalid(file, 'a newer release of Ratecard has used it')
  if (!check.history.ok)
    throw backupInvalid(file, `the hash chain of its history breaks at revision ${String(check.history.brokenAt)}`)
  if (!check.keyFits)
    throw new ServiceError('backup_invalid', `The master key (${place.keySource}) does not decrypt ${file}.`, {
      hint: 'Set the master key that was in use when the backup was made, in RATECARD_MASTER_KEY or the key file. Without it a backup is useless.',
    })
  return check.history.checked
}

/** Throws if the store is in use. Called before the user is asked for confirmation, because the answer would be useless. */
async function refuseInUse(store: string): Promise<void> {
  try {
    await aloneWith(store, () => Promise.resolve())
  } catch (error) {
    if (!isDamage(error)) throw error
  }
}

/**
 * Replaces the store atomically. First the old file gets a second name, then the new file is renamed to the store's name. So the store's
 * name refers to a complete store at any time.
 */
async function swapStores(store: string, draft: string, kept: string): Promise<void> {
  try {
    await aloneWith(store, async () => {
      await link(store, kept)
      await rename(draft, store)
    })
  } catch (error) {
    if (!isDamage(error)) throw error
    // A damaged file cannot be locked. It is replaced without a lock, because no process can be using such a store.
    await link(store, kept)
    await putFirst(store, draft, kept)
  }
}

/**
 * Renames the new file to the store's path while no process has the store open. Moves away log files of the old store, because SQLite would
 * apply them to the new store.
 */
async function putFirst(store: string, draft: string, kept: string): Promise<void> {
  for (const suffix of ['-wal', '-shm', '-journal'])
    if (existsSync(`${store}${suffix}`)) await rename(`${store}${suffix}`, `${kept}${suffix}`)
  await rename(draft, store)
}

export interface CopyReport {
  readonly rows: Readonly<Record<string, number>>
  readonly masterKey: string
}

/** Copies the embedded store of the data directory to an empty PostgreSQL database. The store must not be in use during the copy. */
export async function moveStore(options: MaintenanceOptions, to: string): Promise<CopyReport> {
  const place = await placeOf({ ...options, env: { ...options.env, DATABASE_URL: '' } })
  refuseMissing(place)
  const { sealer, store: file } = place
  if (sealer === null) throw storeKeyMissing(place)
  // A running server could write after the copy, and those writes would be lost.
  await refuseInUse(file)
  const from = await openStore({ url: null, file, sealer })
  try {
    const target = await openStore({ url: to, file: '', sealer }).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'secret_unreadable') throw notEmpty()
      throw error
    })
    try {
      return { rows: await copyStore(from, target), masterKey: place.keySource }
    } finally {
      await target.close()
    }
  } finally {
    await from.close()
  }
}

async function placeOf({ env, cwd, dataDir }: MaintenanceOptions): Promise<StorePaths> {
  const settings = readSettings(env)
  if (settings.databaseUrl !== null)
    throw new ServiceError('request_invalid', 'DATABASE_URL is set: this environment has no embedded store.', {
      hint: 'Use pg_dump and pg_restore for PostgreSQL, and keep RATECARD_MASTER_KEY with the dump.',
    })
  const folder = path.resolve(cwd, dataDir ?? settings.dataDir)
  const keyFile = path.join(folder, 'master-key')
  return {
    dataDir: folder,
    store: path.join(folder, 'ratecard.db'),
    keyFile,
    sealer: await sealerOf(settings, keyFile),
    keySource: settings.masterKey === null ? keyFile : 'RATECARD_MASTER_KEY',
  }
}

/** Returns a sealer for an existing master key; null if there is none. Never generates a key. */
async function sealerOf({ masterKey }: Pick<Settings, 'masterKey'>, keyFile: string): Promise<Sealer | null> {
  if (masterKey !== null) return createSealer(masterKey)
  return existsSync(keyFile) ? createSealer((await readFile(keyFile, 'utf8')).trim()) : null
}

function refuseMissing({ store, dataDir }: StorePaths): void {
  if (existsSync(store)) return
  throw new ServiceError('store_not_found', `There is no store in ${dataDir}.`, {
    hint: 'Name its data directory with --data-dir or RATECARD_DATA_DIR.',
  })
}

/** Returns a message, e.g. "No master key was found: there is no file /data/master-key, and RATECARD_MASTER_KEY is not set." */
const noMasterKey = (keyFile: string) =>
  `No master key was found: there is no file ${keyFile}, and RATECARD_MASTER_KEY is not set.`

function backupKeyMissing({ keyFile }: StorePaths): ServiceError {
  return new ServiceError(
    'backup_invalid',
    `${noMasterKey(keyFile)} The secrets in the backup are encrypted with it.`,
    {
      hint: `Put the key file that belongs to the backup at ${keyFile}, or set RATECARD_MASTER_KEY to its content.`,
    },
  )
}

function storeKeyMissing({ keyFile }: StorePaths): ServiceError {
  return new ServiceError(
    'secret_unreadable',
    `${noMasterKey(keyFile)} The secrets in the store are encrypted with it.`,
    {
      hint: `Put the key file of this store at ${keyFile}, or set RATECARD_MASTER_KEY to its content.`,
    },
  )
}

function notEmpty(): ServiceError {
  return new ServiceError('conflict', 'The target database is not empty: it has secrets of another master key.', {
    hint: 'Copy to a new, empty database.',
  })
}

function backupInvalid(file: string, why: string, cause?: unknown): ServiceError {
  return new ServiceError('backup_invalid', `${file} cannot be restored: ${why}.`, {
    hint: 'Use another backup. Nothing was changed.',
    cause,
  })
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(NOTADB|CORRUPT)/.test(String(error.code))
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a directory. A rename is durable there without syncing the directory.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
