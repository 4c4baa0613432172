import type { Clock } from '../../base/clock.ts'
import type { JobDeps } from '../../acts/jobs/deps.ts'
import type { SubscriptionProcessor } from '../../processor/subscription-change.ts'
import type { Store } from '../../store/store.ts'
import type { Guard } from '../../acts/guard-rails/guard.ts'
import type { PriceBook } from './price-book.ts'

/** Dependencies of all use cases that change subscriptions. */
export interface SwapDeps extends JobDeps {
  readonly store: Pick<
    Store,
    | 'mirror'
    | 'tenants'
    | 'jobs'
    | 'facts'
    | 'localSubscriptions'
    | 'mappings'
    | 'versions'
    | 'pushes'
    | 'exclusively'
    | 'tryExclusively'
    | 'held'
  >
  readonly processor: SubscriptionProcessor
  /** Real time, for rate limits; see {@link Clocks}. */
  readonly wallClock: Clock
  readonly guard: Guard
  /** Returns the prices of the applied configuration. */
  readonly priceBook: () => Promise<PriceBook>
}

export const customerLease = (customer: string) => `customer:${customer}`
