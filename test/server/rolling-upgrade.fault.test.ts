// Replicas of an earlier release and of this one run on one PostgreSQL, as during an upgrade.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { verifyHistory } from '../../packages/ratecard/src/store/history-chain.ts'
import { createSealer } from '../../packages/ratecard/src/store/seal.ts'
import { migrations } from '../../packages/ratecard/src/store/sql/schema-migrations/migrations.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { createClient } from '../../packages/client/src/client.ts'
import { oldReleases, readOldStore } from '../support/stores/old-store.ts'
import { payingCustomer } from '../support/shop/paying-customer.ts'
import { postgresInstalled } from '../support/stores/postgres.ts'
import { replicaWorld, serviceKey, type Replica } from '../support/programs/replicas.ts'
import { announceSkip } from '../support/skips.ts'

const installed = postgresInstalled()
if (!installed) announceSkip('rolling upgrade', 'no PostgreSQL server is installed')

const document = (amount: number): BillingConfig => ({
  version: '1.0.0',
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [
        { id: 'pro_monthly', amount, currency: 'eur', interval: 'month' },
        {
          id: 'pro_monthly_gold',
          amount: amount - 100,
          currency: 'eur',
          interval: 'month',
          enterprise_template: 'gold',
        },
      ],
    },
  ],
})

const clientOf = (replica: Replica) => createClient({ baseUrl: replica.url, serviceKey })

const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-kept-'))
const releases = installed ? oldReleases(folder) : []
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test.runIf(installed).each(releases)(
  'while replicas of release $name are replaced, both releases read and write each other’s records without a loss',
  { timeout: 180_000 },
  async (release) => {
    const world = await replicaWorld()
    const before = [await world.startRelease(release), await world.startRelease(release)]
    const first = clientOf(before[0] as Replica)
    const counts = { reads: 0, pushes: 0, tenants: 0 }
    const pushed: number[] = []
    const pushThrough = async (replica: Replica) => {
      const amount = 1000 + ++counts.pushes
      const { status } = await clientOf(replica).admin.push(document(amount), { approveImpact: true })
      expect(status).toBe('applied')
      pushed.push(amount)
    }
    const tenantThrough = async (replica: Replica) => {
      const id = `tenant_${String(++counts.tenants)}`
      const processorCustomerId = await payingCustomer(world.stripe, { name: id })
      await clientOf(replica).tenants.create({ id, name: id, processorCustomerId })
      return { id, customer: processorCustomerId }
    }
    await pushThrough(before[0] as Replica)
    const { customer } = await tenantThrough(before[1] as Replica)
    const price = (await first.admin.config()).config.products[0]?.prices?.[0]?.processor_id ?? ''
    await world.stripe.subscriptions.create({ customer, items: [{ price }] })

    // The first replica that is replaced migrates the store, while the other one still runs.
    const stays = before[1] as Replica
    await end(before[0] as Replica)
    const after = [await world.startServer()]
    let running = true
    const reading = async (replica: Replica) => {
      while (running) {
        const { config } = await clientOf(replica).billing.config()
        expect(config.products[0]?.id).toBe('pro')
        counts.reads += 1
        await pause(5)
      }
    }
    const reads = Promise.all([stays, after[0] as Replica].map(reading))
    for (const replica of [stays, after[0] as Replica, stays, after[0] as Replica]) {
      await pushThrough(replica)
      const { id } = await tenantThrough(replica)
      for (const other of [stays, after[0] as Replica]) {
        await expect.poll(async () => (await clientOf(other).admin.config()).revision).toBe(pushed.length)
        expect(await clientOf(other).tenants.find(id)).toMatchObject({ id })
        expect((await clientOf(other).admin.history()).versions).toHaveLength(pushed.length)
      }
    }
    // Work of the earlier release in the journal: a deal, a job that ends, a job that waits for a date.
    const old = clientOf(stays)
    const job = await old.migrations.start({ priceId: 'pro_monthly', to: new Date(Date.now() + 90 * 86_400_000) })
    await ended(stays, job.id)
    const { id: bob, customer: other } = await tenantThrough(stays)
    const current = (await old.admin.config()).config.products[0]?.prices?.[0]?.processor_id ?? ''
    await world.stripe.subscriptions.create({ customer: other, items: [{ price: current }] })
    expect(await old.enterprise.applyTemplate({ tenantId: bob, enterpriseTemplate: 'gold' })).toMatchObject({
      pricesSwapped: 1,
    })
    running = false
    await reads
    await end(stays)
    after.push(await world.startServer())

    // Unfinished work of the earlier release is continued.
    for (const replica of after) {
      const { admin, jobs } = clientOf(replica)
      expect(await jobs.find(job.id)).toMatchObject({ state: 'waiting' })
      expect((await admin.history()).versions.map(({ revision }) => revision)).toEqual(
        pushed.map((_, index) => pushed.length - index),
      )
      expect((await admin.push(document(pushed.at(-1) ?? 0))).status).toBe('unchanged')
    }
    await pushThrough(after[1] as Replica)
    expect(counts.reads).toBeGreaterThan(20)
    const store = await openStore({ url: world.databaseUrl, file: '', sealer: createSealer(world.masterKey) })
    try {
      expect(await verifyHistory(store)).toEqual({ ok: true, checked: pushed.length })
    } finally {
      await store.close()
    }
    // Starting the earlier release again is refused once the schema has changed, as the upgrade guide states.
    const schema = readOldStore(release, 'postgres').rows['schema_migrations'] ?? []
    if (schema.length < migrations.length)
      await expect(world.startRelease(release)).rejects.toThrow(/store_unavailable/)
  },
)

async function end(replica: Replica): Promise<void> {
  replica.signal('SIGTERM')
  expect(await replica.ended).toBe(0)
}

async function ended(replica: Replica, id: string): Promise<void> {
  const { jobs } = clientOf(replica)
  while ((await jobs.find(id)).state === 'running') await pause(20)
}
