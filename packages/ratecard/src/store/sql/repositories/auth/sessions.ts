import { ServiceError } from '../../../../errors/service-error.ts'
import type { SessionStore } from '../../../tenant-store.ts'
import type { Database } from '../../database/database.ts'

/** Retention (ms) of expired sessions: one day. Until then an expired session is reported as expired, afterwards as unknown. */
const retentionMs = 24 * 60 * 60 * 1000

export function sqlSessions(database: Database): SessionStore {
  return {
    async add(session) {
      await database.write(async (db) => {
        // Locks the tenant's row (PostgreSQL). Otherwise a tenant that is removed at the same time could leave a session, and the next
        // tenant with that id would inherit it.
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

    find: (id) =>
      database.readFirst((db) => db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst()),

    async revoke(id, at) {
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
