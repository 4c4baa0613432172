import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createIdempotency } from '../../../packages/ratecard/src/server/request-idempotency.ts'
import { createServiceKeys } from '../../../packages/ratecard/src/server/auth/service-keys.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'

let store: Store
let now = 0
const clock = { now: () => now }

beforeEach(async () => {
  now = Date.UTC(2031, 0, 1)
  store = await openStore({ url: null, file: ':memory:', sealer: createSealer(generateMasterKey()), clock })
})
afterEach(() => store.close())

describe('service keys', () => {
  it('consist of 32 random bytes, and only their hash is stored', async () => {
    const keys = createServiceKeys({ store, clock })
    const made = await Promise.all(Array.from({ length: 20 }, (_, n) => keys.createKey(`key ${String(n)}`)))
    for (const { key, hint } of made) {
      expect(key).toMatch(/^rck_[A-Za-z0-9_-]{43}$/)
      expect(Buffer.from(key.slice(4), 'base64url')).toHaveLength(32)
      expect(hint).toBe(key.slice(-4))
    }
    expect(new Set(made.map(({ key }) => key)).size).toBe(20)
    expect(new Set(made.map(({ id }) => id)).size).toBe(20)
    const records = await store.serviceKeys.list()
    expect(JSON.stringify(records)).not.toContain(made[0]?.key.slice(4))
    expect(records.map(({ hash }) => hash).sort()).toEqual(
      made.map(({ key }) => createHash('sha256').update(key).digest('hex')).sort(),
    )
  })

  it('are accepted only if they are complete and not revoked', async () => {
    const keys = createServiceKeys({ store, clock })
    const { key, id } = await keys.createKey('one')
    await keys.createKey('another')
    expect(await keys.authenticate(key)).toMatchObject({ state: 'valid', key: { id, name: 'one', scope: 'write' } })
    expect(await keys.authenticate(key)).not.toHaveProperty('key.hash')
    for (const wrong of ['', key.slice(0, -1), `${key} `, key.slice(4), key.toLowerCase(), 'x'.repeat(100_000)])
      expect(await keys.authenticate(wrong)).toBeNull()
    await keys.revokeKey(id)
    expect(await keys.authenticate(key)).toBeNull()
  })

  it('get the timestamp of their last use updated at most once a minute, not with each request', async () => {
    const keys = createServiceKeys({ store, clock })
    const { key } = await keys.createKey('one')
    const lastUse = async () => (await keys.listKeys())[0]?.lastUsedAt
    const start = now
    await keys.authenticate(key)
    now += 59_000
    await keys.authenticate(key)
    expect(await lastUse()).toBe(start)
    now += 1_000
    await keys.authenticate(key)
    expect(await lastUse()).toBe(start + 60_000)
  })

  it('are created at the first start if no key exists, and the new key is returned only once', async () => {
    const keys = createServiceKeys({ store, clock })
    const first = await keys.ensureFirstKey(null)
    expect(await keys.authenticate(first?.key ?? '')).toMatchObject({ key: { name: 'first' } })
    expect(await keys.ensureFirstKey(null)).toBeNull()
    expect(await keys.listKeys()).toHaveLength(1)
  })

  it('are stored before they become valid, so that the next start generates another key if storing the first key failed', async () => {
    const keys = createServiceKeys({ store, clock })
    const full = () => {
      throw new Error('the disk is full')
    }
    await expect(keys.ensureFirstKey(null, full)).rejects.toThrow('the disk is full')
    expect(await keys.listKeys()).toEqual([])
    const kept: string[] = []
    const first = await keys.ensureFirstKey(null, (key) => void kept.push(key))
    expect(kept).toEqual([first?.key])
  })

  it('can be set in the environment: a changed key is added, and the earlier keys stay valid', async () => {
    const keys = createServiceKeys({ store, clock })
    expect(await keys.ensureFirstKey('from-the-environment-1')).toBeNull()
    expect(await keys.ensureFirstKey('from-the-environment-1')).toBeNull()
    expect(await keys.ensureFirstKey('from-the-environment-2')).toBeNull()
    expect((await keys.listKeys()).map(({ name }) => name)).toEqual(['environment', 'environment'])
    expect(await keys.authenticate('from-the-environment-1')).not.toBeNull()
    expect(await keys.authenticate('from-the-environment-2')).not.toBeNull()
  })

  it('that were revoked stay revoked even if the environment still contains them', async () => {
    const keys = createServiceKeys({ store, clock })
    await keys.ensureFirstKey('from-the-environment')
    const [environment] = await keys.listKeys()
    await keys.createKey('other', { scope: 'owner' })
    await keys.revokeKey(environment?.id ?? '')
    await keys.ensureFirstKey('from-the-environment')
    expect(await keys.authenticate('from-the-environment')).toBeNull()
  })

  it('are created only once by replicas that start at the same time', async () => {
    await Promise.all(
      Array.from({ length: 5 }, () => createServiceKeys({ store, clock }).ensureFirstKey('from-the-environment')),
    )
    expect(await store.serviceKeys.list()).toHaveLength(1)
  })

  it('cannot all be revoked: at least one key stays valid', async () => {
    const keys = createServiceKeys({ store, clock })
    const [one, two] = [await keys.createKey('one'), await keys.createKey('two')]
    await keys.revokeKey(one.id)
    await expect(keys.revokeKey(two.id)).rejects.toMatchObject({ code: 'key_last' })
    await expect(keys.revokeKey(one.id)).rejects.toMatchObject({ code: 'key_not_found' })
    await expect(keys.revokeKey('none')).rejects.toMatchObject({ code: 'key_not_found' })
  })

  it('expire exactly at their expiry time', async () => {
    const keys = createServiceKeys({ store, clock })
    const { key, expiresAt } = await keys.createKey('brief', { scope: 'read', expiresAt: now + 1000 })
    expect(expiresAt).toBe(now + 1000)
    now += 999
    expect(await keys.authenticate(key)).toMatchObject({ state: 'valid', key: { scope: 'read' } })
    now += 1
    expect(await keys.authenticate(key)).toEqual({ state: 'expired', expiresAt: now })
    expect((await keys.listKeys())[0]).toMatchObject({ lastUsedAt: now - 1, expiresAt: now })
    await expect(keys.createKey('late', { expiresAt: now })).rejects.toMatchObject({ code: 'request_invalid' })
  })

  it('cannot be revoked if only one valid key with write access is left', async () => {
    const keys = createServiceKeys({ store, clock })
    const only = await keys.createKey('only')
    await keys.createKey('looks', { scope: 'read' })
    await keys.createKey('brief', { expiresAt: now + 1000 })
    now += 1000
    await expect(keys.revokeKey(only.id)).rejects.toMatchObject({ code: 'key_last' })
    await keys.createKey('other')
    await keys.revokeKey(only.id)
  })

  it('cannot be revoked if only one valid owner key is left, also by two requests at once', async () => {
    const keys = createServiceKeys({ store, clock })
    const owners = [await keys.createKey('a', { scope: 'owner' }), await keys.createKey('b', { scope: 'owner' })]
    await keys.createKey('writes')
    await keys.createKey('brief', { scope: 'owner', expiresAt: now + 1000 })
    now += 1000
    const results = await Promise.allSettled(owners.map(({ id }) => keys.revokeKey(id)))
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const left = (await keys.listKeys()).find(
      ({ scope, revokedAt, expiresAt }) => scope === 'owner' && revokedAt === null && expiresAt === null,
    )
    await expect(keys.revokeKey(left?.id ?? '')).rejects.toMatchObject({ code: 'last_owner_key' })
  })

  it('are created at a start if all existing keys are read keys or expired', async () => {
    const keys = createServiceKeys({ store, clock })
    await keys.createKey('looks', { scope: 'read' })
    await keys.createKey('brief', { expiresAt: now + 1000 })
    expect(await keys.ensureFirstKey(null)).toBeNull()
    now += 1000
    expect(await keys.ensureFirstKey(null)).not.toBeNull()
  })
})

