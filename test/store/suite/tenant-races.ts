// Tests of tenants and jobs with several stores on one database: concurrent replicas, and crashes.
import { describe, expect, test } from 'vitest'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { storeProcesses, type MakePlace } from '../../support/stores/store.ts'
import { newAudit, newJob, newLocalSubscription, newSession, newTenant } from '../../support/shop/tenant-records.ts'
import { addTenant } from './tenants-contract.ts'

const page = { limit: 100, offset: 0 }

export function tenantRaces(engine: string, makePlace: MakePlace): void {
  const storeProcess = storeProcesses()
  /** Makes twenty concurrent calls, alternating between two replicas. */
  const rush = async <T>(work: (store: KyselyStore, index: number) => Promise<T>) => {
    const place = await makePlace()
    const stores = await Promise.all([place.open(), place.open()] as const)
    const act = () =>
      Promise.allSettled(Array.from({ length: 20 }, (_, index) => work(stores[index % 2 === 0 ? 0 : 1], index)))
    return { store: stores[0], act }
  }

  describe(`two replicas that change the same tenants on ${engine}`, () => {
    test('get the same subscription if both replicas start the same free subscription at the same time', async () => {
      const { store, act } = await rush((each) => each.localSubscriptions.start(newLocalSubscription('acme')))
      const outcomes = await act()
      const ids = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.id : outcome.reason))
      expect(new Set(ids).size).toBe(1)
      expect(await store.localSubscriptions.list('acme')).toHaveLength(1)
    })

    test('never leave two free subscriptions running if both replicas start and end a free subscription at the same time', async () => {
      const { store, act } = await rush(async (each, index) => {
        const { id } = await each.localSubscriptions.start(newLocalSubscription('acme'))
        if (index % 3 === 0) await each.localSubscriptions.end(id, index)
      })
      expect((await act()).filter(({ status }) => status === 'rejected')).toEqual([])
      const running = (await store.localSubscriptions.list('acme')).filter(({ endedAt }) => endedAt === null)
      expect(running.length).toBeLessThanOrEqual(1)
    })

    test('set only one customer for a tenant, and both replicas get that customer, even at the same time', async () => {
      const { store, act } = await rush((each, index) => each.tenants.bindCustomer('acme', `cus_${String(index)}`, 5))
      await addTenant(store, { id: 'acme' })
      const outcomes = await act()
      const told = outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value?.processorCustomerId : outcome.reason,
      )
      expect(new Set(told).size).toBe(1)
      expect(told[0]).toBe((await store.tenants.find('acme'))?.processorCustomerId)
    })

    test('can assign a customer or an id to only one tenant, even at the same time', async () => {
      const claim = await rush((each, index) => each.tenants.bindCustomer(`t${String(index)}`, 'cus_1', 5))
      for (let index = 0; index < 20; index++) await addTenant(claim.store, { id: `t${String(index)}` })
      const claims = await claim.act()
      expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const each of claims) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'conflict' })

      const add = await rush((each) => each.tenants.add(newTenant({ id: 'same' }), newAudit('same')))
      const added = await add.act()
      expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const each of added) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'conflict' })
      expect((await add.store.tenants.audit('same', page)).total).toBe(1)
    })

    test('leave no session of a tenant that is removed at the same time', async () => {
      const { store, act } = await rush<unknown>((each, index) =>
        index === 10 ? each.tenants.remove('acme', newAudit('acme')) : each.sessions.add(newSession('acme')),
      )
      await addTenant(store, { id: 'acme' })
      for (const each of await act())
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'tenant_not_found' })
      const alive = await store.database.read((db) =>
        db.selectFrom('sessions').select('id').where('revokedAt', 'is', null).execute(),
      )
      expect(alive).toEqual([])
    })

    test('count all steps of a job that end at the same time', async () => {
      const place = await makePlace()
      const store = await place.open()
      const job = newJob({ steps: Array.from({ length: 20 }, () => '{}') })
      await store.exclusively('job', async ({ token }) => {
        await store.jobs.open(job, token)
        await Promise.all(
          job.steps.map((_, index) =>
            store.jobs.settle(job.id, index, { state: 'succeeded', result: null, error: null }, token),
          ),
        )
      })
      expect(await store.jobs.find(job.id)).toMatchObject({ stepsDone: 20 })
    })
  })

  describe(`jobs and crashes of a process on ${engine}:`, () => {
    test('a process that was suspended until its lease expired cannot store the end of a step after it continues', async () => {
      const place = await makePlace()
      const store = await place.open()
      const sleeper = storeProcess(place, 'pauseJob', { leaseMs: 2000 })
      expect(await sleeper.line()).toBe('ready')
      sleeper.kill('SIGSTOP')
      await expect.poll(() => store.held('tenant:acme'), { timeout: 10_000, interval: 20 }).toBe(false)
      await store.exclusively('tenant:acme', async ({ token }) => {
        sleeper.kill('SIGCONT')
        sleeper.say('go on')
        expect(await sleeper.line()).toBe('push_in_progress')
        await store.jobs.resume('job_paused', token)
      })
      expect(await store.jobs.find('job_paused')).toMatchObject({ state: 'running', stepsDone: 0 })
      expect(await store.jobs.steps('job_paused')).toMatchObject([{ state: 'begun', attempts: 1 }])
    })

    test('two processes that start the same free subscription both get the same subscription', async () => {
      const place = await makePlace()
      const store = await place.open()
      const processes = [storeProcess(place, 'subscribe'), storeProcess(place, 'subscribe')]
      const [one, two] = await Promise.all(processes.map((each) => each.line()))
      expect(one).toBe(two)
      expect(await store.localSubscriptions.list('acme')).toHaveLength(1)
    })
  })
}
