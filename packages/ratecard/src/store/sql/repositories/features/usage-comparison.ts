// Reads and stores what the nightly comparison of usage with the processor needs.
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { MeteredTenant, UsageWindow, UsageDifferenceRecord } from '../../../records/features.ts'

/** Maximum time (ms) after which a report is sent again: one day, because the processor knows its identifier for that long. */
const resentMs = 24 * 60 * 60_000
const endOfTime = Number.MAX_SAFE_INTEGER

export function sqlUsageComparison(database: Database) {
  return {
    /**
     * Returns the first tenant and meter with usage within a window, in the order of their ids; with `after`, the next one. Only the meters
     * with these event names are searched.
     */
    next: async (
      after: MeteredTenant | null,
      { from, to }: UsageWindow,
      meters: readonly string[],
    ): Promise<MeteredTenant | null> => {
      if (meters.length === 0) return null
      const row = await database.read((db) =>
        db
          .selectFrom('usageTotals')
          .select(['tenantId', 'meter'])
          .where('rangeStart', '>=', from)
          .where('rangeStart', '<', to ?? endOfTime)
          .where('meter', 'in', meters)
          .$if(after !== null, (query) =>
            query.where(sql<boolean>`(tenant_id, meter) > (${after?.tenantId}, ${after?.meter})`),
          )
          .orderBy('tenantId')
          .orderBy('meter')
          .limit(1)
          .executeTakeFirst(),
      )
      return row ?? null
    },

    /** Returns the start of the first range with usage; null if no usage was ever counted. */
    firstRange: async ({ tenantId, meter }: MeteredTenant): Promise<number | null> => {
      const first = (table: 'usageRunningTotals' | 'usageTotals') =>
        database.read((db) =>
          db
            .selectFrom(table)
            .select('rangeStart')
            .where('tenantId', '=', tenantId)
            .where('meter', '=', meter)
            // A row before the epoch contains no usage.
            .where('rangeStart', '>=', 0)
            .orderBy('rangeStart')
            .limit(1)
            .executeTakeFirst(),
        )
      // Ranges with running totals are older than all others.
      return ((await first('usageRunningTotals')) ?? (await first('usageTotals')))?.rangeStart ?? null
    },

    /**
     * Returns the time since which the tenant cannot have had another customer: when its customer was last set or removed by a request, or
     * when the tenant was created. Null if its audit trail does not say.
     */
    customerSince: async (tenantId: string): Promise<number | null> => {
      const { since } = await database.read((db) =>
        db
          .selectFrom('tenantAudit')
          .select((eb) => eb.fn.max<number | null>('createdAt').as('since'))
          .where('tenantId', '=', tenantId)
          .where((eb) =>
            eb.or([
              eb('action', '=', 'tenant_created'),
              // The text of JSON, in which a name cannot contain unescaped quotes.
              eb.and([eb('action', '=', 'tenant_updated'), eb('after', 'like', '%"processor_customer_id":%')]),
            ]),
          )
          .executeTakeFirstOrThrow(),
      )
      return since
    },

    /**
     * Returns the number and the sum of the values (without their signs) of reports that the processor may count on the other side of an
     * edge of the window, or not yet: those stored within `marginMs` of an edge, those held, those sent again that were stored within a day
     * before an edge, and those stored since `recentFrom` for a time within the window.
     */
    uncertain: (
      { tenantId, meter }: MeteredTenant,
      { from, to }: { readonly from: number; readonly to: number },
      { marginMs, recentFrom }: { readonly marginMs: number; readonly recentFrom: number },
    ): Promise<{ readonly reports: number; readonly sum: number }> =>
      database.read(async (db) => {
        const row = await db
          .selectFrom('usageReports')
          .select((eb) => [
            eb.fn.countAll<number>().as('reports'),
            sql<number | null>`sum(abs(cast(value as double precision)))`.as('sum'),
          ])
          .where((eb) => {
            // Repeated in each alternative: only then SQLite uses an index for each.
            const ofTenant = eb.and([eb('tenantId', '=', tenantId), eb('meter', '=', meter)])
            const createdWithin = (since: number, until: number) => eb.between('createdAt', since, until)
            return eb.or([
              ofTenant.and(createdWithin(from - marginMs, from + marginMs)),
              ofTenant.and(createdWithin(to - marginMs, to + marginMs)),
              ofTenant.and('createdAt', '>=', recentFrom).and('usedAt', '>=', from).and('usedAt', '<', to),
              ofTenant
                // The condition of the index `usage_reports_not_sent`.
                .and(sql<boolean>`state <> 'sent'`)
                .and(
                  eb.or([
                    eb('state', '=', 'held'),
                    createdWithin(from - resentMs, from),
                    createdWithin(to - resentMs, to),
                  ]),
                ),
            ])
          })
          .executeTakeFirstOrThrow()
        return { reports: row.reports, sum: row.sum ?? 0 }
      }),

    /** Stores the difference of a tenant and meter, or removes it if the two agree. */
    save: ({ tenantId, meter }: MeteredTenant, difference: UsageDifferenceRecord | null): Promise<void> =>
      database.write(async (db) => {
        await db.deleteFrom('usageDifferences').where('tenantId', '=', tenantId).where('meter', '=', meter).execute()
        if (difference !== null) await db.insertInto('usageDifferences').values(difference).execute()
      }),

    /** Removes the differences that were found before a time. */
    removeBefore: async (time: number): Promise<void> => {
      await database.write((db) => db.deleteFrom('usageDifferences').where('comparedAt', '<', time).execute())
    },

    /** Returns the first differences, by tenant and meter, and the number of all. */
    differences: (
      limit: number,
    ): Promise<{ readonly items: readonly UsageDifferenceRecord[]; readonly total: number }> =>
      database.read(async (db) => {
        const all = db.selectFrom('usageDifferences')
        const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
        const items = await all.selectAll().orderBy('tenantId').orderBy('meter').limit(limit).execute()
        return { items, total }
      }),
  }
}
