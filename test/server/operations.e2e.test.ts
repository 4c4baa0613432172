// Runs every command of the pages of docs/operations, in the situation that the page describes.
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient } from '@ratecard/client'
import { startServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { createSealer } from '../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { postgresInstalled, startPostgres } from '../support/stores/postgres.ts'
import { announceSkip } from '../support/skips.ts'
import { OperationsWorld, pageCommands } from './operations-world.ts'

const config = (version: string, amount = 1200) => ({
  version,
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: ['month', 'year'].map((interval) => ({ id: `pro_${interval}`, amount, currency: 'eur', interval })),
    },
  ],
  webhooks: [{ id: 'hook', url: 'https://api.example.com/hooks', events: ['invoice.paid'] }],
})
const plans = 'ratecard/billing/plans.json'

interface Shown {
  readonly version: string
  readonly pushes: readonly { readonly id: string; readonly state: string; readonly version: string }[]
  readonly keys: readonly { readonly id: string }[]
}

const servedVersion = (world: OperationsWorld) => (world.json('ratecard billing show') as Shown).version
const secret = (world: OperationsWorld) => world.must('ratecard billing webhook secret hook').trim()

describe('the guide to backup and restore', () => {
  const page = pageCommands('backup-and-restore.md')

  it('restores the embedded store, in place and on a new machine', async () => {
    const world = await OperationsWorld.create()
    await world.start()
    world.write(plans, config('1.0.0'))
    world.must('ratecard billing push --quiet')
    const before = secret(world)
    world.must(page.take('ratecard db backup'))
    world.write(plans, config('2.0.0', 1500))
    world.must('ratecard billing push --quiet')

    const restore = page.take('ratecard db restore backup.db --force')
    const tooEarly = world.sh(restore)
    expect([tooEarly.exit, tooEarly.stderr]).toEqual([1, expect.stringContaining('Stop the server first')])
    await world.stop()
    expect(world.must(restore)).toContain('.before-')
    await world.start()
    expect([servedVersion(world), secret(world)]).toEqual(['1.0.0', before])
    expect(world.must(page.take('ratecard doctor'))).toMatch(/hash chain intact/)
    // The newer version is still live at the processor: drift reports it, and a push adopts it without a duplicate.
    const told = world.sh(page.take('ratecard billing drift'))
    expect(told.stdout).toContain('pro_month')
    world.must('ratecard billing push --force --quiet')
    expect(servedVersion(world)).toBe('2.0.0')
    await world.stop()

    world.must(page.take('mkdir -m 700 restored'))
    await world.start({}, 'restored')
    expect([servedVersion(world), secret(world)]).toEqual(['1.0.0', before])
    await world.stop()

    // An old copy in the place of the store is not served, unless that is asked for.
    copyFileSync(world.at('backup.db'), world.at('.ratecard/ratecard.db'))
    const refused = world.sh('ratecard server start --port 0')
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining('store_behind')])
    const [, flag = ''] = page
      .take('ratecard server start')
      .split('ratecard server start')
      .map((text) => text.trim())
    await world.start({}, '.ratecard', [flag])
    expect(servedVersion(world)).toBe('1.0.0')
  })

  const installed = postgresInstalled()
  if (!installed) announceSkip('docs/operations on PostgreSQL', 'no PostgreSQL server is installed')
  it.runIf(installed)('moves the store to PostgreSQL, and restores it with PostgreSQL’s own tools', async () => {
    const postgres = await startPostgres()
    try {
      const world = await OperationsWorld.create()
      await world.start()
      world.write(plans, config('1.0.0'))
      world.must('ratecard billing push --quiet')
      const before = secret(world)
      await world.stop()
      const database = { DATABASE_URL: await postgres.createDatabase() }
      expect(world.must(page.take('export RATECARD_MASTER_KEY'), database)).toContain('the history is intact')
      const env = { ...database, RATECARD_MASTER_KEY: readFileSync(world.at('.ratecard/master-key'), 'utf8').trim() }
      await world.start(env)
      expect([servedVersion(world), secret(world)]).toEqual(['1.0.0', before])
      world.write(plans, config('2.0.0', 1500))
      world.must('ratecard billing push --quiet')
      await world.stop()
      world.must(page.take('pg_dump'), env)
      await world.start(env)
      expect([servedVersion(world), secret(world)]).toEqual(['2.0.0', before])
      await world.stop()
    } finally {
      await postgres.close()
    }
  })

  it.runIf(installed)('contains only commands that these tests have run', () => {
    expect(page.rest()).toEqual([])
  })
})

