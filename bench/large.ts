import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createClient } from '@ratecard/client'
import { documentOf } from './support/catalogue.ts'
import type { BenchOptions, BenchResult } from './support/measure.ts'
import { startProcess, type ServerProcess } from './support/server-process.ts'

const serviceKey = 'bench-service-key'
/** Calls per second that the service uses, out of the 25 that Stripe allows a test key. */
const callsPerSecond = 23
const mostMegabytes = 300
const mostListCalls = 66
const command = fileURLToPath(new URL('../packages/ratecard/bin/ratecard.js', import.meta.url))

interface Asked {
  readonly method: string
  readonly path: string
  readonly status: number | null
}

/**
 * First push of a large catalogue at the rate limit of a test key, then the same push again, with CPU time and memory of both.
 */
export async function benchLarge({ quick }: BenchOptions): Promise<BenchResult[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const sandbox = await startProcess('sandbox', path.join(folder, 'sandbox'))
  const env = { STRIPE_SECRET_KEY: 'sk_test_benchLargeCatalogue', STRIPE_API_BASE: sandbox.url }
  const service = await startCommand(folder, env)
  try {
    await control(sandbox, 'profile', { method: 'PUT', body: JSON.stringify({ profile: 'sandbox' }) })
    const products = quick ? 40 : 1_000
    const document = documentOf(products, 5)
    const idle = service.cpuSeconds()
    const first = await firstPush(service, sandbox, document)
    const cpu = service.cpuSeconds() - idle
    const again = await secondPush(service, sandbox, document)
    const size = `${products.toLocaleString('en')} products × 5 prices`
    const usage = [cpuResult(size, cpu, first), memoryResult(size, service.peakMegabytes())]
    return [pushResult(size, first), againResult(size, again), ...(process.platform === 'linux' ? usage : [])]
  } finally {
    await service.stop()
    await sandbox.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts the command as users do, without Node options. */
async function startCommand(folder: string, given: NodeJS.ProcessEnv) {
  const settings = { RATECARD_SERVICE_KEY: serviceKey, RATECARD_WORKERS: 'off', RATECARD_LOG_LEVEL: 'error' }
  const args = [command, 'server', 'start', '--port', '0', '--data-dir', path.join(folder, 'service'), '--json']
  const env = { PATH: process.env['PATH'], HOME: folder, ...settings, ...given }
  const child = spawn(process.execPath, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => {
      throw new Error('The service ended.')
    }),
  ])
  const read = (file: string) =>
    process.platform === 'linux' ? readFileSync(`/proc/${String(child.pid)}/${file}`, 'utf8') : ''
  return {
    url: (JSON.parse(String(line[0])) as { url: string }).url,
    /** User and system time so far, in seconds. Linux counts it in hundredths of a second. */
    cpuSeconds: () => {
      const [user = 0, system = 0] = read('stat')
        .replace(/^.*\) /s, '')
        .split(' ')
        .slice(11, 13)
        .map(Number)
      return (user + system) / 100
    },
    /** Peak of resident memory so far, in megabytes. */
    peakMegabytes: () => Number(/^VmHWM:\s+(\d+)/m.exec(read('status'))?.[1]) / 1024,
    stop: async () => {
      child.kill()
      await ended
    },
  }
}

export async function control(sandbox: ServerProcess, resource: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(`${sandbox.url}/_sandbox/${resource}`, init)
  if (!response.ok) throw new Error(`${resource}: ${await response.text()}`)
  return response.json()
}

export async function asked(sandbox: ServerProcess): Promise<readonly Asked[]> {
  const { requests } = (await control(sandbox, 'requests')) as { readonly requests: readonly Asked[] }
  return requests
}

interface FirstPush {
  readonly seconds: number
  readonly steps: number
  readonly tooMany: number
}

async function firstPush(
  service: { readonly url: string },
  sandbox: ServerProcess,
  document: object,
): Promise<FirstPush> {
  const { admin } = createClient({ baseUrl: service.url, serviceKey })
  const began = performance.now()
  const push = await admin.startPush(document)
  if (!push.started) throw new Error(`The first push is ${push.outcome.status}.`)
  let state = ''
  let steps = 0
  for await (const event of admin.pushEvents(push.pushId)) {
    if (event.type === 'state') state = event.state
    steps = event.stepsTotal
  }
  const seconds = (performance.now() - began) / 1000
  if (state !== 'applied') throw new Error(`The push is ${state}.`)
  return { seconds, steps, tooMany: (await asked(sandbox)).filter(({ status }) => status === 429).length }
}

interface SecondPush {
  readonly seconds: number
  readonly lists: number
  readonly writes: number
}

async function secondPush(
  service: { readonly url: string },
  sandbox: ServerProcess,
  document: object,
): Promise<SecondPush> {
  await control(sandbox, 'requests', { method: 'DELETE' })
  const began = performance.now()
  const { status } = await createClient({ baseUrl: service.url, serviceKey }).admin.push(document)
  const seconds = (performance.now() - began) / 1000
  if (status !== 'unchanged') throw new Error(`The second push is ${status}.`)
  const requests = await asked(sandbox)
  const reads = requests.filter(({ method }) => method === 'GET')
  // Excludes `/v1/account`, which is read to identify the account of the key.
  const lists = reads.filter(({ path: asked }) => asked !== '/v1/account').length
  return { seconds, lists, writes: requests.length - reads.length }
}

const rounded = (seconds: number) => `${seconds.toFixed(1)} s`

function pushResult(size: string, { seconds, steps, tooMany }: FirstPush): BenchResult {
  const floor = steps / callsPerSecond
  return {
    name: `first push of ${size}, ${callsPerSecond.toString()} calls a second`,
    ours: `${rounded(seconds)}, ${tooMany.toString()} × 429`,
    yardstick: `${steps.toLocaleString('en')} steps at that rate ${rounded(floor)}`,
    ratio: `${(seconds / floor).toFixed(2)}×`,
    aim: '≤ 1.15×, no 429',
    met: seconds / floor <= 1.15 && tooMany === 0,
  }
}

function cpuResult(size: string, seconds: number, { steps }: FirstPush): BenchResult {
  return {
    name: `first push of ${size}, CPU of the service`,
    ours: rounded(seconds),
    yardstick: '–',
    ratio: `${((seconds * 1000) / steps).toFixed(1)} ms a step`,
    aim: null,
    met: true,
  }
}

function againResult(size: string, { seconds, lists, writes }: SecondPush): BenchResult {
  const floor = lists / callsPerSecond
  return {
    name: `push of ${size}, nothing changed`,
    ours: `${rounded(seconds)}, ${lists.toString()} list calls, ${writes.toString()} writes`,
    yardstick: `these calls at that rate ${rounded(floor)}`,
    ratio: `${(seconds / floor).toFixed(2)}×`,
    aim: `≤ ${mostListCalls.toString()} list calls, no write`,
    met: lists <= mostListCalls && writes === 0,
  }
}

function memoryResult(size: string, megabytes: number): BenchResult {
  return {
    name: `most memory of the service over both pushes of ${size}, with Node’s defaults`,
    ours: `${megabytes.toFixed(0)} MB`,
    yardstick: `${mostMegabytes.toString()} MB`,
    ratio: `${(megabytes / mostMegabytes).toFixed(2)}×`,
    aim: '< 1×',
    met: megabytes < mostMegabytes,
  }
}
