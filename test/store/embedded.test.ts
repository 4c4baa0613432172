// Features of the embedded store only: its files, its backup, and copying it to another store.
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { verifyHistory } from '../../packages/ratecard/src/store/history-chain.ts'
import { createSealer, generateMasterKey } from '../../packages/ratecard/src/store/seal.ts'
import { copyStore } from '../../packages/ratecard/src/store/sql/maintenance/copy.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { inFile, inMemory, publish, refusalOf, refusedBy, storePlace } from '../support/stores/store.ts'
import { dumpStore, fillStore } from './suite/filled-store.ts'
import { temporaryFolder } from '../support/folder.ts'
import type { ServiceKeyRecord } from '../../packages/ratecard/src/store/records/auth.ts'

const modeOf = (file: string) => statSync(file).mode & 0o777

describe('the files of the embedded store', () => {
  test('are readable by their owner only', async () => {
    const place = await inFile()
    const store = await place.open()
    await publish(store)
    const folder = path.dirname(place.file)
    expect(modeOf(folder)).toBe(0o700)
    const files = readdirSync(folder)
    expect(files).toContain('ratecard.db-wal')
    for (const file of files) expect([file, modeOf(path.join(folder, file))]).toEqual([file, 0o600])
  })

  test('contain no secret in plain text: neither webhook secrets nor stored responses', async () => {
    const place = await inFile()
    const store = await place.open()
    const secrets = ['whsec_plain_one', 'whsec_plain_two', 'rk_plain_key']
    await fillStore(store)
    await store.secrets.saveWebhookSecret('we_1', 'whsec_plain_one')
    await store.secrets.saveWebhookSecret('we_1', 'whsec_plain_two')
    await store.idempotency.claim('key', 'f', 1)
    await store.idempotency.finish('key', 201, '{"key":"rk_plain_key"}')
    const bytes = (folder: string) =>
      readdirSync(folder)
        .map((file) => readFileSync(path.join(folder, file), 'latin1'))
        .join()
    const open = bytes(path.dirname(place.file))
    await store.close()
    const closed = bytes(path.dirname(place.file))
    expect(open).toContain('we_1')
    for (const secret of secrets) {
      expect(open).not.toContain(secret)
      expect(closed).not.toContain(secret)
    }
  })

  test('are written with WAL, full sync and foreign keys, so that a commit is on disk before it is confirmed', async () => {
    const store = await (await inFile()).open()
    const pragma = async (name: string) => {
      const { rows } = await store.database.read((db) =>
        sql<Record<string, unknown>>`select * from pragma_${sql.raw(name)}`.execute(db),
      )
      return Object.values(rows[0] ?? {})[0]
    }
    expect(await pragma('journal_mode')).toBe('wal')
    expect(await pragma('synchronous')).toBe(2)
    expect(await pragma('foreign_keys')).toBe(1)
    await store.facts.set('a', 'b')
    expect(await pragma('busy_timeout')).toBe(5000)
  })

  test('are refused with an error that names the next step if they are not a database or in an invalid place', async () => {
    const folder = temporaryFolder()
    const file = path.join(folder, 'note.db')
    writeFileSync(file, 'this is a letter, not a database. '.repeat(50))
    mkdirSync(path.join(folder, 'taken.db'))
    const sealer = createSealer(generateMasterKey())
    for (const place of [file, path.join(folder, 'taken.db'), path.join(file, 'below', 'ratecard.db')]) {
      const refused = await refusedBy(openStore({ url: null, file: place, sealer }))
      expect(refused.code).toBe('store_unavailable')
      expect(refused.hint).toMatch(/database file is damaged|data directory/)
    }
    expect(readFileSync(file, 'utf8')).toMatch(/^this is a letter/)
  })

  test('do not block reads and timers of this process while another process holds a lock on them', async () => {
    const place = await inFile()
    const store = await place.open()
    const rival = new Database(place.file)
    rival.exec('begin immediate')
    const write = store.facts.set('a', 'b')
    expect(
      await inFile()
        .then((other) => other.open())
        .then((other) => other.facts.get('a')),
    ).toBeNull()
    await new Promise((resolve) => setImmediate(resolve))
    rival.exec('commit')
    rival.close()
    await write
    expect(await store.facts.get('a')).toBe('b')
  })
})

describe('the read of a service key', () => {
  const key: ServiceKeyRecord = {
    ...{ id: 'key_1', name: 'ci', hash: 'f1', hint: 'abcd', scope: 'write', createdAt: 1 },
    ...{ expiresAt: null, lastUsedAt: null, revokedAt: null, worker: null },
  }

  test('does not wait for a running transaction of its process, and sees only committed data', async () => {
    const store = await (await inFile()).open()
    const inserted = Promise.withResolvers<null>()
    const end = Promise.withResolvers<null>()
    const writing = store.database.write(async (db) => {
      await db.insertInto('serviceKeys').values(key).execute()
      inserted.resolve(null)
      await end.promise
    })
    await inserted.promise
    const reading = store.serviceKeys.findByHash(key.hash)
    // A read that waited for the transaction would find the key.
    setImmediate(() => {
      end.resolve(null)
    })
    expect(await reading).toBeNull()
    await writing
    expect(await store.serviceKeys.findByHash(key.hash)).toEqual(key)
  })

  test('succeeds in an in-memory store, which has only one connection', async () => {
    const store = await (await inMemory()).open()
    await store.serviceKeys.add(key)
    expect(await store.serviceKeys.findByHash(key.hash)).toEqual(key)
  })
})

