import { ServiceError } from '../../../../errors/service-error.ts'
import type { ServiceKeyRecord, ServiceKeyStore } from '../../../store.ts'
import type { Database } from '../../database/database.ts'

export class SqlServiceKeys implements ServiceKeyStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async add(key: ServiceKeyRecord): Promise<void> {
    const added = await this.#database.write((db) =>
      db
        .insertInto('serviceKeys')
        .values(key)
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst(),
    )
    if (added === undefined)
      throw new ServiceError('conflict', `A service key "${key.id}" or one of the same value exists already.`)
  }

  async findByHash(hash: string): Promise<ServiceKeyRecord | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('serviceKeys').selectAll().where('hash', '=', hash).executeTakeFirst(),
    )
    return row ?? null
  }

  async find(id: string): Promise<ServiceKeyRecord | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('serviceKeys').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row ?? null
  }

  async list(): Promise<readonly ServiceKeyRecord[]> {
    return this.#database.read((db) =>
      db.selectFrom('serviceKeys').selectAll().orderBy('createdAt').orderBy('id').execute(),
    )
  }

  async revoke(id: string, at: number): Promise<boolean> {
    const result = await this.#database.write((db) =>
      db
        .updateTable('serviceKeys')
        .set({ revokedAt: at })
        .where('id', '=', id)
        .where('revokedAt', 'is', null)
        .executeTakeFirst(),
    )
    return result.numUpdatedRows === 1n
  }

  async revokeOfWorker(worker: string, at: number): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('serviceKeys')
        .set({ revokedAt: at })
        .where('worker', '=', worker)
        .where('revokedAt', 'is', null)
        .execute(),
    )
  }

  async touch(id: string, at: number): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('serviceKeys')
        .set({ lastUsedAt: at })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<', at)]))
        .execute(),
    )
  }
}
