// Numbers about billing for the metrics. They are in the store, so that all replicas show the same numbers, and a report is not counted
// again after a restart.
import type { Store } from '../../store/store.ts'
import { readUsageComparison } from '../../customers/subscriptions/usage/compare-usage.ts'
import type { DroppedUsage } from '../../api/customers/usage.ts'

type FactStore = Pick<Store, 'facts' | 'tryExclusively'>

const driftFact = 'drift_fields'
const droppedFact = 'usage_dropped'
const dayMs = 24 * 60 * 60 * 1000
/** Retention (ms) of the keys of reports that were counted: 40 days. The processor keeps reports of dropped usage for 30 days only. */
const rememberedMs = 40 * dayMs

/** Returns the number of fields that were edited at the processor (drift), as the last check counted them; null before the first check. */
export async function readDriftFields({ facts }: Pick<Store, 'facts'>): Promise<number | null> {
  const text = await facts.get(driftFact)
  return text === null ? null : Number(text)
}

/** Returns the number of tenants and meters whose usage differs at the processor; null before the first comparison has ended. */
export async function readUsageDifferences(store: Pick<Store, 'facts' | 'usageComparison'>): Promise<number | null> {
  const comparison = await readUsageComparison(store)
  return (comparison?.comparedAt ?? null) === null ? null : (await store.usageComparison.differences(1)).total
}

export async function saveDriftFields({ facts }: Pick<Store, 'facts'>, fields: number): Promise<void> {
  await facts.set(driftFact, String(fields))
}

interface DroppedCount {
  readonly total: number
  /** Keys of the dropped-usage reports that the total already contains, as `<time> <meter> <code>`. */
  readonly counted: readonly string[]
}

async function readCount({ facts }: Pick<Store, 'facts'>): Promise<DroppedCount | null> {
  const text = await facts.get(droppedFact)
  return text === null ? null : (JSON.parse(text) as DroppedCount)
}

/** Returns the total number of dropped usage events; null before the first check. */
export async function readDroppedUsage(store: Pick<Store, 'facts'>): Promise<number | null> {
  return (await readCount(store))?.total ?? null
}

/**
 * Adds the reports to the number of dropped usage events. Each report is counted only once. If another replica holds the lease, nothing is
 * added here, because that replica counts the same reports.
 */
export async function countDroppedUsage(
  store: FactStore,
  reports: readonly DroppedUsage[],
  now: number,
): Promise<void> {
  if (withReports(await readCount(store), reports, now) === null) return
  await store.tryExclusively('usage_dropped', async () => {
    const after = withReports(await readCount(store), reports, now)
    if (after !== null) await store.facts.set(droppedFact, JSON.stringify(after))
  })
}

/**
 * Returns the stored count plus the reports that are new. Returns null if nothing must be stored, because there is no new report and a
 * count exists.
 */
function withReports(before: DroppedCount | null, reports: readonly DroppedUsage[], now: number): DroppedCount | null {
  const counted = new Set(before?.counted)
  const fresh = reports.filter((report) => !counted.has(keyOf(report)))
  if (before !== null && fresh.length === 0) return null
  return {
    total: fresh.reduce((sum, { count }) => sum + count, before?.total ?? 0),
    counted: [...counted, ...fresh.map(keyOf)].filter((key) => Number.parseInt(key) > now - rememberedMs),
  }
}

const keyOf = ({ at, processorMeterId, code }: DroppedUsage) => `${String(at)} ${processorMeterId ?? ''} ${code}`
