// Runs the slowest test files first, so that none of them runs alone at the end. Vitest knows durations only from an earlier run, and
// otherwise sorts by file size.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Slow files that are small, slowest first. */
const longest = [
  'test/push/interrupted/kill-everywhere.fault.test.ts',
  'test/server/restart-under-load.fault.test.ts',
  'test/dashboard/dashboard-filled.e2e.test.ts',
  'test/customers/subscription-changes/subscription-changes.fault.test.ts',
  'test/dashboard/dashboard.e2e.test.ts',
  'test/server/operations.e2e.test.ts',
  'test/push/webhooks/rotation.fault.test.ts',
  'test/customers/enterprise/enterprise.fault.test.ts',
  'test/push/interrupted/two-replicas.fault.test.ts',
  'test/dashboard/dashboard-changes.e2e.test.ts',
  'test/cli/pull-requests/pull-requests.e2e.test.ts',
  'test/customers/item-swaps/late-swaps.fault.test.ts',
  'test/repository/compose.fault.test.ts',
  'test/workers/runtime/service.e2e.test.ts',
  'test/workers/requests/neighbours.attack.test.ts',
  'test/push/interrupted/storm.property.test.ts',
  'test/push/plan-apply.property.test.ts',
  'test/store/postgres.slow.test.ts',
  'test/store/sqlite.test.ts',
  'test/cli/billing/billing-plans.test.ts',
  'test/push/parts/every-field.slow.test.ts',
  'test/workers/runtime/fleet.slow.test.ts',
  'test/cli/billing/billing-pull-update.slow.test.ts',
  'test/cli/server/process.slow.test.ts',
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
