// The mirror (the copy of the processor's customers) in the database: its progress, numbered reads and saves, stale marks and sums.
import type { Clock } from '../../../../base/clock.ts'
import type { ProcessorId } from '../../../../catalog/resource.ts'
import type { Mirrored, MirroredKind } from '../../../../processor/mirrored.ts'
import type {
  ComparisonPlace,
  CustomerStanding,
  FailedRead,
  MirrorRef,
  MirrorSaved,
  MirrorState,
  MirrorStore,
  StaleObject,
  Unsummed,
} from '../../../mirror-store.ts'
import type { MirrorObjectRow, MirrorStateRow } from '../../../records/mirror.ts'
import type { Database, Write } from '../../database/database.ts'
import { refreshListingsOf } from '../tenants/listings.ts'
import { failRead, markStale, nextNumber, oldestStale, skippedObjects, staleObjects } from './marks.ts'
import { addDifferences, removeDifferences, takeDifferences, unlistedObjects } from './differences.ts'
import { addReads, paymentsSince, readsSince } from './read-counts.ts'
import * as reads from './reads.ts'
import { goneRow, objectRow } from './rows.ts'
import { saveObjects } from './save-objects.ts'
import { subscribersOf } from './subscribers.ts'
import { findStanding, saveStandings, standingPage, unsummed } from './standings.ts'

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

export class SqlMirror implements MirrorStore {
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

  async setState(change: Partial<MirrorState>): Promise<void> {
    await this.#database.write((db) => changeState(this.#database, db, change))
  }

  async beginComparison(place: ComparisonPlace, eventCursor?: string): Promise<void> {
    await this.#database.write(async (db) => {
      await db.deleteFrom('mirrorDifferences').execute()
      const change = { comparing: place, ...(eventCursor === undefined ? {} : { eventCursor }) }
      await changeState(this.#database, db, change)
    })
  }

  async addDifferences(refs: readonly MirrorRef[]): Promise<void> {
    await this.#database.write((db) => addDifferences(db, refs))
  }

  async endComparison(comparedAt: number): Promise<number> {
    return this.#database.write(async (db) => {
      const differences = await takeDifferences(db)
      const { corrections } = await db.selectFrom('mirrorState').select('corrections').executeTakeFirstOrThrow()
      const change = { comparing: null, comparedAt, corrections: corrections + differences }
      await changeState(this.#database, db, change)
      return differences
    })
  }

  async unlisted(
    kind: MirroredKind,
    number: number,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<{ readonly refs: readonly MirrorRef[]; readonly last: string | null }> {
    return this.#database.read((db) => unlistedObjects(db, kind, number, page))
  }

  async clear(): Promise<void> {
    await this.#database.write(async (db) => {
      for (const table of copies) await db.deleteFrom(table).execute()
    })
  }

  async beginRead(): Promise<number> {
    return nextNumber(this.#database)
  }

  async save<K extends MirroredKind>(kind: K, objects: readonly Mirrored[K][], begun: number): Promise<MirrorSaved> {
    return this.#store(kind, begun, (ended) => objects.map((object) => objectRow(kind, object, ended)))
  }

  async remove(kind: MirroredKind, ids: readonly string[], begun: number): Promise<MirrorSaved> {
    return this.#store(kind, begun, (ended) => ids.map((id) => goneRow(kind, id, ended)))
  }

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

  async stale(limit: number, dueAt?: number): Promise<readonly StaleObject[]> {
    return this.#database.read((db) => staleObjects(db, limit, dueAt))
  }

  async failRead(ref: MirrorRef, failed: FailedRead): Promise<void> {
    await this.#database.write((db) => failRead(db, ref, failed))
  }

  async oldestStale(): Promise<StaleObject | null> {
    return this.#database.read((db) => oldestStale(db))
  }

  async skipped(limit: number): Promise<{ readonly items: readonly StaleObject[]; readonly total: number }> {
    return this.#database.read((db) => skippedObjects(db, limit))
  }

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

  async page<K extends MirroredKind>(kind: K, after: string | null, limit: number): Promise<readonly Mirrored[K][]> {
    return this.#database.read((db) => reads.objectPage(db, kind, after, limit))
  }

  async happened<K extends 'subscription' | 'invoice' | 'purchase' | 'credit_note' | 'refund'>(
    kind: K,
    time: { readonly from: number; readonly to: number },
    page: { readonly after: { readonly at: number; readonly id: string } | null; readonly limit: number },
  ) {
    return this.#database.read((db) => reads.objectsBetween(db, kind, time, page))
  }

  async refundedOf(paid: Parameters<MirrorStore['refundedOf']>[0]): Promise<ReadonlyMap<string, number>> {
    return this.#database.read((db) => reads.refundedOf(db, paid))
  }

  async subscriptionsOf(customer: ProcessorId) {
    return this.#database.read((db) => reads.subscriptionsOf(db, customer))
  }

  async billedTo(customer: ProcessorId, page: Page) {
    return this.#database.read((db) => reads.billedTo(db, customer, page))
  }

  async unpaidInvoicesOf(customer: ProcessorId) {
    return this.#database.read((db) => reads.unpaidInvoicesOf(db, customer))
  }

  async subscribers(on: Parameters<MirrorStore['subscribers']>[0], page: Page) {
    return this.#database.read((db) => subscribersOf(db, on, page))
  }

  async taxedWith(rates: readonly ProcessorId[]) {
    return this.#database.read((db) => reads.taxedWith(db, rates))
  }

  async usesOf(prices: readonly ProcessorId[]) {
    return this.#database.read((db) => reads.usesOf(db, prices))
  }

  async discountedOn(prices: readonly ProcessorId[]) {
    return this.#database.read((db) => reads.discountedOn(db, prices))
  }

  async pricesInUse() {
    return this.#database.read((db) => reads.pricesInUse(db))
  }

  async markedWith(tenantId: string) {
    return this.#database.read((db) => reads.markedWith(db, tenantId))
  }

  async marked(after: string | null, limit: number) {
    return this.#database.read((db) => reads.marked(db, after, limit))
  }

  async countByStatus() {
    return this.#database.read((db) => reads.countByStatus(db))
  }

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

  async standings(after: ProcessorId | null, limit: number): Promise<readonly CustomerStanding[]> {
    return this.#database.read((db) => standingPage(db, after, limit))
  }

  async unsummed(limit: number): Promise<readonly Unsummed[]> {
    return this.#database.read((db) => unsummed(db, limit))
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
