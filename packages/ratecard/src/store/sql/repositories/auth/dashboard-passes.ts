import type { DashboardPassStore } from '../../../store.ts'
import type { Database } from '../../database/database.ts'

export function sqlDashboardPasses(database: Database): DashboardPassStore {
  return {
    async add(pass) {
      await database.write(async (db) => {
        await db.deleteFrom('dashboardPasses').where('expiresAt', '<=', pass.createdAt).execute()
        await db.insertInto('dashboardPasses').values(pass).execute()
      })
    },

    find: (hash) =>
      database.readFirst((db) =>
        db.selectFrom('dashboardPasses').selectAll().where('hash', '=', hash).executeTakeFirst(),
      ),

    async end(hash, kind, at) {
      const result = await database.write((db) =>
        db
          .updateTable('dashboardPasses')
          .set({ endedAt: at })
          .where('hash', '=', hash)
          .where('kind', '=', kind)
          .where('endedAt', 'is', null)
          .where('expiresAt', '>', at)
          .executeTakeFirst(),
      )
      return result.numUpdatedRows === 1n
    },
  }
}
