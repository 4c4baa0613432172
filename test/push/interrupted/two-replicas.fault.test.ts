import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { postgresInstalled } from '../../support/stores/postgres.ts'
import { push, replicaWorld, served } from '../../support/programs/replicas.ts'
import type { Answer, Replica, ReplicaWorld } from '../../support/programs/replicas.ts'
import { announceSkip } from '../../support/skips.ts'

const rounds = Number(process.env['ROUNDS'] ?? (process.env['CI'] === 'true' ? 200 : 20))
const checkEvery = 20

const installed = postgresInstalled()
if (!installed) announceSkip('several replicas', 'no PostgreSQL server is installed')

/** Small, but with several writes, so that two interleaved pushes would be detected. */
const smallDocument = (name: string, amount: number): BillingConfig => ({
  version: '1.0.0',
  products: [
    { id: 'pro', name: `Pro ${name}`, prices: [{ id: 'pro_monthly', amount, currency: 'eur', interval: 'month' }] },
    { id: 'team', name: `Team ${name}` },
  ],
  coupons: [{ id: 'ten', name: `Ten ${name}`, percent_off: 10, duration: 'once' }],
})

/** Twelve prices: more than are in flight at once. */
const wideDocument = (name: string): BillingConfig => ({
  version: '1.0.0',
  products: [
    {
      id: 'wide',
      name: `Wide ${name}`,
      prices: Array.from({ length: 12 }, (_, index) => ({
        id: `${name}_${String(index)}`,
        amount: 100 + index,
        currency: 'eur',
        interval: 'month',
      })),
    },
  ],
})

describe.runIf(installed)('two replicas on one PostgreSQL:', () => {
  test('two different documents that are pushed at the same time are never mixed', { timeout: 600_000 }, async () => {
    const world = await replicaWorld()
    const replicas = await Promise.all([world.startReplica(), world.startReplica()])
    const known = new Map([[1, smallDocument('at first', 900)]])
    let revision = 1
    expect(await push(replicas[0], known.get(1) as BillingConfig)).toMatchObject({ status: 200 })
    await untilAllServe(replicas, 1)
    for (let round = 1; round <= rounds; round++) {
      const documents = replicas.map((_, index) =>
        smallDocument(`${String(round)} of ${String(index)}`, 1000 + Math.floor(round / 10) * 10 + index),
      )
      const answers = await Promise.all(
        replicas.map((replica, index) => push(replica, documents[index] as BillingConfig)),
      )
      for (const [index, answer] of answers.entries()) {
        if (answer.status !== 200) expect(answer).toMatchObject({ status: 409, body: { code: 'push_in_progress' } })
        else known.set(Number(answer.body['revision']), documents[index] as BillingConfig)
      }
      const applied = answers.filter(({ status }) => status === 200).length
      expect(applied).toBeGreaterThan(0)
      revision += applied
      expect([...known.keys()].toSorted((a, b) => a - b).at(-1)).toBe(revision)
      for (const replica of replicas) {
        const seen = await served(replica)
        expect(seen?.config).toEqual(known.get(seen?.revision ?? 0))
      }
      if (round % checkEvery !== 0) continue
      await untilAllServe(replicas, revision)
      await expectNothingToDo(world, replicas, known.get(revision) as BillingConfig)
    }
    expect(known.size).toBe(revision)
  })

  test.each(['before_sending', 'after_answer'] as const)(
    'a replica that is suspended %s until its lease has expired writes nothing after it continues',
    { timeout: 120_000 },
    async (at) => {
      const world = await replicaWorld()
      // A product and nine prices: eight are in flight at once, so some steps are journalled and some are in flight.
      const [stopped, other] = await Promise.all([
        world.startReplica({ leaseMs: 3_000, stop: { at, write: 10 } }),
        world.startReplica({ leaseMs: 3_000 }),
      ])
      const unfinished = push(stopped, wideDocument('one')).catch((error: unknown) => ({ status: 0, body: { error } }))
      await until(() => Promise.resolve(stopped.isStopped()))
      expect(await untilFree(() => push(other, wideDocument('two')))).toMatchObject({
        status: 200,
        body: { status: 'applied', revision: 1 },
      })
      expect((await world.takeWrites()).length).toBeGreaterThan(20)

      stopped.signal('SIGCONT')
      // The push lost the lease, and maybe a connection with a transaction that was open for too long.
      expect(await unfinished).toMatchObject({
        body: { code: expect.stringMatching(/^(push_in_progress|store_unavailable)$/) as unknown },
      })
      expect(await world.takeWrites()).toEqual([])
      await untilAllServe([stopped, other], 1)
      await expectNothingToDo(world, [stopped, other], wideDocument('two'))
    },
  )
})

/** Waits until every replica serves the revision. */
async function untilAllServe(replicas: readonly Replica[], revision: number): Promise<void> {
  await Promise.all(replicas.map((replica) => until(async () => (await served(replica))?.revision === revision)))
}

/** Checks that the processor and each replica have exactly this document. */
async function expectNothingToDo(world: ReplicaWorld, replicas: readonly Replica[], document: BillingConfig) {
  await world.takeWrites()
  for (const replica of replicas)
    expect(await push(replica, document)).toMatchObject({ status: 200, body: { status: 'unchanged' } })
  expect(await world.takeWrites()).toEqual([])
}

/** Retries while another push runs, or while locks of a suspended process keep its push from being resolved. */
async function untilFree(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask()
  await until(async () => {
    if (!/^push_(in_progress|unfinished)$/.test(String(answer.body['code']))) return true
    answer = await ask()
    return false
  })
  return answer
}

async function until(met: () => Promise<boolean>): Promise<void> {
  for (let asked = 1; !(await met()); asked++) {
    if (asked === 1_000) throw new Error('It did not come to pass.')
    await pause(20)
  }
}
