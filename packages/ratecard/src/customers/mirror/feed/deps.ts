// Dependencies of the feed, which keeps the mirror current.
import type { Clock } from '../../../base/clock.ts'
import type { MirrorReads } from '../../../processor/mirrored.ts'
import type { Processor, ProcessorAccount } from '../../../processor/processor.ts'
import type { Store } from '../../../store/store.ts'

export interface FeedDeps {
  readonly store: Pick<Store, 'held' | 'tryExclusively' | 'mirror' | 'revenue' | 'facts' | 'secrets'>
  readonly processor: MirrorReads & Pick<Processor, 'events'>
  readonly clock: Clock
  /** Returns the processor account of the key. Throws if this environment belongs to another account. */
  readonly account: (signal: AbortSignal) => Promise<Pick<ProcessorAccount, 'id'>>
  /** Called with a failure that the feed retries. */
  readonly report: (error: unknown, what: string) => void
}
