// Leases: the exclusive right of one process to do some work, e.g. a push. Each name has one row, which is never deleted, so that its
// fencing number only grows. The database's clock decides whether a lease has expired. The clock of this process can only make it stop
// using a lease early.
import { sql, type RawBuilder } from 'kysely'
import { atDeadline } from '../../../../base/clock.ts'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import type { Database, ReadConnection, Write } from '../../database/database.ts'
import { isDead, thisProcess } from './holder.ts'
import type { LeaseToken } from '../../../lease-token.ts'

export interface Lease {
  readonly token: LeaseToken
  readonly signal: AbortSignal
}

export class Leases {
  readonly #database: Database
  readonly #ttlMs: number

  constructor(database: Database, ttlMs: number) {
    this.#database = database
    this.#ttlMs = ttlMs
  }

  /**
   * Runs `work` while holding the named lease, which is renewed in the background. Throws ServiceError `push_in_progress` at once if another
   * process holds the lease. `signal` aborts when the lease is lost.
   */
  async exclusively<T>(name: string, work: (lease: Lease) => Promise<T>): Promise<T> {
    const taken = await this.tryExclusively(name, async (lease) => ({ done: await work(lease) }))
    if (taken === null) throw heldByAnother(name, this.#ttlMs)
    return taken.done
  }

  /** Like `exclusively`. Returns null, without running `work`, if another process holds the lease. */
  async tryExclusively<T>(name: string, work: (lease: Lease) => Promise<T>): Promise<T | null> {
    const sentAt = performance.now()
    const token = await this.#take(name)
    if (token === null) return null
    const keeper = new LeaseKeeper(this.#ttlMs, sentAt, () => this.#renew(token), lostLease(token))
    try {
      return await work({ token, signal: keeper.signal })
    } finally {
      await keeper.stop()
      // If the release fails, the lease ends with its TTL. The error must not hide the outcome of the work.
      await this.#release(token).catch(() => undefined)
    }
  }

  /** True if a process holds the lease now. */
  async held(name: string): Promise<boolean> {
    return this.#database.read(async (db) => {
      const row = await db
        .selectFrom('leases')
        .select('holder')
        .where('name', '=', name)
        .where('expiresAt', '>', this.#database.now())
        .executeTakeFirst()
      return row !== undefined && !(await this.#isDead(db, row.holder))
    })
  }

  /**
   * Throws `push_in_progress` unless the token still holds its lease. Locks the lease's row until the transaction ends, so that no other
   * process can take the lease between this check and the commit.
   */
  async assertHeld(db: Write, token: LeaseToken): Promise<void> {
    const row = await this.#database
      .locked(db.selectFrom('leases').select('fence'))
      .where('name', '=', token.name)
      .where('fence', '=', token.fence)
      .where('expiresAt', '>', this.#database.now())
      .executeTakeFirst()
    if (row === undefined) throw lostLease(token)
  }

  /** Returns null if another process holds the lease. */
  async #take(name: string): Promise<LeaseToken | null> {
    const now = this.#database.now()
    const until = sql<number>`${now} + ${sql.lit(this.#ttlMs)}`
    const fence = await this.#database.write(async (db) => {
      const free = await db
        .insertInto('leases')
        .values({ name, fence: 1, expiresAt: until, holder: thisProcess })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet((eb) => ({
              fence: eb('leases.fence', '+', 1),
              expiresAt: eb.ref('excluded.expiresAt'),
              holder: eb.ref('excluded.holder'),
            }))
            .where('leases.expiresAt', '<=', now),
        )
        .returning('fence')
        .executeTakeFirst()
      return free?.fence ?? (await this.#takeFromTheDead(db, name, until))
    })
    return fence === null ? null : { name, fence }
  }

