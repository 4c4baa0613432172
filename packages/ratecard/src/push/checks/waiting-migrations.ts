// Check for waiting migrations whose target price the plan replaces or archives. A waiting migration moves subscribers at a later date.
// Such a plan needs approval: on that date the subscribers move to the new price instead or, if the target was archived, stay on their old
// price. Moves that are already scheduled at the processor still go to the old target. The plan lists these moves, and another migration
// can move those subscribers further.
import { placesOf } from '../../catalog/places.ts'
import type { Plan } from '../../catalog/plan/plan-changes.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { Issue } from '../../base/errors/issue.ts'
import type { JobRecord } from '../../store/records/journal.ts'
import type { SyncDeps } from '../deps.ts'

/**
 * Maximum time (ms) between the end of a migration and the moves that it scheduled. The interval of a price is at most three years, and a
 * trial may precede it. So a migration that ended longer ago has no pending moves.
 */
const maxScheduleAheadMs = 6 * 366 * 24 * 60 * 60 * 1000

export interface WaitingMigrations {
  /** One issue for each price that the plan replaces or archives and that a waiting migration moves to. Each issue must be approved. */
  readonly issues: readonly Issue[]
  /**
   * Ids of the waiting migration jobs to a price that the plan replaces. Once this plan is approved and applied, these jobs move their
   * subscribers to the new price instead.
   */
  readonly movedAlong: readonly string[]
  /** One warning for each price that the plan replaces or archives although moves to it are scheduled. */
  readonly scheduled: readonly Issue[]
}

export async function waitingMigrations(
  { store, clock }: Pick<SyncDeps, 'store' | 'clock'>,
  { plan, config }: { readonly plan: Plan; readonly config: BillingConfig },
): Promise<WaitingMigrations> {
  const issues: Issue[] = []
  const movedAlong: string[] = []
  const scheduled: Issue[] = []
  const leaving = plan.changes.flatMap(({ kind, action, configId, processorIdBefore }) =>
    kind === 'price' && (action === 'replace' || action === 'archive') ? [{ action, configId, processorIdBefore }] : [],
  )
  const prices = leaving.flatMap(({ processorIdBefore: id }) => (id === null ? [] : [id]))
  const place = placesOf(config)
  const scheduledTo = await scheduledFor(store, { prices, now: clock.now() })
  for (const { action, configId, processorIdBefore } of leaving) {
    const pointer = action === 'replace' ? place('price', configId) : '#/products'
    const going = processorIdBefore === null ? 0 : (scheduledTo.get(processorIdBefore) ?? 0)
    if (going > 0) scheduled.push(toldOfScheduled(going, { configId, action, pointer }))
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
  return { issues, movedAlong, scheduled }
}

/**
 * Returns the number of items that are scheduled to move to each of the prices. The number may include items of subscriptions that have
 * ended since, because the state of the subscriptions is not read.
 */
async function scheduledFor(
  { jobs }: SyncDeps['store'],
  { prices, now }: { readonly prices: readonly ProcessorId[]; readonly now: number },
): Promise<ReadonlyMap<string, number>> {
  // The steps are read newest first. The target of an item is that of its newest pending move, and its origin is that of its oldest pending
  // move.
  const ways = new Map<string, { readonly to: string; readonly from: string }>()
  for (const { step, result } of await jobs.movesBetween(prices, now - maxScheduleAheadMs)) {
    if (result === null) continue
    const said = JSON.parse(step) as Record<'item' | 'from_processor_id' | 'to_processor_id' | 'effective_at', string>
    const { effective_at: at } = JSON.parse(result) as { readonly effective_at: string | null }
    if (Date.parse(at ?? said.effective_at) <= now) continue
    ways.set(said.item, { to: ways.get(said.item)?.to ?? said.to_processor_id, from: said.from_processor_id })
  }
  const going = new Map<string, number>()
  for (const { to, from } of ways.values()) if (to !== from) going.set(to, (going.get(to) ?? 0) + 1)
  return going
}

function toldOfScheduled(
  going: number,
  { configId, action, pointer }: { readonly configId: string; readonly action: string; readonly pointer: string },
): Issue {
  const who = `${String(going)} ${going === 1 ? 'subscriber is' : 'subscribers are'}`
  const detail = `${who} scheduled to move to "${configId}" as it is now, at their renewal. This plan ${action}s that price, but the schedules stay.`
  const hint =
    action === 'replace'
      ? `After the push, move them to the new price before they renew: \`ratecard billing migrate --price ${configId}\`.`
      : 'Cancel their schedules at the processor, or keep the price until they have renewed.'
  return { code: 'migration_scheduled', pointer, severity: 'warning', detail, hint }
}

/** Returns the unfinished migrations to a price. If the plan renames the price, they are found under the id before the plan. */
async function waitingFor({ jobs }: SyncDeps['store'], { renames }: Plan, id: string): Promise<readonly JobRecord[]> {
  const prices = renames.filter(({ kind }) => kind === 'price')
  const former = prices.filter(({ to }) => to === id).map(({ from }) => String(from))
  const ids = prices.some(({ from }) => from === id) ? former : [id, ...former]
  return (await Promise.all(ids.map((one) => jobs.unfinished('migration', one)))).flat()
}
