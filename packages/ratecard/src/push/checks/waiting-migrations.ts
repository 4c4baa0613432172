// Check for waiting migrations whose target price the plan replaces or archives. A waiting migration moves subscribers at a later date.
// Such a plan needs approval: on that date the subscribers move to the new price instead or, if the target was archived, stay on their old
// price. Moves that are already scheduled at the processor still go to the old target, which needs approval too. They can be taken back, and
// another migration can move those subscribers further.
import type { Plan } from '../../catalog/plan/plan-changes.ts'
import type { Issue } from '../../base/errors/issue.ts'
import type { JobRecord } from '../../store/records/journal.ts'
import { scheduledItems } from '../../acts/jobs/scheduled-moves.ts'
import type { SyncDeps } from '../deps.ts'
import type { Planned } from './planned.ts'

export interface WaitingMigrations {
  /** Issues for the prices that the plan replaces or archives and that a migration moves to, at a date or in schedules. Each must be approved. */
  readonly issues: readonly Issue[]
  /**
   * Ids of the waiting migration jobs to a price that the plan replaces. Once this plan is approved and applied, these jobs move their
   * subscribers to the new price instead.
   */
  readonly movedAlong: readonly string[]
}

export async function waitingMigrations(
  { store, clock }: Pick<SyncDeps, 'store' | 'clock'>,
  { plan, place }: Planned,
): Promise<WaitingMigrations> {
  const issues: Issue[] = []
  const movedAlong: string[] = []
  const leaving = plan.changes.flatMap(({ kind, action, configId, processorIdBefore }) =>
    kind === 'price' && (action === 'replace' || action === 'archive') ? [{ action, configId, processorIdBefore }] : [],
  )
  const prices = leaving.flatMap(({ processorIdBefore: id }) => (id === null ? [] : [id]))
  const scheduled = [...(await scheduledItems(store.jobs, { prices, now: clock.now() })).values()]
  for (const { action, configId, processorIdBefore } of leaving) {
    const pointer = action === 'replace' ? place('price', configId) : '#/products'
    const going = scheduled.filter(({ toProcessorId }) => toProcessorId === processorIdBefore)
    if (going.length > 0) issues.push(toldOfScheduled(going, { configId, action, pointer }))
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
      pointer,
      severity: 'warning',
      detail:
        action === 'replace'
          ? `${who} for the date of a migration to "${configId}", which this plan replaces: at that date they move to the new price.`
          : `${who} for the date of a migration to "${configId}", which this plan archives: they stay on the price that they have.`,
      hint: 'Push with --approve-impact, or cancel the migration first (`ratecard jobs list`).',
    })
  }
  return { issues, movedAlong }
}

function toldOfScheduled(
  going: readonly { readonly jobId: string }[],
  { configId, action, pointer }: { readonly configId: string; readonly action: string; readonly pointer: string },
): Issue {
  const who = `${String(going.length)} ${going.length === 1 ? 'subscriber is' : 'subscribers are'}`
  const detail = `${who} scheduled to move to "${configId}" as it is now, at their renewal. This plan ${action}s that price, but the schedules stay.`
  const jobs = [...new Set(going.map(({ jobId }) => jobId))].map((id) => `\`ratecard jobs cancel ${id} --take-back\``)
  const after =
    action === 'replace' ? ` or move them on after the push: \`ratecard billing migrate --price ${configId}\`.` : '.'
  const hint = `Push with --approve-impact, or take the moves back first: ${jobs.join(', ')}${after}`
  return { code: 'migration_scheduled', pointer, severity: 'warning', detail, hint }
}

/** Returns the unfinished migrations to a price. If the plan renames the price, they are found under the id before the plan. */
async function waitingFor({ jobs }: SyncDeps['store'], { renames }: Plan, id: string): Promise<readonly JobRecord[]> {
  const prices = renames.filter(({ kind }) => kind === 'price')
  const former = prices.filter(({ to }) => to === id).map(({ from }) => String(from))
  const ids = prices.some(({ from }) => from === id) ? former : [id, ...former]
  return (await Promise.all(ids.map((one) => jobs.unfinished('migration', one)))).flat()
}
