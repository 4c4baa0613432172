import { test } from 'vitest'
import { postgresStores, sqliteStores } from './kill-stores.ts'
import type { StoreFactory } from './kill-stores.ts'
import { postgresInstalled, startPostgres } from './postgres.ts'
import { announceSkip } from './skips.ts'
import { onceInFile } from './started.ts'

/** `sparse` on PostgreSQL: every point is tried on SQLite, and the journal is the same code on both engines. */
type Work = (stores: () => Promise<StoreFactory>, sparse: boolean) => Promise<void>

const server = onceInFile(startPostgres)

/** Adds a test on SQLite and one on PostgreSQL, which is skipped if no server is installed. */
export function testOnEachEngine(title: string, timeout: number, work: Work): void {
  test(`${title} on SQLite`, { timeout }, () => work(sqliteStores, false))
  const installed = postgresInstalled()
  if (!installed) announceSkip(`${title} on PostgreSQL`, 'no PostgreSQL server is installed')
  test.runIf(installed)(`${title} on PostgreSQL`, { timeout }, () =>
    work(async () => postgresStores(await server()), true),
  )
}
