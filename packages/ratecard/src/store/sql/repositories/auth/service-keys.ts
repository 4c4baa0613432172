import { sql } from 'kysely'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { serviceKeyColumns, type ServiceKeyRecord } from '../../../records/auth.ts'
import type { Database } from '../../database/database.ts'
import { columnsOf, preparedRead, textParameter } from '../../database/prepared-read.ts'

export function sqlServiceKeys(database: Database) {
  const byHash = preparedRead(
    database,
    sql<ServiceKeyRecord>`select ${columnsOf(serviceKeyColumns)} from service_keys where hash = ${textParameter()}`,
  )
  return {
    async add(key: ServiceKeyRecord): Promise<void> {
      const added = await database.write((db) =>
        db
          .insertInto('serviceKeys')
          .values(key)
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst(),
      )
      if (added === undefined)
        throw new ServiceError('conflict', `A service key "${key.id}" or one of the same value exists already.`)
    },

    findByHash: async (hash: string): Promise<ServiceKeyRecord | null> => (await byHash(hash))[0] ?? null,

    find: (id: string): Promise<ServiceKeyRecord | null> =>
      database.readFirst((db) => db.selectFrom('serviceKeys').selectAll().where('id', '=', id).executeTakeFirst()),

    list: (): Promise<readonly ServiceKeyRecord[]> =>
      database.read((db) => db.selectFrom('serviceKeys').selectAll().orderBy('createdAt').orderBy('id').execute()),

    /**
     * Revokes a key. Returns false if the key does not exist or was already revoked. `allow` is called before, with the key and all others that
     * are not revoked, and may throw; until the end no other call can revoke one of these.
     */
    revoke: (
      id: string,
      at: number,
      allow?: (key: ServiceKeyRecord, others: readonly ServiceKeyRecord[]) => void,
    ): Promise<boolean> =>
      database.write(async (db) => {
        const all = db.selectFrom('serviceKeys').selectAll().where('revokedAt', 'is', null).orderBy('id')
        const keys = await database.locked(all).execute()
        const key = keys.find((one) => one.id === id)
        if (key === undefined) return false
        allow?.(
          key,
          keys.filter((one) => one !== key),
        )
        await db.updateTable('serviceKeys').set({ revokedAt: at }).where('id', '=', id).execute()
        return true
      }),

    /** Revokes all valid keys of a worker. */
    async revokeOfWorker(worker: string, at: number): Promise<void> {
      await database.write((db) =>
        db
          .updateTable('serviceKeys')
          .set({ revokedAt: at })
          .where('worker', '=', worker)
          .where('revokedAt', 'is', null)
          .execute(),
      )
    },

    async touch(id: string, at: number): Promise<void> {
      await database.write((db) =>
        db
          .updateTable('serviceKeys')
          .set({ lastUsedAt: at })
          .where('id', '=', id)
          .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<', at)]))
          .execute(),
      )
    },
  }
}
