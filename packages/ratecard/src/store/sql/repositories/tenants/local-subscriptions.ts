import type { LocalSubscriptionStore } from '../../../tenant-store.ts'
import type { Database } from '../../database/database.ts'

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
          if (started !== undefined) return started
          const running = await db
            .selectFrom('localSubscriptions')
            .selectAll()
            .where('tenantId', '=', tenantId)
            .where('priceId', '=', priceId)
            .where('endedAt', 'is', null)
            .executeTakeFirst()
          // Absent if another process ended it between the two statements: then a new one can start.
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
        const { numUpdatedRows } = await db
          .updateTable('localSubscriptions')
          .set({ endedAt: at })
          .where('id', '=', id)
          .where('endedAt', 'is', null)
          .executeTakeFirst()
        const ended = numUpdatedRows === 1n
        if (ended && audit !== undefined) await db.insertInto('tenantAudit').values(audit).execute()
        return ended
      })
    },
  }
}
