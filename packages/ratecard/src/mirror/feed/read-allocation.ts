// Read allocation: the number of reads that the processor allows. It is 10,000 reads in 30 days, or 500 for each payment if that is more.
// This module counts reads, and polls less often before the allocation is used up. Events that the processor sends to this service do not
// count as reads.
import type { Clock } from '../../clock.ts'
import type { ReadCountStore } from '../../store/mirror-store.ts'

const dayMs = 24 * 60 * 60_000
const windowDays = 30
const leastReads = 10_000
const readsPerPayment = 500
/** Share of the read allocation (80 %) after which polls become less frequent. */
const slowFrom = 0.8
const longestPollMs = 60 * 60_000
/** Time (ms) for which the computed interval is cached. */
const keptMs = 60_000

/**
 * Returns the interval (ms) between two polls. It grows as the rest of the allocation (the reads that the processor still allows) shrinks,
 * up to an hour.
 */
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
  /** Counts one read of this process. */
  readonly count: () => void
  /** Adds the reads since the last call to the count that all replicas share. */
  readonly flush: () => Promise<void>
  /** Returns the present interval (ms) between two polls. */
  readonly pollEveryMs: () => Promise<number>
}

export interface AllocationOptions {
  readonly store: ReadCountStore
  readonly clock: Clock
  readonly pollMs: number
  /** False for a sandbox, which allows any number of reads. */
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
