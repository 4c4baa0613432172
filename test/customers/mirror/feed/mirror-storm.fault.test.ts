import Stripe from 'stripe'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../packages/ratecard/src/base/clock.ts'
import { mirroredKinds } from '../../../../packages/ratecard/src/processor/mirrored.ts'
import type { Mirrored, MirroredKind } from '../../../../packages/ratecard/src/processor/mirrored.ts'
import { unlimitedBudget } from '../../../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { createSealer, generateMasterKey } from '../../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../../packages/ratecard/src/store/sql/open-store.ts'
import type { FaultKind } from '../../../../packages/sandbox/src/control/faults.ts'
import { startSandbox } from '../../../../packages/sandbox/src/server.ts'
import { billingChanges, randomOf, type BillingChanges, type Random } from '../../../support/shop/billing-changes.ts'
import { postgresInstalled, startPostgres } from '../../../support/stores/postgres.ts'
import { startReplicaProcess, type Replica } from '../../../support/programs/replicas.ts'
import { announceSkip } from '../../../support/skips.ts'
import type { Store } from '../../../../packages/ratecard/src/store/store.ts'

const changesInAll = Number(process.env['CHANGES'] ?? 500)
const seed = Number(process.env['SEED'] ?? 888_573)
const killEvery = 250
const advanceEvery = 40
const eventsSecret = 'whsec_storm_of_the_mirror'
const secretKey = 'sk_test_stormOfTheMirror00'

const installed = postgresInstalled()
if (!installed) announceSkip('the storm of the mirror', 'no PostgreSQL server is installed')

async function stormWorld() {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.close())
  const databaseUrl = await postgres.createDatabase()
  const masterKey = generateMasterKey()
  const sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  onTestFinished(() => sandbox.close())
  const store = await openStore({ url: databaseUrl, file: '', sealer: createSealer(masterKey) })
  onTestFinished(() => store.close())
  const connection = { host: '127.0.0.1', port: sandbox.port, protocol: 'http' as const, telemetry: false }
  return {
    sandbox,
    mirror: store.mirror,
    stripe: new Stripe(secretKey, { ...connection, maxNetworkRetries: 0 }),
    processor: createStripeProcessor({ secretKey, apiBase: sandbox.url, budget: unlimitedBudget, clock: systemClock }),
    startReplica: () =>
      startReplicaProcess({
        databaseUrl,
        masterKey,
        secretKey,
        serviceKey: 'rk_storm_of_the_mirror',
        apiBase: sandbox.url,
        leaseMs: 3_000,
        stop: null,
        mirror: { pollSeconds: 1, eventsSecret },
      }),
  }
}

type World = Awaited<ReturnType<typeof stormWorld>>

/** Delivers events to a random replica, shuffled: a fifth never, a fifth twice. */
function deliverer({ stripe }: World, replicas: () => readonly Replica[], random: Random) {
  const waiting: Stripe.Event[] = []
  let cursor: string | undefined
  const send = async (event: Stripe.Event): Promise<void> => {
    const payload = JSON.stringify(event)
    const targets = replicas()
    const target = targets[Math.floor(random() * targets.length)]
    const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: eventsSecret })
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    // A killed replica refuses the connection, as the processor would see it.
    await fetch(`${target?.url ?? ''}/api/v1/processor/events`, { method: 'POST', headers, body: payload }).catch(
      () => undefined,
    )
  }
  return async (): Promise<void> => {
    const page = await stripe.events.list({ limit: 100, ...(cursor === undefined ? {} : { ending_before: cursor }) })
    cursor = page.data[0]?.id ?? cursor
    for (const event of page.data) {
      const fate = random()
      if (fate < 0.2) continue
      waiting.push(event)
      if (fate > 0.8) waiting.push(event)
    }
    while (waiting.length > 20) {
      const [event] = waiting.splice(Math.floor(random() * waiting.length), 1)
      if (event !== undefined) await send(event)
    }
  }
}

const readFaults: readonly FaultKind[] = ['rate_limit', 'error_before', 'close_before', 'close_after', 'cut_body']

