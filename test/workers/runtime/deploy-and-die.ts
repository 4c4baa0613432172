// A service process that deploys `next` of the worker `one` and dies at the given step. Its argument is JSON.
import { createServiceKeys } from '../../../packages/ratecard/src/server/auth/service-keys.ts'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { createIds } from '../../../packages/ratecard/src/server/service/ids.ts'
import { createSealer } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import { createWorkers } from '../../../packages/ratecard/src/workers/runtime/workers.ts'
import { testRuntime } from './bench-host.ts'
import type { NewDeployment } from '../../../packages/ratecard/src/api/workers/workers.ts'

const { url, file, keys, step, deployment } = JSON.parse(process.argv[2] ?? '') as {
  url: string | null
  file: string
  keys: string
  step: string
  deployment: NewDeployment
}
const store = await openStore({ url, file, sealer: createSealer(keys) })
const workers = createWorkers({
  store,
  keys: createServiceKeys({ store, clock: systemClock }).ofWorkers,
  runtime: testRuntime(),
  clock: systemClock,
  newId: createIds(systemClock),
  publicUrl: null,
  domain: null,
  logRetentionMs: 60_000,
  report: (error) => {
    throw error
  },
  onDeployStep: (reached) => {
    if (reached === step) process.kill(process.pid, 'SIGKILL')
  },
})
await workers.start('http://127.0.0.1:1')
await workers.deployWorker(deployment)
