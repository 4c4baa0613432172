// Counts of the mirror's reads at the processor by day, and the number of payments. The more payments, the more reads the processor allows.
import { sql } from 'kysely'
import type { ReadConnection, Write } from '../../database/database.ts'

/** Retention of read counts in days. The number of allowed reads is computed over thirty days. */
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

/**
 * Returns the number of paid invoices since `time`. Invoices with an amount of zero are counted too, although they have no payment, because
 * there are only a few.
 */
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
