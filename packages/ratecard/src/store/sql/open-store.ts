import { existsSync, statSync } from 'node:fs'
import { systemClock, type Clock } from '../../base/clock.ts'
import type { Sealer } from '../seal.ts'
import { Database } from './database/database.ts'
import { asServiceError } from './database/database-errors.ts'
import { ImmediateSqliteDialect, SqliteReader } from './dialects/sqlite.ts'
import { openSqlite, type SqliteFileOptions } from './dialects/sqlite-file.ts'
import { kyselyStore, type KyselyStore } from './kysely-store.ts'
import { migrate } from './schema-migrations/apply-schema.ts'
import { workerLogMigrations } from './schema-migrations/migrations.ts'
import { checkMasterKey } from './repositories/configuration/secrets.ts'
import { SqlWorkerLogs } from './repositories/workers/worker-logs.ts'

export interface OpenStoreOptions {
  /** PostgreSQL URL; null to use SQLite in `file`. */
  readonly url: string | null
  /** Path of the SQLite file, or `:memory:`. Ignored if `url` is set. */
  readonly file: string
  readonly sealer: Sealer
  /** Clock for times in the journal. Leases use the database's clock. */
  readonly clock?: Clock
  /** TTL of a lease (ms) without renewal. Default: 15,000. */
  readonly leaseMs?: number
}

const defaultLeaseMs = 15_000

/**
 * Opens the store and migrates its schema. If there are several master keys, reseals all secrets with the newest. Throws
 * `store_unavailable` (no connection, or the schema of a newer release) or `secret_unreadable` (wrong master key).
 */
export async function openStore(options: OpenStoreOptions): Promise<KyselyStore> {
  const { sealer, clock = systemClock, leaseMs = defaultLeaseMs } = options
  const database = await openDatabase(options, clock)
  try {
    await migrate(database, clock)
    await database.checkpoint()
    await checkMasterKey(database, sealer)
    const workerLogs = workerLogsOf(database, options, clock)
    const store = kyselyStore({ database, workerLogs, sealer, clock, leaseMs })
    if (sealer.keyCount > 1) await store.resealSecrets()
    if (database.engine === 'sqlite' && isQuickToCheck(options.file)) await database.checkFile()
    return store
  } catch (error) {
    await database.destroy()
    throw error
  }
}

async function openDatabase(
  options: Pick<OpenStoreOptions, 'url' | 'file'> & SqliteFileOptions,
  clock: Clock,
): Promise<Database> {
  if (options.url !== null) {
    const { CleaningPostgresDialect, openPostgresPool } = await import('./dialects/postgres.ts')
    return new Database('postgres', new CleaningPostgresDialect(openPostgresPool(options.url)), {
      localAddress: isLocal(options.url),
      clock,
    })
  }
  try {
    return new Database('sqlite', new ImmediateSqliteDialect(await openSqlite(options.file, options)), {
      clock,
      ...(options.file === ':memory:' ? {} : { reader: new SqliteReader(options.file) }),
    })
  } catch (error) {
    throw asServiceError(error)
  }
}

/**
 * Maximum size of a file that is checked for damage at start. Checking 64 MB takes about 0.1 s. Checking 400 MB takes 1 s, or many seconds
 * on a slow disk, so larger files are not checked.
 */
const mostBytesToCheck = 64 * 1024 * 1024

function isQuickToCheck(file: string): boolean {
  return file !== ':memory:' && statSync(file).size <= mostBytesToCheck
}

/** True if the URL names a unix socket or a loopback address. */
function isLocal(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return host.startsWith('/') || ['', 'localhost', '127.0.0.1', '[::1]', '::1'].includes(host)
}

/**
 * Creates the store of worker logs. For an embedded store, log lines are in a separate file, which is opened when the first line is
 * written.
 */
function workerLogsOf(database: Database, { file }: Pick<OpenStoreOptions, 'file'>, clock: Clock): SqlWorkerLogs {
  if (database.engine === 'postgres') return new SqlWorkerLogs({ open: () => Promise.resolve(database) })
  const logFile = workerLogFile(file)
  const open = async () => {
    const own = await openDatabase({ url: null, file: logFile, spare: true }, clock)
    await migrate(own, clock, workerLogMigrations)
    return own
  }
  return new SqlWorkerLogs({ open, ownFileExists: () => existsSync(logFile) })
}

/** Path of the log file beside the store, e.g. `ratecard-worker-logs.db` for `ratecard.db`. */
function workerLogFile(file: string): string {
  return file === ':memory:' ? file : `${file.replace(/\.db$/, '')}-worker-logs.db`
}
