import type { Sealer } from '../../../seal.ts'
import type { IdempotencyRecord, IdempotencyStore } from '../../../store.ts'
import type { Database } from '../../database/database.ts'

const retentionMs = 24 * 60 * 60 * 1000

export function idempotencyContext(key: string): string {
  return `idempotency_keys:${key}`
}

export class SqlIdempotency implements IdempotencyStore {
  readonly #database: Database
  readonly #sealer: Sealer

  constructor(database: Database, sealer: Sealer) {
    this.#database = database
    this.#sealer = sealer
  }

  async claim(key: string, fingerprint: string, now: number): Promise<IdempotencyRecord | null> {
    const fresh = { key, fingerprint, status: null, body: null, createdAt: now }
    const present = await this.#database.write(async (db) => {
      await db
        .deleteFrom('idempotencyKeys')
        .where('createdAt', '<=', now - retentionMs)
        .execute()
      for (;;) {
        const claimed = await db
          .insertInto('idempotencyKeys')
          .values(fresh)
          .onConflict((conflict) => conflict.doNothing())
          .returning('key')
          .executeTakeFirst()
        if (claimed !== undefined) return null
        const row = await db.selectFrom('idempotencyKeys').selectAll().where('key', '=', key).executeTakeFirst()
        // Absent if another process released it between the two statements: then the key is free again.
        if (row !== undefined) return row
      }
    })
    if (present === null || present.body === null) return present
    return { ...present, body: this.#sealer.open(present.body, idempotencyContext(present.key)) }
  }

  async refresh(key: string, now: number): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('idempotencyKeys')
        .set({ createdAt: now })
        .where('key', '=', key)
        .where('status', 'is', null)
        .execute(),
    )
  }

  async takeOver(key: string, claimedAt: number, now: number): Promise<boolean> {
    const taken = await this.#database.write((db) =>
      db
        .updateTable('idempotencyKeys')
        .set({ createdAt: now })
        .where('key', '=', key)
        .where('createdAt', '=', claimedAt)
        .where('status', 'is', null)
        .returning('key')
        .executeTakeFirst(),
    )
    return taken !== undefined
  }

  async finish(key: string, status: number, body: string): Promise<void> {
    const sealed = this.#sealer.seal(body, idempotencyContext(key))
    await this.#database.write((db) =>
      db.updateTable('idempotencyKeys').set({ status, body: sealed }).where('key', '=', key).execute(),
    )
  }

  async release(key: string): Promise<void> {
    await this.#database.write((db) =>
      db.deleteFrom('idempotencyKeys').where('key', '=', key).where('status', 'is', null).execute(),
    )
  }
}
