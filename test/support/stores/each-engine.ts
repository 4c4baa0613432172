import { test } from 'vitest'
import { postgresStores, sqliteStores, type StoreFactory } from '../kills/kill-stores.ts'
import { postgresInstalled, startPostgres } from './postgres.ts'
import { announceSkip } from '../skips.ts'
import { onceInFile } from '../started.ts'

type Work = (stores: () => Promise<StoreFactory>) => Promise<void>

/** Distance of the points at which a process is killed. Default: every point. E.g. `KILL_STEP=10` for every tenth, while developing. */
export const killStep = Number(process.env['KILL_STEP'] ?? 1)

const server = onceInFile(startPostgres)

/** Adds a test on SQLite and one on PostgreSQL, which is skipped if no server is installed. */
export function testOnEachEngine(title: string, timeout: number, work: Work): void {
  test(`${title} on SQLite`, { timeout }, () => work(sqliteStores))
  const installed = postgresInstalled()
  if (!installed) announceSkip(`${title} on PostgreSQL`, 'no PostgreSQL server is installed')
  test.runIf(installed)(`${title} on PostgreSQL`, { timeout }, () => work(async () => postgresStores(await server())))
}
