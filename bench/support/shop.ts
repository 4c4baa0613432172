// A shop for benchmarks: the sandbox in a separate process with its state on disk, and the service in this process with a store on
// disk.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Stripe from 'stripe'
import { systemClock } from '../../packages/ratecard/src/base/clock.ts'
import { createService, type Service } from '../../packages/ratecard/src/server/service/service.ts'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { budgetFor } from '../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { createSealer, generateMasterKey } from '../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { startProcess } from './server-process.ts'

export const caller = { author: 'bench', by: null, message: null, requestId: null }

export interface Shop {
  readonly service: Service
  readonly stripe: Stripe
  push(config: BillingConfig): Promise<void>
  /** Current processor price of each configuration price. */
  prices(): Promise<ReadonlyMap<string, string>>
  /**
   * From now on each call has this latency, the sandbox applies the rate limit of a test key, and the service keeps to its budget.
   */
  limit(latencyMs: number): Promise<void>
  /** Number of calls by the service so far, including retries. */
  calls(): number
  close(): Promise<void>
}

const secretKey = 'sk_test_bench_shop_of_the_service'

export async function openShop(): Promise<Shop> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const sandbox = await startProcess('sandbox', path.join(folder, 'sandbox'))
  const { hostname, port } = new URL(sandbox.url)
  const stripe = new Stripe(secretKey, {
    protocol: 'http',
    host: hostname,
    port,
    maxNetworkRetries: 0,
    telemetry: false,
  })
  const file = path.join(folder, 'ratecard.db')
  const store = await openStore({ url: null, file, sealer: createSealer(generateMasterKey()), clock: systemClock })
  const budget = budgetFor({ livemode: false, sandboxUnthrottled: false, clock: systemClock })
  const made = { calls: 0, limited: false }
  const service = createService({
    settings: { requireVersionBump: false, workers: 'off' },
    store,
    processor: createStripeProcessor({
      secretKey,
      apiBase: sandbox.url,
      budget: {
        take: (operation, signal) => {
          made.calls++
          return made.limited ? budget.take(operation, signal) : Promise.resolve()
        },
      },
      clock: systemClock,
    }),
    processorName: 'sandbox',
    processorMode: 'sandbox',
    clock: systemClock,
  })
  return {
    service,
    stripe,
    push: async (config) => {
      await service.push(config, { author: null, by: null, message: null, approveImpact: true })
    },
    prices: async () => {
      const current = new Map<string, string>()
      for (const entry of await store.mappings.all())
        if (entry.kind === 'price') current.set(entry.configId, entry.processorId)
      return current
    },
    limit: async (latencyMs) => {
      await tell(`${sandbox.url}/_sandbox/faults`, 'POST', { kind: 'latency', latency_ms: latencyMs, count: null })
      await tell(`${sandbox.url}/_sandbox/profile`, 'PUT', { profile: 'sandbox' })
      made.limited = true
    },
    calls: () => made.calls,
    close: async () => {
      await service.close()
      await store.close()
      await sandbox.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function tell(url: string, method: string, order: object): Promise<void> {
  const answer = await fetch(url, { method, body: JSON.stringify(order) })
  if (!answer.ok) throw new Error(`The sandbox refused ${url}: ${String(answer.status)} ${await answer.text()}`)
}

/** Moves all tenants of the template "gold" to its current price. */
export async function goldMoved({ service }: Shop, tenants: number): Promise<void> {
  const { id } = await service.moveTemplate('gold', caller)
  for (;;) {
    const [job] = (await service.listJobs({ limit: 1, offset: 0, kind: 'template_move' })).items
    if (job?.id !== id) throw new Error('the job is gone')
    if (job.state === 'done' && job.stepsDone === tenants) return
    if (job.state !== 'running') throw new Error(`the job is ${job.state} after ${String(job.stepsDone)} tenants`)
    await pause(20)
  }
}

/**
 * Creates tenants with the ids t`from` to t`to` on the template "gold", several concurrently. `subscribe` returns the customer of a
 * tenant.
 */
export async function populateGold(
  { service }: Shop,
  { from = 0, to }: { readonly from?: number; readonly to: number },
  subscribe: (index: number) => Promise<string>,
): Promise<void> {
  let next = from
  const worker = async () => {
    for (let index = next++; index < to; index = next++) {
      const id = `t${String(index)}`
      await service.createTenant({ id, name: id, processorCustomerId: await subscribe(index) }, caller)
      await service.applyEnterprise(id, { kind: 'template', template: 'gold' }, { ...caller, dryRun: false })
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}
