import { sql } from 'kysely'
import type { UnbilledUsageStore } from '../../../tenant-store.ts'
import type { Database } from '../../database/database.ts'

/** Retention of the counts in days. `doctor` reads the last 30. */
const keptDays = 40

export function sqlUnbilledUsage(database: Database): UnbilledUsageStore {
  return {
    add: (tenantId, meter, day) =>
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

    remove: (tenantId, meter, day) =>
      database.write(async (db) => {
        await db
          .deleteFrom('unbilledUsage')
          .where('tenantId', '=', tenantId)
          .where('meter', '=', meter)
          .where('day', '>=', day)
          .execute()
      }),

    since: (day) =>
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
