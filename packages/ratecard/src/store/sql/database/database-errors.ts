import { ServiceError } from '../../../base/errors/service-error.ts'
import type { StoreRefusal } from '../../records/refusal.ts'

/** Error codes of an unusable data directory, e.g. read-only or full. */
const directoryCodes = /^(EACCES|EPERM|EROFS|ENOTDIR|EISDIR|ENOSPC)$/
/** Error codes of a failed or lost connection: codes of Node and pg, and PostgreSQL's SQLSTATE classes. */
const connectionCodes =
  /^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|08\w{3}|25P03|55P03|57P0\d|53\w{3}|28\w{3}|3D000|25006|58030|XX00[12])$/
const connectionMessages =
  /connection terminated|connection ended|timeout exceeded when trying to connect|query read timeout|not queryable|driver has already been destroyed|after calling end on the pool|connection is not open/i
/**
 * Error codes of conditions that outlast a new connection, e.g. a full or read-only disk, an I/O error, damage, or a lock that was not
 * released.
 */
const lasting = /^(SQLITE_|EACCES|EPERM|EROFS|ENOTDIR|EISDIR|ENOSPC|53[12]00|25006|55P03|58030|XX00[12])/
const sqliteCodes = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|NOTADB|CORRUPT|PERM|AUTH)/

/** Converts a failure of the database itself to `store_unavailable`; returns every other error unchanged. */
export function asServiceError(error: unknown): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  const code = codeOf(error)
  const known = [connectionCodes, directoryCodes, sqliteCodes].some((codes) => codes.test(code))
  if (!known && !connectionMessages.test(error.message)) return error
  return new ServiceError('store_unavailable', `The database cannot be used now (${code || 'connection lost'}).`, {
    hint: hintFor(code),
    cause: error,
  })
}

/**
 * For a `store_unavailable` error of `asServiceError`, returns code and kind of the database failure that caused it. Returns null for every
 * other error.
 */
export function refusalOf(problem: unknown): Pick<StoreRefusal, 'code' | 'kind'> | null {
  if (!(problem instanceof ServiceError) || !(problem.cause instanceof Error)) return null
  const code = codeOf(problem.cause)
  return { code: code || 'connection lost', kind: lasting.test(code) ? 'condition' : 'connection' }
}

/** True for a serialization failure, a deadlock or a lock timeout. Then nothing was written, and a retry may succeed. */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof Error && /^(40001|40P01|55P03)$/.test(codeOf(error))
}

/** True for a violation of a unique constraint or primary key. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof Error && /^(23505|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY))$/.test(codeOf(error))
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function hintFor(code: string): string {
  if (code.startsWith('28')) return 'Check user and password in DATABASE_URL.'
  if (code === '3D000') return 'Create the database that DATABASE_URL names.'
  if (code === 'SQLITE_FULL' || code === '53100') return 'The disk is full. Free some space.'
  if (/^(SQLITE_(NOTADB|CORRUPT)|XX00[12])/.test(code)) return 'The database file is damaged. Restore the last backup.'
  if (code.startsWith('SQLITE_BUSY')) return 'Another process has locked the database for a long time. Try again.'
  if (code.startsWith('SQLITE') || directoryCodes.test(code))
    return 'Check that the data directory exists, is writable and on a local disk.'
  return 'Check that the database server runs and can be reached from here.'
}
