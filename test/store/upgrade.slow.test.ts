// A database of each earlier release can be opened, read and written, on both engines.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../packages/ratecard/src/base/clock.ts'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { verifyHistory } from '../../packages/ratecard/src/store/history-chain.ts'
import { createSealer } from '../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { startSandbox } from '../../packages/sandbox/src/server.ts'
import {
  keptReleases,
  layOldPostgres,
  layOldSqlite,
  laySandbox,
  oldReleases,
  readOldStore,
} from '../support/stores/old-store.ts'
import type { OldStore } from '../support/stores/old-store.ts'
import { postgresInstalled, startPostgres } from '../support/stores/postgres.ts'
import { announceSkip } from '../support/skips.ts'
import { nobody } from '../support/stack.ts'
import { startedForAll } from '../support/started.ts'
import {} from '../support/stores/store.ts'
import { caller } from '../support/shop/tenant-shop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { adapterTo, serviceOver } from '../support/parts.ts'

const day = 86_400_000
const page = { limit: 10, offset: 0 }

const installed = postgresInstalled()
if (!installed) announceSkip('upgrade', 'no PostgreSQL server is installed (apt-get install postgresql)')
const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-kept-'))
const releases = installed ? oldReleases(folder) : []
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

interface World {
  readonly clock: Clock
  pass(ms: number): void
}

/** Opens the store of an earlier release with the current release. */
async function openOld(old: OldStore, place: { readonly url: string | null; readonly file: string }) {
  const at = { ms: old.now }
  const world: World = {
    clock: { now: () => at.ms },
    pass: (ms) => {
      at.ms += ms
    },
  }
  const { clock } = world
  const dataDir = path.join(temporaryFolder(), 'sandbox')
  laySandbox(old, dataDir)
  const sandbox = await startSandbox({ port: 0, dataDir, clock })
  onTestFinished(() => sandbox.close())
  const store = await openStore({ ...place, sealer: createSealer(old.masterKey), clock })
  onTestFinished(() => store.close())
  const processor = adapterTo(sandbox.url, old.secretKey, { clock })
  const service = serviceOver({ store, processor, clock })
  onTestFinished(() => service.close())
  return { ...world, store, service, processor, sandbox }
}

function dearer(config: BillingConfig): BillingConfig {
  const next = structuredClone(config)
  const price = next.products.flatMap(({ prices }) => prices ?? []).find(({ id }) => id === 'pro_monthly')
  if (price === undefined) throw new Error('no price')
  price.amount = 1500
  return { ...next, version: '1.3.0' }
}

const writer = { keyId: 'key_fixture', keyName: 'fixture' }

