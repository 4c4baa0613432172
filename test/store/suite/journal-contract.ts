// Tests of the journal of pushes. They run on every engine.
import { describe, expect, test as base, vi } from 'vitest'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { applyPush, mapping, newPush, newVersion, publish, refusalOf, underPush } from '../../support/stores/store.ts'
import type { MakePlace, PushWork } from '../../support/stores/store.ts'
import type { MappingChange } from '../../../packages/ratecard/src/store/records/configuration.ts'
import type { NewPush } from '../../../packages/ratecard/src/store/records/journal.ts'

const page = { limit: 10, offset: 0 }
const nothing = { processorId: null, requestId: null }
/** More steps than are stored in one transaction. */
const manySteps = Array.from({ length: 2_500 }, (_, index) => `{"n":${String(index)}}`)

/** Lets the store write this many transactions; later ones fail, as if the process had died. */
function cutOffAfter(transactions: number, { database }: KyselyStore) {
  const write = database.write.bind(database)
  let written = 0
  return vi.spyOn(database, 'write').mockImplementation((work) => {
    if (++written > transactions) return Promise.reject(new Error('The process has died.'))
    return write(work)
  })
}

export function journalContract(engine: string, makePlace: MakePlace): void {
  const open = async () => (await makePlace()).open({ clock: { now: () => 5_000 } })
  const test = base.extend('store', () => open())
  const inPush = async (change: Partial<NewPush>, work: PushWork) => underPush(await open(), change, work)

  describe(`steps of a push on ${engine}:`, () => {
    test('a new push is running, with all steps pending in their order', () =>
      inPush({ steps: ['{"n":0}', '{"n":1}'] }, async (store, push) => {
        const { steps, ...head } = push
        expect(await store.pushes.find(push.id)).toEqual({
          ...head,
          state: 'running',
          stepsTotal: 2,
          stepsDone: 0,
          error: null,
          updatedAt: push.createdAt,
          finishedAt: null,
          revision: null,
        })
        const records = await store.pushes.steps(push.id)
        expect(records.map((step) => [step.index, step.step, step.state, step.attempts])).toEqual([
          [0, steps[0], 'pending', 0],
          [1, steps[1], 'pending', 0],
        ])
      }))

    test('a push with thousands of steps starts only after all of them are stored in their order', async ({
      store,
    }) => {
      const push = newPush({ message: 'half a pair: \uD800', steps: manySteps })
      const opened = await store.exclusively('push', ({ token }) => store.pushes.open(push, token))
      expect(opened).toEqual(await store.pushes.find(push.id))
      expect(opened).toMatchObject({ state: 'running', stepsTotal: manySteps.length })
      const records = await store.pushes.steps(push.id)
      expect(records.map(({ index, step }) => [index, step])).toEqual(manySteps.map((step, index) => [index, step]))
      expect(await store.pushes.steps(push.id, 0)).toEqual([])
    })

    test.for([1, 2, 3])(
      'a push whose process died after %i of the 4 writes that store its steps can be abandoned but not resumed',
      async (writes, { store }) => {
        const push = newPush({ steps: manySteps })
        await store.exclusively('push', async ({ token }) => {
          const cut = cutOffAfter(writes, store)
          await expect(store.pushes.open(push, token)).rejects.toThrow('The process has died.')
          cut.mockRestore()
          expect(await store.pushes.unresolved()).toMatchObject([{ id: push.id, state: 'planned', stepsDone: 0 }])
          expect(await refusalOf(store.pushes.resume(push.id, token))).toBe('push_not_resumable')
          await store.pushes.end(push.id, 'abandoned', null, token)
        })
        expect(await store.pushes.unresolved()).toEqual([])
      },
    )

    test('a step stores its request when it starts and its result when it succeeds', () =>
      inPush({}, async (store, push, token) => {
        const begun = await store.pushes.begin(push.id, 0, '{"sent":1}', token)
        expect(begun).toMatchObject({
          state: 'begun',
          attempts: 1,
          resolved: '{"sent":1}',
          beganAt: 5_000,
          endedAt: null,
        })
        await store.pushes.succeed(push.id, 0, { processorId: 'prod_1', requestId: 'req_1' }, token)
        const [step] = await store.pushes.steps(push.id)
        expect(step).toEqual({
          ...begun,
          state: 'succeeded',
          processorId: 'prod_1',
          requestId: 'req_1',
          endedAt: 5_000,
        })
        expect(await store.pushes.find(push.id)).toMatchObject({ stepsDone: 1, updatedAt: 5_000 })
      }))

    test('the steps that changed since a timestamp can be read', () =>
      inPush({ steps: ['{}', '{}', '{}'] }, async (store, push, token) => {
        await store.pushes.begin(push.id, 0, '{}', token)
        await store.pushes.settle(push.id, 2, 'failed', null, token)
        const indexes = async (since?: number) => (await store.pushes.steps(push.id, since)).map(({ index }) => index)
        expect(await indexes()).toEqual([0, 1, 2])
        expect(await indexes(5_000)).toEqual([0, 2])
        expect(await indexes(5_001)).toEqual([])
      }))

    test('each start of a step counts as an attempt, whatever the outcome of the previous attempt was', () =>
      inPush({}, async (store, push, token) => {
        for (const state of ['unknown', 'failed', 'pending'] as const) {
          await store.pushes.begin(push.id, 0, '{}', token)
          await store.pushes.settle(push.id, 0, state, '{"message":"no"}', token)
        }
        expect(await store.pushes.begin(push.id, 0, '{}', token)).toMatchObject({
          state: 'begun',
          attempts: 4,
          error: null,
        })
      }))

    test('a skipped step counts as done; a failed step and a step of unknown outcome do not', () =>
      inPush({ steps: ['{}', '{}', '{}'] }, async (store, push, token) => {
        await store.pushes.settle(push.id, 0, 'skipped', null, token)
        await store.pushes.settle(push.id, 1, 'failed', '"refused"', token)
        await store.pushes.settle(push.id, 2, 'unknown', null, token)
        expect((await store.pushes.find(push.id))?.stepsDone).toBe(1)
        expect((await store.pushes.steps(push.id)).map((step) => [step.state, step.error])).toEqual([
          ['skipped', null],
          ['failed', '"refused"'],
          ['unknown', null],
        ])
      }))

    test('a succeeded step can be neither started nor ended again', () =>
      inPush({}, async (store, push, token) => {
        await store.pushes.begin(push.id, 0, '{}', token)
        await store.pushes.succeed(push.id, 0, { processorId: 'prod_1', requestId: null }, token)
        expect(await refusalOf(store.pushes.begin(push.id, 0, '{}', token))).toBe('internal')
        expect(await refusalOf(store.pushes.succeed(push.id, 0, { ...nothing, processorId: 'prod_2' }, token))).toBe(
          'internal',
        )
        expect(await refusalOf(store.pushes.settle(push.id, 0, 'unknown', null, token))).toBe('internal')
        expect(await store.pushes.steps(push.id)).toMatchObject([
          { state: 'succeeded', attempts: 1, processorId: 'prod_1' },
        ])
      }))

    test('a secret and the result of its step are stored together, or neither is stored', () =>
      inPush({ steps: ['{}', '{}'] }, async (store, push, token) => {
        await store.pushes.begin(push.id, 0, '{}', token)
        await store.pushes.succeed(push.id, 0, { processorId: 'we_1', requestId: null, secret: 'whsec_1' }, token)
        expect(await store.secrets.webhookSecret('we_1')).toBe('whsec_1')
        await store.pushes.begin(push.id, 1, '{}', token)
        expect(await refusalOf(store.pushes.succeed(push.id, 1, { ...nothing, secret: 'whsec_2' }, token))).toBe(
          'internal',
        )
        expect((await store.pushes.steps(push.id))[1]?.state).toBe('begun')
      }))

    test('a change of an unknown push or step is refused', () =>
      inPush({}, async (store, push, token) => {
        expect(await refusalOf(store.pushes.begin('push_x', 0, '{}', token))).toBe('push_not_found')
        expect(await refusalOf(store.pushes.begin(push.id, 1, '{}', token))).toBe('internal')
        expect(await refusalOf(store.pushes.open(push, token))).toBe('conflict')
        expect(await store.pushes.find('push_x')).toBeNull()
        expect(await store.pushes.steps('push_x')).toEqual([])
      }))
  })

  describe(`the end of a push on ${engine}:`, () => {
    test('one transaction publishes its version, its mappings and its state', () =>
      inPush({}, async (store, push, token) => {
        await store.pushes.begin(push.id, 0, '{}', token)
        await store.pushes.succeed(push.id, 0, { processorId: 'price_1', requestId: null }, token)
        const version = await store.pushes.close(push.id, newVersion(push), [mapping('price', 'pro', 'price_1')], token)
        expect(version).toMatchObject({ ...newVersion(push), revision: 1 })
        expect(await store.versions.current()).toEqual(version)
        expect(await store.mappings.all()).toHaveLength(1)
        expect(await store.pushes.find(push.id)).toMatchObject({
          state: 'applied',
          revision: 1,
          finishedAt: 5_000,
          stepsDone: 1,
        })
        expect(await store.changeSequence()).toBe(1)
      }))

    test('a second end of the same push is refused', () =>
      inPush({ steps: [] }, async (store, push, token) => {
        await store.pushes.close(push.id, newVersion(push), [], token)
        expect(await refusalOf(store.pushes.close(push.id, newVersion(push), [], token))).toBe('conflict')
        expect(await refusalOf(store.pushes.end(push.id, 'failed', null, token))).toBe('conflict')
        expect(await refusalOf(store.pushes.resume(push.id, token))).toBe('conflict')
        expect(await store.versions.list(page)).toMatchObject({ total: 1 })
        expect(await store.pushes.find(push.id)).toMatchObject({ state: 'applied', revision: 1 })
      }))

    test('a push with an unfinished step cannot be ended as applied, and publishes nothing', () =>
      inPush({ steps: ['{}', '{}'] }, async (store, push, token) => {
        await store.pushes.settle(push.id, 0, 'skipped', null, token)
        await store.pushes.begin(push.id, 1, '{}', token)
        const work = store.pushes.close(push.id, newVersion(push), [mapping('price', 'pro', 'price_1')], token)
        expect(await refusalOf(work)).toBe('internal')
        expect(await store.versions.latest()).toBeNull()
        expect(await store.mappings.all()).toEqual([])
        expect(await store.changeSequence()).toBe(0)
        expect(await store.pushes.find(push.id)).toMatchObject({ state: 'running' })
      }))

    test('if ending a push fails halfway, the previous version stays current', async ({ store }) => {
      const before = await publish(store, {}, [mapping('price', 'pro', 'price_1')])
      const push = newPush({ steps: [] })
      // The database refuses this change after the row of the version was written.
      const broken: MappingChange[] = [
        mapping('price', 'pro', 'price_2'),
        { ...mapping('price', 'x', ''), ...JSON.parse('{"processorId":null}') },
      ]
      await store.exclusively('push', async ({ token }) => {
        await store.pushes.open(push, token)
        await expect(store.pushes.close(push.id, newVersion(push), broken, token)).rejects.toThrow(/null/i)
      })
      expect(await store.versions.latest()).toEqual(before)
      expect((await store.mappings.all()).map((entry) => entry.processorId)).toEqual(['price_1'])
      expect(await store.changeSequence()).toBe(1)
      expect(await store.pushes.find(push.id)).toMatchObject({ state: 'running', revision: null })
    })

    test('an interrupted push can be resumed, and a push that has ended cannot', () =>
      inPush({}, async (store, push, token) => {
        await store.pushes.end(push.id, 'interrupted', '{"code":"shutting_down"}', token)
        expect(await store.pushes.find(push.id)).toMatchObject({
          state: 'interrupted',
          finishedAt: null,
          error: '{"code":"shutting_down"}',
        })
        await store.pushes.resume(push.id, token)
        expect(await store.pushes.find(push.id)).toMatchObject({ state: 'running', error: null })
        await store.pushes.end(push.id, 'failed', '{}', token)
        expect(await store.pushes.find(push.id)).toMatchObject({ state: 'failed', finishedAt: 5_000 })
        expect(await refusalOf(store.pushes.resume(push.id, token))).toBe('push_not_resumable')
      }))

    test('unresolved pushes are running, interrupted, or failed with a step of unknown outcome, and are listed oldest first', async () => {
      const store = await open()
      const ids: Record<string, string> = {}
      await store.exclusively('push', async ({ token }) => {
        const start = async (name: string) => {
          const push = newPush()
          ids[name] = push.id
          await store.pushes.open(push, token)
          return push.id
        }
        const failedUnknown = await start('failed with unknown')
        await store.pushes.settle(failedUnknown, 0, 'unknown', null, token)
        await store.pushes.end(failedUnknown, 'failed', null, token)
        const failed = await start('failed')
        await store.pushes.settle(failed, 0, 'failed', null, token)
        await store.pushes.end(failed, 'failed', null, token)
        await store.pushes.end(await start('interrupted'), 'interrupted', null, token)
        await store.pushes.end(await start('abandoned'), 'abandoned', null, token)
        await applyPush(store, newPush(), [], token)
        await start('running')
      })
      const found = await store.pushes.unresolved()
      expect(found.map((push) => push.id)).toEqual([ids['failed with unknown'], ids['interrupted'], ids['running']])
    })

    test('pushes are listed newest first', async ({ store }) => {
      const pushes = [newPush(), newPush(), newPush()]
      await store.exclusively('push', async ({ token }) => {
        for (const push of pushes) await store.pushes.open(push, token)
      })
      const { items, total } = await store.pushes.list({ limit: 2, offset: 0 })
      expect(items.map((push) => push.id)).toEqual([pushes[2]?.id, pushes[1]?.id])
      expect(total).toBe(3)
    })

    test('a push in a list has all members except its document and its plan', async ({ store }) => {
      const push = newPush()
      await store.exclusively('push', ({ token }) => store.pushes.open(push, token))
      const head = await store.pushes.head(push.id)
      expect({ ...head, document: push.document, plan: push.plan }).toEqual(await store.pushes.find(push.id))
      expect((await store.pushes.list(page)).items).toEqual([head])
      expect(await store.pushes.head('none')).toBeNull()
    })
  })
}
