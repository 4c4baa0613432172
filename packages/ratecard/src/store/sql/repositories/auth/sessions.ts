import { sql } from 'kysely'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { sessionColumns, type SessionRecord } from '../../../records/auth.ts'
import type { Database } from '../../database/database.ts'
import { columnsOf, preparedRead, textParameter } from '../../database/prepared-read.ts'

/** Retention (ms) of expired sessions: one day. During that day the session is reported as expired, later as unknown. */
const retentionMs = 24 * 60 * 60 * 1000

export function sqlSessions(database: Database) {
  const byId = preparedRead(
    database,
    sql<SessionRecord>`select ${columnsOf(sessionColumns)} from sessions where id = ${textParameter()}
  and exists (select 1 from tenants where tenants.id = sessions.tenant_id)`,
  )
  return {
    /** Adds a session, and deletes sessions that expired more than a day ago. */
    async add(session: SessionRecord): Promise<void> {
      await database.write(async (db) => {
        // Locks the tenant's row (PostgreSQL). Otherwise removing the tenant at the same time could leave a session, and the next tenant
        // with the same id would inherit it.
        const tenant = await database
          .locked(db.selectFrom('tenants').select('id'))
          .where('id', '=', session.tenantId)
          .executeTakeFirst()
        if (tenant === undefined)
          throw new ServiceError('tenant_not_found', `There is no tenant "${session.tenantId}".`)
        await db
          .deleteFrom('sessions')
          .where('expiresAt', '<=', session.createdAt - retentionMs)
          .execute()
        await db.insertInto('sessions').values(session).execute()
      })
    },

    /** Returns a session; null if there is none, or if its tenant was removed. */
    find: async (id: string): Promise<SessionRecord | null> => (await byId(id))[0] ?? null,

    /** Revokes a session. Returns false if the session does not exist or was already revoked. */
    async revoke(id: string, at: number): Promise<boolean> {
      const result = await database.write((db) =>
        db
          .updateTable('sessions')
          .set({ revokedAt: at })
          .where('id', '=', id)
          .where('revokedAt', 'is', null)
          .executeTakeFirst(),
      )
      return result.numUpdatedRows === 1n
    },
  }
}
