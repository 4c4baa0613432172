import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Worker processes inherit it, so that announceSkip and the reporter agree on one file per run.
process.env['RATECARD_TEST_SKIPS'] ??= path.join(
  os.tmpdir(),
  `ratecard-skips-${process.pid.toString()}-${Date.now().toString()}.jsonl`,
)

const shared = {
  environment: 'node' as const,
  testTimeout: 30_000,
  hookTimeout: 60_000,
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

export default defineConfig({
  test: {
    reporters: ['default', './test/support/reporter.ts'],
    projects: [
      {
        resolve,
        test: { ...shared, name: 'fast', include: ['test/{unit,property,contract,http,cli,symptoms}/**/*.test.ts'] },
      },
      // Bounded in number and time by test/attack/hostile-text.ts; `.ci/run` tries others for each commit.
      { resolve, test: { ...shared, name: 'attack', include: ['test/attack/**/*.test.ts'], testTimeout: 600_000 } },
      { resolve, test: { ...shared, name: 'slow', include: ['test/{fault,e2e}/**/*.test.ts'], testTimeout: 600_000 } },
    ],
  },
})
