// Tests of the records of one store. They run on every engine.
import { describe, expect, test as base } from 'vitest'
import { configId, processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { hashVersion, verifyHistory } from '../../../packages/ratecard/src/store/history-chain.ts'
import { mapping, newPush, publish, refusalOf, type MakePlace } from '../../support/stores/store.ts'

const page = { limit: 10, offset: 0 }

export function recordsContract(engine: string, makePlace: MakePlace): void {
  const open = async () => (await makePlace()).open()
  const test = base.extend('store', () => open())

  describe(`source documents on ${engine}:`, () => {
    const day = 24 * 60 * 60 * 1000

    test('a source document is stored once, by its hash, and found by the push that used it', async ({ store }) => {
      const { pushId } = await publish(store)
      const text = '{"url":"${HOOK}/\\u0000\ud83d\ude00"}'
      const id = await store.writtenForms.keep(text, 1)
      expect(id).toMatch(/^[0-9a-f]{64}$/)
      expect(await store.writtenForms.keep(text, 2)).toBe(id)
      expect(await store.writtenForms.find(id)).toBe(text)
      expect(await store.writtenForms.ofPush(pushId ?? '')).toBeNull()
      await store.writtenForms.assign(pushId ?? '', id)
      expect(await store.writtenForms.ofPush(pushId ?? '')).toEqual({ id, document: text })
      const other = await store.writtenForms.keep('{}', 3)
      await store.writtenForms.assign(pushId ?? '', other)
      expect((await store.writtenForms.ofPush(pushId ?? ''))?.id).toBe(other)
      expect(await store.writtenForms.usedBy([pushId ?? '', 'another'])).toEqual([{ pushId, writtenId: other }])
      expect(await store.writtenForms.usedBy([])).toEqual([])
    })

    test('a source document that no push used is deleted after a day', async ({ store }) => {
      const { pushId } = await publish(store)
      const used = await store.writtenForms.keep('{"a":1}', 0)
      await store.writtenForms.assign(pushId ?? '', used)
      const unused = await store.writtenForms.keep('{"b":1}', 0)
      const fresh = await store.writtenForms.keep('{"c":1}', day / 2)
      await store.writtenForms.keep('{"d":1}', day + 1)
      expect(await store.writtenForms.find(used)).not.toBeNull()
      expect(await store.writtenForms.find(unused)).toBeNull()
      expect(await store.writtenForms.find(fresh)).not.toBeNull()
    })
  })

  describe(`versions on ${engine}:`, () => {
    test('a new store has no version of the configuration and no history', async ({ store }) => {
      expect(await store.versions.current()).toBeNull()
      expect(await store.versions.latest()).toBeNull()
      expect(await store.versions.find(1)).toBeNull()
      expect(await store.versions.list(page)).toEqual({ items: [], total: 0 })
      expect(await store.changeSequence()).toBe(0)
    })

    test('each push creates the next revision, and the list is newest first', async ({ store }) => {
      const first = await publish(store, { version: '1.0.0' })
      const second = await publish(store, { version: '1.1.0' })
      const third = await publish(store, { version: '1.2.0' })
      expect([first.revision, second.revision, third.revision]).toEqual([1, 2, 3])
      expect(await store.versions.current()).toEqual(third)
      expect(await store.versions.find(2)).toEqual(second)
      expect(await store.versions.list({ limit: 2, offset: 1 })).toEqual({
        items: [second, first].map(({ document: _, ...head }) => head),
        total: 3,
      })
    })

    test('after a reset no version is current, and the newest record is the reset', async ({ store }) => {
      await publish(store)
      const reset = await publish(store, { kind: 'reset', document: null })
      expect(await store.versions.current()).toBeNull()
      expect(await store.versions.latest()).toEqual(reset)
      const again = await publish(store)
      expect(await store.versions.current()).toEqual(again)
      expect(again.revision).toBe(3)
    })

    test('a document is returned byte for byte', async ({ store }) => {
      const document = JSON.stringify({ b: 1, a: [' \u0000 \ud83d\ude00 é'], c: 1.5, B: '"\\' }) + '\n  '
      const { revision } = await publish(store, { document })
      expect((await store.versions.find(revision))?.document).toBe(document)
    })

    test('the hash chain is valid even for text that an engine can store only with escapes', async ({ store }) => {
      const record = await publish(store, { author: 'a\0b', message: 'half \ud83d' })
      expect(await store.versions.find(1)).toEqual(record)
      expect(await verifyHistory(store)).toEqual({ ok: true, checked: 1 })
    })

    test('each record contains the hash of the record before it, and the first record contains zeros', async ({
      store,
    }) => {
      const first = await publish(store)
      const second = await publish(store)
      expect(first.previousHash).toBe('0'.repeat(64))
      expect(second.previousHash).toBe(first.hash)
      expect(first.hash).toBe(hashVersion(first))
      expect(await verifyHistory(store)).toEqual({ ok: true, checked: 2 })
    })

    test('a record that was edited or removed is detected', async ({ store }) => {
      for (let count = 0; count < 4; count++) await publish(store)
      await store.database.write((db) =>
        db.updateTable('versions').set({ author: 'eve' }).where('revision', '=', 3).execute(),
      )
      expect(await verifyHistory(store)).toEqual({ ok: false, checked: 2, brokenAt: 3 })
      await store.database.write(async (db) => {
        await db.updateTable('pushes').set({ state: 'abandoned', revision: null }).where('revision', '=', 2).execute()
        await db.deleteFrom('versions').where('revision', '=', 2).execute()
      })
      expect(await verifyHistory(store)).toEqual({ ok: false, checked: 1, brokenAt: 2 })
    })

    test('each push increases the change number of the store', async ({ store }) => {
      await publish(store)
      expect(await store.changeSequence()).toBe(1)
      await publish(store, { kind: 'reset', document: null })
      expect(await store.changeSequence()).toBe(2)
    })
  })

  describe(`mappings on ${engine}:`, () => {
    test('an entry is added only if the processor’s id differs from the latest entry of the resource', async ({
      store,
    }) => {
      await publish(store, {}, [mapping('price', 'pro', 'price_1'), mapping('product', 'pro', 'prod_1')])
      await publish(store, {}, [mapping('price', 'pro', 'price_2'), mapping('product', 'pro', 'prod_1')])
      await publish(store, {}, [mapping('price', 'pro', 'price_1')])
      const entries = await store.mappings.all()
      expect(entries.map(({ kind, processorId: id, sequence, revision }) => [kind, id, sequence, revision])).toEqual([
        ['price', 'price_1', 1, 1],
        ['product', 'prod_1', 2, 1],
        ['price', 'price_2', 3, 2],
        ['price', 'price_1', 4, 3],
      ])
      expect(await store.mappings.byConfigId('price', 'pro')).toEqual([entries[0], entries[2], entries[3]])
    })

    test('an earlier id of the processor finds the whole history of its resource', async ({ store }) => {
      await publish(store, {}, [mapping('price', 'pro', 'price_1'), mapping('price', 'basic', 'price_9')])
      await publish(store, {}, [mapping('price', 'pro', 'price_2')])
      const found = await store.mappings.byProcessorId('price_1')
      expect(found.map((entry) => entry.processorId)).toEqual(['price_1', 'price_2'])
      expect(await store.mappings.byProcessorId('price_2')).toEqual(found)
      expect(await store.mappings.byProcessorId('price_3')).toEqual([])
      expect(await store.mappings.byProcessorId('price_1\0')).toEqual([])
    })

    test('a push can have thousands of mappings', async ({ store }) => {
      const many = Array.from({ length: 2500 }, (_, index) =>
        mapping('price', `price_${String(index)}`, `p${String(index)}`),
      )
      await publish(store, {}, many)
      const entries = await store.mappings.all()
      expect(entries.length).toBe(2500)
      expect(entries.at(-1)).toMatchObject({ configId: 'price_2499', sequence: 2500 })
    })
  })

  describe(`the store on ${engine}`, () => {
    test('responds to a ping, and reports itself as unavailable after it is closed', async ({ store }) => {
      await store.ping()
      await store.close()
      expect(await refusalOf(store.ping())).toBe('store_unavailable')
      expect(await refusalOf(store.facts.set('a', 'b'))).toBe('store_unavailable')
    })

    test('refuses to be used inside of its own transaction, instead of blocking forever', async ({ store }) => {
      await expect(store.database.write(() => store.facts.get('a'))).rejects.toThrow(
        /inside one of its own transactions/,
      )
      await expect(store.database.write(() => store.facts.set('a', 'b'))).rejects.toThrow(/inside one of its own/)
      expect(await store.facts.get('a')).toBeNull()
    })

    test('rolls back a transaction that fails', async ({ store }) => {
      const work = store.database.write(async (db) => {
        await db.insertInto('facts').values({ name: 'a', value: 'b' }).execute()
        throw new Error('stop')
      })
      await expect(work).rejects.toThrow('stop')
      expect(await store.facts.get('a')).toBeNull()
      await store.facts.set('a', 'c')
      expect(await store.facts.get('a')).toBe('c')
    })

    test('returns the last state of an archived object', async ({ store }) => {
      const archived = {
        kind: 'coupon',
        configId: configId('welcome'),
        processorId: processorId('welcome'),
        object: '{"id":"welcome"}',
        archivedAt: 7,
      } as const
      const push = newPush()
      await store.exclusively('push', async ({ token }) => {
        await store.pushes.open(push, token)
        await store.pushes.begin(push.id, 0, '{}', token)
        await store.pushes.succeed(push.id, 0, { processorId: null, requestId: null, archived }, token)
      })
      expect(await store.mappings.archivedObject('welcome')).toEqual(archived)
      expect(await store.mappings.archivedObject('other')).toBeNull()
    })
  })
}
