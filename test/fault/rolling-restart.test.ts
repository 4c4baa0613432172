import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/config/schema.ts'
import { billing } from '../support/app.ts'
import { postgresInstalled } from '../support/postgres.ts'
import { push, replicaWorld } from '../support/replicas.ts'
import type { Replica, ReplicaWorld } from '../support/replicas.ts'
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

/** Asks one replica after the other as balancers do: another when nobody listens, or when the answer is 503. */
class Balancer {
  readonly replicas: Replica[]
  #next = 0

  constructor(replicas: readonly Replica[]) {
    this.replicas = [...replicas]
  }

  async send(ask: (replica: Replica) => Promise<Reply>): Promise<Reply> {
    const refusals: unknown[] = []
    // Its own turn from here on: others that ask meanwhile must not send it to the same replica again and again.
    const first = this.#next++
    while (refusals.length < 2 * this.replicas.length) {
      const replica = this.replicas[(first + refusals.length) % this.replicas.length] as Replica
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
}

/** No answer began. Balancers then ask another replica when the request may be repeated, and all of these may: reads, and pushes under their key. */
function isRefused(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}

/** A new connection for each, so that none is found closed just when it is used. */
const alone = { connection: 'close' }

test.runIf(installed)(
  'while replicas are restarted one after the other no read and no push fails',
  { timeout: 180_000 },
  async () => {
    const world = await replicaWorld()
    const balancer = new Balancer([await world.startServer()])
    expect(await pushThrough(balancer, 1000)).toMatchObject({ status: 200, body: { revision: 1 } })
    balancer.replicas.push(await world.startServer())

    let running = true
    const counts = { reads: 0, pushes: 0 }
    const reading = async () => {
      while (running) {
        const reply = await balancer.send(read)
        expect(reply).toMatchObject({ status: 200, body: { config: { products: [{ id: 'pro' }] } } })
        counts.reads += 1
        await pause(2)
      }
    }
    const pushing = async () => {
      while (running) {
        const reply = await pushThrough(balancer, 1001 + counts.pushes)
        counts.pushes += 1
        expect(reply).toMatchObject({ status: 200, body: { status: 'applied', revision: 1 + counts.pushes } })
      }
    }
    const restarting = async () => {
      try {
        for (const index of [0, 1]) await restart(world, balancer, index, counts)
      } finally {
        running = false
      }
    }
    await Promise.all([reading(), reading(), pushing(), restarting()])
    expect(counts.reads).toBeGreaterThan(counts.pushes)
    expect(counts.pushes).toBeGreaterThan(2)
  },
)

async function read(replica: Replica): Promise<Reply> {
  const response = await fetch(`${replica.url}${billing}/config`, { headers: alone })
  return { status: response.status, body: (await response.json()) as Reply['body'] }
}

/** One key for all attempts: the same push, whoever answers it. */
function pushThrough(balancer: Balancer, amount: number): Promise<Reply> {
  const key = { 'idempotency-key': `amount-${String(amount)}` }
  return balancer.send((replica) => push(replica, document(amount), { ...alone, ...key }))
}

/** In the midst of the traffic: some pushes pass before it, between, and after it. */
async function restart(
  world: ReplicaWorld,
  balancer: Balancer,
  index: number,
  counts: { readonly pushes: number },
): Promise<void> {
  const before = counts.pushes
  while (counts.pushes === before) await pause(5)
  const old = balancer.replicas[index] as Replica
  old.signal('SIGTERM')
  expect(await old.ended).toBe(0)
  balancer.replicas[index] = await world.startServer()
}
