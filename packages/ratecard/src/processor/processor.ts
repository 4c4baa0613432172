// The port to the payment processor; customer-half.ts is its customer part. The adapter converts every failure to a ProcessorError, so that
// no other code reads the processor's own errors. The adapter retries requests and limits their rate. The caller provides idempotency keys.
import type { ProcessorId, ObservedResource, Snapshot } from '../catalog/resource.ts'
import type { ResolvedStep } from '../catalog/steps.ts'
import type { CreditProcessor } from './credit-grants.ts'
import type { CustomerProcessor } from './customer-half.ts'
import type { MirrorReads } from './mirrored.ts'
import type { ProcessorEvent } from './processor-event.ts'
import type { SubscriptionChanges } from './subscription-change.ts'
import type { WriteOptions } from './write-options.ts'

export type { ProcessorEvent } from './processor-event.ts'
export type { WriteOptions } from './write-options.ts'

export interface ProcessorAccount {
  readonly id: string
  /** True for live mode, i.e. real money. */
  readonly livemode: boolean
}

export interface PerformedStep {
  readonly processorId: ProcessorId
  /** The object after the write, in canonical form; null for a deleted coupon. */
  readonly observed: ObservedResource | null
  /** A webhook's signing secret, which the processor returns only at creation. Never logged. */
  readonly secret: string | null
  readonly requestId: string | null
}

export interface ReadOptions {
  readonly signal: AbortSignal
  /**
   * Selects the products whose attached features are read. Each selected product costs one list request. `false` selects none. Default: the
   * active products.
   */
  readonly attachments?: false | ((product: ObservedResource<'product'>) => boolean)
  /** Progress callback, called after each page. */
  readonly onPage?: (read: { readonly kind: string; readonly objects: number }) => void
}

export interface Processor extends CustomerProcessor, SubscriptionChanges, CreditProcessor, MirrorReads {
  /** Returns the account of the key. Throws `unauthorized` if the key is wrong. */
  account(signal: AbortSignal): Promise<ProcessorAccount>
  /**
   * Time (epoch milliseconds) since which the processor has answered no request of this process; null while it answers. Meanwhile reads fail
   * with `unavailable` within two seconds.
   */
  silentSince(): number | null
  /**
   * Returns the whole live state, read in list pages of 100 objects. Archived objects are included; `tiers` and `applies_to` are expanded.
   */
  snapshot(options: ReadOptions): Promise<Snapshot>
  /**
   * Performs one write; a `record` step is not allowed, because it writes nothing. After `unknown_outcome` or `timeout` the write may have
   * happened, so call `locate` before any other action.
   */
  perform(step: ResolvedStep, options: WriteOptions): Promise<PerformedStep>
  /**
   * Finds out whether a step of unknown outcome happened. The object is searched by a natural key: the chosen id, the lookup key with the
   * ownership mark, the event name, or the code; a webhook by its ownership mark. Returns null if the step did not happen. The result for a
   * webhook does not contain its secret.
   */
  locate(step: ResolvedStep, signal: AbortSignal): Promise<PerformedStep | null>
  /** Deletes a webhook endpoint whose secret is lost, because the response to its creation never arrived. */
  discardWebhook(endpoint: ProcessorId, options: WriteOptions): Promise<void>
  /**
   * Returns up to 100 events after the event `after`, oldest first. `more` is true if newer events follow. With `after: null`, returns no
   * events, only `last`: the newest event, to start from (null if the account has no event yet). An empty `after` starts at the oldest
   * event that the processor still has.
   */
  events(
    query: { readonly after: string | null; readonly types: readonly string[] },
    signal: AbortSignal,
  ): Promise<{ readonly events: readonly ProcessorEvent[]; readonly last: string | null; readonly more: boolean }>
  /** Returns the number of subscriptions with an item on this price that have not ended, and so are billed now or later. */
  liveSubscriptions(price: ProcessorId, signal: AbortSignal): Promise<number>
}
