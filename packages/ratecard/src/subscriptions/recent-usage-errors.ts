// The processor's reports of dropped usage, kept for a while: they are of the whole account, and pages ask for them again and again.
import { atDeadline } from '../clock.ts'
import { askProcessor } from '../processor/failures.ts'
import type { UsageError } from '../processor/customer-half.ts'
import type { SubscriberDeps } from './deps.ts'

const keptMs = 60_000
/** What is shown beside something else must not hold it for longer. */
const patienceMs = 2_000

export interface RecentUsageErrors {
  /** As the processor has them now; a read under way is shared. */
  read(): Promise<readonly UsageError[]>
  /** At most a minute old; null when the processor takes too long. */
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
      return kept !== null && age >= 0 && age < keptMs ? kept.errors : orTooLate(read())
    },
  }
}

/** null when the answer is late; what comes then is kept all the same. */
function orTooLate<T>(answer: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const callOff = atDeadline(performance.now() + patienceMs, () => {
      resolve(null)
    })
    answer.then(resolve, reject).then(callOff, callOff)
  })
}
