import type { Sealer } from '../../../seal.ts'
import type { Database } from '../../database/database.ts'
import type { IdempotencyRecord } from '../../../records/auth.ts'

const retentionMs = 24 * 60 * 60 * 1000

export function idempotencyContext(key: string): string {
  return `idempotency_keys:${key}`
}

const lane = idempotencyContext

export function sqlIdempotency(database: Database, sealer: Sealer) {
  return {
    /**
     * Claims an idempotency key for a request and returns null. If the key is already claimed, returns the record of that claim. Records
     * older than 24 h are deleted first.
     */
    async claim(key: string, fingerprint: string, now: number): Promise<IdempotencyRecord | null> {
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

    /** Stores a heartbeat of the running request. A claim without recent heartbeats counts as abandoned. */
    async refresh(key: string, now: number): Promise<void> {
      await database.write((db) =>
        db
          .updateTable('idempotencyKeys')
          .set({ createdAt: now })
          .where('key', '=', key)
          .where('status', 'is', null)
          .execute(),
      )
    },

    /**
     * Takes over the claim of a dead process. `claimedAt` is the value that the caller read. Returns false if the process has sent a
     * heartbeat since then, or another caller has taken over the claim.
     */
    async takeOver(key: string, claimedAt: number, now: number): Promise<boolean> {
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

    async finish(key: string, status: number, body: string): Promise<void> {
      const sealed = sealer.seal(body, idempotencyContext(key))
      await database.writeTogether(lane(key), (db) =>
        db.updateTable('idempotencyKeys').set({ status, body: sealed }).where('key', '=', key).execute(),
      )
    },

    /** Deletes the claim of a request that failed or whose process died, so that the key is free again. */
    async release(key: string): Promise<void> {
      await database.write((db) =>
        db.deleteFrom('idempotencyKeys').where('key', '=', key).where('status', 'is', null).execute(),
      )
    },
  }
}
