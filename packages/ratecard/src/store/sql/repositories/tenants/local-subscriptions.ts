import { configId } from '../../../../catalog/resource.ts'
import type { ConfigId } from '../../../../catalog/resource.ts'
import type { AuditRecord, LocalSubscriptionRecord, LocalSubscriptionStore } from '../../../tenant-store.ts'
import type { Database } from '../../database/database.ts'
import { refreshListings } from './listings.ts'

export class SqlLocalSubscriptions implements LocalSubscriptionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async start(subscription: LocalSubscriptionRecord): Promise<LocalSubscriptionRecord> {
    const { tenantId, priceId } = subscription
    return this.#database.write(async (db) => {
      for (;;) {
        const started = await db
          .insertInto('localSubscriptions')
          .values({ ...subscription, endedAt: null })
          .onConflict((conflict) => conflict.columns(['tenantId', 'priceId']).where('endedAt', 'is', null).doNothing())
          .returningAll()
          .executeTakeFirst()
        if (started !== undefined) {
          await refreshListings(this.#database, db, [tenantId])
          return started
        }
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
  }

  async list(tenantId: string): Promise<readonly LocalSubscriptionRecord[]> {
    return this.#database.read((db) =>
      db
        .selectFrom('localSubscriptions')
        .selectAll()
        .where('tenantId', '=', tenantId)
        .orderBy('createdAt')
        .orderBy('id')
        .execute(),
    )
  }

  async pricesInUse(): Promise<readonly ConfigId[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('localSubscriptions')
        .select('priceId')
        .distinct()
        .where('endedAt', 'is', null)
        .orderBy('priceId')
        .execute(),
    )
    return rows.map(({ priceId }) => configId(priceId))
  }

  async running(priceId: string): Promise<readonly LocalSubscriptionRecord[]> {
    return this.#database.read((db) =>
      db
        .selectFrom('localSubscriptions')
        .selectAll()
        .where('priceId', '=', priceId)
        .where('endedAt', 'is', null)
        .orderBy('createdAt')
        .orderBy('id')
        .execute(),
    )
  }

  async end(id: string, at: number, audit?: AuditRecord): Promise<boolean> {
    return this.#database.write(async (db) => {
      const ended = await db
        .updateTable('localSubscriptions')
        .set({ endedAt: at })
        .where('id', '=', id)
        .where('endedAt', 'is', null)
        .returning('tenantId')
        .executeTakeFirst()
      if (ended === undefined) return false
      await refreshListings(this.#database, db, [ended.tenantId])
      if (audit !== undefined) await db.insertInto('tenantAudit').values(audit).execute()
      return true
    })
  }
}
