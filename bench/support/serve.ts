// One server in a separate process, so that the load generator does not share its event loop. Sends its address to the parent process,
// then its CPU time, peak memory or heap on request. Ends with the parent.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Pool } from 'undici'
import { systemClock } from '../../packages/ratecard/src/base/clock.ts'
import { createService } from '../../packages/ratecard/src/server/service/service.ts'
import { startSandboxProcess, startServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { buildApp } from '../../packages/ratecard/src/server/http/app.ts'
import { unlimitedBudget } from '../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { createSealer } from '../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'

const [kind, argument = '', settings = '{}'] = process.argv.slice(2)
/** Settings come from the benchmark, never from the environment, which may name a real account or a real database. */
const given = JSON.parse(settings) as Readonly<Record<string, string>>

async function startService(dataDir: string, workers: 'on' | 'off'): Promise<string> {
  const env = {
    RATECARD_SANDBOX_PORT: '0',
    RATECARD_SERVICE_KEY: 'bench-service-key',
    RATECARD_LOG_LEVEL: 'error',
    RATECARD_WORKERS: workers,
    ...given,
  }
  return (await startServer({ env, port: 0, dataDir, out: () => undefined })).url
}

/**
 * A replica without a rate limit for its calls to the processor, as in live mode for usage: a test key would be paced at 23 reports a
 * second.
 */
async function startUnpaced(dataDir: string): Promise<string> {
  const { DATABASE_URL: url = null, RATECARD_MASTER_KEY: masterKey = '', STRIPE_API_BASE: apiBase = '' } = given
  const store = await openStore({ url, file: path.join(dataDir, 'ratecard.db'), sealer: createSealer(masterKey) })
  const secretKey = given['STRIPE_SECRET_KEY'] ?? ''
  const service = createService({
    settings: { requireVersionBump: false, workers: 'off' },
    store,
    processor: createStripeProcessor({ secretKey, apiBase, budget: unlimitedBudget, clock: systemClock }),
    processorName: 'sandbox',
    processorMode: 'sandbox',
    clock: systemClock,
    mirror: { pollSeconds: 60, eventsSecret: null, deliverTo: null, limitedReads: false, report: () => undefined },
  })
  await service.ensureFirstKey('bench-service-key')
  const settings = { rateLimit: 1000, publicUrl: null, logLevel: 'error' } as const
  const app = await buildApp({ service, settings, clock: systemClock })
  const listening = await app.listen({ host: '127.0.0.1', port: 0 })
  service.lookups.start()
  service.feed?.feeder.start()
  return listening
}

async function startSandbox(): Promise<string> {
  return (await startSandboxProcess({ port: 0, dataDir: argument, deliverAnywhere: false, out: () => undefined })).url
}

/** Baseline: the minimal Node server for these bytes as JSON with an ETag. */
async function startBare(file: string): Promise<string> {
  const body = readFileSync(file)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length, etag: '"bench"' }
  const server = createServer((_request, response) => {
    response.writeHead(200, headers)
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port.toString()}`
}

/** Baseline: the minimal Node proxy that forwards requests to `argument`. */
async function startProxy(): Promise<string> {
  const pool = new Pool(argument, { connections: null })
  const server = createServer((request, response) => {
    const { method = 'GET', url: path = '/', headers } = request
    pool.dispatch(
      { method, path, headers: { host: headers.host ?? '' } },
      {
        onRequestStart: () => undefined,
        onResponseStart: ({ rawHeaders }, status) => {
          response.writeHead(status, Array.isArray(rawHeaders) ? rawHeaders.map(String) : [])
        },
        onResponseData: (_controller, chunk) => void response.write(chunk),
        onResponseEnd: () => void response.end(),
        onResponseError: () => void response.destroy(),
      },
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port.toString()}`
}

const starts: Readonly<Record<string, () => Promise<string>>> = {
  service: () => startService(argument, 'off'),
  host: () => startService(argument, 'on'),
  unpaced: () => startUnpaced(argument),
  sandbox: startSandbox,
  bare: () => startBare(argument),
  proxy: startProxy,
}

/** Heap and external memory after a full garbage collection (with `--expose-gc`; otherwise without one). */
function heldBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const start = starts[kind ?? '']
if (start === undefined || process.send === undefined) throw new Error('started by the benchmarks only')
process.once('disconnect', () => process.exit())
process.on('message', (question) => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const answers: Readonly<Record<string, () => number>> = {
    cpu: () => userCPUTime + systemCPUTime,
    memory: () => maxRSS * 1024,
    held: heldBytes,
  }
  process.send?.((answers[String(question)]?.() ?? 0).toString())
})
process.send(await start())
