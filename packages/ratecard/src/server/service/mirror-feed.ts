// Composes the mirror (the local copy of the processor's data). It consists of the feed that fills it, the receiver of events, a processor
// that reports the service's own writes to the mirror, and the interface for readers.
import type { Clock } from '../../base/clock.ts'
import { createDeliveries } from '../../customers/mirror/feed/deliveries.ts'
import { createFeeder, type Feeder } from '../../customers/mirror/feed/feeder.ts'
import { ensureEndpoint, eventsPath, ownSecrets } from '../../customers/mirror/feed/own-endpoint.ts'
import { createReadAllocation } from '../../customers/mirror/feed/read-allocation.ts'
import { createIds } from './ids.ts'
import { withOwnActs } from '../../customers/mirror/feed/own-acts.ts'
import { createMirror, type Mirror } from '../../customers/mirror/mirror.ts'
import { keepEndedDay } from '../../customers/mirror/sums/account.ts'
import { nameItemsBy } from '../../customers/mirror/sums/money.ts'
import type { PriceBook } from '../../customers/item-swaps/price-book.ts'
import type { Processor } from '../../processor/processor.ts'
import type { Store } from '../../store/store.ts'
import { createUsageComparison } from '../../customers/subscriptions/usage/compare-usage.ts'
import type { SubscriberDeps } from '../../customers/subscriptions/deps.ts'
import { bindAccount } from '../../push/account.ts'

export interface MirrorSettings {
  readonly pollSeconds: number
  /** Signing secret of an events endpoint that the operator created by hand; null if there is none. */
  readonly eventsSecret: string | null
  /** Base URL to which the processor can deliver events; null unless the public URL is https. */
  readonly deliverTo: string | null
  /** True at Stripe itself, which limits the reads of an account. False at a sandbox. */
  readonly limitedReads: boolean
  readonly report: (error: unknown, what: string) => void
}

export interface MirrorFeed {
  readonly mirror: Mirror
  readonly feeder: Feeder
  /** Counts one read at the processor toward the account's read allocation. */
  readonly countRead: () => void
  /** True if the processor delivers events to this service, or if its reads are not limited. */
  readonly delivered: () => Promise<boolean>
  /** The processor, wrapped so that the service's own writes also update the mirror. */
  readonly processor: Processor
  readonly receiveProcessorEvent: (body: string, signature: string | null) => Promise<void>
}

export interface MirrorParts {
  readonly store: Store
  readonly processor: Processor
  readonly clock: Clock
  /** Returns the price book, which contains the products' names for the revenue of a day. */
  readonly priceBook: () => Promise<PriceBook>
  /** Returns the applied configuration with the processor ids of its meters. Throws `config_not_found` if there is none. */
  readonly applied: SubscriberDeps['applied']
  /** Called when the copy contains payments whose credits are due. */
  readonly onCreditsDue: () => void
}

export function createMirrorFeed(
  { store, processor, clock, priceBook, applied, onCreditsDue }: MirrorParts,
  settings: MirrorSettings,
): MirrorFeed {
  const { pollSeconds, eventsSecret, deliverTo, report } = settings
  const account = (signal: AbortSignal) => bindAccount({ store, processor }, signal, 'look')
  const deps = { store, processor, clock, account, report }
  const allocation = createReadAllocation({
    store: store.mirror,
    clock,
    pollMs: pollSeconds * 1000,
    limited: settings.limitedReads,
  })
  const endpoint = { store, processor, newId: createIds(clock) }
  const mirror = createMirror({ store: store.mirror, clock })
  const keeping = { mirror: store.mirror, revenue: store.revenue, nameOf: async () => nameItemsBy(await priceBook()) }
  const feeder = createFeeder(deps, {
    allocation,
    keepDay: async () => {
      const state = await store.mirror.state()
      // Stores the revenue of each day up to the last poll. The limit is not `as_of`, because `as_of` stops for a while after a failed
      // read, and the history must continue.
      if (state !== null && state.beganAt !== null && state.readUntil !== null)
        await keepEndedDay(keeping, state.readUntil)
    },
    afterRound: async () => {
      const next = await store.credits.nextPaidAt()
      if (next !== null && next <= clock.now()) onCreditsDue()
    },
    usage: createUsageComparison({ ...deps, applied }),
    ...(deliverTo === null
      ? {}
      : { ensureEndpoint: (signal) => ensureEndpoint(endpoint, `${deliverTo}${eventsPath}`, signal) }),
  })
  const secrets = async () => [...(eventsSecret === null ? [] : [eventsSecret]), ...(await ownSecrets(endpoint))]
  return {
    mirror,
    feeder,
    countRead: allocation.count,
    delivered: async () => !settings.limitedReads || (await secrets()).length > 0,
    processor: withOwnActs(processor, deps),
    receiveProcessorEvent: createDeliveries({ ...deps, secrets, onMarked: feeder.wake }),
  }
}
