import type { Clock } from '../clock.ts'
import type { CustomerProcessor } from '../processor/customer-half.ts'
import type { Store } from '../store/store.ts'
import type { PriceBook } from './price-book.ts'

/** What every use case needs that changes subscriptions. */
export interface SwapDeps {
  readonly store: Pick<
    Store,
    'tenants' | 'jobs' | 'localSubscriptions' | 'mappings' | 'versions' | 'pushes' | 'exclusively' | 'held'
  >
  readonly processor: CustomerProcessor
  readonly clock: Clock
  /** A new id: text, lower case, sortable by time. */
  readonly newId: () => string
  /** The prices of what is applied now. */
  readonly priceBook: () => Promise<PriceBook>
  /** Refuses another processor account than the one that this environment is bound to; `look` leaves no trace. */
  readonly assertAccount: (intent: 'write' | 'look') => Promise<void>
  /** Aborts when the process drains: work stops between two steps and can be taken up again. */
  readonly shutdown: AbortSignal
  /** Work in the background that a graceful stop waits for. */
  readonly background: (work: Promise<unknown>) => void
}

export const jobLease = (jobId: string) => `job:${jobId}`
export const customerLease = (customer: string) => `customer:${customer}`
