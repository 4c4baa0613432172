import type { Documents } from '../catalog/document-tasks.ts'
import type { Clock } from '../base/clock.ts'
import type { Guard } from '../acts/guard-rails/guard.ts'
import type { CancelBoard } from '../acts/journal/cancel-board.ts'
import type { Mirror } from '../customers/mirror/mirror.ts'
import type { Processor } from '../processor/processor.ts'
import type { Store } from '../store/store.ts'

/** Dependencies of all use cases in `sync/`. */
export interface SyncDeps {
  readonly store: Store
  readonly processor: Processor
  readonly mirror: Mirror
  readonly clock: Clock
  readonly documents: Documents
  readonly guard: Guard
  /** Returns a new id: text, lower case, sortable by time. */
  readonly newId: () => string
  readonly requireVersionBump: boolean
  /** Maximum number of live subscriptions that a push may affect without approval, e.g. 100; null for any number. */
  readonly impactThreshold: number | null
  /** Aborts when the process shuts down. A running push then stops between two steps and can be resumed. */
  readonly shutdown: AbortSignal
  /** Pushes whose cancellation was requested from this process. */
  readonly cancelled: CancelBoard
  /** Called after each change of a push's state. Sends the change to the listeners in this process. */
  readonly onProgress: (pushId: string) => void
  /** Called after this process applied a version, so that it serves the new version at once. */
  readonly onApplied: () => void
}
