// A rotation that is killed at every point: rotating again ends with one endpoint whose secret is known, and nothing else live.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../packages/ratecard/src/clock.ts'
import { createService } from '../../packages/ratecard/src/composition/compose.ts'
import { unlimitedBudget } from '../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { createSealer, generateMasterKey } from '../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { startSandbox } from '../../packages/sandbox/src/server.ts'
import { postgresStores, sqliteStores } from '../support/kill-stores.ts'
import type { Place, StoreFactory } from '../support/kill-stores.ts'
import { postgresInstalled, startPostgres } from '../support/postgres.ts'
import { announceSkip } from '../support/skips.ts'
import { nobody } from '../support/stack.ts'

const script = fileURLToPath(new URL('../support/killable-rotate.ts', import.meta.url))
const secretKey = 'sk_test_killedRotations0000'
const document = {
  version: '1.0.0',
  products: [{ id: 'p', name: 'P' }],
  webhooks: [{ id: 'hook', url: 'https://app.example.com/hook', events: ['invoice.paid'] }],
}

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

async function expectEveryKillSurvived(stores: StoreFactory): Promise<void> {
  const sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  const masterKey = generateMasterKey()
  const address = { host: '127.0.0.1', port: sandbox.port, protocol: 'http', telemetry: false } as const
  const stripe = new Stripe(secretKey, { ...address, maxNetworkRetries: 0 })
  const open = async ({ url, file }: Place) => {
    const store = await openStore({ url, file, sealer: createSealer(masterKey) })
    const connection = { secretKey, apiBase: sandbox.url, budget: unlimitedBudget, clock: systemClock, firstWaitMs: 1 }
    const processor = createStripeProcessor(connection)
    const settings = { requireVersionBump: false, workers: 'off' as const }
    const service = createService({ settings, store, processor, processorName: 'sandbox', clock: systemClock })
    const close = async () => {
      await service.close()
      await store.close()
    }
    return { service, close }
  }
  const live = async () =>
    (await stripe.webhookEndpoints.list({ limit: 100 })).data.filter(({ status }) => status === 'enabled')
  const first = await open(stores.prepared)
  await first.service.push(document, nobody)
  await first.close()
  sandbox.control.snapshot('prepared')

  /** Kills a rotation without an overlap at this point (0: none); then the service passes, and somebody rotates again. */
  const rotateAgain = async (killAt: number) => {
    sandbox.control.restore('prepared')
    const place = await stores.fork(`rotate-${String(killAt)}`)
    const order = { killAt, url: place.url, file: place.file, masterKey, apiBase: sandbox.url, secretKey, overlapMs: 0 }
    const { killed, points } = await run(order)
    const { service, close } = await open(place)
    try {
      // The dead process’s lease may live for a moment where the system does not tell of its end.
      const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
        for (;;) {
          try {
            return await work()
          } catch (error) {
            if ((error as { code?: string }).code !== 'push_in_progress') throw error
            await new Promise((resolve) => setTimeout(resolve, 100))
          }
        }
      }
      // What is live has a secret that somebody was told, or can be told: nobody is left with an endpoint that cannot be verified.
      await patiently(() => service.push(document, nobody))
      await service.waitingJobs.continueDue()
      const [between] = await service.listWebhooks({ secrets: true })
      const afterPush = { live: (await live()).map(({ id }) => id), secret: between?.secretKnown }
      expect(afterPush).toEqual({ live: [between?.processorId], secret: true })
      expect(await service.drift()).toMatchObject({ inSync: true })
      const made = await patiently(() => service.rotateWebhook('hook', { ...nobody, requestId: null, overlapMs: 0 }))
      const [hook] = await service.listWebhooks({ secrets: true })
      expect([hook?.processorId, hook?.secret]).toEqual([made.processorId, made.secret])
      expect((await live()).map(({ id }) => id)).toEqual([made.processorId])
      expect(await service.push(document, nobody)).toMatchObject({ status: 'unchanged' })
      const { items } = await service.listJobs({ limit: 10, offset: 0 })
      expect(items.filter(({ state }) => !['done', 'cancelled', 'failed'].includes(state))).toEqual([])
      return { killed, points }
    } finally {
      await close()
      await place.remove()
    }
  }
  try {
    const undisturbed = await rotateAgain(0)
    expect(undisturbed.points).toBeGreaterThan(10)
    for (let point = 1; point <= undisturbed.points; point += 1)
      expect({ point, ...(await rotateAgain(point)) }).toMatchObject({ point, killed: true })
  } finally {
    await sandbox.close()
    await stores.close()
  }
}

describe('a rotation that is killed at any point', () => {
  test('ends well when it is made again, on SQLite', async () => {
    await expectEveryKillSurvived(await sqliteStores())
  })

  const onPostgres = postgresInstalled() ? test : test.skip
  if (!postgresInstalled()) announceSkip('rotations that are killed, on PostgreSQL', 'PostgreSQL is not installed')
  onPostgres('ends well when it is made again, on PostgreSQL', async () => {
    const server = await startPostgres()
    try {
      await expectEveryKillSurvived(await postgresStores(server))
    } finally {
      await server.close()
    }
  })
})
