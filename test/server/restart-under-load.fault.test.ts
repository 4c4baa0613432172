// Restarts while clients with keep-alive connections send 200 requests a second, a tenth of them writes.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { drainMs } from '../../packages/ratecard/src/server/composition/main.ts'
import { admin, billing } from '../support/app.ts'
import { freePort, startProgram, systemProgram } from '../support/programs/local-programs.ts'
import { postgresInstalled } from '../support/stores/postgres.ts'
import { push, replicaWorld, serviceKey, type Replica } from '../support/programs/replicas.ts'
import { announceSkip } from '../support/skips.ts'

const installed = postgresInstalled()
if (!installed) announceSkip('restarts under load', 'no PostgreSQL server is installed')
const haproxy = systemProgram('haproxy')
if (haproxy === undefined) announceSkip('restarts under load behind a balancer', 'haproxy is not installed')

const restarts = 10
const requestsPerSecond = 200
const tickMs = 20
const balancerConfig = fileURLToPath(new URL('../../deploy/compose/haproxy.cfg', import.meta.url))
const document: BillingConfig = {
  version: '1.0.0',
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [{ id: 'pro_monthly', amount: 900, currency: 'eur', interval: 'month' }],
    },
  ],
}

/** Sends requests and counts the results, by status or by the error of a request without a response (e.g. `ECONNREFUSED`). */
class Load {
  readonly results = new Map<string, number>()
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 40 })
  readonly #base: () => string
  readonly #running = new Set<Promise<void>>()
  #sent = 0
  readonly #timer: NodeJS.Timeout

  constructor(base: () => string) {
    this.#base = base
    this.#timer = setInterval(() => {
      for (let count = 0; count < (requestsPerSecond * tickMs) / 1000; count++) this.#start()
    }, tickMs)
  }

  count(result: string): number {
    return this.results.get(result) ?? 0
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#running)
    this.#agent.destroy()
  }

  #start(): void {
    const number = this.#sent++
    const one = this.#send(number).then((result) => {
      this.results.set(result, this.count(result) + 1)
      this.#running.delete(one)
    })
    this.#running.add(one)
  }

  async #send(number: number): Promise<string> {
    const write = number % 10 === 0
    const body = write ? JSON.stringify({ id: `tenant-${String(number)}`, name: 'x'.repeat(200) }) : ''
    return new Promise((resolve) => {
      const sent = request(
        `${this.#base()}${write ? `${admin}/tenants` : `${billing}/config`}`,
        {
          agent: this.#agent,
          method: write ? 'POST' : 'GET',
          headers: write ? { 'x-service-key': serviceKey, 'content-type': 'application/json' } : {},
        },
        (response) => {
          response.on('error', (error: NodeJS.ErrnoException) => resolve(`cut off: ${String(error.code)}`))
          response.on('end', () => resolve(String(response.statusCode)))
          response.resume()
        },
      )
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      sent.end(body)
    })
  }
}

const results = ({ results: found }: Load) => [...found.keys()].sort()

test.runIf(installed)(
  'a server that is restarted ten times resets no connection: each request gets a response or is refused before it is sent',
  { timeout: 180_000 },
  async () => {
    const world = await replicaWorld()
    let server = await world.startServer()
    expect(await push(server, document)).toMatchObject({ status: 200 })
    const load = new Load(() => server.url)
    for (let round = 1; round <= restarts; round++) {
      const before = load.count('200')
      await expect.poll(() => load.count('200')).toBeGreaterThan(before + requestsPerSecond)
      const stopped = server
      stopped.signal('SIGTERM')
      expect(await stopped.ended).toBe(0)
      server = await world.startServer()
    }
    await load.end()
    // 503: the request arrived on an open connection after SIGTERM.
    expect(results(load).filter((result) => !['200', '201', '503', 'ECONNREFUSED'].includes(result))).toEqual([])
    expect(load.count('201')).toBeGreaterThan(100)
  },
)

test.runIf(installed)(
  'a push whose write takes longer than the draining period gets its response, and the exit on SIGTERM waits for that write',
  { timeout: 120_000 },
  async () => {
    const world = await replicaWorld()
    const server = await world.startServer()
    const faults = `${world.sandboxUrl}/_sandbox/faults`
    const slow = { kind: 'latency', method: 'POST', path: '/v1/products', latency_ms: drainMs + 3_000 }
    await fetch(faults, { method: 'POST', body: JSON.stringify(slow) })
    const pushed = push(server, document)
    // Returns the number of faults that no request has met yet.
    const left = async () => ((await (await fetch(faults)).json()) as { faults: readonly unknown[] }).faults.length
    while ((await left()) > 0) await pause(20)
    server.signal('SIGTERM')
    expect(await pushed).toMatchObject({
      status: 503,
      body: { code: 'shutting_down', push_id: expect.any(String) as string },
    })
    expect(await server.ended).toBe(0)
    const next = await world.startServer()
    expect(await push(next, document)).toMatchObject({ status: 200, body: { status: 'applied' } })
    expect((await world.stripe.products.list({ limit: 100 })).data).toHaveLength(1)
  },
)

test.runIf(installed && haproxy !== undefined)(
  'no request fails while two replicas behind the load balancer of compose.yaml are restarted ten times',
  { timeout: 300_000 },
  async () => {
    const world = await replicaWorld()
    const ports = [await freePort(), await freePort()]
    const start = (index: number) => world.startServer({ RATECARD_SHUTDOWN_DELAY_SECONDS: '4' }, ports[index])
    const replicas: Replica[] = [await start(0), await start(1)]
    expect(await push(replicas[0] as Replica, document)).toMatchObject({ status: 200 })
    const listen = `127.0.0.1:${String(await freePort())}`
    const [one, two] = ports.map((port) => `127.0.0.1:${String(port)}`)
    const env = { LISTEN: listen, REPLICA_1: one, REPLICA_2: two }
    startProgram(haproxy ?? '', ['-db', '-f', balancerConfig], env, import.meta.dirname)
    while (
      !(await fetch(`http://${listen}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await pause(50)
    // Each replica sees the push within half a second; until then it has no price list.
    for (const replica of replicas)
      while ((await fetch(`${replica.url}${billing}/config`)).status !== 200) await pause(50)
    const load = new Load(() => `http://${listen}`)
    for (let round = 0; round < restarts; round++) {
      for (const replica of replicas) await serves(replica)
      const stopped = replicas[round % 2] as Replica
      stopped.signal('SIGTERM')
      expect(await stopped.ended).toBe(0)
      replicas[round % 2] = await start(round % 2)
    }
    await load.end()
    expect(results(load)).toEqual(['200', '201'])
    expect(load.count('200')).toBeGreaterThan(1000)
  },
)

/** Resolves when the load balancer sends requests to the replica, as its metrics show. */
async function serves(replica: Replica): Promise<void> {
  const served = async () => {
    const response = await fetch(`${replica.url}/metrics`, { headers: { 'x-service-key': serviceKey } })
    return /ratecard_http_requests_total\{[^}]*config[^}]*\} [1-9]/.test(await response.text())
  }
  while (!(await served())) await pause(100)
}
