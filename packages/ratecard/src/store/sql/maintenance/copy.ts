// Copies an embedded store into another database, e.g. from SQLite to PostgreSQL. Copies either all rows or none: row counts and the hash
// chain are checked in the target before the commit.
import { sql } from 'kysely'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { continuesHistory, genesis } from '../../history-chain.ts'
import type { Database, Write } from '../database/database.ts'
import type { KyselyStore } from '../kysely-store.ts'
import { secretContext } from '../repositories/configuration/secrets.ts'
import { tables, type TableName } from '../../records/tables.ts'

type CopiedTable = { [Name in TableName]: (typeof tables)[Name]['copiedBy'] extends null ? never : Name }[TableName]
export type CopiedRows = Readonly<Record<CopiedTable, number>>

const copied = Object.entries(tables).flatMap(([name, { copiedBy }]) =>
  copiedBy === null ? [] : [{ name: name as CopiedTable, key: copiedBy }],
)

/** Rows that are read at a time. The number is small, because a row may contain a whole document. */
const pageSize = 100

/**
 * Copies every row of `from` (SQLite) to `to`, which must be empty and have the same master key. Blocks writes to `from` during the copy.
 * Returns the number of copied rows per table.
 */
export async function copyStore(from: KyselyStore, to: KyselyStore): Promise<CopiedRows> {
  if (from.engine !== 'sqlite')
    throw new ServiceError('request_invalid', 'Only an embedded store can be copied.', {
      hint: 'Copy a PostgreSQL database with pg_dump and pg_restore.',
    })
  // The transaction on the source writes nothing. It only blocks other writers until the copy is complete.
  return from.database.write(async (source) => {
    await refuseRunningWork(from.database, source)
    await refuseOtherMasterKey(source, to)
    return to.database.write(async (target) => {
      await refuseFilled(target)
      await target.deleteFrom('secrets').execute()
      const counts: [string, number][] = []
      for (const table of copied) counts.push([table.name, await copyTable(source, target, table)])
      await copyWorkerLogs(from, target)
      counts.push(['workerLogs', await countRows(target, 'workerLogs')])
      await copyPublished(source, target)
      await copyNumbers(source, target)
      await checkHistory(target)
      return Object.fromEntries(counts) as CopiedRows
    })
  })
}

async function copyTable(source: Write, target: Write, table: (typeof copied)[number]): Promise<number> {
  const order = sql.join(table.key.map((column) => sql.ref(column)))
  // Bundles are read one by one, because a single bundle may be larger than a hundred rows of any other table.
  const size = table.name === 'workerBundles' ? 1 : pageSize
  let count = 0
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table.name)} order by ${order} limit ${size} offset ${count}`.execute(source)
    const [first] = rows
    if (first === undefined) break
    const columns = Object.keys(first)
    const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
    await sql`insert into ${sql.table(table.name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(values)}`.execute(target)
    count += rows.length
  }
  const arrived = await countRows(target, table.name)
  if (arrived !== count) throw copyDiffers(`${table.name} has ${String(arrived)} rows instead of ${String(count)}`)
  return count
}

async function copyWorkerLogs(from: KyselyStore, target: Write): Promise<void> {
  for await (const lines of from.workerLogs.pages(pageSize))
    await target.insertInto('workerLogs').values(lines).execute()
}

async function copyPublished(source: Write, target: Write): Promise<void> {
  const { revision, sequence } = await source.selectFrom('published').selectAll().executeTakeFirstOrThrow()
  await target.updateTable('published').set({ revision, sequence }).execute()
}

async function copyNumbers(source: Write, target: Write): Promise<void> {
  const { last } = await source.selectFrom('mirrorNumbers').select('last').executeTakeFirstOrThrow()
  await target.updateTable('mirrorNumbers').set({ last }).execute()
}

async function checkHistory(target: Write): Promise<void> {
  let previous: { readonly revision: number; readonly hash: string } = genesis
  for (;;) {
    const page = await target
      .selectFrom('versions')
      .selectAll()
      .where('revision', '>', previous.revision)
      .orderBy('revision')
      .limit(pageSize)
      .execute()
    if (page.length === 0) return
    for (const record of page) {
      if (!continuesHistory(previous, record))
        throw copyDiffers(`the hash chain breaks at revision ${String(record.revision)}`)
      previous = record
    }
  }
}

async function refuseRunningWork(database: Database, source: Write): Promise<void> {
  const lease = await source
    .selectFrom('leases')
    .select('name')
    .where('expiresAt', '>', database.now())
    .limit(1)
    .executeTakeFirst()
  if (lease !== undefined)
    throw new ServiceError('push_in_progress', `The store to copy is in use: a process holds "${lease.name}".`, {
      hint: 'Stop the service, then copy.',
    })
}

async function refuseOtherMasterKey(source: Write, to: KyselyStore): Promise<void> {
  const rows = await source.selectFrom('secrets').selectAll().execute()
  for (const row of rows) to.sealer.open(row.sealed, secretContext(row))
}

async function refuseFilled(target: Write): Promise<void> {
  for (const { name } of copied) {
    // A new store contains exactly one row here: the secret that verifies its master key.
    if ((await countRows(target, name)) > (name === 'secrets' ? 1 : 0))
      throw new ServiceError('conflict', `The target database is not empty: it has rows in ${name}.`, {
        hint: 'Copy to a new, empty database.',
      })
  }
}

async function countRows(db: Write, table: TableName): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
  return rows[0]?.count ?? 0
}

function copyDiffers(what: string): ServiceError {
  return new ServiceError('internal', `The copy is not the same as the original: ${what}. Nothing was kept.`)
}
