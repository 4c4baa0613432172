import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSessions } from '../../../packages/ratecard/src/server/auth/sessions.ts'
import { createIds } from '../../../packages/ratecard/src/server/service/ids.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { newAudit, newTenant } from '../../support/shop/tenant-records.ts'

let store: Store
let sessions: ReturnType<typeof createSessions>
let now = 0
const clock = { now: () => now }
const newId = createIds(clock)

beforeEach(async () => {
  now = Date.UTC(2031, 0, 1)
  store = await openStore({ url: null, file: ':memory:', sealer: createSealer(generateMasterKey()), clock })
  sessions = createSessions({ store, clock, newId })
  await addTenant('acme')
})
afterEach(() => store.close())

async function addTenant(id: string) {
  await store.tenants.add(newTenant({ id, createdAt: now, updatedAt: now }), newAudit(id, { action: 'tenant_created' }))
}

const day = 86_400_000

describe('sessions of tenants', () => {
  test('belong to one tenant, and last a day by default', async () => {
    const usual = await sessions.createSession('acme', null)
    const short = await sessions.createSession('acme', 60)
    expect(usual).toMatchObject({ tenantId: 'acme', createdAt: now, expiresAt: now + day })
    expect(short.expiresAt).toBe(now + 60_000)
    const { value, ...session } = usual
    expect(await sessions.authenticateSession(value)).toEqual(session)
    now += 59_999
    expect(await sessions.authenticateSession(short.value)).not.toBeNull()
    now += 1
    expect(await sessions.authenticateSession(short.value)).toBeNull()
    expect(await sessions.authenticateSession(value)).not.toBeNull()
  })

  test('are stored only as a hash', async () => {
    const { id, value } = await sessions.createSession('acme', null)
    const kept = JSON.stringify(await store.sessions.find(id))
    for (const secret of value.split('.').slice(1)) expect(kept).not.toContain(secret)
  })

  test.each([59, 2_592_001, 60.5, 0, -60, Number.NaN, Infinity])(
    'are refused with a duration of %d seconds',
    async (seconds) => {
      await expect(sessions.createSession('acme', seconds)).rejects.toMatchObject({
        code: 'request_invalid',
        issues: [{ pointer: '#/ttl_seconds' }],
      })
    },
  )

  test('require an existing tenant', async () => {
    await expect(sessions.createSession('nobody', null)).rejects.toMatchObject({ code: 'tenant_not_found' })
  })

  test('end when they are revoked, and can be revoked only once', async () => {
    const { id, value } = await sessions.createSession('acme', null)
    await sessions.revokeSession(id)
    expect(await sessions.authenticateSession(value)).toBeNull()
    await expect(sessions.revokeSession(id)).rejects.toMatchObject({ code: 'session_not_found' })
    await expect(sessions.revokeSession('ses_nothing')).rejects.toMatchObject({ code: 'session_not_found' })
  })

  test('end when their tenant is deleted, and stay invalid even if a new tenant gets the same id', async () => {
    const { value } = await sessions.createSession('acme', null)
    await store.tenants.remove('acme', newAudit('acme', { action: 'tenant_deleted', createdAt: now }))
    expect(await sessions.authenticateSession(value)).toBeNull()
    await addTenant('acme')
    expect(await sessions.authenticateSession(value)).toBeNull()
  })

  test('are refused without a read of the store if any character of the session id was changed', async () => {
    const { value } = await sessions.createSession('acme', null)
    let questions = 0
    const watched = createSessions({
      store: {
        ...storeParts(),
        sessions: {
          add: (session) => store.sessions.add(session),
          revoke: (id, at) => store.sessions.revoke(id, at),
          find: (id) => {
            questions++
            return store.sessions.find(id)
          },
        },
      },
      clock,
      newId,
    })
    for (let at = 0; at < value.length; at++) {
      const other = value.charAt(at) === 'a' ? 'b' : 'a'
      expect(await watched.authenticateSession(value.slice(0, at) + other + value.slice(at + 1))).toBeNull()
    }
    expect(questions).toBe(0)
    expect(await watched.authenticateSession(value)).not.toBeNull()
    expect(questions).toBe(1)
  })

  test('cannot be forged by combining two valid session ids or by another encoding', async () => {
    const [one, two] = [await sessions.createSession('acme', null), await sessions.createSession('acme', null)]
    const [id, secret, signature] = one.value.split('.')
    const [otherId, otherSecret, otherSignature] = two.value.split('.')
    const forged = [
      `${String(otherId)}.${String(secret)}.${String(signature)}`,
      `${String(id)}.${String(otherSecret)}.${String(signature)}`,
      `${String(id)}.${String(secret)}.${String(otherSignature)}`,
      `${String(id)}.${String(secret)}`,
      `${one.value}=`,
      ` ${one.value}`,
      `${one.value}\n`,
      one.value.toUpperCase(),
      '',
      'x'.repeat(100_000),
    ]
    for (const value of forged) expect(await sessions.authenticateSession(value)).toBeNull()
  })

  test('are valid on each replica of one store, and invalid with another store', async () => {
    const { value } = await sessions.createSession('acme', null)
    expect(await createSessions({ store, clock, newId }).authenticateSession(value)).not.toBeNull()
    const sealer = createSealer(generateMasterKey())
    const elsewhere = await openStore({ url: null, file: ':memory:', sealer, clock })
    expect(await createSessions({ store: elsewhere, clock, newId }).authenticateSession(value)).toBeNull()
    await elsewhere.close()
  })
})

function storeParts() {
  return { tenants: store.tenants, secrets: store.secrets, sessions: store.sessions }
}
