import { sql } from 'kysely'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { serviceKeyColumns } from '../../../records/auth.ts'
import type { ServiceKeyRecord, ServiceKeyStore } from '../../../store.ts'
import type { Database } from '../../database/database.ts'
import { columnsOf, preparedRead, textParameter } from '../../database/prepared-read.ts'

export function sqlServiceKeys(database: Database): ServiceKeyStore {
  const byHash = preparedRead(
    database,
    sql<ServiceKeyRecord>`select ${columnsOf(serviceKeyColumns)} from service_keys where hash = ${textParameter()}`,
  )
  return {
    async add(key) {
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

    findByHash: async (hash) => (await byHash(hash))[0] ?? null,

    find: (id) =>
      database.readFirst((db) => db.selectFrom('serviceKeys').selectAll().where('id', '=', id).executeTakeFirst()),

    list: () =>
      database.read((db) => db.selectFrom('serviceKeys').selectAll().orderBy('createdAt').orderBy('id').execute()),

    revoke: (id, at, allow) =>
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

    async revokeOfWorker(worker, at) {
      await database.write((db) =>
        db
          .updateTable('serviceKeys')
          .set({ revokedAt: at })
          .where('worker', '=', worker)
          .where('revokedAt', 'is', null)
          .execute(),
      )
    },

    async touch(id, at) {
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