describe('idempotency keys of requests', () => {
  let busy = false
  const idempotent = () => createIdempotency({ store, clock, busy: () => Promise.resolve(busy) })
  const answer = { status: 200, body: '{"done":true}' }

  it('make the service execute a request only once, and return the stored response to retries', async () => {
    let runs = 0
    const work = () => Promise.resolve({ ...answer, body: `{"run":${String(++runs)}}` })
    expect(await idempotent()('k', 'f', work)).toEqual({ status: 200, body: '{"run":1}', replayed: false })
    expect(await idempotent()('k', 'f', work)).toEqual({ status: 200, body: '{"run":1}', replayed: true })
    expect(await idempotent()('other', 'f', work)).toMatchObject({ body: '{"run":2}', replayed: false })
    expect(await idempotent()(null, 'f', work)).toMatchObject({ body: '{"run":3}', replayed: false })
  })

  it('are refused for a different request, and for a second request while the first one is running', async () => {
    let finish = () => {}
    const running = idempotent()('k', 'f', () => new Promise((resolve) => (finish = () => resolve(answer))))
    await new Promise(setImmediate)
    const never = () => Promise.reject(new Error('must not run'))
    await expect(idempotent()('k', 'f', never)).rejects.toMatchObject({ code: 'request_in_progress', retryAfter: 1 })
    await expect(idempotent()('k', 'g', never)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    finish()
    expect(await running).toMatchObject({ replayed: false })
    await expect(idempotent()('k', 'g', never)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  })

  it('can be used again if the request failed', async () => {
    await expect(idempotent()('k', 'f', () => Promise.reject(new Error('nothing done')))).rejects.toThrow(
      'nothing done',
    )
    expect(await idempotent()('k', 'f', () => Promise.resolve(answer))).toMatchObject({ replayed: false })
  })

  it('stay reserved for a long request as long as its process sends heartbeats', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    let finish = () => {}
    const running = idempotent()('k', 'f', () => new Promise((resolve) => (finish = () => resolve(answer))))
    await vi.waitFor(async () => expect(await store.idempotency.claim('k', 'f', now)).not.toBeNull(), 60_000)
    now += 9_000
    await vi.advanceTimersByTimeAsync(3_000)
    vi.useRealTimers()
    now += 9_000
    const again = idempotent()('k', 'f', () => Promise.reject(new Error('must not run')))
    await expect(again).rejects.toMatchObject({ code: 'request_in_progress' })
    finish()
    expect(await running).toMatchObject({ replayed: false })
  })

  it('can be taken over 10 seconds after their process died, but not while a push runs', async () => {
    expect(await store.idempotency.claim('k', 'f', now)).toBeNull()
    const ask = () => idempotent()('k', 'f', () => Promise.resolve(answer))
    now += 9_000
    await expect(ask()).rejects.toMatchObject({ code: 'request_in_progress' })
    now += 1_000
    busy = true
    await expect(ask()).rejects.toMatchObject({ code: 'request_in_progress' })
    busy = false
    expect(await ask()).toMatchObject({ replayed: false })
    expect(await ask()).toMatchObject({ replayed: true })
  })

  it('can be taken over only by an equal request after their process died', async () => {
    expect(await store.idempotency.claim('k', 'f', now)).toBeNull()
    now += 10_000
    let runs = 0
    const ask = (fingerprint: string) => idempotent()('k', fingerprint, () => Promise.resolve((runs++, answer)))
    await expect(ask('g')).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(runs).toBe(0)
    expect(await ask('f')).toMatchObject({ replayed: false })
  })

  it.each(['answered', 'failed'])('get no more heartbeats once the request has %s', async (end) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    let refreshed = 0
    const refresh = store.idempotency.refresh.bind(store.idempotency)
    store.idempotency.refresh = (key, at) => {
      refreshed++
      return refresh(key, at)
    }
    const asked = idempotent()('k', 'f', async () => {
      await vi.advanceTimersByTimeAsync(3_000)
      if (end === 'failed') throw new Error('nothing done')
      return answer
    })
    if (end === 'failed') await expect(asked).rejects.toThrow('nothing done')
    else await asked
    await vi.advanceTimersByTimeAsync(30_000)
    expect(refreshed).toBe(1)
  })

  it('can be used again if the response could not be stored, and the caller still gets the response', async () => {
    store.idempotency.finish = () => Promise.reject(new Error('the store is away'))
    let runs = 0
    const ask = () => idempotent()('k', 'f', () => Promise.resolve((runs++, answer)))
    expect(await ask()).toEqual({ ...answer, replayed: false })
    expect(await ask()).toEqual({ ...answer, replayed: false })
    expect(runs).toBe(2)
  })

  it('do not prevent the response to the caller if neither the response nor the release can be stored', async () => {
    store.idempotency.finish = () => Promise.reject(new Error('the store is away'))
    store.idempotency.release = () => Promise.reject(new Error('the store is still away'))
    expect(await idempotent()('k', 'f', () => Promise.resolve(answer))).toEqual({ ...answer, replayed: false })
  })

  it('do not replace the error of a failed request if their release cannot be stored', async () => {
    store.idempotency.release = () => Promise.reject(new Error('the store is away'))
    const failing = idempotent()('k', 'f', () => Promise.reject(new Error('nothing done')))
    await expect(failing).rejects.toThrow('nothing done')
  })
})
