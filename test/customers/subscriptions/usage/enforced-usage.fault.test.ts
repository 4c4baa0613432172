// An allowance under 40 clients that report at once, over two replicas that are killed meanwhile.
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { BillingConfig } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, billing } from '../../../support/app.ts'
import { payingCustomer } from '../../../support/shop/paying-customer.ts'
import { postgresInstalled } from '../../../support/stores/postgres.ts'
import { push, replicaWorld, serviceKey, type Replica, type ReplicaWorld } from '../../../support/programs/replicas.ts'
import { announceSkip } from '../../../support/skips.ts'

const installed = postgresInstalled()
if (!installed) announceSkip('enforced usage over two replicas', 'no PostgreSQL server is installed')

const clients = 40
const reportsOfEach = 40
const allowance = 1_000
/** Each kill comes when this many further reports were answered. */
const killEvery = 250

const document: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  features: [{ id: 'calls', name: 'Calls', type: 'metered', meter: 'calls' }],
  products: [
    {
      ...{ id: 'pro', name: 'Pro', features: [{ id: 'calls', limit: allowance }] },
      prices: [
        { id: 'calls_used', amount: 1, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' },
      ],
    },
  ],
}

const headers = { 'content-type': 'application/json', 'x-service-key': serviceKey }

/** Two replicas. A killed one is replaced by a new process. */
class Pair {
  readonly #world: ReplicaWorld
  readonly #replicas: Replica[]
  kills = 0

  constructor(world: ReplicaWorld, replicas: Replica[]) {
    this.#world = world
    this.#replicas = replicas
  }

  static readonly mirror = { pollSeconds: 1, eventsSecret: 'whsec_enforced_usage' }

  static async of(world: ReplicaWorld): Promise<Pair> {
    const { mirror } = Pair
    return new Pair(world, await Promise.all([world.startReplica({ mirror }), world.startReplica({ mirror })]))
  }

  url(index: number): string {
    return this.#replicas[index % 2]?.url ?? ''
  }

  async kill(index: number): Promise<void> {
    const killed = this.#replicas[index % 2]
    this.kills++
    killed?.signal('SIGKILL')
    await killed?.ended
    this.#replicas[index % 2] = await this.#world.startReplica({ mirror: Pair.mirror })
  }
}

async function post(url: string, body: object): Promise<{ readonly status: number; readonly body: object }> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as object }
}

/** Reports one call until a replica records or refuses it. A client cannot know what a killed replica did, so it reports again. */
async function report(pair: Pair, identifier: string, start: number): Promise<'recorded' | 'refused'> {
  const body = { meter: 'calls', value: 1, tenant_id: 'acme', identifier, enforce: true }
  for (let attempt = start; ; attempt++) {
    const answer = await post(`${pair.url(attempt)}${billing}/usage`, body).catch(() => null)
    if (answer?.status === 200) return 'recorded'
    if (answer?.status === 409 && 'code' in answer.body && answer.body.code === 'limit_reached') return 'refused'
    if (answer !== null && answer.status < 500 && answer.status !== 429)
      throw new Error(`${String(answer.status)} ${JSON.stringify(answer.body)}`)
    await pause(20)
  }
}

const check = async (pair: Pair, replica = 0) =>
  (await post(`${pair.url(replica)}${billing}/entitlements/check`, { feature: 'calls', tenant_id: 'acme' })).body

test.runIf(installed)(
  'enforced usage never exceeds the allowance, can use all of it, and is billed as recorded, whichever process is killed',
  { timeout: 600_000 },
  async () => {
    const world = await replicaWorld()
    const pair = await Pair.of(world)
    expect(await push({ url: pair.url(0) }, document)).toMatchObject({ status: 200 })
    const customer = await payingCustomer(world.stripe, {})
    const [price] = (await world.stripe.prices.list()).data
    await world.stripe.subscriptions.create({ customer, items: [{ price: price?.id ?? '' }] })
    const tenant = { id: 'acme', name: 'Acme', processor_customer_id: customer }
    expect(await post(`${pair.url(0)}${admin}/tenants`, tenant)).toMatchObject({ status: 201 })
    // The second replica may show the state of before the push for half a second.
    for (const replica of [0, 1])
      await expect.poll(() => check(pair, replica)).toMatchObject({ allowed: true, limit: allowance, used: 0 })
    await world.takeWrites()

    const outcomes = new Map<string, 'recorded' | 'refused'>()
    const client = async (number: number) => {
      for (let index = 0; index < reportsOfEach; index++) {
        const identifier = `client-${String(number)}-${String(index)}`
        outcomes.set(identifier, await report(pair, identifier, number + index))
      }
    }
    const reporting = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
    const killing = (async () => {
      for (let answered = killEvery; answered < clients * reportsOfEach; answered += killEvery) {
        while (outcomes.size < answered) await pause(5)
        await pair.kill(pair.kills)
      }
    })()
    await Promise.all([reporting, killing])

    const recorded = [...outcomes].filter(([, outcome]) => outcome === 'recorded').map(([identifier]) => identifier)
    expect(pair.kills).toBeGreaterThanOrEqual(5)
    expect(recorded).toHaveLength(allowance)
    expect(await check(pair)).toMatchObject({ allowed: false, reason: 'limit_reached', used: allowance, remaining: 0 })
    const billed = new Set(
      (await world.takeWrites())
        .filter(({ path, status }) => path === '/v1/billing/meter_events' && status === 200)
        .map(({ params }) => String((params as { readonly identifier?: string }).identifier)),
    )
    expect([...billed].map((id) => id.replace(/^.*(?=client-)/, '')).sort()).toEqual(recorded.sort())
  },
)
