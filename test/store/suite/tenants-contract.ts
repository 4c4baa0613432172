// Tests of tenants, their audit log, their sessions and their free subscriptions. They run on every engine.
import { describe, expect, test as base } from 'vitest'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { refusalOf, refusedBy, type MakePlace } from '../../support/stores/store.ts'
import { newAudit, newLocalSubscription, newSession, newTenant } from '../../support/shop/tenant-records.ts'
import type { TenantRecord } from '../../../packages/ratecard/src/store/records/tenants.ts'

const page = { limit: 10, offset: 0 }

export async function addTenant(store: Store, change: Partial<TenantRecord> = {}): Promise<TenantRecord> {
  const tenant = newTenant(change)
  await store.tenants.add(tenant, newAudit(tenant.id, { action: 'tenant_created', createdAt: tenant.createdAt }))
  return tenant
}

const day = 24 * 60 * 60 * 1000

const noDeal = { enterpriseTemplate: null, enterpriseId: null, enterpriseEndsAt: null, enterpriseThen: null }

export function tenantsContract(engine: string, makePlace: MakePlace): void {
  const open = async () => (await makePlace()).open()
  const test = base.extend('store', () => open())

  describe(`tenants on ${engine}:`, () => {
    test('a tenant is found by id and by customer, with the members that were stored', async ({ store }) => {
      const tenant = await addTenant(store, { name: 'Ünïcødé 🎈', processorCustomerId: 'cus_1' })
      expect(await store.tenants.find(tenant.id)).toEqual(tenant)
      expect(await store.tenants.findByCustomer('cus_1')).toEqual(tenant)
      expect(await store.tenants.find('other')).toBeNull()
      expect(await store.tenants.findByCustomer('cus_2')).toBeNull()
    })

    test('an id or customer that is already in use is a conflict error with the name of the member, and creates no audit row', async ({
      store,
    }) => {
      const tenant = await addTenant(store, { processorCustomerId: 'cus_1' })
      const sameId = await refusedBy(addTenant(store, { id: tenant.id }))
      expect([sameId.code, sameId.message]).toEqual(['conflict', `The tenant "${tenant.id}" exists already.`])
      const sameCustomer = await refusedBy(addTenant(store, { id: 'other', processorCustomerId: 'cus_1' }))
      expect([sameCustomer.code, sameCustomer.message]).toEqual([
        'conflict',
        'The customer "cus_1" belongs to another tenant.',
      ])
      expect((await store.tenants.audit(tenant.id, page)).total).toBe(1)
      expect((await store.tenants.audit('other', page)).total).toBe(0)
      expect(await store.tenants.find('other')).toBeNull()
    })

    test('any number of tenants can have no customer', async ({ store }) => {
      await addTenant(store)
      await addTenant(store)
      expect((await store.tenants.list(page)).total).toBe(2)
    })

    test('tenants are listed by id in byte order, in pages, and filtered by template, enterprise id and customer', async () => {
      const store = await open()
      for (const id of ['b', 'B', 'a_1', 'é', 'a-1']) await addTenant(store, { id })
      await addTenant(store, { id: 'z1', enterpriseTemplate: 'gold', enterpriseId: 'acme' })
      await addTenant(store, { id: 'z2', enterpriseTemplate: 'gold', processorCustomerId: 'cus_1' })
      const ids = async (query: object) =>
        (await store.tenants.list({ ...page, ...query })).items.map((tenant) => tenant.id)
      expect(await ids({})).toEqual(['B', 'a-1', 'a_1', 'b', 'z1', 'z2', 'é'])
      expect(await ids({ limit: 2, offset: 1 })).toEqual(['a-1', 'a_1'])
      expect(await ids({ enterpriseTemplate: 'gold' })).toEqual(['z1', 'z2'])
      expect(await ids({ enterpriseTemplate: 'gold', enterpriseId: 'acme' })).toEqual(['z1'])
      expect(await ids({ processorCustomerId: 'cus_1' })).toEqual(['z2'])
      expect(await store.tenants.list({ limit: 1, offset: 0, enterpriseTemplate: 'gold' })).toMatchObject({ total: 2 })
      expect(await store.tenants.idsOnTemplate('gold')).toEqual(['z1', 'z2'])
      expect(await store.tenants.idsOnTemplate('silver')).toEqual([])
      // More rows than one statement accepts.
      const customers = Array.from({ length: 2_500 }, (_, index) => `cus_none_${String(index)}`)
      expect(await store.tenants.idsByCustomer([...customers, 'cus_1'])).toEqual(new Map([['cus_1', 'z2']]))
      expect(await store.tenants.idsByCustomer([])).toEqual(new Map())
    })

    test('an update changes only the members that the update contains', async ({ store }) => {
      const tenant = await addTenant(store, { processorCustomerId: 'cus_1' })
      const audit = newAudit(tenant.id, { before: '{"name":"Acme"}', after: '{"name":"Apex"}' })
      const updated = await store.tenants.update(tenant.id, { name: 'Apex' }, audit)
      expect(updated).toEqual({ ...tenant, name: 'Apex', updatedAt: 2000 })
      expect(await store.tenants.find(tenant.id)).toEqual(updated)
      const cleared = await store.tenants.update(
        tenant.id,
        { email: null, processorCustomerId: null },
        newAudit(tenant.id),
      )
      expect(cleared).toMatchObject({ name: 'Apex', email: null, processorCustomerId: null })
    })

    test('an update with the customer of another tenant is a conflict, and changes neither the tenant nor the audit log', async () => {
      const store = await open()
      await addTenant(store, { processorCustomerId: 'cus_1' })
      const tenant = await addTenant(store)
      const change = { name: 'Apex', processorCustomerId: 'cus_1' }
      expect(await refusalOf(store.tenants.update(tenant.id, change, newAudit(tenant.id)))).toBe('conflict')
      expect(await store.tenants.find(tenant.id)).toEqual(tenant)
      expect((await store.tenants.audit(tenant.id, page)).total).toBe(1)
    })

    test('an unknown tenant cannot be changed, and gets no audit row', async ({ store }) => {
      expect(await store.tenants.update('none', { name: 'x' }, newAudit('none'))).toBeNull()
      expect(await store.tenants.bindCustomer('none', 'cus_1', 1)).toBeNull()
      expect(await store.tenants.remove('none', newAudit('none', { action: 'tenant_deleted' }))).toBe(false)
      const set = store.exclusively('tenant:none', ({ token }) =>
        store.tenants.setEnterprise('none', { ...noDeal, enterpriseTemplate: 'a' }, newAudit('none'), token),
      )
      expect(await set).toBeNull()
      expect(await store.tenants.audit('none', page)).toEqual({ items: [], total: 0 })
    })

    test('the ends of deals are read from the audit log without its other rows, newest first', async ({ store }) => {
      const tenant = await addTenant(store)
      const rows = ['remove', 'apply_template', 'deal_ended', 'subscription_changed'] as const
      for (const [at, action] of rows.entries())
        await store.tenants.note(newAudit(tenant.id, { id: `audit_of_${action}`, action, createdAt: 5000 + at }))
      const { items, total } = await store.tenants.dealEnds(tenant.id, page)
      expect([items.map(({ action }) => action), total]).toEqual([['deal_ended', 'remove'], 2])
      expect(await store.tenants.dealEnds('other', page)).toEqual({ items: [], total: 0 })
    })

    test('a change is rolled back if its audit row cannot be stored', async ({ store }) => {
      const tenant = await addTenant(store)
      const audit = newAudit(tenant.id)
      await store.tenants.update(tenant.id, { name: 'Apex' }, audit)
      await expect(store.tenants.update(tenant.id, { name: 'Other' }, audit)).rejects.toThrow()
      await expect(store.tenants.remove(tenant.id, audit)).rejects.toThrow()
      expect(await store.tenants.find(tenant.id)).toMatchObject({ name: 'Apex' })
    })

    test('the customer of a tenant is set once, and later values are ignored', async ({ store }) => {
      const tenant = await addTenant(store)
      const bound = { ...tenant, processorCustomerId: 'cus_1', updatedAt: 3000 }
      expect(await store.tenants.bindCustomer(tenant.id, 'cus_1', 3000)).toEqual(bound)
      expect(await store.tenants.bindCustomer(tenant.id, 'cus_2', 4000)).toEqual(bound)
      const other = await addTenant(store)
      expect(await refusalOf(store.tenants.bindCustomer(other.id, 'cus_1', 5000))).toBe('conflict')
      expect(await store.tenants.find(other.id)).toEqual(other)
    })

    test('a conflict about a customer has a JSON pointer only if the request contained the customer', async ({
      store,
    }) => {
      await addTenant(store, { processorCustomerId: 'cus_1' })
      const other = await addTenant(store)
      const change = { processorCustomerId: 'cus_1' }
      const refusals = [
        addTenant(store, { id: 'third', ...change }),
        store.tenants.update(other.id, change, newAudit(other.id)),
        store.tenants.bindCustomer(other.id, 'cus_1', 5000),
      ]
      const refused = await Promise.all(refusals.map(async (work) => refusedBy(work)))
      expect(refused.map(({ issues }) => issues.map(({ pointer }) => pointer))).toEqual([
        ['#/processor_customer_id'],
        ['#/processor_customer_id'],
        [],
      ])
      expect(new Set(refused.map(({ message }) => message)).size).toBe(1)
    })

    test('enterprise fields can be written only by the holder of the lease', async ({ store }) => {
      const tenant = await addTenant(store, { enterpriseTemplate: 'silver' })
      const fields = { ...noDeal, enterpriseId: 'acme', enterpriseEndsAt: 5000, enterpriseThen: 'signed' } as const
      const audit = newAudit(tenant.id, { action: 'apply_custom', result: '{"swapped":2}' })
      const lost = await store.exclusively('tenant:1', async ({ token }) => {
        expect(await store.tenants.setEnterprise(tenant.id, fields, audit, token)).toEqual({
          ...tenant,
          ...fields,
          updatedAt: 2000,
        })
        return token
      })
      const late = newAudit(tenant.id, { action: 'remove' })
      expect(await refusalOf(store.tenants.setEnterprise(tenant.id, noDeal, late, lost))).toBe('push_in_progress')
      expect(await store.tenants.find(tenant.id)).toMatchObject(fields)
      expect((await store.tenants.audit(tenant.id, page)).items[0]).toEqual(audit)
    })

    test('deals with an end date are listed by that date, earliest first, and the date of the next end can be read', async ({
      store,
    }) => {
      const [late, early] = [
        await addTenant(store, { enterpriseEndsAt: 200 }),
        await addTenant(store, { enterpriseEndsAt: 100 }),
      ]
      await addTenant(store, { enterpriseTemplate: 'gold' })
      expect([await store.tenants.dealsDue(99), await store.tenants.nextDealEnd(99)]).toEqual([[], 100])
      expect(await store.tenants.dealsDue(200)).toEqual([
        { id: early.id, endsAt: 100 },
        { id: late.id, endsAt: 200 },
      ])
      expect([await store.tenants.nextDealEnd(100), await store.tenants.nextDealEnd(200)]).toEqual([200, null])
    })

    test('the audit log of a tenant is newest first, and outlives the tenant', async ({ store }) => {
      const tenant = await addTenant(store, { createdAt: 1 })
      await addTenant(store)
      const later = newAudit(tenant.id, { createdAt: 5 })
      const deleted = newAudit(tenant.id, { createdAt: 5, action: 'tenant_deleted', before: '{"é":"\\u0000"}' })
      await store.tenants.update(tenant.id, { name: 'x' }, later)
      expect(await store.tenants.remove(tenant.id, deleted)).toBe(true)
      expect(await store.tenants.find(tenant.id)).toBeNull()
      expect(await store.tenants.audit(tenant.id, { limit: 2, offset: 0 })).toEqual({
        items: [deleted, later],
        total: 3,
      })
      expect((await store.tenants.audit(tenant.id, { limit: 5, offset: 2 })).items).toMatchObject([
        { action: 'tenant_created' },
      ])
    })

    test('a new tenant with the id of a removed tenant has none of the removed tenant’s sessions and subscriptions', async ({
      store,
    }) => {
      const tenant = await addTenant(store, { id: 'acme' })
      const session = newSession('acme')
      await store.sessions.add(session)
      const local = await store.localSubscriptions.start(newLocalSubscription('acme'))
      await store.tenants.remove(tenant.id, newAudit('acme', { action: 'tenant_deleted', createdAt: 9000 }))
      await addTenant(store, { id: 'acme' })
      expect(await store.sessions.find(session.id)).toEqual({ ...session, revokedAt: 9000 })
      expect(await store.localSubscriptions.list('acme')).toEqual([{ ...local, endedAt: 9000 }])
      expect((await store.localSubscriptions.start(newLocalSubscription('acme'))).id).not.toBe(local.id)
    })
  })

  describe(`sessions on ${engine}:`, () => {
    test('a session can be found, and can be revoked only once', async ({ store }) => {
      const { id } = await addTenant(store)
      const session = newSession(id)
      await store.sessions.add(session)
      expect(await store.sessions.find(session.id)).toEqual(session)
      expect(await store.sessions.revoke(session.id, 7)).toBe(true)
      expect(await store.sessions.revoke(session.id, 8)).toBe(false)
      expect(await store.sessions.revoke('none', 8)).toBe(false)
      expect(await store.sessions.find(session.id)).toEqual({ ...session, revokedAt: 7 })
      expect(await store.sessions.find('none')).toBeNull()
    })

    test('a session for an unknown tenant is refused', async ({ store }) => {
      expect(await refusalOf(store.sessions.add(newSession('none')))).toBe('tenant_not_found')
    })

    test('sessions are deleted a day after their expiry', async ({ store }) => {
      const { id } = await addTenant(store)
      const [old, recent] = [newSession(id, { expiresAt: 1000 }), newSession(id, { expiresAt: 1001 })]
      await store.sessions.add(old)
      await store.sessions.add(recent)
      expect(await store.sessions.find(old.id)).toEqual(old)
      await store.sessions.add(newSession(id, { createdAt: 1000 + day, expiresAt: 2000 + day }))
      expect(await store.sessions.find(old.id)).toBeNull()
      expect(await store.sessions.find(recent.id)).toEqual(recent)
    })
  })

  describe(`free subscriptions on ${engine}:`, () => {
    test('only one free subscription can run per tenant and price, and the next one can start after the first has ended', async ({
      store,
    }) => {
      const first = newLocalSubscription('t1', { createdAt: 1 })
      expect(await store.localSubscriptions.start(first)).toEqual(first)
      expect(await store.localSubscriptions.start(newLocalSubscription('t1'))).toEqual(first)
      const other = newLocalSubscription('t1', { priceId: 'free_2', createdAt: 2 })
      expect(await store.localSubscriptions.start(other)).toEqual(other)
      expect(await store.localSubscriptions.start(newLocalSubscription('t2'))).not.toEqual(first)
      expect(await store.localSubscriptions.end(first.id, 5)).toBe(true)
      expect(await store.localSubscriptions.end(first.id, 6)).toBe(false)
      expect(await store.localSubscriptions.end('none', 6)).toBe(false)
      const second = newLocalSubscription('t1', { createdAt: 3 })
      expect(await store.localSubscriptions.start(second)).toEqual(second)
      expect(await store.localSubscriptions.list('t1')).toEqual([{ ...first, endedAt: 5 }, other, second])
      expect(await store.localSubscriptions.list('t3')).toEqual([])
    })
  })
}
