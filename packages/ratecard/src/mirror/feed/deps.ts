// What every part of the feed works with.
import type { Clock } from '../../clock.ts'
import type { MirrorReads } from '../../processor/mirrored.ts'
import type { Processor, ProcessorAccount } from '../../processor/processor.ts'
import type { Store } from '../../store/store.ts'

export interface FeedDeps {
  readonly store: Pick<Store, 'held' | 'exclusively' | 'mirror' | 'revenue' | 'facts' | 'secrets'>
  readonly processor: MirrorReads & Pick<Processor, 'events'>
  readonly clock: Clock
  /** Returns the account of the key; throws if this environment belongs to another one. */
  readonly account: (signal: AbortSignal) => Promise<Pick<ProcessorAccount, 'id'>>
  /** Reports a failure that the feed retries. */
  readonly report: (error: unknown, what: string) => void
}
