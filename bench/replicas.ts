import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@ratecard/client'
import { generateMasterKey } from '../packages/ratecard/src/store/seal.ts'
import { postgresInstalled, startPostgres } from '../test/support/stores/postgres.ts'
import { milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import { startProcess } from './support/server-process.ts'

const serviceKey = 'bench-service-key'
const promisedMs = 1_000

const documentOf = (name: string) => ({ version: '1.0.0', products: [{ id: 'pro', name }] })

/** Time for which another replica serves the old price list after a push has returned. Skipped without PostgreSQL. */
export async function benchReplicas({ quick }: BenchOptions): Promise<BenchResult[]> {
  if (!postgresInstalled()) return []
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const stops: (() => Promise<void>)[] = []
  const started = async <T>(part: Promise<T>, stop: (part: T) => Promise<void>): Promise<T> => {
    const running = await part
    stops.unshift(() => stop(running))
    return running
  }
  try {
    const postgres = await started(startPostgres(), (server) => server.close())
    const sandbox = await started(startProcess('sandbox', path.join(folder, 'sandbox')), (server) => server.stop())
    const env = {
      DATABASE_URL: await postgres.createDatabase(),
      RATECARD_MASTER_KEY: generateMasterKey(),
      STRIPE_SECRET_KEY: 'sk_test_benchReplicas000000',
      STRIPE_API_BASE: sandbox.url,
    }
    const replica = () => started(startProcess('service', path.join(folder, 'service'), env), (server) => server.stop())
    const [first, second] = [await replica(), await replica()]
    const { admin } = createClient({ baseUrl: first.url, serviceKey })
    const reader = createClient({ baseUrl: second.url })
    const waits: number[] = []
    for (let push = 1; push <= (quick ? 3 : 30); push++) {
      const { revision } = await admin.push(documentOf(`Pro ${push.toString()}`))
      const began = performance.now()
      while ((await reader.billing.config().catch(() => null))?.revision !== revision) await pause(5)
      waits.push(performance.now() - began)
    }
    return [result(Math.max(...waits), waits.length)]
  } finally {
    for (const stop of stops) await stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function result(longest: number, pushes: number): BenchResult {
  return {
    name: `another replica serves the new price list, the longest of ${pushes.toString()} pushes`,
    ours: milliseconds(longest),
    yardstick: milliseconds(promisedMs),
    ratio: `${(longest / promisedMs).toFixed(2)}×`,
    aim: '≤ 1×',
    met: longest <= promisedMs,
  }
}
