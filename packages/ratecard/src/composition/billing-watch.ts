// Looks for dropped usage and drift without a request, so that the metrics are current. One replica looks, under a lease.
import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Store } from '../store/store.ts'
import { unlessTaken } from './billing-facts.ts'
import type { ComposedService } from './compose.ts'

const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs
/** Intervals (ms) between two looks of all replicas. A little less than an hour, because timers are not exact. */
const usageEveryMs = hourMs - minuteMs
const driftEveryMs = 24 * hourMs - minuteMs

const looksFact = 'billing_looks'

/** Times of the last looks, epoch milliseconds. */
interface Looks {
  readonly usageAt?: number
  readonly driftAt?: number
}

export interface BillingWatchDeps {
  readonly service: Pick<ComposedService, 'droppedUsage' | 'drift'>
  readonly store: Pick<Store, 'exclusively' | 'facts'>
  readonly clock: Clock
  readonly report: (error: unknown, what: string) => void
}

/** Looks for dropped usage and drift if the last look of any replica is long enough ago. */
export async function lookAtBilling({ service, store, clock, report }: BillingWatchDeps): Promise<void> {
  const look = async (): Promise<void> => {
    const text = await store.facts.get(looksFact)
    let looks = text === null ? {} : (JSON.parse(text) as Looks)
    const now = clock.now()
    // Stored before the look, so that a look that fails is not repeated by every replica.
    const begin = async (change: Looks): Promise<void> => {
      looks = { ...looks, ...change }
      await store.facts.set(looksFact, JSON.stringify(looks))
    }
    if (now - (looks.usageAt ?? -Infinity) >= usageEveryMs) {
      await begin({ usageAt: now })
      await reported(service.droppedUsage({}), 'looking for dropped usage')
    }
    if (now - (looks.driftAt ?? -Infinity) >= driftEveryMs) {
      await begin({ driftAt: now })
      await reported(service.drift(), 'looking for drift')
    }
  }
  const reported = async (work: Promise<unknown>, what: string): Promise<void> => {
    try {
      await work
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'config_not_found')) report(error, what)
    }
  }
  await unlessTaken(store.exclusively('billing_watch', look))
}

/** Looks every hour. Returns a function that stops this after a running look. */
export function watchBilling(deps: BillingWatchDeps): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    running = lookAtBilling(deps).catch((error: unknown) => {
      deps.report(error, 'looking at billing')
    })
  }, hourMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