function upgrade(engine: OldStore['engine'], open: (old: OldStore) => ReturnType<typeof openOld>): void {
  describe.each(releases)(`a database that release $name created on ${engine}`, (release) => {
    const old = readOldStore(release, engine)

    test('still has its history, pushes, keys and sessions, and its tenants with their audit log', async () => {
      const { service, store } = await open(old)
      expect(await verifyHistory(store)).toEqual({ ok: true, checked: 2 })
      expect((await service.history(page)).items.map(({ version, message, by }) => [version, message, by])).toEqual([
        ['1.1.0', 'dearer', writer],
        ['1.0.0', null, writer],
      ])
      expect(await service.findPush(old.interruptedPush)).toMatchObject({
        by: writer,
        state: 'interrupted',
        stepsDone: 1,
        stepsTotal: 2,
        steps: [{ state: 'succeeded' }, { state: 'pending' }],
      })
      expect((await service.listTenants(page)).items.map(({ id, name }) => [id, name])).toEqual([
        ['ada', 'ada'],
        ['bob', 'bob'],
        ['cleo', 'cleo'],
        ['dora', 'Dora Ltd'],
      ])
      expect((await service.tenantAudit('dora', page)).items).toMatchObject([
        {
          action: 'tenant_updated',
          before: { name: 'Dora' },
          after: { name: 'Dora Ltd' },
          by: { keyId: 'key_fixture' },
          keyId: 'key_fixture',
        },
        { action: 'tenant_created', before: null, after: { name: 'Dora', email: null, processor_customer_id: null } },
      ])
      expect((await service.tenantSubscriptions('dora')).billingStatus).toBe('free')
      expect(await service.authenticateSession(old.session)).toMatchObject({ tenantId: 'ada' })
      expect(await service.authenticate(old.serviceKey)).not.toBeNull()
      expect((await service.listWebhooks({ secrets: true }))[0]?.secret).toMatch(/^whsec_/)
    })

    test('contains a waiting subscriber migration that stays waiting, and moves its subscribers on its date', async () => {
      const { service, store, pass, clock, sandbox } = await open(old)
      const before = await service.findJob(old.jobs.waiting)
      const [said] = (old.rows['jobs'] ?? []).filter(({ id }) => id === old.jobs.waiting)
      expect(before).toMatchObject({
        state: 'waiting',
        stepsDone: 0,
        steps: [{ state: 'pending' }, { state: 'pending' }],
      })
      const waits = (old.rows['job_steps'] ?? []).filter(({ job_id: job }) => job === old.jobs.waiting)
      expect(before.resumesAt).toBeGreaterThan(old.now)
      expect(before.resumesAt).toBe(Number(said?.['resumes_at']))
      expect(waits.map(({ waits_until: until }) => Number(until))).toEqual(before.steps.map(() => before.resumesAt))
      expect(await service.findJob(old.jobs.moved)).toMatchObject({ state: 'done', resumesAt: null, stepsDone: 1 })

      await service.waitingJobs.continueDue()
      expect(await service.findJob(old.jobs.waiting)).toMatchObject({ state: 'waiting', resumesAt: before.resumesAt })
      sandbox.control.advance(46 * 86_400, old.secretKey)
      pass(46 * day)
      await service.waitingJobs.continueDue()
      const after = await service.findJob(old.jobs.waiting)
      expect(after).toMatchObject({ state: 'done', resumesAt: null, stepsDone: 2, error: null })
      expect(await store.jobs.due(clock.now() + 365 * day)).toEqual([])
    })

    test('contains a waiting subscriber migration that can be cancelled', async () => {
      const { service } = await open(old)
      expect(await service.cancelJob(old.jobs.waiting, false, caller)).toMatchObject({
        state: 'cancelled',
        resumesAt: null,
      })
    })

    test('contains an interrupted push that can be resumed', async () => {
      const { service, store } = await open(old)
      expect(await service.resumePush(old.interruptedPush)).toMatchObject({ status: 'applied', revision: 3 })
      expect(await verifyHistory(store)).toEqual({ ok: true, checked: 3 })
    })

    test('accepts a push and a rollback, and deals can be applied to its tenants', async () => {
      const { service, store } = await open(old)
      const { config } = await service.fullConfig()
      expect(await service.push(dearer(config), { ...nobody, approveImpact: true })).toMatchObject({
        status: 'applied',
        revision: 3,
      })
      expect(await service.findPush(old.interruptedPush)).toMatchObject({ state: 'abandoned' })
      expect(await service.rollback(1, { ...nobody, approveImpact: true })).toMatchObject({ revision: 4 })
      expect(await verifyHistory(store)).toEqual({ ok: true, checked: 4 })
      const outcome = await service.applyEnterprise(
        'ada',
        { kind: 'template', template: 'gold' },
        { ...caller, dryRun: false },
      )
      expect(outcome.pricesSwapped).toBe(1)
      expect((await service.tenantAudit('ada', page)).items[0]).toMatchObject({
        action: 'apply_template',
        before: { enterprise_template: null, enterprise_id: null },
        after: { enterprise_template: 'gold', enterprise_id: null },
      })
    })
  })
}

test('every release in the changelog has a stored database in the test fixtures', () => {
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) \(/gm)].map(([, version]) => version)
  expect(keptReleases).toEqual(expect.arrayContaining(released))
})

upgrade('sqlite', (old) => {
  const file = path.join(temporaryFolder(), 'ratecard.db')
  layOldSqlite(old, file)
  return openOld(old, { url: null, file })
})

describe.runIf(installed)('PostgreSQL', () => {
  const server = startedForAll(startPostgres)

  upgrade('postgres', async (old) => {
    const url = await server.createSchema()
    await layOldPostgres(old, url)
    return openOld(old, { url, file: '' })
  })
})
