import { describe, test } from 'vitest'
import { everyNth, expectEveryKillSurvived, expectLateWritesHarmless } from '../support/kill-run.ts'
import { postgresStores, sqliteStores } from '../support/kill-stores.ts'
import { postgresInstalled, startPostgres } from '../support/postgres.ts'
import { announceSkip } from '../support/skips.ts'

const timeout = 900_000
/** One for each core of a small machine: a run waits for its process, then the process for nobody. */
const lanes = 2

const chosen = process.env['KILL_STEP']
const points = (usual: number) => everyNth(Number(chosen ?? usual))

const installed = postgresInstalled()
if (!installed) announceSkip('kill everywhere on PostgreSQL', 'no PostgreSQL server is installed')

describe('a push that is killed at any point and pushed again ends like an undisturbed one', () => {
  test('on SQLite', { timeout }, async () => {
    await expectEveryKillSurvived(sqliteStores, points(1), lanes)
  })

  // Every point is on the list of SQLite; the journal is the same code, its transactions are another engine's.
  test.runIf(installed)('on PostgreSQL', { timeout }, async () => {
    const server = await startPostgres()
    try {
      await expectEveryKillSurvived(() => postgresStores(server), points(2), lanes)
    } finally {
      await server.close()
    }
  })
})

describe('a write in flight when its push is killed', () => {
  test('changes nothing once the next push has applied, on SQLite', { timeout }, async () => {
    await expectLateWritesHarmless(sqliteStores, points(1), lanes)
  })

  test.runIf(installed)('changes nothing once the next push has applied, on PostgreSQL', { timeout }, async () => {
    const server = await startPostgres()
    try {
      await expectLateWritesHarmless(() => postgresStores(server), points(3), lanes)
    } finally {
      await server.close()
    }
  })
})
