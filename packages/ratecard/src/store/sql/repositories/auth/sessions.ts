import { ServiceError } from '../../../../errors/service-error.ts'
import type { SessionRecord, SessionStore } from '../../../tenant-store.ts'
import type { Database } from '../../database/database.ts'

/** Retention (ms) of expired sessions: for a day, an expired session can be distinguished from an unknown one. */
const retentionMs = 24 * 60 * 60 * 1000

export class SqlSessions implements SessionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async add(session: SessionRecord): Promise<void> {
    await this.#database.write(async (db) => {
      // The tenant's row is locked (PostgreSQL): a tenant that is removed concurrently must not leave a session for the next tenant of that
      // id.
      const tenant = await this.#database
        .locked(db.selectFrom('tenants').select('id'))
        .where('id', '=', session.tenantId)
        .executeTakeFirst()
      if (tenant === undefined) throw new ServiceError('tenant_not_found', `There is no tenant "${session.tenantId}".`)
      await db
        .deleteFrom('sessions')
        .where('expiresAt', '<=', session.createdAt - retentionMs)
        .execute()
      await db.insertInto('sessions').values(session).execute()
    })
  }

  async find(id: string): Promise<SessionRecord | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row ?? null
  }

  async revoke(id: string, at: number): Promise<boolean> {
    const result = await this.#database.write((db) =>
      db
        .updateTable('sessions')
        .set({ revokedAt: at })
        .where('id', '=', id)
        .where('revokedAt', 'is', null)
        .executeTakeFirst(),
    )
    return result.numUpdatedRows === 1n
  }
}
