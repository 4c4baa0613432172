import { configId, type ConfigId } from '../../../../catalog/resource.ts'
import type { Database } from '../../database/database.ts'
import { refreshListings } from './listings.ts'
import type { LocalSubscriptionRecord, AuditRecord, PlannedFreeRecord } from '../../../records/tenants.ts'

export function sqlLocalSubscriptions(database: Database) {
  return {
    /** Starts a free subscription. A tenant has at most one running free subscription per price; if there is one, returns it instead. */
    async start(subscription: LocalSubscriptionRecord): Promise<LocalSubscriptionRecord> {
      const { tenantId, priceId } = subscription
      return database.write(async (db) => {
        for (;;) {
          const started = await db
            .insertInto('localSubscriptions')
            .values({ ...subscription, endedAt: null })
            .onConflict((conflict) =>
              conflict.columns(['tenantId', 'priceId']).where('endedAt', 'is', null).doNothing(),
            )
            .returningAll()
            .executeTakeFirst()
          if (started !== undefined) {
            await refreshListings(database, db, [tenantId])
            return started
          }
          const running = await db
            .selectFrom('localSubscriptions')
            .selectAll()
            .where('tenantId', '=', tenantId)
            .where('priceId', '=', priceId)
            .where('endedAt', 'is', null)
            .executeTakeFirst()
          // If there is no row, another process ended the subscription between the two statements. So try again to start a new one.
          if (running !== undefined) return running
        }
      })
    },

    /** Returns the tenant's running and ended subscriptions, oldest first. */
    list: (tenantId: string): Promise<readonly LocalSubscriptionRecord[]> =>
      database.read((db) =>
        db
          .selectFrom('localSubscriptions')
          .selectAll()
          .where('tenantId', '=', tenantId)
          .orderBy('createdAt')
          .orderBy('id')
          .execute(),
      ),

    /** Returns the ids of prices with running free subscriptions, ascending. */
    async pricesInUse(): Promise<readonly ConfigId[]> {
      const rows = await database.read((db) =>
        db
          .selectFrom('localSubscriptions')
          .select('priceId')
          .distinct()
          .where('endedAt', 'is', null)
          .orderBy('priceId')
          .execute(),
      )
      return rows.map(({ priceId }) => configId(priceId))
    },

    /** Returns the running free subscriptions of all tenants on this price. */
    running: (priceId: string): Promise<readonly LocalSubscriptionRecord[]> =>
      database.read((db) =>
        db
          .selectFrom('localSubscriptions')
          .selectAll()
          .where('priceId', '=', priceId)
          .where('endedAt', 'is', null)
          .orderBy('createdAt')
          .orderBy('id')
          .execute(),
      ),

    /**
     * Ends a free subscription and adds the audit row in one transaction. Returns false, without an audit row, if the subscription is not
     * running.
     */
    async end(id: string, at: number, audit?: AuditRecord): Promise<boolean> {
      return database.write(async (db) => {
        const ended = await db
          .updateTable('localSubscriptions')
          .set({ endedAt: at })
          .where('id', '=', id)
          .where('endedAt', 'is', null)
          .returning('tenantId')
          .executeTakeFirst()
        if (ended === undefined) return false
        await refreshListings(database, db, [ended.tenantId])
        if (audit !== undefined) await db.insertInto('tenantAudit').values(audit).execute()
        return true
      })
    },

    /**
     * Plans a free subscription that begins when a subscription at the processor ends. Replaces an earlier plan for the same subscription at
     * the processor.
     */
    async plan(planned: PlannedFreeRecord): Promise<void> {
      const { subscription: _key, ...values } = planned
      await database.write((db) =>
        db
          .insertInto('plannedFreeSubscriptions')
          .values(planned)
          .onConflict((conflict) => conflict.column('subscription').doUpdateSet(values))
          .execute(),
      )
    },

    /** Deletes the plan for the end of this subscription at the processor, if there is one. */
    async unplan(subscription: string): Promise<void> {
      await database.write((db) =>
        db.deleteFrom('plannedFreeSubscriptions').where('subscription', '=', subscription).execute(),
      )
    },

    /** Returns what is planned for a tenant. */
    planned: (tenantId: string): Promise<readonly PlannedFreeRecord[]> =>
      database.read((db) =>
        db.selectFrom('plannedFreeSubscriptions').selectAll().where('tenantId', '=', tenantId).execute(),
      ),

    /** Returns what is planned to have begun by `now`, earliest first. */
    plannedBy: (now: number): Promise<readonly PlannedFreeRecord[]> =>
      database.read((db) =>
        db
          .selectFrom('plannedFreeSubscriptions')
          .selectAll()
          .where('beginsAt', '<=', now)
          .orderBy('beginsAt')
          .orderBy('subscription')
          .execute(),
      ),

    /** Returns the next time after `now` at which a planned free subscription begins; null if there is none. */
    async nextPlanned(now: number): Promise<number | null> {
      const row = await database.read((db) =>
        db
          .selectFrom('plannedFreeSubscriptions')
          .select((eb) => eb.fn.min<number | null>('beginsAt').as('next'))
          .where('beginsAt', '>', now)
          .executeTakeFirst(),
      )
      return row?.next ?? null
    },

    /**
     * Starts a planned free subscription at `at` and deletes the plan, in one transaction. Starts nothing if the plan was deleted meanwhile,
     * or if the tenant already has a running subscription to the price.
     */
    async begin({ subscription, id, tenantId, priceId }: PlannedFreeRecord, at: number): Promise<void> {
      await database.write(async (db) => {
        const forgotten = await db
          .deleteFrom('plannedFreeSubscriptions')
          .where('subscription', '=', subscription)
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst()
        if (forgotten === undefined) return
        await db
          .insertInto('localSubscriptions')
          .values({ id, tenantId, priceId, createdAt: at, endedAt: null })
          .onConflict((conflict) => conflict.columns(['tenantId', 'priceId']).where('endedAt', 'is', null).doNothing())
          .execute()
        await refreshListings(database, db, [tenantId])
      })
    },
  }
}
