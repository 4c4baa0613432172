// The sandbox's state: an SQLite file with one row of JSON per object, or a database in memory if there is no folder. The rules of the API
// are not here; the unique indexes only guard against mistakes.
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Bodies, Body, Kind } from '../objects/bodies.ts'
import { bind, toSql, type Condition, type Value } from './conditions.ts'
import { schema, schemaVersion } from './state-schema.ts'
import { StateUnavailable } from './state-unavailable.ts'

export interface StoredReply {
  readonly fingerprint: string
  readonly status: number
  readonly body: string
  readonly requestId: string
  /** Time of the response to the key, in epoch milliseconds. */
  readonly createdAt: number
}

export interface ObjectRow {
  readonly seq: number
  readonly account: string
  readonly kind: string
  readonly id: string
  readonly deleted: number
  readonly body: string
}

export interface ReplyRow {
  readonly account: string
  readonly key: string
  readonly reply: string
  readonly created_at: number
}

export interface OffsetRow {
  readonly account: string
  readonly seconds: number
}

/** The rows of all accounts (`account` is null) or of one account. */
export interface Snapshot {
  readonly account: string | null
  readonly objects: readonly ObjectRow[]
  readonly replies: readonly ReplyRow[]
  readonly offsets: readonly OffsetRow[]
}

export class State {
  readonly #db: Database.Database
  readonly #statements = new Map<string, Database.Statement<Value[]>>()

  /** Opens the state. If `dataDir` is null, everything is kept in memory. Throws StateUnavailable if another sandbox uses the file. */
  constructor(dataDir: string | null) {
    this.#db = dataDir === null ? new Database(':memory:') : openFile(dataDir)
    try {
      this.#prepare(dataDir)
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  #prepare(dataDir: string | null): void {
    if (dataDir !== null) {
      // Only one process may use the file, because that process alone assigns ids and checks uniqueness. With exclusive locking, a second
      // process fails at its first access.
      this.#db.pragma('locking_mode = EXCLUSIVE')
      try {
        this.#db.pragma('journal_mode = WAL')
      } catch (cause) {
        throw new StateUnavailable(`Another sandbox is using ${dataDir}.`, undefined, cause)
      }
      // With NORMAL, SQLite does not sync at each commit, so writes are several times faster. After a power cut the latest test objects may
      // be lost, but not after a killed process.
      this.#db.pragma('synchronous = NORMAL')
    }
    const version = this.#db.pragma('user_version', { simple: true })
    if (version === schemaVersion) return
    if (version !== 0) {
      throw new StateUnavailable(
        `${String(dataDir)} was written by another version of the sandbox.`,
        'Start it with another folder, or remove sandbox.db there.',
      )
    }
    this.#db.transaction(() => this.#db.exec(schema).pragma(`user_version = ${schemaVersion}`))()
  }

  #statement(sql: string): Database.Statement<Value[]> {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const prepared = this.#db.prepare<Value[]>(sql)
    this.#statements.set(sql, prepared)
    return prepared
  }

