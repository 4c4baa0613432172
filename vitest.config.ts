import { defineConfig } from 'vitest/config'

const shared = { environment: 'node' as const, testTimeout: 30_000, hookTimeout: 60_000, setupFiles: ['test/support/setup.ts'] }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          include: ['test/{unit,property,contract,http,cli,pains}/**/*.test.ts'],
        },
      },
      { test: { ...shared, name: 'slow', include: ['test/{fault,e2e}/**/*.test.ts'], testTimeout: 600_000 } },
    ],
  },
})
