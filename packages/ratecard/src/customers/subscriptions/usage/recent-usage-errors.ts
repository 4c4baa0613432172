// Cache of the processor's reports of dropped usage. A report covers the whole account, and pages of many tenants request it.
import { atDeadline } from '../../../base/clock.ts'
import { askProcessor } from '../../../processor/failures.ts'
import type { UsageError } from '../../../processor/customer-half.ts'
import type { SubscriberDeps } from '../deps.ts'

const cacheTtlMs = 60_000
/** Maximum time (ms) that a page waits for usage errors, which it shows beside other data. */
const maxWaitMs = 2_000

export interface RecentUsageErrors {
  /** Reads the current usage errors from the processor. Concurrent calls share one request. */
  read(): Promise<readonly UsageError[]>
  /** Returns usage errors that are at most a minute old. Returns null if the processor takes longer than `maxWaitMs`. */
  recent(): Promise<readonly UsageError[] | null>
}

export function createRecentUsageErrors(
  deps: Pick<SubscriberDeps, 'clock' | 'shutdown'> & {
    readonly processor: Pick<SubscriberDeps['processor'], 'usageErrors'>
  },
): RecentUsageErrors {
  let kept: { readonly at: number; readonly errors: readonly UsageError[] } | null = null
  let reading: Promise<readonly UsageError[]> | null = null
  const readAnew = async () => {
    try {
      const errors = await askProcessor(deps.shutdown, () => deps.processor.usageErrors(deps.shutdown))
      kept = { at: deps.clock.now(), errors }
      return errors
    } finally {
      reading = null
    }
  }
  const read = () => (reading ??= readAnew())
  return {
    read,
    recent: async () => {
      const age = kept === null ? -1 : deps.clock.now() - kept.at
      return kept !== null && age >= 0 && age < cacheTtlMs ? kept.errors : nullAfterTimeout(read())
    },
  }
}

/** Resolves with null if the response takes too long. A response that arrives later still fills the cache. */
function nullAfterTimeout<T>(answer: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const callOff = atDeadline(performance.now() + maxWaitMs, () => {
      resolve(null)
    })
    answer.then(resolve, reject).then(callOff, callOff)
  })
}
