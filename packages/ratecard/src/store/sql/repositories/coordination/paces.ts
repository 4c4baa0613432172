// Rate limits that all replicas share. Each replica reserves its next slots here, one replica after the other, by the database's clock.
import { sql } from 'kysely'
import {
  nextSlots,
  stillCounting,
  toleranceMs,
  type Slot,
  type SlotRequest,
  type GrantedSlot,
} from '../../../pacing.ts'
import type { Database, Write } from '../../database/database.ts'

/**
 * Minimum time (ms) for which a granted slot may be used. Over a slow connection, the database's time is known only roughly. Without this
 * minimum, a slot could expire before it is used.
 */
const shortestUseMs = 20

export function sqlPaces(database: Database) {
  async function readClock(db: Write) {
    const askedAt = performance.now()
    const { rows } = await sql<{ now: number }>`select ${database.now()} as now`.execute(db)
    const toldAt = performance.now()
    const [row] = rows
    if (row === undefined) throw new Error('The database did not tell the time.')
    return { now: row.now, askedAt, toldAt }
  }

  return {
    /**
     * Reserves the next `count` free slots for this replica. If all replicas use their slots in time, no second contains more calls than the
     * rate limit allows.
     */
    async reserve(ask: SlotRequest): Promise<readonly GrantedSlot[]> {
      return database.write(async (db) => {
        const given = await lockedSlots(db, ask.name)
        const { now, askedAt, toldAt } = await readClock(db)
        const fresh = nextSlots(given, ask, now * 1000)
        const kept = JSON.stringify([...stillCounting(given, ask.limits, now * 1000), ...fresh])
        await db.updateTable('paces').set({ slots: kept }).where('name', '=', ask.name).execute()
        // The response contains the database's time, which was read at an unknown time between request and response. `from` assumes the
        // latest possible time, so that no call starts too early; `until` assumes the earliest.
        return fresh.map(({ at }) => {
          const ahead = at / 1000 - now
          const from = toldAt + ahead
          return { from, until: Math.max(askedAt + ahead + toleranceMs, from + shortestUseMs) }
        })
      })
    },
  }
}

/** Returns the granted slots of a rate limit. Creates the row if it does not exist, and locks it until the transaction ends. */
async function lockedSlots(db: Write, name: string): Promise<readonly Slot[]> {
  const row = await db
    .insertInto('paces')
    .values({ name, slots: '[]' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ name }))
    .returning('slots')
    .executeTakeFirstOrThrow()
  return JSON.parse(row.slots) as readonly Slot[]
}
