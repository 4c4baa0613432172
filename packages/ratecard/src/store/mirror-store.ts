// Database operations on the mirror: a copy of what the processor knows of customers, kept by the room mirror/. Shapes of the objects are in
// processor/mirrored.ts.
import type { ProcessorId } from '../catalog/resource.ts'
import type {
  Mirrored,
  MirroredInvoice,
  MirroredItem,
  MirroredKind,
  MirroredSubscription,
} from '../processor/mirrored.ts'

/** Names one object that may have changed. */
export interface MirrorRef {
  readonly kind: MirroredKind
  readonly id: string
}

export interface StaleObject extends MirrorRef {
  /** Number of the mark. A read that began with a higher number settles it. */
  readonly marked: number
  /** Time of the event that named it, epoch milliseconds. */
  readonly since: number
}

/** How far the mirror is. One row; null before the mirror ran for the first time. */
export interface MirrorState {
  /** Account that the copy is of; the copy of another account is deleted first. */
  readonly account: string
  /** The list that the first fill is reading, and the cursor of its next page; null when the fill is complete. */
  readonly filling: { readonly kind: MirroredKind; readonly after: string | null; readonly objects: number } | null
  /** Last event that was taken into account; empty if the account had none. */
  readonly eventCursor: string
  /** Everything that happened until this time (epoch milliseconds) is in the copy, except what stale objects tell. */
  readonly readUntil: number | null
  /** Time the mirror was complete for the first time; days before are not invented. */
  readonly beganAt: number | null
  /** Time of the last full comparison. */
  readonly comparedAt: number | null
  /** Objects that comparisons had to correct, in all. */
  readonly corrections: number
}

export interface MirrorSaved {
  /** Objects whose read overlapped with another read of the same object: which of both is newer is unknown, so they are marked stale. */
  readonly overlapped: readonly MirrorRef[]
  /** Objects that this save changed or added. */
  readonly changed: readonly MirrorRef[]
}

/** Sums of one customer that lists filter and sort by; computed by mirror/standing.ts whenever one of its objects is saved. */
export interface CustomerStanding {
  readonly customer: ProcessorId
  /** Most urgent status of its subscriptions at the processor; null without a subscription that has not ended. */
  readonly billingStatus: string | null
  /** Exact MRR by currency: canonical decimals in minor units. */
  readonly monthly: Readonly<Record<string, string>>
  /** Owed by open invoices, by currency. */
  readonly owed: Readonly<Record<string, number>>
  readonly writtenOff: Readonly<Record<string, number>>
}

export interface Unsummed {
  readonly customer: ProcessorId
  /** Number of the mark. Sums of objects that were read later settle it. */
  readonly marked: number
}

export interface StoredSubscriber {
  readonly subscription: MirroredSubscription
  readonly item: MirroredItem
  readonly tenantId: string | null
}

export interface MirrorStore {
  state(): Promise<MirrorState | null>
  /** Changes members of the state; the first call must give all. */
  setState(change: Partial<MirrorState>): Promise<void>
  /** Deletes the whole copy, e.g. for another account. */
  clear(): Promise<void>

  /** Returns a number for a read that begins now. Numbers rise across all replicas. */
  beginRead(): Promise<number>
  /**
   * Stores objects of one read in one transaction. An object that differs from what another read stored after this read began is left as it
   * is and marked stale, because it is unknown which of both reads is newer. Settles stale marks lower than `begun`, and marks the touched
   * customers as unsummed.
   */
  save<K extends MirroredKind>(kind: K, objects: readonly Mirrored[K][], begun: number): Promise<MirrorSaved>
  /** Removes objects that the processor does not have any more, under the same rule. */
  remove(kind: MirroredKind, ids: readonly string[], begun: number): Promise<MirrorSaved>
  /** Marks objects stale, and moves the event cursor, in one transaction. Without cursor: a delivery, which the poll will see again. */
  markStale(
    refs: readonly (MirrorRef & { readonly since: number })[],
    cursor?: { readonly event: string; readonly readUntil: number },
  ): Promise<void>
  /** Returns stale objects, oldest mark first. */
  stale(limit: number): Promise<readonly StaleObject[]>
  /** Time of the oldest stale mark; null if nothing is stale. */
  oldestStale(): Promise<number | null>
  staleCount(): Promise<number>

  find<K extends MirroredKind>(kind: K, id: string): Promise<Mirrored[K] | null>
  /** Returns objects of a kind with ids above `after`, ascending by id, e.g. for a comparison. */
  page<K extends MirroredKind>(kind: K, after: string | null, limit: number): Promise<readonly Mirrored[K][]>
  /**
   * Returns objects that happened at `from` or later and before `to`, oldest first: invoices by their finalization, other kinds by their
   * creation. The next page begins after the last object of this one.
   */
  happened<K extends 'subscription' | 'invoice' | 'credit_note' | 'refund'>(
    kind: K,
    time: { readonly from: number; readonly to: number },
    page: { readonly after: { readonly at: number; readonly id: string } | null; readonly limit: number },
  ): Promise<readonly { readonly at: number; readonly object: Mirrored[K] }[]>
  /** Returns what was refunded of each invoice, in its minor units; invoices without refunds are omitted. */
  refundedOf(invoices: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Subscriptions of a customer, ended ones included, oldest first. */
  subscriptionsOf(customer: ProcessorId): Promise<readonly MirroredSubscription[]>
  /** A page of a customer's finalized invoices, newest first, with what was refunded of each. */
  invoicesOf(
    customer: ProcessorId,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{
    readonly items: readonly (MirroredInvoice & { readonly amountRefunded: number })[]
    readonly total: number
  }>
  /** Items on these prices of subscriptions that have not ended, ascending by tenant id (without tenant last), then subscription. */
  subscribers(
    prices: readonly ProcessorId[],
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly StoredSubscriber[]; readonly total: number }>
  /** Rows (item, subscription, tenant) on these prices without paging, for sums; only ids, quantities, status and currency. */
  usesOf(prices: readonly ProcessorId[]): Promise<readonly PriceUse[]>
  /** Returns all prices of items of subscriptions that have not ended, ascending. */
  pricesInUse(): Promise<readonly ProcessorId[]>
  /** Number of subscriptions by status. */
  countByStatus(): Promise<Readonly<Record<string, number>>>
  /** Open and uncollectible invoices of a customer, oldest first. */
  unpaidInvoicesOf(customer: ProcessorId): Promise<readonly MirroredInvoice[]>
  /**
   * Stores sums of customers, see CustomerStanding, for the lists of tenants as well. `marked` is the mark that {@link unsummed} returned
   * before the objects of the sums were read; a later mark stays.
   */
  saveStandings(standings: readonly (CustomerStanding & Pick<Unsummed, 'marked'>)[]): Promise<void>
  standing(customer: ProcessorId): Promise<CustomerStanding | null>
  /** Returns standings of customers above `after`, ascending, e.g. for sums of the account. */
  standings(after: ProcessorId | null, limit: number): Promise<readonly CustomerStanding[]>
  /** Returns customers whose standing is older than their objects, oldest first. */
  unsummed(limit: number): Promise<readonly Unsummed[]>
}

/** One item on a price, for sums. */
export interface PriceUse {
  readonly price: ProcessorId
  readonly subscription: string
  readonly customer: ProcessorId
  readonly tenantId: string | null
  readonly status: string
  readonly paused: boolean
  readonly currency: string
  readonly quantity: number | null
}
