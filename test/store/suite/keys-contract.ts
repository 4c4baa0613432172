// Tests of secrets, service keys and the key-value table of one store. They run on every engine.
import { describe, expect, test as base } from 'vitest'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { reseal } from '../../../packages/ratecard/src/store/sql/maintenance/reseal.ts'
import { refusalOf, type MakePlace } from '../../support/stores/store.ts'
import type { ServiceKeyRecord } from '../../../packages/ratecard/src/store/records/auth.ts'

const day = 24 * 60 * 60 * 1000

function serviceKey(change: Partial<ServiceKeyRecord> = {}): ServiceKeyRecord {
  return {
    id: 'key_1',
    name: 'ci',
    hash: 'h1',
    hint: 'abcd',
    scope: 'write',
    createdAt: 1,
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    worker: null,
    ...change,
  }
}

export function keysContract(engine: string, makePlace: MakePlace): void {
  const open = async () => (await makePlace()).open()
  const test = base.extend('store', () => open())

  describe(`dashboard sessions, sign-in links and service keys on ${engine}:`, () => {
    const pass = (hash: string, change = {}) =>
      ({ hash, kind: 'link', keyId: 'key_1', createdAt: 10, expiresAt: 20, endedAt: null, ...change }) as const

    test('a session or link can be ended only once, only under its own kind, and only before it expires', async ({
      store,
    }) => {
      await store.serviceKeys.add(serviceKey())
      await store.dashboardPasses.add(pass('one'))
      await store.dashboardPasses.add(pass('two'))
      expect(await store.dashboardPasses.find('one')).toEqual(pass('one'))
      expect(await store.dashboardPasses.find('none')).toBeNull()
      expect(await store.dashboardPasses.end('one', 'session', 11)).toBe(false)
      const all = await Promise.all([11, 12, 13].map((at) => store.dashboardPasses.end('one', 'link', at)))
      expect(all.filter(Boolean)).toHaveLength(1)
      expect(await store.dashboardPasses.end('two', 'link', 20)).toBe(false)
    })

    test('expired sessions and links are deleted when another session or link is added', async ({ store }) => {
      await store.serviceKeys.add(serviceKey())
      await store.dashboardPasses.add(pass('old'))
      await store.dashboardPasses.add(pass('new', { kind: 'session', createdAt: 20, expiresAt: 30 }))
      expect(await store.dashboardPasses.find('old')).toBeNull()
      expect(await store.dashboardPasses.find('new')).toMatchObject({ kind: 'session' })
    })

    test('a service key is revoked once, and of two that are revoked at once, each waits for the other', async ({
      store,
    }) => {
      await store.serviceKeys.add(serviceKey())
      await store.serviceKeys.add(serviceKey({ id: 'key_2', hash: 'h2' }))
      const others: (readonly string[])[] = []
      const revoke = (id: string) =>
        store.serviceKeys.revoke(id, 5, (_key, all) => {
          others.push(all.map((one) => one.id))
        })
      expect(await Promise.all([revoke('key_1'), revoke('key_2')])).toEqual([true, true])
      expect(others.map(({ length }) => length)).toEqual([1, 0])
      expect(await revoke('key_1')).toBe(false)
      expect(await store.serviceKeys.find('key_1')).toMatchObject({ revokedAt: 5 })
    })

    test('a service key whose revocation is refused stays valid', async ({ store }) => {
      await store.serviceKeys.add(serviceKey())
      const refuse = () => {
        throw new Error('it stays')
      }
      await expect(store.serviceKeys.revoke('key_1', 5, refuse)).rejects.toThrow('it stays')
      expect(await store.serviceKeys.find('key_1')).toMatchObject({ revokedAt: null })
    })

    test('a service key is found by its id, and an unknown id finds none', async ({ store }) => {
      await store.serviceKeys.add(serviceKey())
      expect(await store.serviceKeys.find('key_1')).toEqual(serviceKey())
      expect(await store.serviceKeys.find('key_2')).toBeNull()
    })
  })

  describe(`secrets on ${engine}:`, () => {
    test('a webhook secret is stored per endpoint, and a newer secret of the endpoint replaces it', async ({
      store,
    }) => {
      expect(await store.secrets.webhookSecret('we_1')).toBeNull()
      await store.secrets.saveWebhookSecret('we_1', 'whsec_one')
      await store.secrets.saveWebhookSecret('we_2', 'whsec_two')
      await store.secrets.saveWebhookSecret('we_1', 'whsec_three')
      expect(await store.secrets.webhookSecret('we_1')).toBe('whsec_three')
      expect(await store.secrets.webhookSecret('we_2')).toBe('whsec_two')
    })

    test('an encrypted secret that is copied to another endpoint cannot be decrypted', async ({ store }) => {
      await store.secrets.saveWebhookSecret('we_1', 'whsec_one')
      await store.database.write((db) =>
        db.updateTable('secrets').set({ id: 'we_2' }).where('id', '=', 'we_1').execute(),
      )
      expect(await refusalOf(store.secrets.webhookSecret('we_2'))).toBe('secret_unreadable')
    })

    test('a change of the master key encrypts each secret once with the new key', async () => {
      const oldKey = generateMasterKey('1')
      const newKey = generateMasterKey('2')
      const place = await makePlace()
      const store = await place.open({ sealer: createSealer(oldKey) })
      const rotating = createSealer(`${newKey},${oldKey}`)
      await store.secrets.saveWebhookSecret('we_1', 'whsec_one')
      await store.idempotency.claim('k', 'f', 1)
      await store.idempotency.finish('k', 200, 'an answer')
      // The service calls this function after a restart with a new list of master keys.
      expect(await reseal(store.database, rotating)).toBe(3)
      expect(await reseal(store.database, rotating)).toBe(0)
      const rows = await store.database.read((db) => db.selectFrom('secrets').select('sealed').execute())
      expect(rows.every((row) => createSealer(newKey).isCurrent(row.sealed))).toBe(true)
    })
  })

  describe(`service keys on ${engine}:`, () => {
    test('keys are found by hash, listed oldest first, and the time of their last use never goes back', async ({
      store,
    }) => {
      await store.serviceKeys.add(serviceKey({ id: 'key_2', hash: 'h2', createdAt: 2 }))
      await store.serviceKeys.add(serviceKey())
      await store.serviceKeys.touch('key_1', 50)
      await store.serviceKeys.touch('key_1', 40)
      expect(await store.serviceKeys.findByHash('h1')).toEqual(serviceKey({ lastUsedAt: 50 }))
      expect(await store.serviceKeys.findByHash('h3')).toBeNull()
      expect((await store.serviceKeys.list()).map((key) => key.id)).toEqual(['key_1', 'key_2'])
    })

    test('the scope and the expiry of a key are stored', async ({ store }) => {
      const brief = serviceKey({ scope: 'read', expiresAt: 77 })
      await store.serviceKeys.add(brief)
      expect(await store.serviceKeys.findByHash('h1')).toEqual(brief)
      expect(await store.serviceKeys.list()).toEqual([brief])
    })

    test('a key can be revoked only once', async ({ store }) => {
      await store.serviceKeys.add(serviceKey())
      expect(await store.serviceKeys.revoke('key_1', 9)).toBe(true)
      expect(await store.serviceKeys.revoke('key_1', 10)).toBe(false)
      expect(await store.serviceKeys.revoke('key_9', 10)).toBe(false)
      expect((await store.serviceKeys.findByHash('h1'))?.revokedAt).toBe(9)
    })

    test('an id or a hash that another key already has is refused', async ({ store }) => {
      await store.serviceKeys.add(serviceKey())
      expect(await refusalOf(store.serviceKeys.add(serviceKey({ hash: 'h2' })))).toBe('conflict')
      expect(await refusalOf(store.serviceKeys.add(serviceKey({ id: 'key_2' })))).toBe('conflict')
    })
  })

  describe(`idempotency keys on ${engine}:`, () => {
    test('the first request with a key is executed, and later requests get its state and then its response', async ({
      store,
    }) => {
      expect(await store.idempotency.claim('k', 'f', 100)).toBeNull()
      const running = { key: 'k', fingerprint: 'f', status: null, body: null, createdAt: 100 }
      expect(await store.idempotency.claim('k', 'other', 200)).toEqual(running)
      await store.idempotency.finish('k', 201, '{"key":"rk_secret"}')
      expect(await store.idempotency.claim('k', 'f', 300)).toEqual({
        ...running,
        status: 201,
        body: '{"key":"rk_secret"}',
      })
    })

    test('a key that was released can be used again, and a key with a stored response cannot', async ({ store }) => {
      await store.idempotency.claim('k', 'f', 100)
      await store.idempotency.release('k')
      expect(await store.idempotency.claim('k', 'f', 200)).toBeNull()
      await store.idempotency.finish('k', 200, 'x')
      await store.idempotency.release('k')
      expect(await store.idempotency.claim('k', 'f', 300)).toMatchObject({ status: 200 })
    })

    test('after 24 hours a key can be used again', async ({ store }) => {
      await store.idempotency.claim('k', 'f', 1)
      await store.idempotency.finish('k', 200, 'x')
      expect(await store.idempotency.claim('k', 'f', day)).toMatchObject({ status: 200 })
      expect(await store.idempotency.claim('k', 'g', day + 1)).toBeNull()
      expect(await store.idempotency.claim('k', 'g', day + 2)).toMatchObject({ fingerprint: 'g', status: null })
    })
  })

  describe(`key-value pairs on ${engine}`, () => {
    test('are set only once by bind(), and can be overwritten by set()', async ({ store }) => {
      expect(await store.facts.get('account')).toBeNull()
      expect(await store.facts.bind('account', 'acct_1')).toBe('acct_1')
      expect(await store.facts.bind('account', 'acct_2')).toBe('acct_1')
      await store.facts.set('account', 'acct_3')
      expect(await store.facts.get('account')).toBe('acct_3')
    })
  })
}
