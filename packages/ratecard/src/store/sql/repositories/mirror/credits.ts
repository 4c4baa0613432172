// Credit grants of the mirror with their balances, and the queue of payments whose credits are not granted yet.
import { sql } from 'kysely'
import type { ProcessorId } from '../../../../catalog/resource.ts'
import type { MirrorObjectRow, MirrorPaidRow, StoredCreditGrant, PaidObject } from '../../../records/mirror.ts'
import { inBatches } from '../../database/queries.ts'
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

export function sqlCredits(database: Database) {
  return {
    /** Returns payments whose credits are not granted yet. Leaves out payments whose next attempt is later than `now`. */
    paid: (now: number, limit: number): Promise<readonly PaidObject[]> =>
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

    /**
     * Returns the time of the earliest next attempt to grant the credits of a payment; 0 if a payment was not tried yet. Returns null if no
     * payment is waiting.
     */
    nextPaidAt: (): Promise<number | null> =>
      database.read(async (db) => {
        const row = await db
          .selectFrom('mirrorPaid')
          .select((eb) => eb.fn.min<number | null>(sql`coalesce(retry_at, 0)`).as('next'))
          .executeTakeFirst()
        return row?.next ?? null
      }),

    /** Removes payments from the queue in one transaction. A payment that was stored again since it was read stays. */
    settlePaid: (paid: readonly PaidObject[]): Promise<void> =>
      database.write(async (db) => {
        for (const one of paid) await wherePaidObject(db.deleteFrom('mirrorPaid'), one).execute()
      }),

    /** Sets the time of the next attempt. */
    postponePaid: (paid: PaidObject, retryAt: number): Promise<void> =>
      database.write(async (db) => {
        await wherePaidObject(db.updateTable('mirrorPaid').set({ retryAt }), paid).execute()
      }),

    /** Returns the customer's credit grants, oldest first. */
    grantsOf: (customer: ProcessorId): Promise<readonly StoredCreditGrant[]> =>
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

function wherePaidObject<Query extends Filtered<Query>>(query: Query, { kind, id, marked }: PaidObject): Query {
  return query.where('kind', '=', kind).where('id', '=', id).where('marked', '=', marked)
}
