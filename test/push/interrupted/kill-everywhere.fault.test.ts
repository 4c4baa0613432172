import { describe } from 'vitest'
import { killStep, testOnEachEngine } from '../../support/stores/each-engine.ts'
import { everyNth, expectEveryKillSurvived, expectLateWritesHarmless } from '../../support/kills/kill-run.ts'

const timeout = 900_000
/** Concurrent runs: one per core of a small machine. */
const lanes = 2

describe('a push whose process is killed at any point, and that is pushed again,', () => {
  testOnEachEngine('has the same result as a push without a kill', timeout, (stores) =>
    expectEveryKillSurvived(stores, everyNth(killStep), lanes),
  )
})

describe('a write in flight when its push is killed', () => {
  testOnEachEngine(
    'has no effect if the write reaches the processor after the next push was applied,',
    timeout,
    (stores) => expectLateWritesHarmless(stores, everyNth(killStep), lanes),
  )
})
