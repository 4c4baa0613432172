import type { Clock } from '../../base/clock.ts'
import type { JobRecord, JobStepRecord } from '../../store/records/journal.ts'
import type { Store } from '../../store/store.ts'
import type { TenantLease } from '../lease.ts'

export interface JobDeps {
  readonly store: Pick<Store, 'jobs' | 'exclusively' | 'tryExclusively' | 'held'>
  readonly clock: Clock
  /** Returns a new id: lower-case text that sorts by time. */
  readonly newId: () => string
  /**
   * Throws if this environment is bound to another processor account. With the intent `write`, the call binds an environment that is not
   * bound yet; with `look` it stays unbound.
   */
  readonly assertAccount: (intent: 'write' | 'look') => Promise<void>
  /**
   * Finds the outcome of a late write (a request without a response) of a running job, before its step is retried. `held` is the lease of
   * the job. Returns true if the step is done.
   */
  readonly settleOwn: (job: JobRecord, step: JobStepRecord, lease: TenantLease) => Promise<boolean>
  /** Aborts when the process shuts down. Running work stops between two steps and can be resumed. */
  readonly shutdown: AbortSignal
  /** Registers background work, so that a graceful shutdown waits for it. */
  readonly background: (work: Promise<unknown>) => void
}
