// Stores the objects of one read. An older state of an object never replaces a newer one. Reads and saves are numbered by one counter, so
// no clock is needed to compare them.
import type {
  MirroredCreditTransaction,
  MirroredKind,
  MirroredInvoice,
  MirroredRefund,
  MirroredSubscription,
} from '../../../../processor/mirrored.ts'
import type { MirrorObjectRow, MirrorRef, MirrorSaved } from '../../../records/mirror.ts'
import { inBatches } from '../../database/queries.ts'
import type { Database, Write } from '../../database/database.ts'
import {
  creditMoveRows,
  customersOf,
  isPaid,
  isSameContent,
  isSummed,
  itemRows,
  objectOf,
  paymentRows,
} from './rows.ts'
import { addPaid } from './credits.ts'
import { markStale, markUnsummed, settleStale } from './marks.ts'

export interface SaveRequest {
  readonly kind: MirroredKind
  readonly rows: readonly MirrorObjectRow[]
  /** Number that the read got when it began. */
  readonly begun: number
  /** Number that the read got when it ended. */
  readonly ended: number
  /** Time of the save, epoch milliseconds. */
  readonly now: number
}

export async function saveObjects(database: Database, db: Write, request: SaveRequest): Promise<MirrorSaved> {
  const { kind, begun, ended, now } = request
  // Removes duplicates, because a list that shifts while it is read can contain an object twice. Sorts the rows, because every transaction
  // must lock them in the same order.
  const rows = [...new Map(request.rows.map((row) => [row.id, row])).values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  const before = await storedRows(database, db, kind, rows)
  const stored = await storeRows(db, rows, begun, before)
  const overlapped = rows.filter(({ id }) => !stored.has(id))
  const settled = rows.filter(({ id }) => stored.has(id))
  const changed = settled.filter(({ id, object }) => !isSameContent(kind, before.get(id)?.object ?? null, object))
  const marked = await markedAmong(db, kind, changed)
  await replaceParts(db, kind, changed)
  await addPaid(db, changed.filter(isPaid), ended)
  await settleStale(
    db,
    kind,
    settled.map(({ id }) => id),
    begun,
  )
  await markStale(
    db,
    overlapped.map(({ id }) => ({ kind, id, since: now })),
    ended,
  )
  const touched = changed.flatMap((row) => [row, before.get(row.id) ?? row])
  if (isSummed(kind)) await markUnsummed(db, customersOf(touched), ended)
  if (kind === 'price') await markUnsummed(db, await customersOn(db, changed), ended)
  const refs = (list: readonly MirrorObjectRow[]): readonly MirrorRef[] => list.map(({ id }) => ({ kind, id }))
  return {
    overlapped: refs(overlapped),
    unannounced: refs(changed.filter(({ id }) => !marked.has(id))),
  }
}

async function markedAmong(db: Write, kind: MirroredKind, rows: readonly MirrorObjectRow[]) {
  const marked = new Set<string>()
  await inBatches(rows, async (slice) => {
    const ids = slice.map(({ id }) => id)
    const found = await db
      .selectFrom('mirrorStale')
      .select('id')
      .where('kind', '=', kind)
      .where('id', 'in', ids)
      .execute()
    for (const { id } of found) marked.add(id)
  })
  return marked
}

type StoredRow = Pick<MirrorObjectRow, 'id' | 'object' | 'readAt' | 'customer'>

async function storedRows(database: Database, db: Write, kind: MirroredKind, rows: readonly MirrorObjectRow[]) {
  const stored = new Map<string, StoredRow>()
  await inBatches(rows, async (slice) => {
    const query = db
      .selectFrom('mirrorObjects')
      .select(['id', 'object', 'readAt', 'customer'])
      .where('kind', '=', kind)
      .where(
        'id',
        'in',
        slice.map(({ id }) => id),
      )
      .orderBy('id')
    for (const row of await database.locked(query).execute()) stored.set(row.id, row)
  })
  return stored
}

/**
 * Stores those objects that are certainly newer than the stored state, or identical to it. An object is newer if its read began after the
 * read of the stored state had ended. Returns the ids of the stored objects.
 */
async function storeRows(
  db: Write,
  rows: readonly MirrorObjectRow[],
  begun: number,
  before: ReadonlyMap<string, StoredRow>,
): Promise<ReadonlySet<string>> {
  const stored = new Set<string>()
  // Identical content is stored too, because it has the newer read number. Without that number, a third read that overlaps with this one
  // would not be recognized as overlapping.
  const accepted = rows.filter(({ id, object }) => {
    const present = before.get(id)
    return present === undefined || present.readAt < begun || present.object === object
  })
  await inBatches(accepted, async (slice) => {
    const written = await db
      .insertInto('mirrorObjects')
      .values(slice)
      .onConflict((conflict) =>
        conflict
          .columns(['kind', 'id'])
          .doUpdateSet((eb) => ({
            object: eb.ref('excluded.object'),
            readAt: eb.ref('excluded.readAt'),
            customer: eb.ref('excluded.customer'),
            status: eb.ref('excluded.status'),
            happenedAt: eb.ref('excluded.happenedAt'),
          }))
          // The statement checks the number again, because another transaction may have inserted the row since it was read.
          .where((eb) =>
            eb.or([
              eb('mirrorObjects.readAt', '<', begun),
              eb.and([
                eb('mirrorObjects.readAt', '<', eb.ref('excluded.readAt')),
                eb('mirrorObjects.object', 'is not distinct from', eb.ref('excluded.object')),
              ]),
            ]),
          ),
      )
      .returning('id')
      .execute()
    for (const { id } of written) stored.add(id)
  })
  return stored
}

/** Replaces the rows that are derived from changed objects. */
async function replaceParts(db: Write, kind: MirroredKind, changed: readonly MirrorObjectRow[]): Promise<void> {
  if (kind === 'subscription') {
    await inBatches(changed, (slice) =>
      db
        .deleteFrom('mirrorItems')
        .where(
          'subscription',
          'in',
          slice.map(({ id }) => id),
        )
        .execute(),
    )
    await inBatches(
      changed.flatMap((row) => partsOf(row, (object) => itemRows(object as MirroredSubscription))),
      (slice) => db.insertInto('mirrorItems').values(slice).execute(),
    )
  }
  if (kind === 'credit_transaction') await replaceCreditMoves(db, changed)
  if (kind === 'invoice' || kind === 'refund') {
    await inBatches(changed, (slice) =>
      db
        .deleteFrom('mirrorPayments')
        .where('kind', '=', kind)
        .where(
          'id',
          'in',
          slice.map(({ id }) => id),
        )
        .execute(),
    )
    await inBatches(
      changed.flatMap((row) => partsOf(row, (object) => paymentRows(kind, object as MirroredInvoice | MirroredRefund))),
      (slice) => db.insertInto('mirrorPayments').values(slice).execute(),
    )
  }
}

async function replaceCreditMoves(db: Write, changed: readonly MirrorObjectRow[]): Promise<void> {
  await inBatches(changed, (slice) =>
    db
      .deleteFrom('mirrorCreditMoves')
      .where(
        'id',
        'in',
        slice.map(({ id }) => id),
      )
      .execute(),
  )
  await inBatches(
    changed.flatMap((row) => partsOf(row, (object) => creditMoveRows(object as MirroredCreditTransaction))),
    (slice) => db.insertInto('mirrorCreditMoves').values(slice).execute(),
  )
}

function partsOf<T>(row: MirrorObjectRow, parts: (object: unknown) => readonly T[]): readonly T[] {
  const object = objectOf(row)
  return object === null ? [] : parts(object)
}

/** Returns the customers with an item on one of these prices. Their sums are outdated, because they depend on the price's amounts. */
async function customersOn(db: Write, prices: readonly MirrorObjectRow[]) {
  const customers: { readonly customer: string }[] = []
  await inBatches(prices, async (slice) => {
    customers.push(
      ...(await db
        .selectFrom('mirrorItems')
        .select('customer')
        .distinct()
        .where(
          'price',
          'in',
          slice.map(({ id }) => id),
        )
        .execute()),
    )
  })
  return customersOf(customers)
}
