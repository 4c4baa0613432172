import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import Stripe from 'stripe'
import { systemClock } from '../../packages/ratecard/src/clock.ts'
import { createService } from '../../packages/ratecard/src/composition/compose.ts'
import { unlimitedBudget } from '../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { startSandbox } from '../../packages/sandbox/src/server.ts'
import { createSealer, generateMasterKey } from '../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { postgresStores, sqliteStores } from '../support/kill-stores.ts'
import type { Place, StoreFactory } from '../support/kill-stores.ts'
import { postgresInstalled, startPostgres } from '../support/postgres.ts'
import { announceSkip } from '../support/skips.ts'
import { caller, gold, negotiated, shopOver } from '../support/tenant-shop.ts'
import type { Stack } from '../support/stack.ts'

const script = fileURLToPath(new URL('../support/killable-apply.ts', import.meta.url))
const secretKey = 'sk_test_killedApplies0000'

function run(order: object): Promise<{ readonly killed: boolean; readonly points: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, JSON.stringify(order)])
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve({ killed: true, points: 0 })
      else if (code === 0) resolve({ killed: false, points: (JSON.parse(output) as { points: number }).points })
      else reject(new Error(`It ended with ${String(code)}: ${errors}`))
    })
  })
}

async function prepare(stores: StoreFactory) {
  const sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  const masterKey = generateMasterKey()
  const options = { host: '127.0.0.1', port: sandbox.port, protocol: 'http', telemetry: false } as const
  const stripe = new Stripe(secretKey, { ...options, maxNetworkRetries: 0 })
  /** A shop over the store in this file, as a process that starts there would have it. */
  const open = async ({ url, file }: Place) => {
    const store = await openStore({ url, file, sealer: createSealer(masterKey) })
    const connection = { secretKey, apiBase: sandbox.url, budget: unlimitedBudget, clock: systemClock, firstWaitMs: 1 }
    const processor = createStripeProcessor(connection)
    const settings = { requireVersionBump: false, workers: 'off' as const }
    const service = createService({ settings, store, processor, processorName: 'sandbox', clock: systemClock })
    const stack: Stack = {
      service,
      store,
      processor,
      sandbox,
      stripe,
      writes: () => 0,
      snapshot: () => processor.snapshot({ signal: AbortSignal.timeout(30_000) }),
      close: async () => {
        await service.close()
        await store.close()
      },
    }
    return shopOver(stack, secretKey)
  }
  const first = await open(stores.prepared)
  await first.push(negotiated())
  const customer = await first.tenant('t')
  const subscriptions = [
    await first.subscribe(customer, [['pro_monthly', 7], ['calls'], ['seat', 2]]),
    await first.subscribe(customer, [['pro_monthly', 3]]),
  ].map(({ id }) => id)
  await first.close()
  sandbox.control.snapshot('prepared')

  /** Kills an apply at this point (0: none) and applies again, as whoever finds it does. */
  const applyTwice = async (killAt: number) => {
    sandbox.control.restore('prepared')
    const place = await stores.fork(`apply-${String(killAt)}`)
    const { killed, points } = await run({
      killAt,
      url: place.url,
      file: place.file,
      masterKey,
      apiBase: sandbox.url,
      secretKey,
    })
    const shop = await open(place)
    try {
      const before = await shop.service.listJobs({ limit: 10, offset: 0 })
      await shop.apply('t')
      const items = []
      for (const id of subscriptions) items.push(await shop.items(id))
      const invoices = (await shop.invoices(customer)).length
      shop.advance(32)
      const renewed = []
      for (const id of subscriptions) renewed.push(await shop.items(id))
      const { enterpriseTemplate } = await shop.service.findTenant('t')
      const repeated = (await shop.service.applyEnterprise('t', gold, { ...caller, dryRun: true })).pricesSwapped
      const unfinished = await shop.store.jobs.unfinished('enterprise_apply', 't')
      const world = { items, invoices, renewed, enterpriseTemplate, repeated, unfinished: unfinished.length }
      return { killed, points, running: before.items.filter(({ state }) => state === 'running').length, world }
    } finally {
      await shop.close()
      await place.remove()
    }
  }
  const close = async () => {
    await sandbox.close()
    await stores.close()
  }
  return { applyTwice, close }
}

async function expectEveryKillSurvived(stores: StoreFactory, step: number): Promise<void> {
  const { applyTwice, close } = await prepare(stores)
  try {
    const undisturbed = await applyTwice(0)
    expect(undisturbed.world).toEqual({
      items: [
        [
          ['pro_monthly_gold', 7],
          ['calls', null],
          ['seat_gold', 2],
        ],
        [['pro_monthly_gold', 3]],
      ],
      invoices: 2,
      renewed: [
        [
          ['pro_monthly_gold', 7],
          ['calls_gold', null],
          ['seat_gold', 2],
        ],
        [['pro_monthly_gold', 3]],
      ],
      enterpriseTemplate: 'gold',
      repeated: 0,
      unfinished: 0,
    })
    expect(undisturbed.points).toBeGreaterThan(20)
    for (let point = 1; point <= undisturbed.points; point += step) {
      const { killed, running, world } = await applyTwice(point)
      expect({ point, killed, running, world }).toEqual({ point, killed: true, running: 0, world: undisturbed.world })
    }
  } finally {
    await close()
  }
}

const timeout = 600_000
const installed = postgresInstalled()
if (!installed) announceSkip('applies killed on PostgreSQL', 'no PostgreSQL server is installed')

describe('an apply killed at any point, and done again, ends as an undisturbed one', () => {
  test('on SQLite', { timeout }, async () => {
    await expectEveryKillSurvived(await sqliteStores(), 1)
  })

  // Every point is on the list of SQLite; the journal is the same code, its transactions are another engine's.
  test.runIf(installed)('on PostgreSQL', { timeout }, async () => {
    const server = await startPostgres()
    try {
      await expectEveryKillSurvived(await postgresStores(server), 2)
    } finally {
      await server.close()
    }
  })
})
