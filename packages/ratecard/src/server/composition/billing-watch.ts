// Checks regularly for dropped usage and drift, so that the metrics are current without a request. One replica checks at a time, under a
// lease.
import type { Clock } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { Store } from '../../store/store.ts'
import type { Service } from '../service/service.ts'

const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs
/**
 * Minimum intervals (ms) between two checks, for all replicas together. They are a minute less than an hour or a day, because timers are
 * not exact.
 */
const usageEveryMs = hourMs - minuteMs
const driftEveryMs = 24 * hourMs - minuteMs

const looksFact = 'billing_looks'

/** Times of the last checks, epoch milliseconds. */
interface Looks {
  readonly usageAt?: number
  readonly driftAt?: number
}

export interface BillingWatchDeps {
  readonly service: Pick<Service, 'droppedUsage' | 'drift'>
  readonly store: Pick<Store, 'tryExclusively' | 'facts'>
  readonly clock: Clock
  readonly report: (error: unknown, what: string) => void
}

/** Checks for dropped usage and for drift. Each check runs only if its interval has passed since any replica ran it last. */
export async function lookAtBilling({ service, store, clock, report }: BillingWatchDeps): Promise<void> {
  const look = async (): Promise<void> => {
    const text = await store.facts.get(looksFact)
    let looks = text === null ? {} : (JSON.parse(text) as Looks)
    const now = clock.now()
    // The time is stored before the check, so that the other replicas do not repeat a check that fails.
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
  await store.tryExclusively('billing_watch', look)
}

/** Checks every hour. Returns a function that stops the checks and waits for a running one. */
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
