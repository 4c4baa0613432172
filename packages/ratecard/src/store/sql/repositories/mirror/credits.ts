// Credit grants of the mirror with their balances, and the queue of payments whose credits are not granted yet.
import { sql } from 'kysely'
import type { ProcessorId } from '../../../../catalog/resource.ts'
import type { CreditStore, PaidObject } from '../../../credit-store.ts'
import type { MirrorObjectRow, MirrorPaidRow } from '../../../records/mirror.ts'
import { inBatches } from '../../database/batches.ts'
import type { Database, Write } from '../../database/database.ts'
import { objectOf } from './rows.ts'

/** Adds payments to the queue, in the transaction that stores them in the mirror. */
export async function addPaid(db: Write, rows: readonly MirrorObjectRow[], marked: number): Promise<void> {
  const values = rows.map(({ kind, id }) => ({ kind: kind as MirrorPaidRow['kind'], id, marked, retryAt: null }))
  await inBatches(values, (slice) =>
    db
      .insertInto('mirrorPaid')
      .values(slice)
      .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet({ marked, retryAt: null }))
      .execute(),
  )
}

export function sqlCredits(database: Database): CreditStore {
  return {
    paid: (now, limit) =>
      database.read((db) =>
        db
          .selectFrom('mirrorPaid')
          .select(['kind', 'id', 'marked'])
          .where((eb) => eb.or([eb('retryAt', 'is', null), eb('retryAt', '<=', now)]))
          .orderBy('marked')
          .orderBy('id')
          .limit(limit)
          .execute(),
      ),

    nextPaidAt: () =>
      database.read(async (db) => {
        const row = await db
          .selectFrom('mirrorPaid')
          .select((eb) => eb.fn.min<number | null>(sql`coalesce(retry_at, 0)`).as('next'))
          .executeTakeFirst()
        return row?.next ?? null
      }),

    settlePaid: (paid) =>
      database.write(async (db) => {
        for (const one of paid) await matching(db.deleteFrom('mirrorPaid'), one).execute()
      }),

    postponePaid: (paid, retryAt) =>
      database.write(async (db) => {
        await matching(db.updateTable('mirrorPaid').set({ retryAt }), paid).execute()
      }),

    grantsOf: (customer: ProcessorId) =>
      database.read(async (db) => {
        const rows = await db
          .selectFrom('mirrorObjects as object')
          .select('object.object')
          .select((eb) =>
            eb
              .selectFrom('mirrorCreditMoves as move')
              .whereRef('move.creditGrant', '=', 'object.id')
              .select((inner) => inner.fn.sum<number | string | null>('move.amount').as('moved'))
              .as('moved'),
          )
          .select((eb) =>
            eb
              .selectFrom('mirrorCreditMoves as move')
              .innerJoin('mirrorObjects as transaction', 'transaction.id', 'move.id')
              .whereRef('move.creditGrant', '=', 'object.id')
              .where('transaction.kind', '=', 'credit_transaction')
              .where('transaction.object', 'like', '%"reason":"expired"%')
              .select((inner) => inner.fn.sum<number | string | null>('move.amount').as('lapsed'))
              .as('lapsed'),
          )
          .where('object.kind', '=', 'credit_grant')
          .where('object.customer', '=', customer)
          .orderBy('object.happenedAt')
          .orderBy('object.id')
          .execute()
        // PostgreSQL returns the sum as text.
        return rows.flatMap(({ moved, lapsed, ...row }) => {
          const grant = objectOf<'credit_grant'>(row)
          if (grant === null) return []
          return [{ ...grant, remaining: grant.amount + Number(moved ?? 0), lapsed: Math.abs(Number(lapsed ?? 0)) }]
        })
      }),
  }
}

interface Filtered<Query> {
  where(column: 'kind', operator: '=', value: PaidObject['kind']): Query
  where(column: 'id', operator: '=', value: string): Query
  where(column: 'marked', operator: '=', value: number): Query
}

function matching<Query extends Filtered<Query>>(query: Query, { kind, id, marked }: PaidObject): Query {
  return query.where('kind', '=', kind).where('id', '=', id).where('marked', '=', marked)
}
