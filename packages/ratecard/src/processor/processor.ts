// The port to the payment processor; customer-half.ts is its customer part. The adapter converts every failure to a ProcessorError, so that
// no other code reads the processor's own errors. Retries and the rate budget belong to the adapter, idempotency keys to the journal.
import type { ProcessorId, ObservedResource, Snapshot } from '../catalog/resource.ts'
import type { ResolvedStep } from '../catalog/steps.ts'
import type { CustomerProcessor } from './customer-half.ts'
import type { MirrorReads } from './mirrored.ts'
import type { ProcessorEvent } from './processor-event.ts'
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
  /** The object after the write, in canonical form. null for a deleted coupon. */
  readonly observed: ObservedResource | null
  /** A webhook's signing secret, which the processor returns only at creation. Never logged. */
  readonly secret: string | null
  readonly requestId: string | null
}

export interface ReadOptions {
  readonly signal: AbortSignal
  /** Selects the products whose features are read, with one list request per product; `false`: none. Default: the active products. */
  readonly attachments?: false | ((product: ObservedResource<'product'>) => boolean)
  /** Progress callback, called after each page. */
  readonly onPage?: (read: { readonly kind: string; readonly objects: number }) => void
}

export interface Processor extends CustomerProcessor, MirrorReads {
  /** Returns the account of the key. Throws `unauthorized` if the key is wrong. */
  account(signal: AbortSignal): Promise<ProcessorAccount>
  /** Returns the whole live state, read in list pages of 100: archived objects included, tiers and applies_to expanded. */
  snapshot(options: ReadOptions): Promise<Snapshot>
  /**
   * Performs one write; `record` steps are not allowed. After `unknown_outcome` or `timeout` the write may have happened: call `locate`
   * before any other action.
   */
  perform(step: ResolvedStep, options: WriteOptions): Promise<PerformedStep>
  /**
   * Looks up whether a step of unknown outcome happened, by natural key (own id, lookup key and mark, event name, code, mark of a webhook).
   * Returns null if it did not. A located webhook has no secret.
   */
  locate(step: ResolvedStep, signal: AbortSignal): Promise<PerformedStep | null>
  /** Deletes a webhook endpoint whose creation response, and with it the secret, was lost. */
  discardWebhook(endpoint: ProcessorId, options: WriteOptions): Promise<void>
  /**
   * Returns up to a hundred events after the event `after`, oldest first. With `after: null` it returns no events, only `last`, the newest
   * event to start from (null if there is none yet). An empty `after` stands for the beginning.
   */
  events(
    query: { readonly after: string | null; readonly types: readonly string[] },
    signal: AbortSignal,
  ): Promise<{ readonly events: readonly ProcessorEvent[]; readonly last: string | null }>
  /** True if the customer exists and is not deleted. */
  knowsCustomer(customer: ProcessorId, signal: AbortSignal): Promise<boolean>
  /** Returns the number of subscriptions with an item on this price that bill now or later, i.e. have not ended. */
  liveSubscriptions(price: ProcessorId, signal: AbortSignal): Promise<number>
}
