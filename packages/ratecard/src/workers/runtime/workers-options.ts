import type { Registry } from 'prom-client'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import type { DeployStep } from './deploy.ts'
import type { WorkerRuntime } from './worker-runtime.ts'
import type { SupervisorOptions } from './supervisor-options.ts'
import type { WorkerKeys } from '../../api/workers/workers.ts'

export interface WorkersOptions {
  readonly store: Store
  /** Runtime for workers; null if this replica hosts no workers. */
  readonly runtime: WorkerRuntime | null
  readonly clock: Clock
  readonly newId: () => string
  readonly keys: WorkerKeys
  readonly publicUrl: string | null
  /** Domain under which each worker is also served, as `<name>.<domain>`; null for none. */
  readonly domain: string | null
  readonly logRetentionMs: number
  readonly idleMs?: number
  readonly pollMs?: number
  readonly registry?: Registry
  readonly supervisor?: Partial<Omit<SupervisorOptions, 'runtime' | 'clock' | 'events'>>
  /** Returns the time for schedules. Default: the database clock. */
  readonly time?: () => Promise<number>
  readonly report: (error: unknown, what: string) => void
  readonly onDeployStep?: (step: DeployStep) => void
}
