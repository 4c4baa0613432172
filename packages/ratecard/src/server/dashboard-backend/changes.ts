// Change tag: a short text that changes whenever data changes, and that is equal on all replicas. Dashboard pages poll it every second, and
// reload their data only if it has changed.
import { createHash, randomBytes } from 'node:crypto'
import type { DashboardOperations } from '../../api/service/dashboard.ts'
import type { Store } from '../../store/store.ts'

const fact = 'dashboard_change'

export interface ChangesDeps {
  readonly store: Pick<Store, 'facts' | 'changeSequence' | 'pushes' | 'jobs'>
}

/**
 * `noteChange` is called by the replica that handled a request which changed data. Progress of a push or job after that is found in the
 * journal.
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