describe('the backup of the embedded store', () => {
  test('contains all committed data, even if the store is in use during the backup', async () => {
    const place = await inFile()
    const store = await place.open()
    await fillStore(store)
    const file = path.join(temporaryFolder(), 'backup.db')
    await store.backup(file)
    await store.facts.set('after', 'the backup')
    expect(modeOf(file)).toBe(0o600)
    const restored = await openStore({ url: null, file, sealer: createSealer(place.keys) })
    try {
      expect(await dumpStore(restored)).toEqual(await dumpStore(store))
      expect(await verifyHistory(restored)).toEqual({ ok: true, checked: 3 })
      expect(await restored.facts.get('after')).toBeNull()
    } finally {
      await restored.close()
    }
  })

  test('cannot be opened without the master key', async () => {
    const store = await (await inFile()).open()
    const file = path.join(temporaryFolder(), 'backup.db')
    await store.backup(file)
    const other = createSealer(generateMasterKey())
    expect(await refusalOf(openStore({ url: null, file, sealer: other }))).toBe('secret_unreadable')
  })

  test('never overwrites a file', async () => {
    const store = await (await inFile()).open()
    const file = path.join(temporaryFolder(), 'precious')
    writeFileSync(file, 'precious')
    expect(await refusalOf(store.backup(file))).toBe('request_invalid')
    expect(readFileSync(file, 'utf8')).toBe('precious')
    expect(await refusalOf(store.backup(path.join(temporaryFolder(), 'no', 'folder.db')))).toBe('request_invalid')
  })

  test('leaves no file behind if it fails', async () => {
    const store = await (await inFile()).open()
    const file = path.join(temporaryFolder(), 'backup.db')
    await store.close()
    expect(await refusalOf(store.backup(file))).toBe('store_unavailable')
    expect(existsSync(file)).toBe(false)
  })
})

describe('copying a store', () => {
  const emptyWith = (keys: string) => storePlace({ url: null, file: ':memory:' }).open({ sealer: createSealer(keys) })

  test('copies each record, and further revisions can be added to the history in the target', async () => {
    const place = await inFile()
    const from = await place.open()
    await fillStore(from)
    const to = await emptyWith(place.keys)
    expect(await copyStore(from, to)).toMatchObject({
      versions: 3,
      mappings: 4,
      pushes: 4,
      steps: 5,
      secrets: 3,
      tenants: 1,
      tenantAudit: 1,
      sessions: 1,
      localSubscriptions: 1,
      jobs: 2,
      jobSteps: 6,
      cancelRequests: 1,
    })
    expect(await dumpStore(to)).toEqual(await dumpStore(from))
    expect(await publish(to)).toMatchObject({ revision: 4, previousHash: (await from.versions.latest())?.hash })
  })

  test('copies every table except leases, counters and the schema version', async () => {
    const place = await inMemory()
    const from = await place.open()
    const copied = Object.keys(await copyStore(from, await emptyWith(place.keys)))
    const tables = await from.database.read((db) =>
      // Leaves out the full-text index, which triggers fill on the target.
      sql<{ name: string }>`select name from sqlite_master
        where type = 'table' and name not like 'tenant!_search%' escape '!' order by name`.execute(db),
    )
    const named = copied.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    expect(tables.rows.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([
      'leases',
      'mirror_numbers',
      'paces',
      'published',
      'schema_migrations',
      'worker_changes',
      'worker_log_sizes',
    ])
  })

  test('copies more rows than fit into one statement', async () => {
    const place = await inMemory()
    const from = await place.open()
    for (let index = 0; index < 230; index++) await from.facts.set(`fact_${String(index)}`, String(index))
    const to = await emptyWith(place.keys)
    expect(await copyStore(from, to)).toMatchObject({ facts: 230 })
    expect(await to.facts.get('fact_229')).toBe('229')
  })

  test('is refused if the target is not empty, and leaves the target unchanged', async () => {
    const place = await inMemory()
    const from = await place.open()
    await fillStore(from)
    const to = await emptyWith(place.keys)
    await to.facts.set('a', 'b')
    expect(await refusalOf(copyStore(from, to))).toBe('conflict')
    expect(await to.versions.latest()).toBeNull()
    expect(await to.facts.get('a')).toBe('b')
  })

  test('is refused if the target uses another master key', async () => {
    const from = await (await inMemory()).open()
    await fillStore(from)
    const to = await emptyWith(generateMasterKey())
    expect(await refusalOf(copyStore(from, to))).toBe('secret_unreadable')
    expect(await to.versions.latest()).toBeNull()
  })

  test('is refused while a push runs', async () => {
    const place = await inMemory()
    const from = await place.open()
    const to = await emptyWith(place.keys)
    await from.exclusively('push', async () => {
      expect(await refusalOf(copyStore(from, to))).toBe('push_in_progress')
    })
  })

  test('is refused if the history was tampered with, and copies no record', async () => {
    const place = await inMemory()
    const from = await place.open()
    await fillStore(from)
    await from.database.write((db) =>
      db.updateTable('versions').set({ checksum: 'x' }).where('revision', '=', 2).execute(),
    )
    const to = await emptyWith(place.keys)
    const refused = await refusedBy(copyStore(from, to))
    expect(refused.message).toMatch(/revision 2/)
    expect(await to.versions.latest()).toBeNull()
    expect(await to.serviceKeys.list()).toEqual([])
  })
})
