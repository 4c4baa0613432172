// Runs the slowest test files first, so that none of them runs alone at the end. Vitest knows durations only from an earlier run, and
// otherwise sorts by file size.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Slow files that are small, slowest first. */
const longest = [
  'test/fault/kill-everywhere.test.ts',
  'test/fault/restart-under-load.test.ts',
  'test/e2e/dashboard-filled.test.ts',
  'test/fault/subscription-changes.test.ts',
  'test/e2e/dashboard.test.ts',
  'test/e2e/operations.test.ts',
  'test/fault/rotation.test.ts',
  'test/fault/enterprise.test.ts',
  'test/fault/two-replicas.test.ts',
  'test/e2e/dashboard-changes.test.ts',
  'test/e2e/pull-requests.test.ts',
  'test/fault/late-swaps.test.ts',
  'test/fault/compose.test.ts',
  'test/e2e/workers/service.test.ts',
  'test/attack/workers/neighbours.test.ts',
  'test/property/storm.test.ts',
  'test/property/plan-apply.test.ts',
  'test/contract/store/postgres.test.ts',
  'test/contract/store/sqlite.test.ts',
  'test/cli/billing-plans.test.ts',
  'test/contract/sync/every-field.test.ts',
  'test/contract/workers/fleet.test.ts',
  'test/cli/billing-pull-update.test.ts',
  'test/cli/process.test.ts',
].map((file) => path.join(root, file))

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = longest.filter((file) => !existsSync(file))
    if (gone.length > 0) throw new Error(`test/support/longest-first.ts names files that are gone: ${gone.join(', ')}`)
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longest.indexOf(moduleId)
      return index === -1 ? longest.length : index
    }
    // The sort is stable, so the other files keep their order.
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
