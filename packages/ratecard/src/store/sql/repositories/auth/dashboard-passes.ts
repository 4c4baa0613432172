import type { Database } from '../../database/database.ts'
import type { DashboardPassRecord } from '../../../records/auth.ts'

export function sqlDashboardPasses(database: Database) {
  return {
    /** Adds a dashboard pass (a sign-in link or a session), and deletes expired passes. */
    async add(pass: DashboardPassRecord): Promise<void> {
      await database.write(async (db) => {
        await db.deleteFrom('dashboardPasses').where('expiresAt', '<=', pass.createdAt).execute()
        await db.insertInto('dashboardPasses').values(pass).execute()
      })
    },

    /** Returns the dashboard pass (a sign-in link or a session) with this hash, even if it has expired or ended; the caller checks that. */
    find: (hash: string): Promise<DashboardPassRecord | null> =>
      database.readFirst((db) =>
        db.selectFrom('dashboardPasses').selectAll().where('hash', '=', hash).executeTakeFirst(),
      ),

    /**
     * Ends a valid dashboard pass. Returns true to exactly one of several concurrent callers, and false if the pass is unknown, expired or
     * ended.
     */
    async end(hash: string, kind: DashboardPassRecord['kind'], at: number): Promise<boolean> {
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
