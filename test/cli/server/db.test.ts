import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { startServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import { aloneWith } from '../../../packages/ratecard/src/store/sql/maintenance/embedded-file.ts'
import { postgresInstalled, startPostgres } from '../../support/stores/postgres.ts'
import { announceSkip } from '../../support/skips.ts'
import { startedForAll, startedForEach } from '../../support/started.ts'
import { publish } from '../../support/stores/store.ts'
import { cliWorld, smallConfig } from '../cli-world.ts'

const masterKey = generateMasterKey()
const world = startedForEach(cliWorld)
beforeEach(() => {
  mkdirSync(path.join(world.cwd, '.ratecard'), { mode: 0o700 })
  writeFileSync(at('.ratecard/master-key'), `${masterKey}\n`, { mode: 0o600 })
})

const at = (file: string) => path.join(world.cwd, file)
const storeFile = '.ratecard/ratecard.db'

/** Works on the store of a data directory and closes it. */
async function withStore<T>(
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
  file = storeFile,
): Promise<T> {
  const store = await openStore({ url: null, file: at(file), sealer: createSealer(masterKey) })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const publishVersion = (version: string) => withStore((store) => publish(store, { version }))
const versionIn = (file = storeFile) => withStore(async (store) => (await store.versions.current())?.version, file)

/** Files that a restore may leave in the data directory. */
const leftovers = () =>
  readdirSync(at('.ratecard')).filter((name) => name.includes('restoring') || name.includes('before'))

async function refused(argv: readonly string[], code: string, options = {}): Promise<string> {
  const { exit, document } = await world.json(argv, options)
  expect([exit, document.error.code]).toEqual([1, code])
  return document.error.detail
}

describe('ratecard db backup', () => {
  it('contains everything that a running server has confirmed as saved, and names the master key that must be kept with it', async () => {
    const server = await startServer({
      env: { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: 'backup-tests-key', RATECARD_LOG_LEVEL: 'silent' },
      port: 0,
      dataDir: at('.ratecard'),
      out: () => undefined,
    })
    try {
      const env = { RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: 'backup-tests-key' }
      world.write('ratecard/billing/plans.json', smallConfig())
      expect((await world.run(['billing', 'push'], { env })).exit).toBe(0)
      const ran = await world.run(['db', 'backup', 'backup.db'], { env })
      expect(ran).toMatchObject({ exit: 0, stderr: '' })
      expect(ran.stdout).toContain('history of 1 revision intact')
      expect(ran.stdout).toContain(`keep the master key, in another place: ${at('.ratecard/master-key')}`)
      expect(statSync(at('backup.db')).mode & 0o777).toBe(0o600)
      expect(await versionIn('backup.db')).toBe('1.0.0')
      // The server was not disturbed.
      world.write('ratecard/billing/plans.json', smallConfig({ version: '1.1.0' }))
      expect((await world.run(['billing', 'push'], { env })).exit).toBe(0)
    } finally {
      await server.close()
    }
  })

  it('never overwrites a file, and creates none if there is no store to back up', async () => {
    await publishVersion('1.0.0')
    writeFileSync(at('precious'), 'precious')
    expect(await refused(['db', 'backup', 'precious'], 'request_invalid')).toContain('precious')
    expect(readFileSync(at('precious'), 'utf8')).toBe('precious')
    await refused(['db', 'backup', 'b.db', '--data-dir', 'elsewhere'], 'store_not_found')
    expect(existsSync(at('b.db'))).toBe(false)
    expect((await world.run(['db', 'backup'])).exit).toBe(2)
  })

  it('warns if the current master key cannot decrypt the backup, and fails if no valid master key is set', async () => {
    await publishVersion('1.0.0')
    const env = { RATECARD_MASTER_KEY: generateMasterKey() }
    expect((await world.run(['db', 'backup', 'one.db'], { env })).stderr).toMatch(/does not decrypt the backup/)
    const { document } = await world.json(['db', 'backup', 'two.db'], { env })
    expect(document).toMatchObject({ revisions: 1, master_key: 'RATECARD_MASTER_KEY', master_key_fits: false })
    writeFileSync(at('.ratecard/master-key'), 'nonsense')
    await refused(['db', 'backup', 'three.db'], 'settings_invalid')
  })

  it('refuses a damaged store instead of creating a damaged backup', async () => {
    await publishVersion('1.0.0')
    await withStore((store) =>
      store.database.write((db) => db.updateTable('versions').set({ author: 'eve' }).execute()),
    )
    await refused(['db', 'backup', 'backup.db'], 'backup_invalid')
    expect(existsSync(at('backup.db'))).toBe(false)
  })

  it('refers users of PostgreSQL to pg_dump, and prints no password', async () => {
    const env = { DATABASE_URL: 'postgres://me:hunter2@localhost/x', RATECARD_MASTER_KEY: masterKey }
    for (const command of ['backup', 'restore']) {
      const ran = await world.run(['db', command, 'x.db'], { env })
      expect(ran.exit).toBe(1)
      expect(ran.stderr).toContain('pg_dump')
      expect(ran.stdout + ran.stderr).not.toContain('hunter2')
    }
  })
})

describe('ratecard db restore', () => {
  beforeEach(async () => {
    await publishVersion('1.0.0')
    expect((await world.run(['db', 'backup', 'backup.db'])).exit).toBe(0)
  })

  it('restores a store into an empty data directory, with the master key placed there', async () => {
    mkdirSync(at('new'))
    writeFileSync(at('new/master-key'), masterKey)
    const ran = await world.run(['db', 'restore', 'backup.db', '--data-dir', 'new'])
    expect(ran).toMatchObject({ exit: 0, stderr: '' })
    expect(await versionIn('new/ratecard.db')).toBe('1.0.0')
    expect(statSync(at('new/ratecard.db')).mode & 0o777).toBe(0o600)
    expect(readdirSync(at('new')).sort()).toEqual(['master-key', 'ratecard.db', 'store-mark.json'])
  })

  it('asks before it replaces a store, and keeps the replaced one beside it', async () => {
    await publishVersion('2.0.0')
    await refused(['db', 'restore', 'backup.db'], 'conflict')
    expect((await world.run(['db', 'restore', 'backup.db'], { answer: { confirm: false } })).exit).toBe(1)
    expect([await versionIn(), leftovers()]).toEqual(['2.0.0', []])
    const ran = await world.run(['db', 'restore', 'backup.db'], { answer: { confirm: true } })
    expect(ran.exit).toBe(0)
    expect(await versionIn()).toBe('1.0.0')
    const [kept = ''] = leftovers()
    expect(ran.stdout).toContain(kept)
    expect(await versionIn(`.ratecard/${kept}`)).toBe('2.0.0')
  })

  it('replaces a store without a question if --force or --yes is given', async () => {
    const { document } = await world.json(['db', 'restore', 'backup.db', '--force'])
    expect(document).toMatchObject({ store: at(storeFile), revisions: 1 })
    expect((await world.run(['db', 'restore', 'backup.db', '--yes'])).exit).toBe(0)
    expect(leftovers()).toHaveLength(2)
  })

  it('refuses while another process has the store open, and does not disturb that process', async () => {
    await withStore(async (store) => {
      for (const argv of [
        ['db', 'restore', 'backup.db', '--force'],
        ['db', 'restore', 'backup.db'],
      ])
        await refused(argv, 'store_in_use')
      await publish(store, { version: '2.0.0' })
    })
    expect([await versionIn(), leftovers()]).toEqual(['2.0.0', []])
  })

  it('makes the old store read-only for a program that opened that store just before its replacement', async () => {
    let late: Sqlite.Database | undefined
    await aloneWith(at(storeFile), async () => {
      late = new Sqlite(at(storeFile), { timeout: 0 })
      const { rename } = await import('node:fs/promises')
      await rename(at('backup.db'), at(storeFile))
    })
    expect(() => late?.pragma('journal_mode = WAL')).toThrow(/readonly/)
    late?.close()
    expect(await versionIn()).toBe('1.0.0')
  })

  it('refuses a backup if no available master key decrypts it, and changes nothing', async () => {
    const other = { RATECARD_MASTER_KEY: generateMasterKey() }
    expect(await refused(['db', 'restore', 'backup.db', '--force'], 'backup_invalid', { env: other })).toMatch(
      /RATECARD_MASTER_KEY\) does not decrypt/,
    )
    expect(await refused(['db', 'restore', 'backup.db', '--data-dir', 'new'], 'backup_invalid')).toMatch(
      /No master key was found: there is no file .*master-key/,
    )
    expect(existsSync(at('new'))).toBe(false)
    expect(leftovers()).toEqual([])
  })

  it('refuses a file that is not a backup, that is truncated, or whose history was tampered with', async () => {
    const whole = readFileSync(at('backup.db'))
    writeFileSync(at('letter'), 'Dear Sir or Madam, '.repeat(1000))
    writeFileSync(at('short.db'), whole.subarray(0, whole.length - 8192))
    writeFileSync(at('empty.db'), '')
    new Sqlite(at('foreign.db')).exec('create table a (b)').close()
    writeFileSync(at('tampered.db'), whole)
    new Sqlite(at('tampered.db')).exec(`update versions set version = '6.6.6'`).close()
    writeFileSync(at('newer.db'), whole)
    new Sqlite(at('newer.db')).exec(`insert into schema_migrations values (999, 'later', 1)`).close()
    for (const name of ['letter', 'short.db', 'empty.db', 'foreign.db', 'tampered.db', 'newer.db', 'absent.db'])
      await refused(['db', 'restore', name, '--force'], 'backup_invalid')
    expect(await refused(['db', 'restore', 'tampered.db', '--force'], 'backup_invalid')).toMatch(/revision 1/)
    expect([await versionIn(), leftovers()]).toEqual(['1.0.0', []])
    expect(readFileSync(at('letter'), 'utf8')).toMatch(/^Dear Sir/)
  })

  it('restores a plain copy of a data directory together with its write-ahead log', async () => {
    mkdirSync(at('copied'))
    await withStore(async (store) => {
      await publish(store, { version: '2.0.0' })
      for (const name of ['ratecard.db', 'ratecard.db-wal'])
        writeFileSync(at(`copied/${name}`), readFileSync(at(`.ratecard/${name}`)))
    })
    expect((await world.run(['db', 'restore', 'copied/ratecard.db', '--force'])).exit).toBe(0)
    expect(await versionIn()).toBe('2.0.0')
  })

  it('replaces a damaged store, and does not apply the write-ahead log of the damaged store', async () => {
    writeFileSync(at(storeFile), 'no database any more. '.repeat(1000))
    writeFileSync(at(`${storeFile}-wal`), 'no log either')
    const ran = await world.run(['db', 'restore', 'backup.db', '--force'])
    expect(ran.stderr).toBe('')
    expect(await versionIn()).toBe('1.0.0')
    const kept = leftovers().map((name) => readFileSync(at(`.ratecard/${name}`), 'utf8'))
    expect(kept).toContain('no log either')
    expect(kept).toContain('no database any more. '.repeat(1000))
  })
})

const installed = postgresInstalled()
if (!installed) announceSkip('db copy to PostgreSQL', 'no PostgreSQL server is installed (apt-get install postgresql)')

describe.runIf(installed)('ratecard db copy', () => {
  const postgres = startedForAll(startPostgres)

  it('copies the store to an empty database only, and leaves the source unchanged', async () => {
    await publishVersion('1.0.0')
    const url = await postgres.createSchema()
    const ran = await world.run(['db', 'copy', '--to', url])
    expect(ran).toMatchObject({ exit: 0, stderr: '' })
    expect(ran.stdout).toContain('RATECARD_MASTER_KEY: the same key')
    const moved = await openStore({ url, file: '', sealer: createSealer(masterKey) })
    expect(await moved.versions.current()).toMatchObject({ version: '1.0.0', revision: 1 })
    await moved.close()
    expect(await versionIn()).toBe('1.0.0')
    // The same holds for DATABASE_URL, and for a store that is sealed with another key.
    const env = { DATABASE_URL: url, RATECARD_MASTER_KEY: masterKey }
    await refused(['db', 'copy'], 'conflict', { env })
  })

  it('refuses a target that already contains a store, and a source that another process has open', async () => {
    await publishVersion('1.0.0')
    const url = await postgres.createSchema()
    const other = await openStore({ url, file: '', sealer: createSealer(generateMasterKey()) })
    await other.close()
    expect(await refused(['db', 'copy', '--to', url], 'conflict')).toMatch(/not empty/)
    await withStore(() => refused(['db', 'copy', '--to', url], 'store_in_use'))
  })
})

describe('ratecard db copy to a malformed or unreachable target', () => {
  it('prints no password of the target’s URL', async () => {
    await publishVersion('1.0.0')
    for (const [url, exit] of [
      ['postgres://me:hunter2@127.0.0.1:1/x', 70],
      ['mysql://me:hunter2@127.0.0.1/x', 2],
      ['postgres//me:hunter2', 2],
    ] as const)
      for (const format of [[], ['--json']]) {
        const ran = await world.run(['db', 'copy', '--to', url, ...format])
        expect([url, ran.exit]).toEqual([url, exit])
        expect(ran.stdout + ran.stderr).not.toContain('hunter2')
      }
    expect((await world.run(['db', 'copy'])).exit).toBe(2)
    expect(await versionIn()).toBe('1.0.0')
  })
})
