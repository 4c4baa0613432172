import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { UnbilledUsage } from '../../../records/tenants.ts'

/** Retention of the counts in days. `doctor` reads the last 30. */
const keptDays = 40

export function sqlUnbilledUsage(database: Database) {
  return {
    /** Counts one report. Deletes counts that are more than 40 days older than `day`. */
    add: (tenantId: string, meter: string, day: number): Promise<void> =>
      database.write(async (db) => {
        await db
          .insertInto('unbilledUsage')
          .values({ tenantId, meter, day, reports: 1 })
          .onConflict((conflict) =>
            conflict
              .columns(['tenantId', 'meter', 'day'])
              .doUpdateSet({ reports: sql`unbilled_usage.reports + excluded.reports` }),
          )
          .execute()
        await db
          .deleteFrom('unbilledUsage')
          .where('day', '<', day - keptDays)
          .execute()
      }),

    /** Removes the counts of unbilled reports of a tenant and meter from `day` on, after that usage turned out to be billed. */
    remove: (tenantId: string, meter: string, day: number): Promise<void> =>
      database.write(async (db) => {
        await db
          .deleteFrom('unbilledUsage')
          .where('tenantId', '=', tenantId)
          .where('meter', '=', meter)
          .where('day', '>=', day)
          .execute()
      }),

    /** Returns the number of reports on this day and later by tenant and meter, most reports first. */
    since: (day: number): Promise<readonly UnbilledUsage[]> =>
      database.read(async (db) => {
        const rows = await db
          .selectFrom('unbilledUsage')
          .select((eb) => ['tenantId', 'meter', eb.fn.sum<number | string>('reports').as('reports')])
          .where('day', '>=', day)
          .groupBy(['tenantId', 'meter'])
          .orderBy('reports', 'desc')
          .orderBy('tenantId')
          .orderBy('meter')
          .execute()
        // PostgreSQL returns a sum of bigints as text.
        return rows.map((row) => ({ ...row, reports: Number(row.reports) }))
      }),
  }
}
