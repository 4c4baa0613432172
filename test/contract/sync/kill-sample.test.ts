// A taste of the long run in test/fault: a handful of kills on each store.
import { describe, test } from 'vitest'
import { expectEveryKillSurvived, expectLateWritesHarmless, spread } from '../../support/kill-run.ts'
import { postgresStores, sqliteStores } from '../../support/kill-stores.ts'
import { postgresInstalled, startPostgres } from '../../support/postgres.ts'
import { announceSkip } from '../../support/skips.ts'

const timeout = 120_000

const installed = postgresInstalled()
if (!installed) announceSkip('kill sample on PostgreSQL', 'no PostgreSQL server is installed')

describe('a push that is killed at sampled points and pushed again ends like an undisturbed one', () => {
  test('on SQLite', { timeout }, async () => {
    await expectEveryKillSurvived(sqliteStores, spread(3))
  })

  test('on SQLite, also with a write in flight', { timeout }, async () => {
    await expectLateWritesHarmless(sqliteStores, spread(2))
  })

  test.runIf(installed)('on PostgreSQL', { timeout }, async () => {
    const server = await startPostgres()
    try {
      await expectEveryKillSurvived(() => postgresStores(server), spread(2))
    } finally {
      await server.close()
    }
  })
})
