import { describe } from 'vitest'
import { testOnEachEngine } from '../support/each-engine.ts'
import { everyNth, expectEveryKillSurvived, expectLateWritesHarmless } from '../support/kill-run.ts'

const timeout = 900_000
/** Concurrent runs: one per core of a small machine. */
const lanes = 2

const chosen = process.env['KILL_STEP']
const points = (usual: number) => everyNth(Number(chosen ?? usual))

describe('a push whose process is killed at any point, and that is pushed again,', () => {
  testOnEachEngine('has the same result as a push without a kill', timeout, (stores, sparse) =>
    expectEveryKillSurvived(stores, points(sparse ? 2 : 1), lanes),
  )
})

describe('a write in flight when its push is killed', () => {
  testOnEachEngine(
    'has no effect if the write reaches the processor after the next push was applied,',
    timeout,
    (stores, sparse) => expectLateWritesHarmless(stores, points(sparse ? 3 : 1), lanes),
  )
})
