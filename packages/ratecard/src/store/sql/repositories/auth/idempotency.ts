import type { Sealer } from '../../../seal.ts'
import type { IdempotencyStore } from '../../../store.ts'
import type { Database } from '../../database/database.ts'

const retentionMs = 24 * 60 * 60 * 1000

export function idempotencyContext(key: string): string {
  return `idempotency_keys:${key}`
}

const lane = idempotencyContext

export function sqlIdempotency(database: Database, sealer: Sealer): IdempotencyStore {
  return {
    async claim(key, fingerprint, now) {
      const fresh = { key, fingerprint, status: null, body: null, createdAt: now }
      const present = await database.writeTogether(lane(key), async (db) => {
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
          // If there is no row, another process released the key between the two statements. So the key is free; try to claim it again.
          if (row !== undefined) return row
        }
      })
      if (present === null || present.body === null) return present
      return { ...present, body: sealer.open(present.body, idempotencyContext(present.key)) }
    },

    async refresh(key, now) {
      await database.write((db) =>
        db
          .updateTable('idempotencyKeys')
          .set({ createdAt: now })
          .where('key', '=', key)
          .where('status', 'is', null)
          .execute(),
      )
    },

    async takeOver(key, claimedAt, now) {
      const taken = await database.write((db) =>
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
    },

    async finish(key, status, body) {
      const sealed = sealer.seal(body, idempotencyContext(key))
      await database.writeTogether(lane(key), (db) =>
        db.updateTable('idempotencyKeys').set({ status, body: sealed }).where('key', '=', key).execute(),
      )
    },

    async release(key) {
      await database.write((db) =>
        db.deleteFrom('idempotencyKeys').where('key', '=', key).where('status', 'is', null).execute(),
      )
    },
  }
}
