// Read allocation: the number of reads that the processor allows. It is 10,000 reads in 30 days, or 500 for each payment if that is more.
// This module counts reads, and slows down polls and lists before the allocation is used up. Receiving events from the processor does not
// count as a read.
import type { Clock } from '../../../base/clock.ts'
import type { Store } from '../../../store/store.ts'

const dayMs = 24 * 60 * 60_000
const windowDays = 30
const leastReads = 10_000
const readsPerPayment = 500
/** Share of the read allocation (80 %) after which polls and list pages become less frequent. */
const slowFrom = 0.8
/** Share of the read allocation (50 %) up to which usage is compared each night, which takes a read per tenant and meter. */
const spareUntil = 0.5
const longestPollMs = 60 * 60_000
/** Time (ms) for which the stored counts are cached. This process adds its own reads to the cached counts. */
const keptMs = 60_000

interface Counts {
  readonly reads: number
  readonly payments: number
}

function usedShare({ reads, payments }: Counts): number {
  return reads / Math.max(leastReads, readsPerPayment * payments)
}

/**
 * Returns the interval (ms) between two polls. The fewer reads of the allocation are left (the reads that the processor still allows), the
 * longer the interval, up to an hour.
 */
export function pollIntervalMs(configuredMs: number, counts: Counts): number {
  const share = usedShare(counts)
  if (share <= slowFrom) return configuredMs
  const left = Math.max(0, (1 - share) / (1 - slowFrom))
  return Math.max(configuredMs, Math.min(longestPollMs, configuredMs / left))
}

/**
 * Returns the interval (ms) between two pages of a list. It is 0 until 80 % of the read allocation is used, and then the interval between
 * polls. Otherwise filling the mirror of an account with many objects and few payments would use up the reads that polls need.
 */
export function pageIntervalMs(configuredMs: number, counts: Counts): number {
  return usedShare(counts) <= slowFrom ? 0 : pollIntervalMs(configuredMs, counts)
}

export interface ReadAllocation {
  /** Counts one read of this process. */
  readonly count: () => void
  /** Adds the reads since the last call of this function to the count that all replicas share. */
  readonly flush: () => Promise<void>
  /** Returns the present interval (ms) between two polls. */
  readonly pollEveryMs: () => Promise<number>
  /** True if enough reads are left for work that can wait, e.g. the comparison of counted usage. */
  readonly hasSpare: () => Promise<boolean>
  /** Returns the present interval (ms) between two pages of a list. It applies to the first fill and to comparisons. */
  readonly pageEveryMs: () => Promise<number>
}

export interface AllocationOptions {
  readonly store: Pick<Store['mirror'], 'addReads' | 'readsSince' | 'paymentsSince'>
  readonly clock: Clock
  readonly pollMs: number
  /** False for a sandbox, which allows any number of reads. */
  readonly limited: boolean
}

export function createReadAllocation({ store, clock, pollMs, limited }: AllocationOptions): ReadAllocation {
  /** Reads that are not in the store yet. */
  let pending = 0
  /** Reads that the cached counts do not contain. */
  let since = 0
  let cached = { until: -Infinity, reads: 0, payments: 0 }
  const dayOf = (time: number) => Math.floor(time / dayMs)
  const counts = async (): Promise<Counts> => {
    const now = clock.now()
    if (now >= cached.until) {
      const from = now - windowDays * dayMs
      since = pending
      const reads = await store.readsSince(dayOf(from))
      cached = { until: now + keptMs, reads, payments: await store.paymentsSince(from) }
    }
    return { reads: cached.reads + since, payments: cached.payments }
  }
  return {
    count: () => {
      pending++
      since++
    },
    flush: async () => {
      if (pending === 0) return
      const counted = pending
      await store.addReads(dayOf(clock.now()), counted)
      pending -= counted
    },
    hasSpare: async () => !limited || usedShare(await counts()) <= spareUntil,
    pollEveryMs: async () => (limited ? pollIntervalMs(pollMs, await counts()) : pollMs),
    pageEveryMs: async () => (limited ? pageIntervalMs(pollMs, await counts()) : 0),
  }
}
