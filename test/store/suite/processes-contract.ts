// Tests of several stores on one database: replicas, restarts, crashes. They run on every engine whose database can be shared.
import { describe, expect, test } from 'vitest'
import { verifyHistory } from '../../../packages/ratecard/src/store/history-chain.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { migrate } from '../../../packages/ratecard/src/store/sql/schema-migrations/apply-schema.ts'
import { migrations } from '../../../packages/ratecard/src/store/sql/schema-migrations/migrations.ts'
import { mapping, newPush, publish, refusalOf, refusedBy, storeProcesses } from '../../support/stores/store.ts'
import type { MakePlace, StorePlace } from '../../support/stores/store.ts'

const clock = { now: () => 1 }

export function processesContract(engine: string, makePlace: MakePlace): void {
  const storeProcess = storeProcesses()
  describe(`replicas on ${engine}`, () => {
    test('read the records that another replica has published', async () => {
      const [one, two] = await replicas(await makePlace())
      const version = await publish(one, {}, [mapping('price', 'pro', 'price_1')])
      expect(await two.versions.current()).toEqual(version)
      expect(await two.mappings.byProcessorId('price_1')).toHaveLength(1)
      expect(await two.changeSequence()).toBe(1)
    })

    test('hold a lease one at a time, with twenty concurrent callers, each with another fencing number', async () => {
      const stores = await replicas(await makePlace())
      const fences: number[] = []
      let inside = 0
      let most = 0
      const turn = async (index: number): Promise<void> => {
        const store = stores[index % 2 === 0 ? 0 : 1]
        const refused = await store
          .exclusively('push', async ({ token }) => {
            inside += 1
            most = Math.max(most, inside)
            fences.push(token.fence)
            await store.facts.set('last', String(index))
            inside -= 1
          })
          .then(
            () => null,
            (error: unknown) => error,
          )
        if (refused === null) return
        expect(refused).toMatchObject({ code: 'push_in_progress' })
        await turn(index)
      }
      await Promise.all(Array.from({ length: 20 }, (_, index) => turn(index)))
      expect(most).toBe(1)
      expect(fences).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    })

    test('can use an idempotency key only once, even at the same time', async () => {
      const stores = await replicas(await makePlace())
      for (const key of ['a', 'b', 'c']) {
        const claims = Array.from({ length: 20 }, (_, index) =>
          stores[index % 2 === 0 ? 0 : 1].idempotency.claim(key, `f${String(index)}`, 1),
        )
        const answers = await Promise.all(claims)
        const winner = answers.indexOf(null)
        expect(answers.filter((answer) => answer === null)).toHaveLength(1)
        for (const answer of answers) if (answer !== null) expect(answer.fingerprint).toBe(`f${String(winner)}`)
      }
    })

    test('can take over an abandoned idempotency key only once, even at the same time', async () => {
      const stores = await replicas(await makePlace())
      await stores[0].idempotency.claim('left', 'f', 1)
      const takes = Array.from({ length: 20 }, (_, index) =>
        stores[index % 2 === 0 ? 0 : 1].idempotency.takeOver('left', 1, 10_002 + index),
      )
      expect((await Promise.all(takes)).filter((taken) => taken)).toHaveLength(1)
      await stores[0].idempotency.finish('left', 200, 'an answer')
      const after = await stores[1].idempotency.claim('left', 'f', 10_050)
      expect(await stores[1].idempotency.takeOver('left', after?.createdAt ?? 0, 10_051)).toBe(false)
    })

    test('store the same value if they bind one name at the same time', async () => {
      const stores = await replicas(await makePlace())
      const values = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          stores[index % 2 === 0 ? 0 : 1].facts.bind('account', `acct_${String(index)}`),
        ),
      )
      expect(new Set(values).size).toBe(1)
    })

    test('lose no update if they write one after the other under a lease', async () => {
      const place = await makePlace()
      const store = await place.open()
      const workers = [storeProcess(place, 'count'), storeProcess(place, 'count'), storeProcess(place, 'count')]
      expect(await Promise.all(workers.map((worker) => worker.line()))).toEqual(['done', 'done', 'done'])
      expect(await store.facts.get('counter')).toBe('30')
    })
  })

  describe(`a crash of a process on ${engine}:`, () => {
    test('if the process is killed inside a transaction, the previous state is unchanged', async () => {
      const place = await makePlace()
      const store = await place.open()
      const before = await publish(store)
      const victim = storeProcess(place, 'halfway')
      expect(await victim.line()).toBe('halfway')
      expect(await store.versions.latest()).toEqual(before)
      victim.kill('SIGKILL')
      expect(await victim.ended).toBeNull()
      expect(await store.versions.current()).toEqual(before)
      const after = await publish(store)
      expect(after.revision).toBe(2)
      expect(await verifyHistory(store)).toEqual({ ok: true, checked: 2 })
    })

    test('the lease of the killed process expires, and the next holder has a higher fencing number', async () => {
      const place = await makePlace()
      const store = await place.open()
      const victim = storeProcess(place, 'hold', { leaseMs: 2000 })
      const fence = Number(await victim.line())
      const refused = await refusedBy(store.exclusively('push', () => Promise.resolve()))
      expect(refused.code).toBe('push_in_progress')
      expect(refused.hint).toMatch(/try again/)
      victim.kill('SIGKILL')
      await victim.ended
      await expect.poll(() => store.held('push'), { timeout: 10_000, interval: 20 }).toBe(false)
      const next = await store.exclusively('push', ({ token }) => Promise.resolve(token.fence))
      expect(next).toBeGreaterThan(fence)
    })

    test('a process that was suspended until its lease expired cannot write after it continues', async () => {
      const place = await makePlace()
      const store = await place.open()
      const sleeper = storeProcess(place, 'pause', { leaseMs: 2000 })
      expect(await sleeper.line()).toBe('ready')
      sleeper.kill('SIGSTOP')
      await expect.poll(() => store.held('push'), { timeout: 10_000, interval: 20 }).toBe(false)
      await store.exclusively('push', async ({ token }) => {
        sleeper.kill('SIGCONT')
        sleeper.say('go on')
        expect(await sleeper.line()).toBe('push_in_progress')
        expect(await sleeper.line()).toBe('aborted')
        await store.pushes.end('push_paused', 'abandoned', null, token)
      })
      expect(await store.pushes.steps('push_paused')).toMatchObject([{ state: 'pending', attempts: 0 }])
    })
  })

  describe(`the schema on ${engine}`, () => {
    test('is migrated once if several processes start at the same time on an empty database', async () => {
      const place = await makePlace()
      const starters = Array.from({ length: 4 }, () => storeProcess(place, 'migrate'))
      const stores = [place.open(), place.open()]
      expect(await Promise.all(starters.map((starter) => starter.line()))).toEqual(Array(4).fill('migrated'))
      const [store] = await Promise.all(stores)
      const rows = await store?.database.read((db) =>
        db.selectFrom('schemaMigrations').select('version').orderBy('version').execute(),
      )
      expect(rows?.map((row) => row.version)).toEqual(migrations.map((_, index) => index + 1))
    })

    test('is refused and left unchanged if it belongs to a newer release', async () => {
      const place = await makePlace()
      const store = await place.open()
      await store.facts.set('a', 'b')
      const next = { name: 'of a later release', statements: () => ['create table later (id bigint primary key)'] }
      await migrate(store.database, clock, [...migrations, next])
      const refused = await refusedBy(place.open())
      expect(refused.code).toBe('store_unavailable')
      expect(refused.hint).toMatch(/newer release/)
      expect(await store.facts.get('a')).toBe('b')
    })

    test('stays unchanged if a migration fails', async () => {
      const place = await makePlace()
      const store = await place.open()
      const good = { name: 'good', statements: () => ['create table good (id bigint primary key)'] }
      const bad = {
        name: 'bad',
        statements: () => ['create table bad (id bigint primary key)', 'insert into nowhere values (1)'],
      }
      await expect(migrate(store.database, clock, [...migrations, good, bad])).rejects.toThrow(/nowhere/)
      await migrate(store.database, clock, [...migrations, good])
      const rows = await store.database.read((db) => db.selectFrom('schemaMigrations').select('name').execute())
      expect(rows.map((row) => row.name)).toEqual([...migrations.map((step) => step.name), 'good'])
    })
  })

  describe(`the master key on ${engine}`, () => {
    test('is checked at the start, and a different key is refused', async () => {
      const place = await makePlace()
      const store = await place.open()
      await store.secrets.saveWebhookSecret('we_1', 'whsec_1')
      expect(await refusalOf(place.open({ sealer: createSealer(generateMasterKey()) }))).toBe('secret_unreadable')
    })

    test('can be changed: each secret stays readable, first with both keys and then with the new key only', async () => {
      const place = await makePlace()
      const newKey = generateMasterKey('2')
      const first = await place.open()
      await first.secrets.saveWebhookSecret('we_1', 'whsec_1')
      await first.idempotency.claim('k', 'f', 1)
      await first.idempotency.finish('k', 200, 'an answer')
      const rotating = await place.open({ sealer: createSealer(`${newKey},${place.keys}`) })
      expect(await rotating.resealSecrets()).toBe(0)
      const after = await place.open({ sealer: createSealer(newKey) })
      expect(await after.secrets.webhookSecret('we_1')).toBe('whsec_1')
      expect(await after.idempotency.claim('k', 'f', 2)).toMatchObject({ body: 'an answer' })
      expect(await refusalOf(first.secrets.webhookSecret('we_1'))).toBe('secret_unreadable')
    })
  })

  describe(`two replicas that push on ${engine}`, () => {
    test('leave no gap in the revision numbers and no fork in the hash chain', async () => {
      const stores = await replicas(await makePlace())
      const push = async (index: number): Promise<void> => {
        const store = stores[index % 2 === 0 ? 0 : 1]
        const outcome = await publish(store, { id: newPush().id }, [
          mapping('price', 'pro', `price_${String(index)}`),
        ]).catch((error: unknown) => error)
        if (outcome instanceof Error) {
          expect(outcome).toMatchObject({ code: 'push_in_progress' })
          await push(index)
        }
      }
      await Promise.all(Array.from({ length: 10 }, (_, index) => push(index)))
      expect(await verifyHistory(stores[0])).toEqual({ ok: true, checked: 10 })
      expect((await stores[1].mappings.all()).map((entry) => entry.sequence)).toEqual(
        Array.from({ length: 10 }, (_, i) => i + 1),
      )
      expect(await stores[1].changeSequence()).toBe(10)
    })
  })
}

async function replicas(place: StorePlace) {
  return Promise.all([place.open(), place.open()] as const)
}
