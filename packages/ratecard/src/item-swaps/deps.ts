import type { Clock } from '../clock.ts'
import type { SubscriptionProcessor } from '../processor/subscription-change.ts'
import type { JobKind } from '../store/records/journal.ts'
import type { Store } from '../store/store.ts'
import type { Guard } from '../guard-rails/guard.ts'
import type { PriceBook } from './price-book.ts'

/** Dependencies of all use cases that change subscriptions. */
export interface SwapDeps {
  readonly store: Pick<
    Store,
    'tenants' | 'jobs' | 'localSubscriptions' | 'mappings' | 'versions' | 'pushes' | 'exclusively' | 'held'
  >
  readonly processor: SubscriptionProcessor
  readonly clock: Clock
  readonly guard: Guard
  /** Returns a new id: lower-case text that sorts by time. */
  readonly newId: () => string
  /** Returns the prices of the applied configuration. */
  readonly priceBook: () => Promise<PriceBook>
  /**
   * Throws if this environment is bound to another processor account. With the intent `write`, the call binds an environment that is not
   * bound yet; with `look` it stays unbound.
   */
  readonly assertAccount: (intent: 'write' | 'look') => Promise<void>
  /** Aborts when the process shuts down. Running work stops between two steps and can be resumed. */
  readonly shutdown: AbortSignal
  /** Registers background work, so that a graceful shutdown waits for it. */
  readonly background: (work: Promise<unknown>) => void
}

export const jobLease = (jobId: string) => `job:${jobId}`

/** Kinds of jobs that change the subscriptions of one tenant (the job's subject). They run under the tenant's lease. */
const tenantJobs = ['enterprise_apply', 'subscription_change', 'subscription_discount'] as const
export const isOfTenant = (kind: JobKind): kind is (typeof tenantJobs)[number] => tenantJobs.some((one) => one === kind)

export const customerLease = (customer: string) => `customer:${customer}`
