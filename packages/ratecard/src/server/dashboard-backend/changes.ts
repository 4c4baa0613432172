// Change tag: a short text that changes whenever data changes, and that is equal on all replicas. Dashboard pages poll it every second, and
// reload their data only if it has changed.
import { createHash, randomBytes } from 'node:crypto'
import type { Store } from '../../store/store.ts'

const fact = 'dashboard_change'

export interface ChangesDeps {
  readonly store: Pick<Store, 'facts' | 'changeSequence' | 'pushes' | 'jobs'>
}

/**
 * `noteChange` is called by the replica that handled a request which changed data. Progress of a push or job after that is found in the
 * journal.
 */
export function createChanges({ store }: ChangesDeps) {
  const newest = { limit: 1, offset: 0 }
  return {
    /** Changes the `changeTag` on every replica. Call this after any change of data that pages may show. */
    noteChange: () => store.facts.set(fact, randomBytes(12).toString('base64url')),
    /** Returns a tag that stays the same until data shown on a page changes on any replica. Cheap, because browsers poll it every second. */
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
