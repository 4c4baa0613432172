import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

// Worker processes inherit it, so that announceSkip and the reporter agree on one file per run.
process.env['RATECARD_TEST_SKIPS'] ??= path.join(
  os.tmpdir(),
  `ratecard-skips-${process.pid.toString()}-${Date.now().toString()}.jsonl`,
)

// Dependencies, and the programs that tests start, are compiled once for all of their processes, not once for each.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

const shared = {
  environment: 'node' as const,
  // Generous: it ends what hangs, and says nothing about how fast a machine is or what else it does.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // A second, as it would be, is little for a process that waits for its turn.
  expect: { poll: { timeout: 60_000 } },
  setupFiles: ['test/support/setup.ts'],
}

// Tests read sources, never a build that may be stale.
const resolve = {
  alias: [
    {
      find: /^@ratecard\/client$/,
      replacement: fileURLToPath(new URL('packages/client/src/client.ts', import.meta.url)),
    },
    {
      find: /^@ratecard\/sandbox\/thread$/,
      replacement: fileURLToPath(new URL('packages/sandbox/src/thread.ts', import.meta.url)),
    },
    {
      find: /^@ratecard\/sandbox$/,
      replacement: fileURLToPath(new URL('packages/sandbox/src/server.ts', import.meta.url)),
    },
    {
      find: /^@ratecard\/client\/webhooks$/,
      replacement: fileURLToPath(new URL('packages/client/src/webhooks.ts', import.meta.url)),
    },
  ],
}

/**
 * Suffixes of the files that run apart from the fast tests. `.slow`: long files that repeat for every combination what the fast tests show
 * for some, wait for time-outs of processes, or compare times and memory and so need a process that nothing ran in before.
 */
const kinds = (...names: readonly string[]) => names.map((name) => `test/**/*.${name}.test.ts`)
/** The sandbox's own rules: needed only where the sandbox changes. */
const sandbox = 'test/sandbox/**/*.test.ts'
/**
 * Slow tests that `.ci/run` runs for every change: a sale, a push in a browser, a worker, kills on each engine, the store on PostgreSQL, every
 * field of the document.
 */
const sample = [
  'test/customers/checkout/a-tenant-buys.e2e.test.ts',
  'test/customers/checkout/several-prices.fault.test.ts',
  'test/customers/enterprise/deal-ends.fault.test.ts',
  'test/dashboard/dashboard-push.e2e.test.ts',
  'test/push/interrupted/kill-everywhere.fault.test.ts',
  'test/push/parts/every-field.slow.test.ts',
  'test/repository/packages.e2e.test.ts',
  'test/store/postgres.slow.test.ts',
  'test/workers/runtime/service.e2e.test.ts',
]
/** It installs, builds and packs the whole product, so nothing that watches times runs beside it. */
const image = ['test/repository/container-image.e2e.test.ts']

export default defineConfig({
  test: {
    // One more than there are cores: a quarter of the time of a worker is spent waiting, e.g. for a process that starts or a lease that
    // expires.
    maxWorkers: os.availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/reporter.ts'],
    projects: [
      // Each worker process takes file after file: starting a process and loading the product again for each file took as
      // long as the tests. So a test leaves nothing behind in its process, which `npm test` tells soon enough.
      {
        resolve,
        test: {
          ...shared,
          name: 'fast',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [sandbox, ...kinds('fault', 'e2e', 'slow', 'attack', 'client')],
        },
      },
      {
        resolve,
        test: { ...shared, name: 'sandbox', isolate: false, include: [sandbox], exclude: kinds('slow', 'client') },
      },
      // Bounded in number and time by test/support/attack/hostile-text.ts; `.ci/run` tries others for each commit. Each file has a process of
      // its own: some measure what they cost it.
      {
        resolve,
        test: {
          ...shared,
          name: 'attack',
          isolate: true,
          include: kinds('attack'),
          testTimeout: 600_000,
        },
      },
      {
        resolve,
        test: {
          ...shared,
          name: 'slow',
          include: kinds('fault', 'e2e', 'slow'),
          exclude: image,
          testTimeout: 600_000,
        },
      },
      // What every change runs of the slow tests: one of each sort.
      { resolve, test: { ...shared, name: 'sample', include: sample, testTimeout: 600_000 } },
      // It installs programs of other people from the npm registry.
      {
        resolve,
        test: { ...shared, name: 'clients', include: ['test/sandbox/clients/**/*.test.ts'], testTimeout: 300_000 },
      },
      { resolve, test: { ...shared, name: 'image', include: image, testTimeout: 600_000 } },
    ],
  },
})
