// The mirror (the copy of the processor's customers) in the database: its progress, numbered reads and saves, stale marks and sums.
import type { Clock } from '../../../../base/clock.ts'
import type { ProcessorId } from '../../../../catalog/resource.ts'
import type { Mirrored, MirroredKind, MirroredSubscription, MirroredInvoice } from '../../../../processor/mirrored.ts'
import type {
  MirrorObjectRow,
  MirrorStateRow,
  BilledObject,
  StoredSubscriber,
  FreeSubscriber,
  TaxedSubscription,
  PriceUse,
  DiscountedSubscription,
  ComparisonPlace,
  FailedRead,
  MirrorRef,
  MirrorSaved,
  MirrorState,
  StaleObject,
  Unsummed,
  PaidBy,
} from '../../../records/mirror.ts'
import type { Database, Write } from '../../database/database.ts'
import { refreshListingsOf } from '../tenants/listings.ts'
import { failRead, markStale, nextNumber, oldestStale, skippedObjects, staleObjects } from './marks.ts'
import { addDifferences, removeDifferences, takeDifferences, unlistedObjects } from './differences.ts'
import { addReads, paymentsSince, readsSince } from './read-counts.ts'
import * as reads from './reads.ts'
import { goneRow, objectRow } from './rows.ts'
import { saveObjects } from './save-objects.ts'
import { subscribersOf, type On } from './subscribers.ts'
import { findStanding, saveStandings, standingPage, readUnsummed } from './standings.ts'
import type { CustomerStanding } from '../../../records/billing-status.ts'

interface Page {
  readonly limit: number
  readonly offset: number
}

/**
 * Tables that are emptied before another account is copied. The counter of read numbers continues; otherwise a read of the former account
 * could look newer than one of the new account.
 */
const copies = [
  'mirrorState',
  'mirrorObjects',
  'mirrorItems',
  'mirrorPayments',
  'mirrorCreditMoves',
  'mirrorPaid',
  'mirrorStale',
  'mirrorDifferences',
  'mirrorStandings',
  'mirrorUnsummed',
  'mirrorItemSums',
  'mirrorRevenue',
  'mirrorKeptDays',
  'mirrorDays',
] as const

export class SqlMirror {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async state(): Promise<MirrorState | null> {
    const row = await this.#database.read((db) => db.selectFrom('mirrorState').selectAll().executeTakeFirst())
    return row === undefined ? null : stateOf(row)
  }

  /** Changes members of the mirror's state. The first call creates the row, so it must contain all members. */
  async setState(change: Partial<MirrorState>): Promise<void> {
    await this.#database.write((db) => changeState(this.#database, db, change))
  }

