// Numbers of billing for the metrics. They are in the store, so that all replicas show the same numbers, and a restart counts nothing
// again.
import type { DroppedUsage } from '../service/tenants.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Store } from '../store/store.ts'

type FactStore = Pick<Store, 'facts' | 'exclusively'>

const driftFact = 'drift_fields'
const droppedFact = 'usage_dropped'
const dayMs = 24 * 60 * 60 * 1000
/** Time (ms) for which a report of dropped usage is remembered as counted. The processor keeps reports for 30 days. */
const rememberedMs = 40 * dayMs

/** Returns the number of edited fields at the last look; null before the first one. */
export async function readDriftFields({ facts }: Pick<Store, 'facts'>): Promise<number | null> {
  const text = await facts.get(driftFact)
  return text === null ? null : Number(text)
}

export async function saveDriftFields({ facts }: Pick<Store, 'facts'>, fields: number): Promise<void> {
  await facts.set(driftFact, String(fields))
}

interface DroppedCount {
  readonly total: number
  /** Reports that are part of the total, as `<time> <meter> <code>`. */
  readonly counted: readonly string[]
}

async function readCount({ facts }: Pick<Store, 'facts'>): Promise<DroppedCount | null> {
  const text = await facts.get(droppedFact)
  return text === null ? null : (JSON.parse(text) as DroppedCount)
}

/** Returns the number of dropped usage events that were ever seen; null before the first look. */
export async function readDroppedUsage(store: Pick<Store, 'facts'>): Promise<number | null> {
  return (await readCount(store))?.total ?? null
}

/** Adds reports to the number of dropped usage events, each once. Another replica that counts at the same moment has the same reports. */
export async function countDroppedUsage(
  store: FactStore,
  reports: readonly DroppedUsage[],
  now: number,
): Promise<void> {
  if (withReports(await readCount(store), reports, now) === null) return
  await unlessTaken(
    store.exclusively('usage_dropped', async () => {
      const after = withReports(await readCount(store), reports, now)
      if (after !== null) await store.facts.set(droppedFact, JSON.stringify(after))
    }),
  )
}

/** Returns the count with the reports that are not part of it yet; null if that changes nothing. */
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

/** Ignores that another replica holds the lease. */
export async function unlessTaken(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'push_in_progress')) throw error
  }
}
