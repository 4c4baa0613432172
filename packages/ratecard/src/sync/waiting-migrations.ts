// Migrations that wait for their date to move subscribers to a price that the plan replaces or archives. Unless the plan says so,
// their target would be gone on that date, and everybody would stay on the old price.
import { placesOf } from '../catalog/places.ts'
import type { Plan } from '../catalog/plan.ts'
import type { BillingConfig } from '../config/document/schema.ts'
import type { Issue } from '../errors/issue.ts'
import type { JobRecord } from '../store/records/journal.ts'
import type { SyncDeps } from './deps.ts'

export interface WaitingMigrations {
  /** One for each such price; each must be approved. */
  readonly issues: readonly Issue[]
  /** Jobs that, once this plan is approved and applied, move their subscribers to the new price instead. */
  readonly movedAlong: readonly string[]
}

export async function waitingMigrations(
  { store }: Pick<SyncDeps, 'store'>,
  { plan, config }: { readonly plan: Plan; readonly config: BillingConfig },
): Promise<WaitingMigrations> {
  const issues: Issue[] = []
  const movedAlong: string[] = []
  for (const { kind, action, configId } of plan.changes) {
    if (kind !== 'price' || (action !== 'replace' && action !== 'archive')) continue
    let moves = 0
    for (const { id } of await waitingFor(store, plan, configId)) {
      const waiting = (await store.jobs.steps(id)).filter(({ waitsUntil }) => waitsUntil !== null).length
      if (waiting === 0) continue
      moves += waiting
      if (action === 'replace') movedAlong.push(id)
    }
    if (moves === 0) continue
    const who = `${String(moves)} ${moves === 1 ? 'subscriber waits' : 'subscribers wait'}`
    issues.push({
      code: 'migration_waiting',
      pointer: action === 'replace' ? placesOf(config)('price', configId) : '#/products',
      severity: 'warning',
      detail:
        action === 'replace'
          ? `${who} for the date of a migration to "${configId}", which this plan replaces: at that date they move to the new price.`
          : `${who} for the date of a migration to "${configId}", which this plan archives: they stay on the price that they have.`,
      hint: 'Go on with --approve-impact, or cancel the migration first (`ratecard jobs list`).',
    })
  }
  return { issues, movedAlong }
}

/** Jobs for the price under the id that it has before the plan, which may rename it. */
async function waitingFor({ jobs }: SyncDeps['store'], { renames }: Plan, id: string): Promise<readonly JobRecord[]> {
  const prices = renames.filter(({ kind }) => kind === 'price')
  const former = prices.filter(({ to }) => to === id).map(({ from }) => String(from))
  const ids = prices.some(({ from }) => from === id) ? former : [id, ...former]
  return (await Promise.all(ids.map((one) => jobs.unfinished('migration', one)))).flat()
}
