// Tests of leases: only the holder of a lease can write the journal. They run on every engine.
import { once } from 'node:events'
import { describe, expect, test as base } from 'vitest'
import { configId, processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { newPush, newVersion, refusalOf, underPush, type MakePlace } from '../../support/stores/store.ts'

const page = { limit: 10, offset: 0 }

export function leaseContract(engine: string, makePlace: MakePlace): void {
  const open = async (leaseMs = 15_000) => (await makePlace()).open({ leaseMs })
  const test = base.extend('store', () => open())

  describe(`the lease on ${engine}`, () => {
    test('is held while the work runs, and is free afterwards, even if the work failed', async ({ store }) => {
      expect(await store.held('push')).toBe(false)
      const work = store.exclusively('push', async () => {
        expect(await store.held('push')).toBe(true)
        expect(await store.held('other')).toBe(false)
        throw new Error('stop')
      })
      await expect(work).rejects.toThrow('stop')
      expect(await store.held('push')).toBe(false)
      expect(await store.exclusively('push', () => Promise.resolve('done'))).toBe('done')
    })

    test('is refused immediately to a second holder of the same name', async ({ store }) => {
      await store.exclusively('push', async () => {
        expect(await refusalOf(store.exclusively('push', () => Promise.resolve()))).toBe('push_in_progress')
        expect(await store.exclusively('tenant:acme', () => Promise.resolve('done'))).toBe('done')
      })
    })

    test('gives each holder a higher fencing number than the previous holder', async ({ store }) => {
      const fences: number[] = []
      for (let turn = 0; turn < 3; turn++)
        await store.exclusively('push', ({ token }) => Promise.resolve(void fences.push(token.fence)))
      expect(fences).toEqual([1, 2, 3])
    })

    test('allows only one of twenty concurrent callers to work at a time', async ({ store }) => {
      let inside = 0
      let most = 0
      const work = async () => {
        inside += 1
        most = Math.max(most, inside)
        await store.facts.set('worked', 'yes')
        inside -= 1
      }
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => store.exclusively('push', work)))
      expect(most).toBe(1)
      expect(outcomes.some((outcome) => outcome.status === 'fulfilled')).toBe(true)
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'push_in_progress' })
    })

    test('does not let its holder write, by any method, after it has expired', async () =>
      underPush(await open(), { steps: ['{}', '{}'] }, async (store, push, token) => {
        await store.pushes.begin(push.id, 0, '{}', token)
        const before = [await store.pushes.find(push.id), await store.pushes.steps(push.id)]
        await expire(store)
        const archived = {
          kind: 'coupon',
          configId: configId('a'),
          processorId: processorId('a'),
          object: '{}',
          archivedAt: 1,
        } as const
        const attempts = [
          store.pushes.open(newPush(), token),
          store.pushes.begin(push.id, 1, '{}', token),
          store.pushes.succeed(push.id, 0, { processorId: 'we_1', requestId: null, secret: 's', archived }, token),
          store.pushes.settle(push.id, 0, 'unknown', null, token),
          store.pushes.end(push.id, 'failed', null, token),
          store.pushes.resume(push.id, token),
          store.pushes.close(push.id, newVersion(push), [], token),
        ]
        const codes = await Promise.all(attempts.map(refusalOf))
        expect(codes).toEqual(attempts.map(() => 'push_in_progress'))
        expect([await store.pushes.find(push.id), await store.pushes.steps(push.id)]).toEqual(before)
        expect(await store.pushes.list(page)).toMatchObject({ total: 1 })
        expect(await store.versions.latest()).toBeNull()
        expect(await store.secrets.webhookSecret('we_1')).toBeNull()
        expect(await store.mappings.archivedObject('a')).toBeNull()
      }))

    test('does not let a former holder write, while the next holder can', async () =>
      underPush(await open(), {}, async (store, push, token) => {
        await expire(store)
        await store.exclusively('push', async (next) => {
          expect(next.token.fence).toBe(token.fence + 1)
          expect(await refusalOf(store.pushes.begin(push.id, 0, '{}', token))).toBe('push_in_progress')
          expect(await store.pushes.begin(push.id, 0, '{}', next.token)).toMatchObject({ attempts: 1 })
        })
      }))

    test('permits no write that requires a lease of another name', async () =>
      underPush(await open(), {}, async (store, push) => {
        await store.exclusively('tenant:acme', async ({ token }) => {
          const forged = { ...token, name: 'nobody' }
          expect(await refusalOf(store.pushes.begin(push.id, 0, '{}', forged))).toBe('push_in_progress')
        })
      }))

    test('is not released when an earlier holder ends late', async ({ store }) => {
      const { promise: firstEnds, resolve: endFirst } = Promise.withResolvers<undefined>()
      const first = store.exclusively('push', () => firstEnds)
      await expect.poll(() => store.held('push')).toBe(true)
      await expire(store)
      await store.exclusively('push', async () => {
        endFirst(undefined)
        await first
        expect(await store.held('push')).toBe(true)
      })
    })

    test('aborts the signal of the running work when the lease is lost', async () => {
      const store = await open(300)
      await store.exclusively('push', async ({ signal }) => {
        await expire(store)
        if (!signal.aborted) await once(signal, 'abort')
        expect(signal.reason).toMatchObject({ code: 'push_in_progress' })
      })
    })

    test('is renewed while the work of its holder runs', async () => {
      // Renewed every 1.5 s.
      const store = await open(4_500)
      await store.exclusively('push', async ({ signal }) => {
        const first = await expiry(store)
        await expect.poll(() => expiry(store), { interval: 20 }).toBeGreaterThan(first)
        expect(signal.aborted).toBe(false)
        expect(await refusalOf(store.exclusively('push', () => Promise.resolve()))).toBe('push_in_progress')
      })
    })
  })
}

/** Makes the lease expire, as if its TTL had passed without a renewal. */
async function expire(store: KyselyStore): Promise<void> {
  await store.database.write((db) => db.updateTable('leases').set({ expiresAt: 1 }).execute())
}

async function expiry(store: KyselyStore): Promise<number> {
  const row = await store.database.read((db) => db.selectFrom('leases').select('expiresAt').executeTakeFirstOrThrow())
  return row.expiresAt
}
