// Moves of migrations that wait at the processor for a renewal, as the journal knows them: the subscriptions themselves are not read.
import type { JobRecord } from '../../store/records/journal.ts'
import type { Store } from '../../store/store.ts'

/**
 * Maximum time (ms) between the end of a migration and the moves that it scheduled. The interval of a price is at most three years, and a
 * trial may precede it. So a migration that ended longer ago has no pending moves.
 */
const maxScheduleAheadMs = 6 * 366 * 24 * 60 * 60 * 1000

/** A move that the schedule of a subscription will make. */
export interface ScheduledItem {
  readonly tenantId: string | null
  readonly customer: string
  readonly subscription: string
  readonly item: string
  readonly fromProcessorId: string
  readonly toProcessorId: string
  readonly quantity: number | null
  /** Time of the move, epoch milliseconds. */
  readonly effectiveAt: number
}

interface Recorded {
  readonly step: string
  readonly result: string | null
}

/** Returns the move that a succeeded step has scheduled; null for a move that was made at once, and for one whose time has come. */
function scheduledItem({ step, result }: Recorded, now: number): ScheduledItem | null {
  if (result === null) return null
  const asked = JSON.parse(step) as Record<'customer' | 'subscription' | 'item' | 'effective_at', string> & {
    readonly tenant_id: string | null
    readonly quantity: number | null
  } & Prices
  const done = JSON.parse(result) as {
    readonly effective_at: string | null
    readonly effective?: string
    readonly items?: readonly Prices[]
  }
  const effectiveAt = Date.parse(done.effective_at ?? asked.effective_at)
  if (done.effective === 'now' || effectiveAt <= now) return null
  // The step that was sent was planned anew, so its prices may differ from those of the dry run.
  const { from_processor_id: from, to_processor_id: to } = done.items?.[0] ?? asked
  const { tenant_id: tenantId, customer, subscription, item, quantity } = asked
  return {
    ...{ tenantId, customer, subscription, item, quantity, effectiveAt },
    ...{ fromProcessorId: from, toProcessorId: to },
  }
}

type Prices = Readonly<Record<'from_processor_id' | 'to_processor_id', string>>

type Reading = Pick<Store['jobs'], 'movesBetween'>

/**
 * Returns the pending moves to or from the prices, by subscription item: several moves of an item count as one, from its oldest price to its
 * newest. A move that was taken back is none. The result may include items of subscriptions that have ended since.
 */
export async function scheduledItems(
  jobs: Reading,
  { prices, now }: { readonly prices: readonly string[]; readonly now: number },
): Promise<ReadonlyMap<string, ScheduledItem & { readonly jobId: string }>> {
  // The steps are read newest first. The target of an item is that of its newest pending move, and its origin that of its oldest pending move.
  const moves = new Map<string, ScheduledItem & { readonly jobId: string }>()
  for (const { jobId, ...recorded } of await jobs.movesBetween(prices, now - maxScheduleAheadMs)) {
    const move = scheduledItem(recorded, now)
    if (move === null) continue
    const newest = moves.get(move.item)
    moves.set(move.item, { ...(newest ?? { ...move, jobId }), fromProcessorId: move.fromProcessorId })
  }
  return new Map([...moves].filter(([, { fromProcessorId, toProcessorId }]) => fromProcessorId !== toProcessorId))
}

/** Returns the scheduled moves of a migration that no later job has changed or taken back. Empty for a job of another kind. */
export async function scheduledMovesOf(
  jobs: Reading & Pick<Store['jobs'], 'steps'>,
  { id, kind }: Pick<JobRecord, 'id' | 'kind'>,
  now: number,
): Promise<readonly ScheduledItem[]> {
  if (kind !== 'migration') return []
  const done = (await jobs.steps(id)).filter(({ state }) => state === 'succeeded')
  const own = done.flatMap((step) => scheduledItem(step, now) ?? [])
  const prices = [...new Set(own.map(({ toProcessorId }) => toProcessorId))]
  const pending = await scheduledItems(jobs, { prices, now })
  return own.flatMap(({ item }) => {
    const { jobId, ...move } = pending.get(item) ?? { jobId: null }
    return jobId === id ? [move as ScheduledItem] : []
  })
}
