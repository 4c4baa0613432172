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
          // If there is no row, another process ended the subscription between the two statements, so a new one can start.
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
  }
}
