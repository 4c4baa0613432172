import type { Clock } from '../clock.ts'
import type { CustomerProcessor } from '../processor/customer-half.ts'
import type { Store } from '../store/store.ts'
import type { PriceBook } from './price-book.ts'

/** Dependencies of all use cases that change subscriptions. */
export interface SwapDeps {
  readonly store: Pick<
    Store,
    'tenants' | 'jobs' | 'localSubscriptions' | 'mappings' | 'versions' | 'pushes' | 'exclusively' | 'held'
  >
  readonly processor: CustomerProcessor
  readonly clock: Clock
  /** Generates an id: lower-case text, sortable by time. */
  readonly newId: () => string
  /** Prices of the applied configuration. */
  readonly priceBook: () => Promise<PriceBook>
  /** Throws if the processor account is not the one that this environment is bound to. `look` does not bind an unbound environment. */
  readonly assertAccount: (intent: 'write' | 'look') => Promise<void>
  /** Aborts when the process shuts down: work stops between two steps and can be resumed. */
  readonly shutdown: AbortSignal
  /** Registers background work that a graceful shutdown waits for. */
  readonly background: (work: Promise<unknown>) => void
}

export const jobLease = (jobId: string) => `job:${jobId}`
export const customerLease = (customer: string) => `customer:${customer}`
