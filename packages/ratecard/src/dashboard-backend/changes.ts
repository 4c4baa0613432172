// Whether anything changed since a page last looked: one short text that all replicas agree on. Pages ask for it every second and
// read their own data again only when it is another.
import { createHash, randomBytes } from 'node:crypto'
import type { DashboardOperations } from '../service/dashboard.ts'
import type { Store } from '../store/store.ts'

const fact = 'dashboard_change'

export interface ChangesDeps {
  readonly store: Pick<Store, 'facts' | 'changeSequence' | 'pushes' | 'jobs'>
}

/**
 * What a request changes is noted by whoever served it. What goes on afterwards, a push or a job that works through its steps,
 * is seen in the journal.
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
