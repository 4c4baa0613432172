// The processor's read allocation: 10,000 reads in 30 days, or 500 for each payment. Counts reads, and slows the feed before it uses the
// allocation up. Deliveries spare it.
import type { Clock } from '../../clock.ts'
import type { ReadCountStore } from '../../store/mirror-store.ts'

const dayMs = 24 * 60 * 60_000
const windowDays = 30
const leastReads = 10_000
const readsPerPayment = 500
/** Share of the allocation from which the feed is slowed. */
const slowFrom = 0.8
const longestPollMs = 60 * 60_000
/** Time (ms) for which the count of a window is kept in memory. */
const keptMs = 60_000

/** Returns the time (ms) between two polls: longer the less of the allocation is left, and at most an hour. */
export function pollIntervalMs(
  configuredMs: number,
  { reads, payments }: { readonly reads: number; readonly payments: number },
): number {
  const share = reads / Math.max(leastReads, readsPerPayment * payments)
  if (share <= slowFrom) return configuredMs
  const left = Math.max(0, (1 - share) / (1 - slowFrom))
  return Math.max(configuredMs, Math.min(longestPollMs, configuredMs / left))
}

export interface ReadAllocation {
  /** Counts a read of this process. */
  readonly count: () => void
  /** Stores the reads counted since the last call, so that they count for all replicas. */
  readonly flush: () => Promise<void>
  /** Returns the time (ms) between two polls. */
  readonly pollEveryMs: () => Promise<number>
}

export interface AllocationOptions {
  readonly store: ReadCountStore
  readonly clock: Clock
  readonly pollMs: number
  /** False at a sandbox, which has no allocation. */
  readonly limited: boolean
}

export function createReadAllocation({ store, clock, pollMs, limited }: AllocationOptions): ReadAllocation {
  let pending = 0
  let known = { until: -Infinity, intervalMs: pollMs }
  const dayOf = (time: number) => Math.floor(time / dayMs)
  return {
    count: () => {
      pending++
    },
    flush: async () => {
      if (pending === 0) return
      const counted = pending
      await store.addReads(dayOf(clock.now()), counted)
      pending -= counted
    },
    pollEveryMs: async () => {
      const now = clock.now()
      if (!limited || now < known.until) return known.intervalMs
      const since = now - windowDays * dayMs
      const reads = await store.readsSince(dayOf(since))
      const payments = await store.paymentsSince(since)
      known = { until: now + keptMs, intervalMs: pollIntervalMs(pollMs, { reads, payments }) }
      return known.intervalMs
    },
  }
}
