// Database operations on the mirror: a copy of the processor's customers with their subscriptions, prices, invoices and refunds. The folder
// mirror/ keeps the copy current. Types of the objects are in processor/mirrored.ts.
import type { ProcessorId } from '../catalog/resource.ts'
import type {
  Mirrored,
  MirroredDiscount,
  MirroredInvoice,
  MirroredPurchase,
  MirroredItem,
  MirroredKind,
  MirroredSubscription,
} from '../processor/mirrored.ts'
import type { TenantRecord } from './records/tenants.ts'

/** Kind and id of one object of the mirror. */
export interface MirrorRef {
  readonly kind: MirroredKind
  readonly id: string
}

export interface StaleObject extends MirrorRef {
  /**
   * Number of the stale mark. The mark means that the object may have changed. It is removed by a read of the object that began with a
   * higher number.
   */
  readonly marked: number
  /** Time (epoch milliseconds) of the event that marked the object as stale. */
  readonly since: number
  /** Number of reads that failed in a row. */
  readonly attempts: number
  /** Message of the last failed read; null if none failed. */
  readonly error: string | null
}

/** A failed read of a stale object. */
export interface FailedRead {
  readonly attempts: number
  /** Time of the next attempt, epoch milliseconds. */
  readonly retryAt: number
  /** True if the object cannot be read and is skipped. The age of the copy is then computed without this object. */
  readonly skipped: boolean
  readonly error: string
}

/** Progress of the mirror, stored as a single row. There is no row before the mirror ran for the first time. */
export interface MirrorState {
  /** Processor account that was copied. If the service is bound to another account, the copy is deleted. */
  readonly account: string
  /**
   * Progress of the first fill: the kind that is being read, the cursor of its next page, and the number of objects read. null when the
   * fill is complete.
   */
  readonly filling: { readonly kind: MirroredKind; readonly after: string | null; readonly objects: number } | null
  /** Id of the last processor event that was handled; empty if the account had no event. */
  readonly eventCursor: string
  /** Time (epoch milliseconds) up to which the copy contains every change. Exception: changes of objects that are marked stale. */
  readonly readUntil: number | null
  /** Time at which the mirror was complete for the first time. Revenue sums exist only for days after that. */
  readonly beganAt: number | null
  /** Time of the last full comparison of the mirror with the processor. */
  readonly comparedAt: number | null
  /** Position of the running comparison; null if none runs. */
  readonly comparing: ComparisonPlace | null
  /** Total number of objects that comparisons had to correct. */
  readonly corrections: number
}

/** The part of the mirror's progress that determines how complete the copy is, and how old. */
export interface MirrorProgress extends Pick<MirrorState, 'readUntil' | 'beganAt'> {
  /** Time of the oldest stale mark, without marks of skipped objects; null if there is none. */
  readonly oldestStale: number | null
}

/**
 * Position of a comparison (which lists all objects again). It is stored after each page, so that an interrupted comparison continues
 * there.
 */
export interface ComparisonPlace {
  /** Kind that is being listed, and the cursor of its next page. */
  readonly kind: MirroredKind
  readonly after: string | null
  /**
   * Sequence number from the start of the comparison; all reads are numbered. A stored object whose last read has a lower number was in no
   * list of the comparison.
   */
  readonly number: number
  /**
   * True if the comparison replaces events that the processor deleted before they were read. The copy becomes older until all objects are
   * listed.
   */
  readonly relisting: boolean
}

export interface MirrorSaved {
  /**
   * Objects for which two overlapping reads returned different content. They are marked as stale, because it is unknown which read is
   * newer.
   */
  readonly overlapped: readonly MirrorRef[]
  /** Objects that this save changed or added although they had no stale mark. So no event has announced the change yet. */
  readonly unannounced: readonly MirrorRef[]
}

/**
 * Standing of a customer: stored sums by which lists of tenants are filtered and sorted. customers/mirror/sums/standing.ts recomputes it after each
 * change of the customer's objects.
 */
export interface CustomerStanding {
  readonly customer: ProcessorId
  /** Most urgent status of the customer's subscriptions at the processor; null if none of them is live. */
  readonly billingStatus: string | null
  /** Exact monthly recurring revenue (MRR) by currency: canonical decimals in minor units. */
  readonly monthly: Readonly<Record<string, string>>
  /** Sum of the customer's open invoices, by currency. */
  readonly owed: Readonly<Record<string, number>>
  /** Sum of the customer's uncollectible invoices, by currency. */
  readonly writtenOff: Readonly<Record<string, number>>
}

export interface Unsummed {
  readonly customer: ProcessorId
  /** Number of the mark for outdated sums of the customer. The mark is removed when sums are stored that were computed from later reads. */
  readonly marked: number
}

