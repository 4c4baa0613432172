import { configId } from '../../../../catalog/resource.ts'
import type { LocalSubscriptionStore } from '../../../tenant-store.ts'
import type { Database } from '../../database/database.ts'
import { refreshListings } from './listings.ts'

export function sqlLocalSubscriptions(database: Database): LocalSubscriptionStore {
  return {
    async start(subscription) {
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

    list: (tenantId) =>
      database.read((db) =>
        db
          .selectFrom('localSubscriptions')
          .selectAll()
          .where('tenantId', '=', tenantId)
          .orderBy('createdAt')
          .orderBy('id')
          .execute(),
      ),

    async pricesInUse() {
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

    running: (priceId) =>
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

    async end(id, at, audit) {
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

    async plan(planned) {
      const { subscription: _key, ...values } = planned
      await database.write((db) =>
        db
          .insertInto('plannedFreeSubscriptions')
          .values(planned)
          .onConflict((conflict) => conflict.column('subscription').doUpdateSet(values))
          .execute(),
      )
    },

    async unplan(subscription) {
      await database.write((db) =>
        db.deleteFrom('plannedFreeSubscriptions').where('subscription', '=', subscription).execute(),
      )
    },

    planned: (tenantId) =>
      database.read((db) =>
        db.selectFrom('plannedFreeSubscriptions').selectAll().where('tenantId', '=', tenantId).execute(),
      ),

    plannedBy: (now) =>
      database.read((db) =>
        db
          .selectFrom('plannedFreeSubscriptions')
          .selectAll()
          .where('beginsAt', '<=', now)
          .orderBy('beginsAt')
          .orderBy('subscription')
          .execute(),
      ),

    async nextPlanned(now) {
      const row = await database.read((db) =>
        db
          .selectFrom('plannedFreeSubscriptions')
          .select((eb) => eb.fn.min<number | null>('beginsAt').as('next'))
          .where('beginsAt', '>', now)
          .executeTakeFirst(),
      )
      return row?.next ?? null
    },

    async begin({ subscription, id, tenantId, priceId }, at) {
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