  /** Stores the position of a new comparison, in one transaction with the event cursor if one is given. */
  async beginComparison(place: ComparisonPlace, eventCursor?: string): Promise<void> {
    await this.#database.write(async (db) => {
      await db.deleteFrom('mirrorDifferences').execute()
      const change = { comparing: place, ...(eventCursor === undefined ? {} : { eventCursor }) }
      await changeState(this.#database, db, change)
    })
  }

  /**
   * Stores objects as differences: objects that the comparison changed, and objects that were in no list. If an event later marks such an
   * object as stale, it is no longer a difference.
   */
  async addDifferences(refs: readonly MirrorRef[]): Promise<void> {
    await this.#database.write((db) => addDifferences(db, refs))
  }

  /** Ends the comparison at the time `comparedAt`, and adds its differences to the corrections. Returns the number of differences. */
  async endComparison(comparedAt: number): Promise<number> {
    return this.#database.write(async (db) => {
      const differences = await takeDifferences(db)
      const { corrections } = await db.selectFrom('mirrorState').select('corrections').executeTakeFirstOrThrow()
      const change = { comparing: null, comparedAt, corrections: corrections + differences }
      await changeState(this.#database, db, change)
      return differences
    })
  }

  /**
   * Returns up to `limit` stored objects of a kind that no list of the comparison contained: they are not marked stale, and the number of
   * their last read is lower than `number`. `last` is the position for the next call; null after the last object. Deleted customers are
   * left out, because they stay in the copy although no list contains them.
   */
  async unlisted(
    kind: MirroredKind,
    number: number,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<{ readonly refs: readonly MirrorRef[]; readonly last: string | null }> {
    return this.#database.read((db) => unlistedObjects(db, kind, number, page))
  }

  /** Deletes all mirrored objects, e.g. before another account is copied. */
  async clear(): Promise<void> {
    await this.#database.write(async (db) => {
      for (const table of copies) await db.deleteFrom(table).execute()
    })
  }

  /**
   * Begins a read and returns its sequence number, to be passed to `save` or `remove` as `begun`. The numbers increase across all replicas.
   */
  async beginRead(): Promise<number> {
    return nextNumber(this.#database)
  }

  /**
   * Stores objects of one read in one transaction. Another read may have stored different content after this read began. Then that content
   * stays and the object is marked stale, because it is unknown which read is newer. Removes stale marks with a number below `begun`, and
   * marks the sums of the affected customers as outdated.
   */
  async save<K extends MirroredKind>(kind: K, objects: readonly Mirrored[K][], begun: number): Promise<MirrorSaved> {
    return this.#store(kind, begun, (ended) => objects.map((object) => objectRow(kind, object, ended)))
  }

  /**
   * Removes objects that the processor no longer has. If another read stored such an object after this read began, the object is kept and
   * marked as stale.
   */
  async remove(kind: MirroredKind, ids: readonly string[], begun: number): Promise<MirrorSaved> {
    return this.#store(kind, begun, (ended) => ids.map((id) => goneRow(kind, id, ended)))
  }

  /**
   * Marks objects as stale and moves the event cursor, in one transaction. No cursor is given for an event that came by webhook, because
   * the poll of events will read it again.
   */
  async markStale(
    refs: readonly (MirrorRef & { readonly since: number })[],
    cursor?: { readonly event: string; readonly readUntil: number },
  ): Promise<void> {
    const marked = await nextNumber(this.#database)
    await this.#database.write(async (db) => {
      await markStale(db, refs, marked)
      await removeDifferences(db, refs)
      if (cursor !== undefined)
        await changeState(this.#database, db, { eventCursor: cursor.event, readUntil: cursor.readUntil })
    })
  }

  /** Returns stale objects, oldest mark first. With `dueAt` (epoch milliseconds), leaves out objects whose next attempt is later. */
  async stale(limit: number, dueAt?: number): Promise<readonly StaleObject[]> {
    return this.#database.read((db) => staleObjects(db, limit, dueAt))
  }

  /** Records that a stale object could not be read. Does nothing if the object is no longer stale. */
  async failRead(ref: MirrorRef, failed: FailedRead): Promise<void> {
    await this.#database.write((db) => failRead(db, ref, failed))
  }

  /** Returns the object with the oldest stale mark; null if there is none. Skipped objects are ignored. */
  async oldestStale(): Promise<StaleObject | null> {
    return this.#database.read((db) => oldestStale(db))
  }

  /** Returns the objects that cannot be read and are skipped (up to `limit`), oldest mark first, and their number. */
  async skipped(limit: number): Promise<{ readonly items: readonly StaleObject[]; readonly total: number }> {
    return this.#database.read((db) => skippedObjects(db, limit))
  }

  /** Returns the number of stale objects, skipped ones included. */
  async staleCount(): Promise<number> {
    const { count } = await this.#database.read((db) =>
      db
        .selectFrom('mirrorStale')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    )
    return count
  }

  async addReads(day: number, reads: number): Promise<void> {
    await this.#database.write((db) => addReads(db, day, reads))
  }

  async readsSince(day: number): Promise<number> {
    return this.#database.read((db) => readsSince(db, day))
  }

  async paymentsSince(time: number): Promise<number> {
    return this.#database.read((db) => paymentsSince(db, time))
  }

  async find<K extends MirroredKind>(kind: K, id: string): Promise<Mirrored[K] | null> {
    return this.#database.read((db) => reads.findObject(db, kind, id))
  }

  /** Returns objects of a kind with ids above `after`, ascending by id, e.g. for a comparison. */
  async page<K extends MirroredKind>(kind: K, after: string | null, limit: number): Promise<readonly Mirrored[K][]> {
    return this.#database.read((db) => reads.objectPage(db, kind, after, limit))
  }

  /**
   * Returns objects dated `from` or later and before `to`, oldest first. An invoice is dated by its finalization, a purchase by its payment
   * (it has no date if it has an invoice), any other object by its creation. For the next page, pass the last object of this one.
   */
  async happened<K extends 'subscription' | 'invoice' | 'purchase' | 'credit_note' | 'refund'>(
    kind: K,
    time: { readonly from: number; readonly to: number },
    page: { readonly after: { readonly at: number; readonly id: string } | null; readonly limit: number },
  ): Promise<readonly { readonly at: number; readonly object: Mirrored[K] }[]> {
    return this.#database.read((db) => reads.objectsBetween(db, kind, time, page))
  }

  /** Returns the refunded amount of each invoice or purchase in minor units. `payments` are the payment intents and charges that paid it. */
  async refundedOf(paid: readonly PaidBy[]): Promise<ReadonlyMap<string, number>> {
    return this.#database.read((db) => reads.refundedOf(db, paid))
  }

  /** Returns the subscriptions of a customer, ended ones included, oldest first. */
  async subscriptionsOf(customer: ProcessorId): Promise<readonly MirroredSubscription[]> {
    return this.#database.read((db) => reads.subscriptionsOf(db, customer))
  }

  /** Returns a page of a customer's finalized invoices and of the purchases without an invoice, newest first. */
  async billedTo(
    customer: ProcessorId,
    page: Page,
  ): Promise<{ readonly items: readonly BilledObject[]; readonly total: number }> {
    return this.#database.read((db) => reads.billedTo(db, customer, page))
  }

  /** Returns the open and uncollectible invoices of a customer, oldest first. */
  async unpaidInvoicesOf(customer: ProcessorId): Promise<readonly MirroredInvoice[]> {
    return this.#database.read((db) => reads.unpaidInvoicesOf(db, customer))
  }

  /**
   * Returns a page of subscribers: items on these prices, and running free subscriptions to `freePrice` (null for none). Items of ended
   * subscriptions are left out. Sorted by tenant id (items without a tenant last), then by subscription.
   */
  async subscribers(
    on: On,
    page: Page,
  ): Promise<{ readonly items: readonly (StoredSubscriber | FreeSubscriber)[]; readonly total: number }> {
    return this.#database.read((db) => subscribersOf(db, on, page))
  }

  /** Returns the subscriptions that charge one of these tax rates and have not ended, sorted by id. */
  async taxedWith(rates: readonly ProcessorId[]): Promise<readonly TaxedSubscription[]> {
    return this.#database.read((db) => reads.taxedWith(db, rates))
  }

  /**
   * Returns all items on these prices in one list, to compute sums. Items of ended subscriptions are left out. Each item has only ids,
   * quantity, status and currency.
   */
  async usesOf(prices: readonly ProcessorId[]): Promise<readonly PriceUse[]> {
    return this.#database.read((db) => reads.usesOf(db, prices))
  }

  /**
   * Returns the subscriptions on these prices that have a discount for ever: of their own, of an item, or of their customer. Subscriptions that have
   * ended are left out.
   */
  async discountedOn(prices: readonly ProcessorId[]): Promise<readonly DiscountedSubscription[]> {
    return this.#database.read((db) => reads.discountedOn(db, prices))
  }

  /** Returns the prices of all items, ascending. Items of ended subscriptions are left out. */
  async pricesInUse(): Promise<readonly ProcessorId[]> {
    return this.#database.read((db) => reads.pricesInUse(db))
  }

  /** Returns the customers whose metadata names the tenant, ascending by id. */
  async markedWith(tenantId: string): Promise<readonly ProcessorId[]> {
    return this.#database.read((db) => reads.markedWith(db, tenantId))
  }

  /** Returns customers whose metadata names a tenant, with ids above `after`, ascending by id. */
  async marked(
    after: string | null,
    limit: number,
  ): Promise<readonly { readonly id: ProcessorId; readonly tenant: string }[]> {
    return this.#database.read((db) => reads.readMarked(db, after, limit))
  }

  /** Returns the number of subscriptions by status. */
  async countByStatus(): Promise<Readonly<Record<string, number>>> {
    return this.#database.read((db) => reads.countByStatus(db))
  }

  /**
   * Stores the sums of customers and updates the lists of tenants. `marked` is the number of the mark that {@link readUnsummed} returned before
   * the objects were read. If the customer has a later mark, that mark stays, because the customer's objects changed after they were read.
   */
  async saveStandings(standings: readonly (CustomerStanding & Pick<Unsummed, 'marked'>)[]): Promise<void> {
    await this.#database.write(async (db) => {
      await saveStandings(db, standings)
      const customers = standings.map(({ customer }) => customer)
      await refreshListingsOf(this.#database, db, customers)
    })
  }

  async standing(customer: ProcessorId): Promise<CustomerStanding | null> {
    return this.#database.read((db) => findStanding(db, customer))
  }

  /** Returns the sums of customers with ids above `after`, ascending by id, e.g. for the sums of the account. */
  async standings(after: ProcessorId | null, limit: number): Promise<readonly CustomerStanding[]> {
    return this.#database.read((db) => standingPage(db, after, limit))
  }

  /** Returns customers whose sums are outdated because their objects changed, oldest mark first. */
  async unsummed(limit: number): Promise<readonly Unsummed[]> {
    return this.#database.read((db) => readUnsummed(db, limit))
  }

  async #store(
    kind: MirroredKind,
    begun: number,
    rowsOf: (ended: number) => readonly MirrorObjectRow[],
  ): Promise<MirrorSaved> {
    const ended = await nextNumber(this.#database)
    const request = { kind, rows: rowsOf(ended), begun, ended, now: this.#clock.now() }
    return this.#database.write((db) => saveObjects(this.#database, db, request))
  }
}

async function changeState(database: Database, db: Write, change: Partial<MirrorState>): Promise<void> {
  const row = await database.locked(db.selectFrom('mirrorState').selectAll()).executeTakeFirst()
  const state: Partial<MirrorState> = { ...(row === undefined ? {} : stateOf(row)), ...change }
  const { account, eventCursor, filling, comparing = null, corrections = 0 } = state
  const { readUntil = null, beganAt = null, comparedAt = null } = state
  if (account === undefined || eventCursor === undefined || filling === undefined)
    throw new Error('The first state of the mirror must have all members.')
  const next = {
    account,
    eventCursor,
    filling: filling === null ? null : JSON.stringify(filling),
    readUntil,
    beganAt,
    comparedAt,
    comparing: comparing === null ? null : JSON.stringify(comparing),
    corrections,
  }
  await db
    .insertInto('mirrorState')
    .values({ id: 1, ...next })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(next))
    .execute()
}

function stateOf({ id: _id, filling, comparing, ...rest }: MirrorStateRow): MirrorState {
  return {
    ...rest,
    filling: filling === null ? null : (JSON.parse(filling) as MirrorState['filling']),
    comparing: comparing === null ? null : (JSON.parse(comparing) as MirrorState['comparing']),
  }
}
