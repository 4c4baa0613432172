import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import Stripe from 'stripe'
import { perSecond, type BenchOptions, type BenchResult } from './support/measure.ts'
import { startProcess } from './support/server-process.ts'

const inFlight = 16

/** Creates products and prices through the official SDK, with the sandbox's state on disk. Limits the speed of a first push. */
export async function benchSandboxWrites({ quick }: BenchOptions): Promise<BenchResult[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const sandbox = await startProcess('sandbox', folder)
  try {
    const { protocol, hostname, port } = new URL(sandbox.url)
    const stripe = new Stripe('sk_test_bench', {
      protocol: protocol === 'https:' ? 'https' : 'http',
      host: hostname,
      port,
      maxNetworkRetries: 0,
      telemetry: false,
    })
    await writes(stripe, 'warm_up', 100)
    const count = quick ? 200 : 6_000
    const began = performance.now()
    await writes(stripe, 'run', count)
    const rate = count / ((performance.now() - began) / 1000)
    return [
      {
        name: `sandbox writes through the SDK, ${inFlight.toString()} in flight`,
        ours: perSecond(rate),
        yardstick: '600/s',
        ratio: `${(rate / 600).toFixed(1)}×`,
        aim: '≥ 1×',
        met: rate >= 600,
      },
    ]
  } finally {
    await sandbox.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates one product for each price, so that half of the writes are of each kind. */
async function writes(stripe: Stripe, name: string, count: number): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) {
      const id = `${name}_${next.toString()}`
      next += 2
      const product = await stripe.products.create({ id, name: id, metadata: { run: name } })
      await stripe.prices.create({
        product: product.id,
        currency: 'eur',
        unit_amount: 1200,
        lookup_key: id,
        recurring: { interval: 'month' },
      })
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}
