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
  /** Returns a new id: lower-case text that sorts by time. */
  readonly newId: () => string
  /** Returns the prices of the applied configuration. */
  readonly priceBook: () => Promise<PriceBook>
  /** Throws if this environment is bound to another processor account. With `look` an environment that is not bound yet stays unbound. */
  readonly assertAccount: (intent: 'write' | 'look') => Promise<void>
  /** Aborts when the process shuts down. Running work stops between two steps and can be resumed. */
  readonly shutdown: AbortSignal
  /** Registers background work, so that a graceful shutdown waits for it. */
  readonly background: (work: Promise<unknown>) => void
}

export const jobLease = (jobId: string) => `job:${jobId}`
export const customerLease = (customer: string) => `customer:${customer}`
