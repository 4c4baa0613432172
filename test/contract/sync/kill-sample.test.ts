// A short version of test/fault/kill-everywhere.test.ts: a few kills on each store.
import { describe, test } from 'vitest'
import { testOnEachEngine } from '../../support/each-engine.ts'
import { expectEveryKillSurvived, expectLateWritesHarmless, spread } from '../../support/kill-run.ts'
import { sqliteStores } from '../../support/kill-stores.ts'

const timeout = 120_000

describe('a push that is killed at sampled points and pushed again', () => {
  testOnEachEngine('ends like an undisturbed one', timeout, (stores, sparse) =>
    expectEveryKillSurvived(stores, spread(sparse ? 2 : 3)),
  )

  test('ends like an undisturbed one with a write in flight, on SQLite', { timeout }, () =>
    expectLateWritesHarmless(sqliteStores, spread(2)),
  )
})
