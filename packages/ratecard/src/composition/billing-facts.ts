// Numbers of billing for the metrics. They are in the store, so that all replicas show the same numbers, and a restart does not count a
// report again.
import type { DroppedUsage } from '../service/tenants.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Store } from '../store/store.ts'

type FactStore = Pick<Store, 'facts' | 'exclusively'>

const driftFact = 'drift_fields'
const droppedFact = 'usage_dropped'
const dayMs = 24 * 60 * 60 * 1000
/** Retention (ms) of the keys of counted reports: 40 days. The processor keeps reports of dropped usage for 30 days. */
const rememberedMs = 40 * dayMs

/** Returns the number of edited fields that the last check found; null before the first check. */
export async function readDriftFields({ facts }: Pick<Store, 'facts'>): Promise<number | null> {
  const text = await facts.get(driftFact)
  return text === null ? null : Number(text)
}

export async function saveDriftFields({ facts }: Pick<Store, 'facts'>, fields: number): Promise<void> {
  await facts.set(driftFact, String(fields))
}

interface DroppedCount {
  readonly total: number
  /** Keys of the reports that are part of the total, as `<time> <meter> <code>`. */
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
 * Adds the reports to the number of dropped usage events, each once. If another replica holds the lease, nothing is added, because that
 * replica counts the same reports.
 */
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

/** Returns the count with the new reports added; null if there are none and a count exists. */
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

/** Ignores the error that another replica holds the lease. */
export async function unlessTaken(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'push_in_progress')) throw error
  }
}