describe('the guide to key rotation', () => {
  it('changes the master key and a service key, and every secret stays readable', async () => {
    const page = pageCommands('key-rotation.md')
    const world = await OperationsWorld.create()
    await world.start()
    world.write(plans, config('1.0.0'))
    world.must('ratecard billing push --quiet')
    const before = secret(world)
    world.must('ratecard db backup old.db --quiet')
    const oldKey = readFileSync(world.at('.ratecard/master-key'), 'utf8').trim()

    await world.stop()
    world.must(page.take('(umask 077 && echo'))
    await world.start()
    expect(secret(world)).toBe(before)
    await world.stop()
    world.must(page.take('(umask 077 && cut'))
    expect(readFileSync(world.at('.ratecard/master-key'), 'utf8')).not.toContain(oldKey)
    await world.start()
    expect(secret(world)).toBe(before)

    const [hook] = (world.json('ratecard billing webhook secret') as { webhooks: { id: string }[] }).webhooks
    const about = { WEBHOOK_ID: hook?.id ?? '' }
    expect(world.must(page.take('ratecard billing webhook rotate "$WEBHOOK_ID" --overlap'), about)).toMatch(/^whsec_/m)
    expect(world.must(page.take('ratecard billing webhook rotate "$WEBHOOK_ID"'), about)).toMatch(/^whsec_/m)
    expect(secret(world)).not.toBe(before)
    const looking = /rck_\S+/.exec(world.must(page.take('ratecard keys create pull-requests')))?.[0] ?? ''
    const reading = { RATECARD_SERVICE_KEY: looking }
    expect(world.sh('ratecard billing drift', reading)).toMatchObject({ exit: 0 })
    expect(world.sh('ratecard keys create another', reading).stderr).toContain('key_scope')

    const [old] = (world.json('ratecard keys list') as Shown).keys
    const block = page.take('ratecard keys create')
    const shown = world.must(block, { OLD_KEY_ID: old?.id ?? '' })
    const created = /rk_\w+|[A-Za-z0-9_-]{40,}/.exec(shown)?.[0] ?? ''
    expect(world.sh('ratecard keys list')).toMatchObject({ exit: 1 })
    expect(world.sh('ratecard keys list', { RATECARD_SERVICE_KEY: created })).toMatchObject({ exit: 0 })
    await world.stop()

    // A backup from before the rotation needs the earlier key.
    expect(world.sh('ratecard db restore old.db --force').stderr).toContain('does not decrypt')
    world.must('ratecard db restore old.db --force', { RATECARD_MASTER_KEY: oldKey })
    expect(page.rest()).toEqual([])
  })
})

describe('the guide to an interrupted push', () => {
  it('resumes a push whose server was killed, or replaces it by the next push', async () => {
    const page = pageCommands('recovery-of-a-stuck-push.md')
    const world = await OperationsWorld.create()
    await world.start()
    const pushes = () => (world.json('ratecard billing pushes') as Shown).pushes

    /** Kills the server with its push while the processor handles the second price. */
    const killedPush = async (version: string, amount: number): Promise<string> => {
      world.write(plans, config(version, amount))
      await world.orderFault({ kind: 'latency', method: 'POST', path: '/v1/prices', skip: 1, latency_ms: 10_000 })
      const client = world.begin(['billing', 'push'])
      const ended = new Promise((resolve) => client.once('exit', resolve))
      await expect.poll(() => pushes()[0], { timeout: 60_000 }).toMatchObject({ version, state: 'running' })
      await expect.poll(() => faultsLeft(world), { timeout: 60_000, interval: 50 }).toBe(0)
      await world.stop('SIGKILL')
      await ended
      await world.clearFaults()
      await world.start()
      const [push] = pushes()
      expect(push).toMatchObject({ version, state: 'interrupted' })
      return push?.id ?? ''
    }

    const first = await killedPush('1.0.0', 1200)
    const looked = world.sh(page.take('ratecard billing pushes'), { PUSH_ID: first })
    expect(looked.stdout).toContain('interrupted')
    expect(looked.stdout).toMatch(/was interrupted after \d of \d steps/)
    world.must(page.take('ratecard billing resume'), { PUSH_ID: first })
    expect([servedVersion(world), pushes()[0]?.state]).toEqual(['1.0.0', 'applied'])

    await killedPush('2.0.0', 1500)
    expect(servedVersion(world)).toBe('1.0.0')
    world.must(page.take('ratecard billing push'))
    expect([servedVersion(world), pushes().map(({ state }) => state)]).toEqual([
      '2.0.0',
      ['applied', 'abandoned', 'applied'],
    ])
    expect(world.must('ratecard billing drift --exit-code')).not.toContain('pro_month')
    const prices = await fetch(`${world.sandboxUrl}/v1/prices?active=true&limit=100`, {
      headers: { authorization: 'Bearer sk_test_operations0000' },
    })
    expect(((await prices.json()) as { data: unknown[] }).data).toHaveLength(2)
    expect(page.rest()).toEqual([])
  })
})

/** Returns the number of faults that no request has met yet. */
async function faultsLeft(world: OperationsWorld): Promise<number> {
  const answer = await fetch(`${world.sandboxUrl}/_sandbox/faults`)
  return ((await answer.json()) as { faults: readonly unknown[] }).faults.length
}

describe('a power loss', () => {
  it('loses no push that was reported as applied: database and log are on disk without a checkpoint', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-power-'))
    const dataDir = path.join(folder, 'data')
    const key = 'power-tests-service-key'
    const server = await startServer({
      env: {
        RATECARD_SANDBOX_PORT: '0',
        RATECARD_SERVICE_KEY: key,
        RATECARD_LOG_LEVEL: 'silent',
        RATECARD_WORKERS: 'off',
      },
      port: 0,
      dataDir,
      out: () => undefined,
    })
    try {
      const client = createClient({ baseUrl: server.url, serviceKey: key })
      for (let round = 1; round <= 8; round++) {
        const version = `1.${String(round)}.0`
        const outcome = await client.admin.push(config(version, 1000 + round))
        const copy = path.join(folder, `copy-${String(round)}`)
        mkdirSync(copy)
        for (const name of ['ratecard.db', 'ratecard.db-wal', 'ratecard.db-shm'])
          cpSync(path.join(dataDir, name), path.join(copy, name))
        expect(outcome).toMatchObject({ status: 'applied', version })
        const store = await openStore({
          url: null,
          file: path.join(copy, 'ratecard.db'),
          sealer: createSealer(readFileSync(path.join(dataDir, 'master-key'), 'utf8').trim()),
        })
        expect(await store.versions.current()).toMatchObject({ version, revision: round })
        expect((await store.pushes.list({ limit: 1, offset: 0 })).items[0]).toMatchObject({ state: 'applied' })
        await store.close()
      }
      expect(existsSync(path.join(dataDir, 'ratecard.db-wal'))).toBe(true)
    } finally {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
