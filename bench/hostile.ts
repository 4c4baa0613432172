// Effect of hostile load on other callers: p99 of the API beside workers that flood, burst and loop; memory after a million hostile
// bodies; latency of the first response beside many idle connections.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import autocannon from 'autocannon'
import { documentOf } from './support/catalogue.ts'
import { median, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import { startProcess, type ServerProcess } from './support/server-process.ts'

const serviceKey = 'bench-service-key'
const withKey = { 'x-service-key': serviceKey, 'content-type': 'application/json' }
/** A typical request: it goes through the router, authentication and the store. */
const watched = '/api/v1/billing/admin/config/history?limit=10'

const workers = {
  flooding: `export default { async fetch() {
    const line = 'x'.repeat(16 * 1024)
    for (let n = 0; n < 2_000; n++) { console.log(line); if (n % 50 === 0) await new Promise((done) => setTimeout(done, 5)) }
    return new Response('flooded')
  } }`,
  bursting: `export default { async fetch(request) {
    const own = new URL(request.url).searchParams.get('own')
    const all = await Promise.allSettled(Array.from({ length: 400 }, () => fetch(own).then((answer) => answer.text())))
    return new Response(String(all.length))
  } }`,
  looping: 'export default { fetch() { for (;;); } }',
}

export async function benchHostile({ quick }: BenchOptions): Promise<BenchResult[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const service = await startProcess('host', path.join(folder, 'host'), { RATECARD_RATE_LIMIT: '1000000' }, [
    '--expose-gc',
  ])
  try {
    await post(service, '/api/v1/billing/admin/config', documentOf(20, 5))
    return [
      ...(await besideWorkers(service, quick ? 1 : 5)),
      ...(await afterHostileBodies(service, quick ? 500 : 50_000)),
      await besideIdleConnections(service, quick ? 100 : 5_000),
    ]
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function post(service: ServerProcess, resource: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`${service.url}${resource}`, {
    method: 'POST',
    headers: withKey,
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${resource}: ${await answer.text()}`)
  return answer.json()
}

interface Latency {
  readonly p99: number
  readonly failed: number
}

/** Latency under few connections at a moderate rate. Measures the wait of one caller, not the throughput. */
async function latencyOf(service: ServerProcess, seconds: number): Promise<Latency> {
  const options = {
    url: `${service.url}${watched}`,
    headers: withKey,
    connections: 4,
    overallRate: 200,
    duration: seconds,
  }
  const { latency, non2xx, errors } = await autocannon(options)
  return { p99: latency.p99, failed: non2xx + errors }
}

async function besideWorkers(service: ServerProcess, seconds: number): Promise<BenchResult[]> {
  for (const [name, code] of Object.entries(workers))
    await post(service, `/api/v1/workers/${name}/deployments`, {
      modules: [{ name: 'worker.js', type: 'esm', content: code }],
      main: 'worker.js',
      compatibility_date: '2026-01-01',
      cpu_ms: 1_000,
    })
  const alone = await latencyOf(service, seconds)
  const results: BenchResult[] = []
  for (const name of Object.keys(workers)) {
    const over = new AbortController()
    const own = encodeURIComponent(`${service.url}/healthz`)
    const keepCalling = async () => {
      while (!over.signal.aborted)
        // The responses of the hostile workers are not part of the measurement.
        await fetch(`${service.url}/workers/${name}?own=${own}`, { signal: over.signal }).then(
          (answer) => answer.arrayBuffer(),
          () => undefined,
        )
    }
    const calling = [keepCalling(), keepCalling()]
    const beside = await latencyOf(service, seconds)
    over.abort()
    await Promise.allSettled(calling)
    results.push({
      name: `p99 of the API beside a ${name} worker, 200 requests a second`,
      ours: `${milliseconds(beside.p99)}, ${beside.failed.toString()} failed`,
      yardstick: `the same with no such worker ${milliseconds(alone.p99)}`,
      ratio: `${(beside.p99 / Math.max(1, alone.p99)).toFixed(1)}×`,
      aim: 'none failed',
      met: beside.failed === 0,
    })
  }
  return results
}

const mebibyte = 1024 ** 2

/** Current resident memory of the process, not its peak, because a leak is memory that stays. */
function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid.toString()}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) * 1024
}

function hostileBody(number: number): string {
  const kinds = [
    () => '{"version":"1.0.0","products":[' + '{"id":"p","prices":[{'.repeat(30),
    () =>
      JSON.stringify({
        version: '1.0.0',
        products: Array.from({ length: 200 }, (_, index) => ({ id: index, [`x${number.toString()}`]: null })),
      }),
    () => `{"version":"1.0.0","products":${'['.repeat(60)}${']'.repeat(60)}}`,
    () =>
      JSON.stringify({
        version: '\u0000'.repeat(100),
        products: [{ id: '__proto__', name: '\ud800', prices: [{ amount: 1e308 }] }],
      }),
    () => JSON.stringify({ version: '1.0.0', products: [{ id: 'p', name: 'x'.repeat(50_000 + (number % 1_000)) }] }),
  ]
  return kinds[number % kinds.length]?.() ?? ''
}

async function sendHostile(service: ServerProcess, from: number, to: number): Promise<void> {
  let next = from
  const sender = async () => {
    while (next < to) {
      const body = hostileBody(next++)
      const answer = await fetch(`${service.url}/api/v1/billing/admin/config/validate`, {
        method: 'POST',
        headers: withKey,
        body,
      })
      await answer.arrayBuffer()
      if (answer.status >= 500) throw new Error(`a hostile body was answered with ${answer.status.toString()}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, sender))
}

async function afterHostileBodies(service: ServerProcess, bodies: number): Promise<BenchResult[]> {
  // Warm-up: memory of compiled code and caches from the first requests is no leak.
  const first = Math.ceil(bodies / 10)
  await sendHostile(service, 0, first)
  const [before, heldBefore] = [residentBytes(service.pid), await service.heldBytes()]
  await sendHostile(service, first, first + bodies)
  const [after, held] = [residentBytes(service.pid), await service.heldBytes()]
  const inAll = {
    name: `memory of the service after ${bodies.toLocaleString('en')} hostile bodies`,
    ours: `${(after / mebibyte).toFixed(0)} MB`,
    yardstick: `after a tenth of them ${(before / mebibyte).toFixed(0)} MB`,
    ratio: `${(after / before).toFixed(2)}×`,
    aim: '≤ 1.5×',
    met: after / before <= 1.5,
  }
  const kept = {
    name: 'of that, what is no garbage',
    ours: `${(held / mebibyte).toFixed(0)} MB`,
    yardstick: `after a tenth of them ${(heldBefore / mebibyte).toFixed(0)} MB`,
    ratio: `${(held / heldBefore).toFixed(2)}×`,
    aim: '≤ 1.1×',
    met: held / heldBefore <= 1.1,
  }
  return [inAll, kept]
}

/** Number of connections, limited by the file descriptors of this process (200 are reserved for its other work). */
function connectionsThatFit(wanted: number): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return Math.min(wanted, Math.max(50, Number(limit ?? 1_024) - 200))
}

async function firstAnswers(service: ServerProcess): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 20; round++) {
    const began = performance.now()
    // Opens a new connection each time, because an open one would not show the effect.
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
      socket
        .on('error', reject)
        .on('close', () => resolve())
        .resume()
      socket.write('GET /healthz HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n')
    })
    times.push(performance.now() - began)
  }
  return median(times)
}

async function besideIdleConnections(service: ServerProcess, wanted: number): Promise<BenchResult> {
  const alone = await firstAnswers(service)
  const connections = connectionsThatFit(wanted)
  const open: Socket[] = []
  for (let count = 0; count < connections; count++) {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    // The service may close idle connections to make room, so an error is expected.
    socket.on('error', () => undefined)
    open.push(socket)
    if (count % 200 === 199) await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  }
  const beside = await firstAnswers(service)
  for (const socket of open) socket.destroy()
  return {
    name: `first answer beside ${connections.toLocaleString('en')} connections that say nothing`,
    ours: milliseconds(beside),
    yardstick: `beside none ${milliseconds(alone)}`,
    ratio: `${(beside / alone).toFixed(1)}×`,
    aim: 'answered',
    met: Number.isFinite(beside),
  }
}
