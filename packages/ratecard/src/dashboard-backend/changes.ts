// Change tag: a short text that changes with every change of data, and that is the same on all replicas. Pages poll it every second and
// reload their data only if it differs.
import { createHash, randomBytes } from 'node:crypto'
import type { DashboardOperations } from '../service/dashboard.ts'
import type { Store } from '../store/store.ts'

const fact = 'dashboard_change'

export interface ChangesDeps {
  readonly store: Pick<Store, 'facts' | 'changeSequence' | 'pushes' | 'jobs'>
}

/**
 * The replica that handles a request which changes data calls `noteChange`. Later progress of a push or job is detected from the journal.
 */
export function createChanges({ store }: ChangesDeps): Pick<DashboardOperations, 'noteChange' | 'changeTag'> {
  const newest = { limit: 1, offset: 0 }
  return {
    noteChange: () => store.facts.set(fact, randomBytes(12).toString('base64url')),
    async changeTag() {
      const [noted, sequence, pushes, jobs] = await Promise.all([
        store.facts.get(fact),
        store.changeSequence(),
        store.pushes.list(newest),
        store.jobs.list(newest),
      ])
      const heads = [...pushes.items, ...jobs.items].map(({ id, state, updatedAt, stepsDone }) => [
        id,
        state,
        updatedAt,
        stepsDone,
      ])
      return createHash('sha256')
        .update(JSON.stringify([noted, sequence, heads]))
        .digest('base64url')
        .slice(0, 22)
    },
  }
}