  #rows(sql: string, values: readonly Value[]): unknown[] {
    return this.#statement(sql).all(...values)
  }

  #run(sql: string, ...values: Value[]): number {
    return this.#statement(sql).run(...values).changes
  }

  /** Commits all writes of `work` and returns its result. If `work` throws, rolls them back. */
  transaction<T>(work: () => T): T {
    this.#run('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#run('COMMIT')
      return result
    } catch (error) {
      if (this.#db.inTransaction) this.#run('ROLLBACK')
      throw error
    }
  }

  /** Returns the result of `work` and rolls back its writes. Must be called within a transaction. */
  runAndRollBack<T>(work: () => T): T {
    this.#run('SAVEPOINT rehearsal')
    try {
      return work()
    } finally {
      this.#run('ROLLBACK TO rehearsal')
      this.#run('RELEASE rehearsal')
    }
  }

  /** Returns the seconds by which an account's clock is ahead of the real time. */
  offsetOf(account: string): number {
    const [row] = this.#rows('SELECT seconds FROM offsets WHERE account = ?', [account]) as OffsetRow[]
    return row?.seconds ?? 0
  }

  setOffset(account: string, seconds: number): void {
    this.#run('INSERT OR REPLACE INTO offsets (account, seconds) VALUES (?, ?)', account, seconds)
  }

  /** Returns the object on a clock with the earliest action that is due by `until` (seconds). `clock` null: the account's clock. */
  due(account: string, clock: string | null, until: number): Body | undefined {
    const sql = `SELECT seq, body FROM objects WHERE account = ? AND body ->> '$._clock' IS ? AND body ->> '$._due' <= ?
      AND deleted = 0 AND body ->> '$._due' IS NOT NULL ORDER BY body ->> '$._due', seq LIMIT 1`
    const [row] = this.#rows(sql, [account, clock, until]) as ObjectRow[]
    return row && (JSON.parse(row.body) as Body)
  }

  /** Returns the account that owns the object of a hosted page. Page ids are unique among all accounts, so no API key is needed. */
  ownerOf(
    kind: 'billing_portal.session' | 'checkout.session' | 'invoice' | 'payment_intent' | 'setup_intent',
    id: string,
  ): string | undefined {
    const sql = `SELECT account FROM objects WHERE kind = '${kind}' AND id = ? AND deleted = 0`
    return (this.#rows(sql, [id]) as ObjectRow[])[0]?.account
  }

  accounts(): string[] {
    return (this.#rows('SELECT DISTINCT account FROM objects', []) as ObjectRow[]).map((row) => row.account)
  }

  insert(account: string, body: Body): void {
    // A new object may reuse the id of a deleted object, so remove the deleted row.
    this.#run(
      'DELETE FROM objects WHERE account = ? AND kind = ? AND id = ? AND deleted = 1',
      account,
      body.object,
      body.id,
    )
    const sql = 'INSERT INTO objects (account, kind, id, body) VALUES (?, ?, ?, ?)'
    this.#run(sql, account, body.object, body.id, JSON.stringify(body))
  }

  update(account: string, body: Body): void {
    const sql = 'UPDATE objects SET body = ? WHERE account = ? AND kind = ? AND id = ?'
    this.#run(sql, JSON.stringify(body), account, body.object, body.id)
  }

  remove(account: string, kind: Kind, id: string): void {
    this.#run('UPDATE objects SET deleted = 1 WHERE account = ? AND kind = ? AND id = ?', account, kind, id)
  }

  find<K extends Kind>(account: string, kind: K, id: string): Bodies[K] | undefined {
    return this.#body(kind, this.#row(account, kind, id, 'deleted = 0'))
  }

  /** Returns the last state of a deleted object. */
  findDeleted<K extends Kind>(account: string, kind: K, id: string): Bodies[K] | undefined {
    return this.#body(kind, this.#row(account, kind, id, 'deleted = 1'))
  }

  /**
   * Returns the position of an object in the order of creation. A deleted object keeps its position, so it can still be used as a cursor.
   */
  positionOf(account: string, kind: Kind, id: string): number | undefined {
    return this.#row(account, kind, id, 'TRUE')?.seq
  }

  #row(account: string, kind: Kind, id: string, condition: string): ObjectRow | undefined {
    const sql = `SELECT seq, body FROM objects WHERE account = ? AND kind = ? AND id = ? AND ${condition}`
    // Only this class writes rows, so the row has this type.
    return this.#rows(sql, [account, kind, id])[0] as ObjectRow | undefined
  }

  #body<K extends Kind>(_kind: K, row: ObjectRow | undefined): Bodies[K] | undefined {
    return row === undefined ? undefined : (JSON.parse(row.body) as Bodies[K])
  }

  /**
   * Returns the objects that meet all conditions and are not deleted, newest first (`ascending`: oldest first). `above` and `below` limit
   * their positions.
   */
  select<K extends Kind>(
    account: string,
    kind: K,
    conditions: readonly Condition[],
    options: {
      readonly limit?: number
      readonly below?: number
      readonly above?: number
      readonly ascending?: boolean
    } = {},
  ): Bodies[K][] {
    const values: Value[] = [account]
    // The kind is written into the SQL, because SQLite would not use the partial indexes for a bound parameter.
    const where = [`account = ? AND kind = '${kind}' AND deleted = 0`]
    for (const condition of conditions) where.push(toSql(condition, values))
    if (options.below !== undefined) where.push(`seq < ${bind(options.below, values)}`)
    if (options.above !== undefined) where.push(`seq > ${bind(options.above, values)}`)
    const order = options.ascending === true ? 'ASC' : 'DESC'
    const limit = bind(options.limit ?? -1, values)
    const sql = `SELECT seq, body FROM objects WHERE ${where.join(' AND ')} ORDER BY seq ${order} LIMIT ${limit}`
    return this.#rows(sql, values).map((row) => JSON.parse((row as ObjectRow).body) as Bodies[K])
  }

  count(account: string, kind: Kind): number {
    const sql = 'SELECT count(*) AS total FROM objects WHERE account = ? AND kind = ? AND deleted = 0'
    return (this.#rows(sql, [account, kind])[0] as { total: number }).total
  }

  /** Returns the number of objects per account and kind, without deleted objects. */
  totals(): { readonly account: string; readonly kind: string; readonly total: number }[] {
    const sql = `SELECT account, kind, count(*) AS total FROM objects WHERE deleted = 0 GROUP BY account, kind ORDER BY 1, 2`
    return this.#rows(sql, []) as { account: string; kind: string; total: number }[]
  }

  findReply(account: string, key: string): StoredReply | undefined {
    const row = this.#rows('SELECT reply FROM replies WHERE account = ? AND key = ?', [account, key])[0]
    return row === undefined ? undefined : (JSON.parse((row as ReplyRow).reply) as StoredReply)
  }

  storeReply(account: string, key: string, reply: StoredReply): void {
    const sql = 'INSERT OR REPLACE INTO replies (account, key, reply, created_at) VALUES (?, ?, ?, ?)'
    this.#run(sql, account, key, JSON.stringify(reply), reply.createdAt)
  }

  deleteRepliesBefore(epochMs: number): void {
    this.#run('DELETE FROM replies WHERE created_at < ?', epochMs)
  }

  snapshot(account: string | null): Snapshot {
    const [where, values] = account === null ? ['', []] : [' WHERE account = ?', [account]]
    return {
      account,
      objects: this.#rows(`SELECT * FROM objects${where} ORDER BY seq`, values) as ObjectRow[],
      replies: this.#rows(`SELECT * FROM replies${where}`, values) as ReplyRow[],
      offsets: this.#rows(`SELECT * FROM offsets${where}`, values) as OffsetRow[],
    }
  }

  /** Restores the snapshot. A snapshot of one account leaves the other accounts unchanged. */
  restore(snapshot: Snapshot): void {
    this.transaction(() => {
      this.#clear(snapshot.account)
      for (const row of snapshot.objects) {
        const sql = 'INSERT INTO objects (seq, account, kind, id, deleted, body) VALUES (?, ?, ?, ?, ?, ?)'
        this.#run(sql, row.seq, row.account, row.kind, row.id, row.deleted, row.body)
      }
      for (const row of snapshot.replies) {
        const sql = 'INSERT INTO replies (account, key, reply, created_at) VALUES (?, ?, ?, ?)'
        this.#run(sql, row.account, row.key, row.reply, row.created_at)
      }
      for (const row of snapshot.offsets) this.setOffset(row.account, row.seconds)
    })
  }

  reset(account: string | null): void {
    this.transaction(() => this.#clear(account))
  }

  #clear(account: string | null): void {
    for (const table of ['objects', 'replies', 'offsets']) {
      if (account === null) this.#run(`DELETE FROM ${table}`)
      else this.#run(`DELETE FROM ${table} WHERE account = ?`, account)
    }
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }
}

function openFile(dataDir: string): Database.Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'sandbox.db')
  const db = new Database(file, { timeout: 500 })
  chmodSync(file, 0o600)
  return db
}
