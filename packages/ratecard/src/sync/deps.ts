import type { Documents } from '../catalog/document-tasks.ts'
import type { Clock } from '../clock.ts'
import type { CancelBoard } from '../journal/cancel-board.ts'
import type { Processor } from '../processor/processor.ts'
import type { Store } from '../store/store.ts'

/** What every use case of this room needs. */
export interface SyncDeps {
  readonly store: Store
  readonly processor: Processor
  readonly clock: Clock
  readonly documents: Documents
  /** A new id: text, lower case, sortable by time. */
  readonly newId: () => string
  readonly requireVersionBump: boolean
  /** How many live subscriptions a push may touch without approval; null is any number. */
  readonly impactThreshold: number | null
  /** Aborts when the process drains: a running push stops between two steps and can be resumed. */
  readonly shutdown: AbortSignal
  /** Pushes that this process was asked to stop between two steps. */
  readonly cancelled: CancelBoard
  /** Called after each change of a push's state, for live events of this process. */
  readonly onProgress: (pushId: string) => void
  /** Called after a version was applied here, so that this process serves it at once. */
  readonly onApplied: () => void
}