/** Reads the mirror all the time and checks that no older state appears: quantities only grow, and ended subscriptions stay ended. */
function watcher(mirror: Store['mirror'], { quantities, subscriptions }: BillingChanges, random: Random) {
  const shown = new Map<string, number>()
  const ended = new Set<string>()
  return async (): Promise<void> => {
    for (let look = 0; look < 5; look++) {
      const id = subscriptions[Math.floor(random() * subscriptions.length)] ?? ''
      const found = await mirror.find('subscription', id)
      if (found === null) continue
      if (ended.has(id)) expect(found.status).toBe('canceled')
      if (found.status === 'canceled') ended.add(id)
      for (const item of found.items) {
        const quantity = item.quantity ?? 0
        expect(quantity).toBeGreaterThanOrEqual(shown.get(item.id) ?? 0)
        expect(quantity).toBeLessThanOrEqual(quantities.get(item.id) ?? 1)
        shown.set(item.id, quantity)
      }
    }
  }
}

async function pagesOf<K extends MirroredKind>(
  read: (after: string | null) => Promise<{ objects: readonly Mirrored[K][]; next: string | null }>,
): Promise<Mirrored[K][]> {
  const found: Mirrored[K][] = []
  for (let after: string | null = null; ;) {
    const { objects, next } = await read(after)
    found.push(...objects)
    if (next === null) return found.sort((a, b) => (a.id < b.id ? -1 : 1))
    after = next
  }
}

async function expectEqual({ mirror, processor }: World): Promise<void> {
  const signal = AbortSignal.timeout(120_000)
  for (const kind of mirroredKinds) {
    const stored = await pagesOf(async (after) => {
      const objects = await mirror.page(kind, after, 500)
      return { objects, next: objects.at(-1)?.id ?? null }
    })
    const kept = stored.filter((object) => !('deleted' in object && object.deleted))
    expect(kept.map(withoutTurns), kind).toEqual(await pagesOf((after) => processor.mirrorPage(kind, after, signal)))
  }
}

describe.runIf(installed)('the mirror, after random changes and failures,', () => {
  test(
    `equals the lists of the processor, and never shows an older state after a newer one (seed ${String(seed)})`,
    { timeout: 1_200_000 },
    async () => {
      const random = randomOf(seed)
      const world = await stormWorld()
      const { sandbox, stripe, mirror } = world
      const changes = await billingChanges(stripe, random)
      const replicas = await Promise.all([world.startReplica(), world.startReplica()])
      const deliver = deliverer(world, () => replicas, random)
      const watch = watcher(mirror, changes, random)
      const made = new Set<string>()
      for (let index = 1; index <= changesInAll; index++) {
        const verb = await changes.change()
        if (verb !== null) made.add(verb)
        if (index % 5 === 0) await deliver()
        if (index % 3 === 0) await watch()
        if (index % 10 === 0) {
          // Fails only reads of single objects, and lists that the test itself does not use.
          const path = ['/v1/subscriptions/sub_*', '/v1/customers/cus_*', '/v1/invoices/in_*'][Math.floor(random() * 3)]
          const kind = readFaults[Math.floor(random() * readFaults.length)] ?? 'rate_limit'
          sandbox.control.fail({ kind, method: 'GET', path, count: 2 })
        }
        if (index % advanceEvery === 0) sandbox.control.advance(Math.ceil(random() * 20) * 3_600, secretKey)
        if (index % killEvery === 0) {
          const victim = Math.floor(random() * replicas.length)
          replicas[victim]?.signal('SIGKILL')
          await replicas[victim]?.ended
          replicas[victim] = await world.startReplica()
        }
      }
      sandbox.control.clearFaults()
      // What chance left out, e.g. a payment while no invoice was open, is made now.
      const missing = () => changes.verbs.filter((verb) => !made.has(verb))
      for (let attempt = 0; attempt < 2_000 && missing().length > 0; attempt++) {
        const verb = await changes.change(attempt % 2 === 0 ? missing()[0] : undefined)
        if (verb !== null) made.add(verb)
      }
      const over = Date.now()
      const settled = async () => {
        const state = await mirror.state()
        return state?.beganAt !== null && (state?.readUntil ?? 0) > over && (await mirror.staleCount()) === 0
      }
      await expect.poll(settled, { interval: 200, timeout: 300_000 }).toBe(true)
      await expectEqual(world)
      expect(missing()).toEqual([])
    },
  )
})

/** Removes the turns of items: the mirror remembers them from one reading to the next, and the processor has no such list. */
function withoutTurns<Object extends object>(object: Object): Object {
  if (!('items' in object) || !Array.isArray(object.items)) return object
  return { ...object, items: object.items.map(({ turns: _turns, ...item }: Readonly<Record<string, unknown>>) => item) }
}
