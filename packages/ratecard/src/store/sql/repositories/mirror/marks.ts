// Stale marks of objects, and marks of customers whose sums are outdated. Each mark has a number. It is removed by a read (or computation)
// that began with a higher number.
import { sql } from 'kysely'
import type { MirroredKind } from '../../../../processor/mirrored.ts'
import { inBatches } from '../../database/queries.ts'
import type { Database, ReadConnection, Write } from '../../database/database.ts'
import type { FailedRead, MirrorRef, StaleObject } from '../../../records/mirror.ts'

/**
 * Returns the next number for a read or a stale mark. Runs in its own transaction, because the counter's row stays locked until the
 * transaction ends.
 */
export async function nextNumber(database: Database): Promise<number> {
  return database.write(takeNumber)
}

async function takeNumber(db: Write): Promise<number> {
  const { last } = await db
    .updateTable('mirrorNumbers')
    .set((eb) => ({ last: eb('last', '+', 1) }))
    .returning('last')
    .executeTakeFirstOrThrow()
  return last
}

/**
 * Marks the sums of a customer as outdated, because the customer now belongs to a tenant. Another transaction that stores the sums at the
 * same time may not see the tenant yet. Because of the mark, the sums are computed again.
 */
export async function markOwned(db: Write, customer: string): Promise<void> {
  await markUnsummed(db, [customer], await takeNumber(db))
}

export async function markStale(
  db: Write,
  refs: readonly (MirrorRef & { readonly since: number })[],
  marked: number,
): Promise<void> {
  const oldest = new Map<string, MirrorRef & { readonly since: number }>()
  for (const ref of refs) {
    const key = `${ref.kind} ${ref.id}`
    if ((oldest.get(key)?.since ?? Infinity) > ref.since) oldest.set(key, ref)
  }
  // The rows are sorted, so that concurrent transactions lock them in the same order and cannot deadlock.
  const rows = [...oldest]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { kind, id, since }]) => ({ kind, id, since, marked, ...unread }))
  await inBatches(rows, (slice) =>
    db
      .insertInto('mirrorStale')
      .values(slice)
      .onConflict((conflict) =>
        conflict.columns(['kind', 'id']).doUpdateSet({
          marked: sql`case when excluded.marked > mirror_stale.marked then excluded.marked else mirror_stale.marked end`,
          since: sql`case when excluded.since < mirror_stale.since then excluded.since else mirror_stale.since end`,
        }),
      )
      .execute(),
  )
}

const unread = { attempts: 0, retryAt: null, skipped: 0, error: null }

const staleColumns = ['kind', 'id', 'marked', 'since', 'attempts', 'error'] as const

export async function staleObjects(
  db: ReadConnection,
  limit: number,
  dueAt: number | undefined,
): Promise<readonly StaleObject[]> {
  return db
    .selectFrom('mirrorStale')
    .select(staleColumns)
    .$if(dueAt !== undefined, (query) =>
      query.where((eb) => eb.or([eb('retryAt', 'is', null), eb('retryAt', '<=', dueAt ?? 0)])),
    )
    .orderBy('since')
    .orderBy('marked')
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function failRead(db: Write, { kind, id }: MirrorRef, failed: FailedRead): Promise<void> {
  await db
    .updateTable('mirrorStale')
    .set({ ...failed, skipped: failed.skipped ? 1 : 0 })
    .where('kind', '=', kind)
    .where('id', '=', id)
    .execute()
}

export async function oldestStale(db: ReadConnection): Promise<StaleObject | null> {
  const row = await db
    .selectFrom('mirrorStale')
    .select(staleColumns)
    .where('skipped', '=', 0)
    .orderBy('since')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

export async function skippedObjects(
  db: ReadConnection,
  limit: number,
): Promise<{ readonly items: readonly StaleObject[]; readonly total: number }> {
  const skipped = db.selectFrom('mirrorStale').where('skipped', '=', 1)
  const { total } = await skipped.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const items = await skipped.select(staleColumns).orderBy('since').orderBy('id').limit(limit).execute()
  return { items, total }
}

export async function settleStale(db: Write, kind: MirroredKind, ids: readonly string[], begun: number): Promise<void> {
  await inBatches(ids, (slice) =>
    db
      .deleteFrom('mirrorStale')
      .where('kind', '=', kind)
      .where('id', 'in', slice)
      .where('marked', '<', begun)
      .execute(),
  )
}

export async function markUnsummed(db: Write, customers: readonly string[], marked: number): Promise<void> {
  await inBatches([...new Set(customers)].sort(), (slice) =>
    db
      .insertInto('mirrorUnsummed')
      .values(slice.map((customer) => ({ customer, marked })))
      .onConflict((conflict) =>
        conflict.column('customer').doUpdateSet({
          marked: sql`case when excluded.marked > mirror_unsummed.marked then excluded.marked else mirror_unsummed.marked end`,
        }),
      )
      .execute(),
  )
}
