// Reads at the processor by day, and the payments that raise the allocation of reads.
import { sql } from 'kysely'
import type { ReadConnection, Write } from '../../database/database.ts'

/** Days that are kept: the allocation counts thirty. */
const keptDays = 40

export async function addReads(db: Write, day: number, reads: number): Promise<void> {
  await db
    .insertInto('mirrorReads')
    .values({ day, reads })
    .onConflict((conflict) => conflict.column('day').doUpdateSet({ reads: sql`mirror_reads.reads + excluded.reads` }))
    .execute()
  await db
    .deleteFrom('mirrorReads')
    .where('day', '<', day - keptDays)
    .execute()
}

export async function readsSince(db: ReadConnection, day: number): Promise<number> {
  const rows = await db.selectFrom('mirrorReads').select('reads').where('day', '>=', day).execute()
  return rows.reduce((sum, { reads }) => sum + reads, 0)
}

/** Invoices without an amount are paid without a payment; they are few, and counted as well. */
export async function paymentsSince(db: ReadConnection, time: number): Promise<number> {
  const { count } = await db
    .selectFrom('mirrorObjects')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('kind', '=', 'invoice')
    .where('status', '=', 'paid')
    .where('happenedAt', '>=', time)
    .executeTakeFirstOrThrow()
  return count
}
