import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { billing } from '../support/app.ts'
import { postgresInstalled } from '../support/stores/postgres.ts'
import { push, replicaWorld, type Replica } from '../support/programs/replicas.ts'
import { announceSkip } from '../support/skips.ts'

const installed = postgresInstalled()
if (!installed) announceSkip('rolling restart', 'no PostgreSQL server is installed')

const document = (amount: number): BillingConfig => ({
  version: '1.0.0',
  products: [{ id: 'pro', name: 'Pro', prices: [{ id: 'pro_monthly', amount, currency: 'eur', interval: 'month' }] }],
})

interface Reply {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

interface Balancer {
  readonly replicas: Replica[]
  send(ask: (replica: Replica) => Promise<Reply>): Promise<Reply>
}

/** Round robin over the replicas. Tries another one if the connection is refused or the response is a 503. */
function retryingBalancer(): Balancer {
  const replicas: Replica[] = []
  let next = 0
  const send: Balancer['send'] = async (ask) => {
    const refusals: unknown[] = []
    // From here on each request has its own order of replicas, so that concurrent requests do not send it to the same replica again.
    const first = next++
    while (refusals.length < 2 * replicas.length) {
      const replica = replicas[(first + refusals.length) % replicas.length] as Replica
      try {
        const reply = await ask(replica)
        if (reply.status !== 503) return reply
        refusals.push(reply)
      } catch (error) {
        if (!isRefused(error)) throw error
        refusals.push(error)
      }
    }
    throw new Error('Every replica refused.', { cause: refusals })
  }
  return { replicas, send }
}

/** True if no response began. Load balancers then retry idempotent requests on another replica; all requests here are idempotent. */
function isRefused(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}

/** Polls `/readyz`, and sends each request once, without retries. */
function watchingBalancer(): Balancer {
  const replicas: Replica[] = []
  const away = new Set<Replica>()
  let next = 0
  const look = setInterval(() => {
    for (const replica of replicas)
      void fetch(`${replica.url}/readyz`).then(
        ({ status }) => (status === 200 ? away.delete(replica) : away.add(replica)),
        () => away.add(replica),
      )
  }, 50)
  onTestFinished(() => {
    clearInterval(look)
  })
  const send: Balancer['send'] = (ask) => {
    const ready = replicas.filter((replica) => !away.has(replica))
    return ask(ready[next++ % ready.length] as Replica)
  }
  return { replicas, send }
}

test.runIf(installed).each([
  // Opens a new connection for each request, because a kept one may be closed when it is used.
  { balancer: retryingBalancer, delay: 0, headers: { connection: 'close' } },
  { balancer: watchingBalancer, delay: 2, headers: {} },
])(
  'no read and no push fails while replicas are restarted one after the other: $balancer.name, with a delay of $delay s',
  { timeout: 180_000 },
  async ({ balancer: createBalancer, delay, headers }) => {
    const world = await replicaWorld()
    const startServer = () => world.startServer({ RATECARD_SHUTDOWN_DELAY_SECONDS: String(delay) })
    const balancer = createBalancer()
    const pushThrough = (amount: number) =>
      // All attempts have one idempotency key, so that the push is executed once.
      balancer.send((replica) =>
        push(replica, document(amount), { ...headers, 'idempotency-key': `amount-${String(amount)}` }),
      )
    balancer.replicas.push(await startServer())
    expect(await pushThrough(1000)).toMatchObject({ status: 200, body: { revision: 1 } })
    balancer.replicas.push(await startServer())

    let running = true
    const counts = { reads: 0, pushes: 0 }
    const reading = async () => {
      while (running) {
        const reply = await balancer.send((replica) => read(replica, headers))
        expect(reply).toMatchObject({ status: 200, body: { config: { products: [{ id: 'pro' }] } } })
        counts.reads += 1
        await pause(2)
      }
    }
    const pushing = async () => {
      while (running) {
        const reply = await pushThrough(1001 + counts.pushes)
        counts.pushes += 1
        expect(reply).toMatchObject({ status: 200, body: { status: 'applied', revision: 1 + counts.pushes } })
      }
    }
    const restarting = async () => {
      try {
        for (const index of [0, 1]) await restart(startServer, balancer, index, counts)
      } finally {
        running = false
      }
    }
    await Promise.all([reading(), reading(), pushing(), restarting()])
    expect(counts.reads).toBeGreaterThan(counts.pushes)
    expect(counts.pushes).toBeGreaterThan(2)
  },
)

async function read(replica: Replica, headers: Readonly<Record<string, string>>): Promise<Reply> {
  const response = await fetch(`${replica.url}${billing}/config`, { headers })
  return { status: response.status, body: (await response.json()) as Reply['body'] }
}

/** Restarts a replica under load. Pushes run before, during and after the restart. */
async function restart(
  startServer: () => Promise<Replica>,
  balancer: Balancer,
  index: number,
  counts: { readonly pushes: number },
): Promise<void> {
  const before = counts.pushes
  while (counts.pushes === before) await pause(5)
  const old = balancer.replicas[index] as Replica
  old.signal('SIGTERM')
  expect(await old.ended).toBe(0)
  balancer.replicas[index] = await startServer()
}
