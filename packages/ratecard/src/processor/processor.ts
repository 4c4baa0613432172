// The port to the payment processor. The customer's half of it is customer-half.ts. The adapter sorts every failure into a ProcessorError;
// nobody else reads the processor's own errors. Retries, idempotency keys and rate budget are the adapter's and the journal's.
import type { ProcessorId, ObservedResource, Snapshot } from '../catalog/resource.ts'
import type { ResolvedStep } from '../catalog/steps.ts'
import type { CustomerProcessor } from './customer-half.ts'
import type { WriteOptions } from './write-options.ts'

export type { WriteOptions } from './write-options.ts'

export interface ProcessorAccount {
  readonly id: string
  /** True for real money. */
  readonly livemode: boolean
}

export interface PerformedStep {
  readonly processorId: ProcessorId
  /** The object after the write, translated. null for a deleted coupon. */
  readonly observed: ObservedResource | null
  /** A webhook's signing secret: told once, at creation. Never logged. */
  readonly secret: string | null
  readonly requestId: string | null
}

export interface ReadOptions {
  readonly signal: AbortSignal
  /** Of which products the features are asked, a list for each product; `false`: of none. Default: of the active ones. */
  readonly attachments?: false | ((product: ObservedResource<'product'>) => boolean)
  /** Called after each page, for progress. */
  readonly onPage?: (read: { readonly kind: string; readonly objects: number }) => void
}

/** One event of the account. `body` is the processor's own object, as a webhook endpoint receives it. */
export interface ProcessorEvent {
  readonly id: string
  readonly type: string
  readonly createdAt: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface Processor extends CustomerProcessor {
  /** Who the key belongs to. Fails with `unauthorized` when the key is wrong. */
  account(signal: AbortSignal): Promise<ProcessorAccount>
  /** The whole live state by list pages of 100: archived objects included, tiers and applies_to expanded. */
  snapshot(options: ReadOptions): Promise<Snapshot>
  /**
   * One write. Never called with `record` steps. On `unknown_outcome` or `timeout` the write may have happened:
   * ask `locate` before doing anything else.
   */
  perform(step: ResolvedStep, options: WriteOptions): Promise<PerformedStep>
  /**
   * Looks by natural key (own id, lookup key and mark, event name, code, mark of a webhook) whether a step of unknown outcome happened.
   * null: it did not. A located webhook has no secret.
   */
  locate(step: ResolvedStep, signal: AbortSignal): Promise<PerformedStep | null>
  /** Removes a webhook endpoint of ours whose creation answer, and so whose secret, was lost. */
  discardWebhook(endpoint: ProcessorId, options: WriteOptions): Promise<void>
  /**
   * What happened in the account after the event `after`, oldest first, a hundred at most. Without `after` nothing is told but
   * where to begin: `last` is the newest event, null when there is none yet. An empty `after` stands for the beginning.
   */
  events(
    query: { readonly after: string | null; readonly types: readonly string[] },
    signal: AbortSignal,
  ): Promise<{ readonly events: readonly ProcessorEvent[]; readonly last: string | null }>
  /** Whether there is such a customer, who was not deleted. */
  knowsCustomer(customer: ProcessorId, signal: AbortSignal): Promise<boolean>
  /** How many subscriptions that still bill, or will, have an item on this price: everything but ended ones. */
  liveSubscriptions(price: ProcessorId, signal: AbortSignal): Promise<number>
}
