import { open, rm } from 'node:fs/promises'
import { sql } from 'kysely'
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { Database } from '../database/database.ts'

/**
 * Copies the present content of the database into `file` (mode 0600), which must not exist. A plain copy of the database file would miss
 * the content of its write-ahead log.
 */
export async function backupSqlite(database: Database, file: string): Promise<void> {
  if (database.engine !== 'sqlite')
    throw new ServiceError('request_invalid', 'Only the embedded store is backed up this way.', {
      hint: 'Back up a PostgreSQL database with pg_dump.',
    })
  const target = await createNew(file)
  try {
    await database.read((db) => sql`vacuum into ${file}`.execute(db))
    await target.sync()
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await target.close()
  }
}

async function createNew(file: string) {
  try {
    return await open(file, 'wx', 0o600)
  } catch (cause) {
    throw new ServiceError('request_invalid', `The backup cannot be written to ${file}.`, {
      hint: 'Name a new file in an existing folder.',
      cause,
    })
  }
}