/** A subscription to a free price, which exists only in this store. */
export interface FreeSubscriber {
  readonly free: string
  readonly tenant: SubscribedTenant
}

/** Members of a tenant that a list of subscribers shows. */
type SubscribedTenant = Pick<TenantRecord, 'id' | 'name'>

export interface StoredSubscriber {
  readonly subscription: MirroredSubscription
  readonly item: MirroredItem
  /** null if the customer is not a tenant. */
  readonly tenant: SubscribedTenant | null
}

/**
 * Counts of the mirror's reads at the processor, by day since 1970 (UTC). The feeder compares them with the number of reads that the
 * processor allows.
 */
export interface ReadCountStore {
  /** Adds `reads` to the number of reads of a day. Deletes counts that are older than 40 days. */
  addReads(day: number, reads: number): Promise<void>
  /** Returns the total number of reads on this day and later. */
  readsSince(day: number): Promise<number>
  /** Returns the number of paid invoices that were finalized at `time` (epoch milliseconds) or later. */
  paymentsSince(time: number): Promise<number>
}

export interface MirrorStore extends ReadCountStore {
  state(): Promise<MirrorState | null>
  /** Changes members of the mirror's state. The first call creates the row, so it must contain all members. */
  setState(change: Partial<MirrorState>): Promise<void>
  /** Stores the position of a new comparison, in one transaction with the event cursor if one is given. */
  beginComparison(place: ComparisonPlace, eventCursor?: string): Promise<void>
  /**
   * Stores objects as differences: objects that the comparison changed, and objects that were in no list. If an event later marks such an
   * object as stale, it is no longer a difference.
   */
  addDifferences(refs: readonly MirrorRef[]): Promise<void>
  /** Ends the comparison at the time `comparedAt`, and adds its differences to the corrections. Returns the number of differences. */
  endComparison(comparedAt: number): Promise<number>
  /**
   * Returns up to `limit` stored objects of a kind that no list of the comparison contained: they are not marked stale, and the number of
   * their last read is lower than `number`. `last` is the position for the next call; null after the last object. Deleted customers are
   * left out, because they stay in the copy although no list contains them.
   */
  unlisted(
    kind: MirroredKind,
    number: number,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<{ readonly refs: readonly MirrorRef[]; readonly last: string | null }>
  /** Deletes all mirrored objects, e.g. before another account is copied. */
  clear(): Promise<void>

  /**
   * Begins a read and returns its sequence number, to be passed to `save` or `remove` as `begun`. The numbers increase across all replicas.
   */
  beginRead(): Promise<number>
  /**
   * Stores objects of one read in one transaction. Another read may have stored different content after this read began. Then that content
   * stays and the object is marked stale, because it is unknown which read is newer. Removes stale marks with a number below `begun`, and
   * marks the sums of the affected customers as outdated.
   */
  save<K extends MirroredKind>(kind: K, objects: readonly Mirrored[K][], begun: number): Promise<MirrorSaved>
  /**
   * Removes objects that the processor no longer has. If another read stored such an object after this read began, the object is kept and
   * marked as stale.
   */
  remove(kind: MirroredKind, ids: readonly string[], begun: number): Promise<MirrorSaved>
  /**
   * Marks objects as stale and moves the event cursor, in one transaction. No cursor is given for an event that came by webhook, because
   * the poll of events will read it again.
   */
  markStale(
    refs: readonly (MirrorRef & { readonly since: number })[],
    cursor?: { readonly event: string; readonly readUntil: number },
  ): Promise<void>
  /** Returns stale objects, oldest mark first. With `dueAt` (epoch milliseconds), leaves out objects whose next attempt is later. */
  stale(limit: number, dueAt?: number): Promise<readonly StaleObject[]>
  /** Records that a stale object could not be read. Does nothing if the object is no longer stale. */
  failRead(ref: MirrorRef, failed: FailedRead): Promise<void>
  /** Returns the object with the oldest stale mark; null if there is none. Skipped objects are ignored. */
  oldestStale(): Promise<StaleObject | null>
  /** Returns the objects that cannot be read and are skipped (up to `limit`), oldest mark first, and their number. */
  skipped(limit: number): Promise<{ readonly items: readonly StaleObject[]; readonly total: number }>
  /** Returns the number of stale objects, skipped ones included. */
  staleCount(): Promise<number>

  find<K extends MirroredKind>(kind: K, id: string): Promise<Mirrored[K] | null>
  /** Returns objects of a kind with ids above `after`, ascending by id, e.g. for a comparison. */
  page<K extends MirroredKind>(kind: K, after: string | null, limit: number): Promise<readonly Mirrored[K][]>
  /**
   * Returns objects dated `from` or later and before `to`, oldest first. An invoice is dated by its finalization, a purchase by its payment
   * (it has no date if it has an invoice), any other object by its creation. For the next page, pass the last object of this one.
   */
  happened<K extends 'subscription' | 'invoice' | 'purchase' | 'credit_note' | 'refund'>(
    kind: K,
    time: { readonly from: number; readonly to: number },
    page: { readonly after: { readonly at: number; readonly id: string } | null; readonly limit: number },
  ): Promise<readonly { readonly at: number; readonly object: Mirrored[K] }[]>
  /** Returns the refunded amount of each invoice or purchase in minor units. `payments` are the payment intents and charges that paid it. */
  refundedOf(paid: readonly PaidBy[]): Promise<ReadonlyMap<string, number>>
  /** Returns the subscriptions of a customer, ended ones included, oldest first. */
  subscriptionsOf(customer: ProcessorId): Promise<readonly MirroredSubscription[]>
  /** Returns a page of a customer's finalized invoices and of the purchases without an invoice, newest first. */
  billedTo(
    customer: ProcessorId,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly BilledObject[]; readonly total: number }>
  /**
   * Returns a page of subscribers: items on these prices, and running free subscriptions to `freePrice` (null for none). Items of ended
   * subscriptions are left out. Sorted by tenant id (items without a tenant last), then by subscription.
   */
  subscribers(
    on: { readonly prices: readonly ProcessorId[]; readonly freePrice: string | null },
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly (StoredSubscriber | FreeSubscriber)[]; readonly total: number }>
  /**
   * Returns all items on these prices in one list, to compute sums. Items of ended subscriptions are left out. Each item has only ids,
   * quantity, status and currency.
   */
  usesOf(prices: readonly ProcessorId[]): Promise<readonly PriceUse[]>
  /**
   * Returns the subscriptions on these prices that have a discount for ever: of their own, of an item, or of their customer. Subscriptions that have
   * ended are left out.
   */
  discountedOn(prices: readonly ProcessorId[]): Promise<readonly DiscountedSubscription[]>
  /** Returns the subscriptions that charge one of these tax rates and have not ended, sorted by id. */
  taxedWith(rates: readonly ProcessorId[]): Promise<readonly TaxedSubscription[]>
  /** Returns the prices of all items, ascending. Items of ended subscriptions are left out. */
  pricesInUse(): Promise<readonly ProcessorId[]>
  /** Returns the customers whose metadata names the tenant, ascending by id. */
  markedWith(tenantId: string): Promise<readonly ProcessorId[]>
  /** Returns customers whose metadata names a tenant, with ids above `after`, ascending by id. */
  marked(after: string | null, limit: number): Promise<readonly { readonly id: ProcessorId; readonly tenant: string }[]>
  /** Returns the number of subscriptions by status. */
  countByStatus(): Promise<Readonly<Record<string, number>>>
  /** Returns the open and uncollectible invoices of a customer, oldest first. */
  unpaidInvoicesOf(customer: ProcessorId): Promise<readonly MirroredInvoice[]>
  /**
   * Stores the sums of customers and updates the lists of tenants. `marked` is the number of the mark that {@link unsummed} returned before
   * the objects were read. If the customer has a later mark, that mark stays, because the customer's objects changed after they were read.
   */
  saveStandings(standings: readonly (CustomerStanding & Pick<Unsummed, 'marked'>)[]): Promise<void>
  standing(customer: ProcessorId): Promise<CustomerStanding | null>
  /** Returns the sums of customers with ids above `after`, ascending by id, e.g. for the sums of the account. */
  standings(after: ProcessorId | null, limit: number): Promise<readonly CustomerStanding[]>
  /** Returns customers whose sums are outdated because their objects changed, oldest mark first. */
  unsummed(limit: number): Promise<readonly Unsummed[]>
}

/** Something that was paid, and the ids of the payment intents and charges that paid it. */
interface PaidBy {
  readonly id: string
  readonly payments: readonly string[]
}

export type BilledObject =
  | { readonly kind: 'invoice'; readonly object: MirroredInvoice }
  | { readonly kind: 'purchase'; readonly object: MirroredPurchase }

export interface DiscountedSubscription {
  readonly subscription: MirroredSubscription
  /** null if the customer has no discount. */
  readonly customerDiscount: MirroredDiscount | null
}

/** A subscription with tax rates. */
export interface TaxedSubscription {
  readonly subscription: string
  readonly tenantId: string | null
  readonly taxRates: readonly ProcessorId[]
}

/** One subscription item on a price, reduced to what sums need. */
export interface PriceUse {
  readonly item: string
  readonly price: ProcessorId
  readonly subscription: string
  readonly customer: ProcessorId
  readonly tenantId: string | null
  readonly status: string
  readonly paused: boolean
  readonly currency: string
  readonly quantity: number | null
}
