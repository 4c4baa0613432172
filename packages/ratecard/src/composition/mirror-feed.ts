// Composes the mirror: its feed, its deliveries, the processor whose writes it shows, and the handle for its readers.
import type { Clock } from '../clock.ts'
import { createDeliveries } from '../mirror/feed/deliveries.ts'
import { createFeeder } from '../mirror/feed/feeder.ts'
import type { Feeder } from '../mirror/feed/feeder.ts'
import { withOwnActs } from '../mirror/feed/own-acts.ts'
import { createMirror } from '../mirror/mirror.ts'
import type { Mirror } from '../mirror/mirror.ts'
import type { Processor } from '../processor/processor.ts'
import type { Store } from '../store/store.ts'
import { bindAccount } from '../sync/account.ts'

export interface MirrorSettings {
  readonly pollSeconds: number
  /** Signing secret of an endpoint that was made by hand. */
  readonly eventsSecret: string | null
  readonly report: (error: unknown, what: string) => void
}

export interface MirrorFeed {
  readonly mirror: Mirror
  readonly feeder: Feeder
  /** The processor with writes that the mirror shows. */
  readonly processor: Processor
  readonly receiveProcessorEvent: (body: string, signature: string | null) => Promise<void>
}

export function createMirrorFeed(
  { store, processor, clock }: { readonly store: Store; readonly processor: Processor; readonly clock: Clock },
  { pollSeconds, eventsSecret, report }: MirrorSettings,
): MirrorFeed {
  const account = (signal: AbortSignal) => bindAccount({ store, processor }, signal, 'look')
  const deps = { store, processor, clock, account, report }
  const feeder = createFeeder(deps, { pollEveryMs: () => Promise.resolve(pollSeconds * 1000) })
  const secrets = () => Promise.resolve(eventsSecret === null ? [] : [eventsSecret])
  return {
    mirror: createMirror({ store: store.mirror, clock, pollSeconds }),
    feeder,
    processor: withOwnActs(processor, deps),
    receiveProcessorEvent: createDeliveries({ ...deps, secrets, onMarked: feeder.wake }),
  }
}