  /**
   * Takes a lease whose holder died on this machine. There is no need to wait for the TTL, because a dead process writes nothing more.
   * Returns null if the holder may be alive.
   */
  async #takeFromTheDead(db: Write, name: string, until: RawBuilder<number>): Promise<number | null> {
    const held = await db.selectFrom('leases').select(['holder', 'fence']).where('name', '=', name).executeTakeFirst()
    if (held === undefined || !(await this.#isDead(db, held.holder))) return null
    const taken = await db
      .updateTable('leases')
      .set({ fence: held.fence + 1, expiresAt: until, holder: thisProcess })
      .where('name', '=', name)
      .where('fence', '=', held.fence)
      .returning('fence')
      .executeTakeFirst()
    return taken?.fence ?? null
  }

  /**
   * True if the holder has certainly ended. If the database is on another machine, the result is false, because the holder may run on
   * another machine too: clones of one VM snapshot have equal boot ids and namespaces, so a pid alone proves nothing.
   */
  async #isDead(db: ReadConnection, holder: string | null): Promise<boolean> {
    return holder !== null && isDead(holder) && (await this.#database.isOnThisMachine(db))
  }

  async #renew(token: LeaseToken): Promise<boolean> {
    const now = this.#database.now()
    const result = await this.#database.write((db) =>
      db
        .updateTable('leases')
        .set({ expiresAt: sql<number>`${now} + ${sql.lit(this.#ttlMs)}` })
        .where('name', '=', token.name)
        .where('fence', '=', token.fence)
        .where('expiresAt', '>', now)
        .executeTakeFirst(),
    )
    return result.numUpdatedRows === 1n
  }

  async #release(token: LeaseToken): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('leases')
        .set({ expiresAt: 0 })
        .where('name', '=', token.name)
        .where('fence', '=', token.fence)
        .execute(),
    )
  }
}

/**
 * Renews a lease whenever a third of its TTL has passed. Aborts its signal if a renewal is refused, or if none succeeded for a whole TTL.
 */
class LeaseKeeper {
  readonly #lost = new AbortController()
  readonly #ttlMs: number
  readonly #renew: () => Promise<boolean>
  readonly #reason: ServiceError
  #next: NodeJS.Timeout | undefined
  #cancelExpiry: () => void = () => undefined
  #renewing: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(ttlMs: number, takenAt: number, renew: () => Promise<boolean>, reason: ServiceError) {
    this.#ttlMs = ttlMs
    this.#renew = renew
    this.#reason = reason
    this.#heldFrom(takenAt)
    this.#schedule()
  }

  get signal(): AbortSignal {
    return this.#lost.signal
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#clear()
    await this.#renewing
  }

  #schedule(): void {
    this.#next = setTimeout(() => {
      this.#renewing = this.#renewOnce()
    }, this.#ttlMs / 3)
    this.#next.unref()
  }

  async #renewOnce(): Promise<void> {
    const sentAt = performance.now()
    // If the database is unreachable, the renewal is retried. The lease is lost only when its TTL has passed without a renewal.
    const held = await this.#renew().catch(() => null)
    if (this.#stopped) return
    if (held === false) {
      this.#lose()
      return
    }
    if (held === true) this.#heldFrom(sentAt)
    this.#schedule()
  }

  #heldFrom(moment: number): void {
    this.#cancelExpiry()
    this.#cancelExpiry = atDeadline(moment + this.#ttlMs, () => this.#lose())
  }

  #lose(): void {
    this.#stopped = true
    this.#clear()
    this.#lost.abort(this.#reason)
  }

  #clear(): void {
    clearTimeout(this.#next)
    this.#cancelExpiry()
  }
}

function heldByAnother(name: string, ttlMs: number): ServiceError {
  const seconds = String(Math.ceil(ttlMs / 1000))
  const what = name === 'push' ? 'A push, a rollback or a reset is running.' : `Another process holds "${name}" now.`
  return new ServiceError('push_in_progress', what, {
    hint: `Wait until it is done (\`ratecard billing pushes\` shows it) and try again. If its process died, it is released after ${seconds} seconds.`,
  })
}

function lostLease(token: LeaseToken): ServiceError {
  return new ServiceError(
    'push_in_progress',
    `This process no longer holds "${token.name}": nothing more is written.`,
    {
      hint: 'Another process may have taken over. Check the list of pushes, then try again.',
    },
  )
}
