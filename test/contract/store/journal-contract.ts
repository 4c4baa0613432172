// Tests of the journal of pushes. They run on every engine.
import { describe, expect, test as base } from 'vitest'
import type { MappingChange, NewPush } from '../../../packages/ratecard/src/store/store.ts'
import { applyPush, mapping, newPush, newVersion, publish, refusalOf, underPush } from '../../support/store.ts'
import type { MakePlace, PushWork } from '../../support/store.ts'

const page = { limit: 10, offset: 0 }
const nothing = { processorId: null, requestId: null }

export function journalContract(engine: string, makePlace: MakePlace): void {
  const open = async () => (await makePlace()).open({ clock: { now: () => 5_000 } })
  const test = base.extend('store', () => open())
  const inPush = async (change: Partial<NewPush>, work: PushWork) => underPush(await open(), change, work)

  describe(`steps of a push on ${engine}:`, () => {
    test('a new push is running, with all its steps pending in order', () =>
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

    test('a step is begun with its request and succeeds with its result', () =>
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

    test('steps can be read since a timestamp', () =>
      inPush({ steps: ['{}', '{}', '{}'] }, async (store, push, token) => {
        await store.pushes.begin(push.id, 0, '{}', token)
        await store.pushes.settle(push.id, 2, 'failed', null, token)
        const indexes = async (since?: number) => (await store.pushes.steps(push.id, since)).map(({ index }) => index)
        expect(await indexes()).toEqual([0, 1, 2])
        expect(await indexes(5_000)).toEqual([0, 2])
        expect(await indexes(5_001)).toEqual([])
      }))

    test('each start of a step counts as an attempt, after any outcome', () =>
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

    test('a skipped step counts as done; failed and unknown ones do not', () =>
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

    test('a secret is stored together with its step, or not at all', () =>
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

    test('an unknown push or step is refused', () =>
      inPush({}, async (store, push, token) => {
        expect(await refusalOf(store.pushes.begin('push_x', 0, '{}', token))).toBe('push_not_found')
        expect(await refusalOf(store.pushes.begin(push.id, 1, '{}', token))).toBe('internal')
        expect(await refusalOf(store.pushes.open(push, token))).toBe('conflict')
        expect(await store.pushes.find('push_x')).toBeNull()
        expect(await store.pushes.steps('push_x')).toEqual([])
      }))
  })

  describe(`the end of a push on ${engine}:`, () => {
    test('closing publishes version, mappings and the end of the push together', () =>
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

    test('a push can be closed only once', () =>
      inPush({ steps: [] }, async (store, push, token) => {
        await store.pushes.close(push.id, newVersion(push), [], token)
        expect(await refusalOf(store.pushes.close(push.id, newVersion(push), [], token))).toBe('conflict')
        expect(await refusalOf(store.pushes.end(push.id, 'failed', null, token))).toBe('conflict')
        expect(await refusalOf(store.pushes.resume(push.id, token))).toBe('conflict')
        expect(await store.versions.list(page)).toMatchObject({ total: 1 })
        expect(await store.pushes.find(push.id)).toMatchObject({ state: 'applied', revision: 1 })
      }))

    test('a push with an unfinished step cannot be closed, and publishes nothing', () =>
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

    test('a close that fails halfway leaves the previous version current', async ({ store }) => {
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

    test('an interrupted push can be resumed, an ended one cannot', () =>
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

    test('unresolved pushes are running, interrupted, or failed with a step of unknown outcome, oldest first', async () => {
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

    test('the head of a push has all members except document and plan', async ({ store }) => {
      const push = newPush()
      await store.exclusively('push', ({ token }) => store.pushes.open(push, token))
      const head = await store.pushes.head(push.id)
      expect({ ...head, document: push.document, plan: push.plan }).toEqual(await store.pushes.find(push.id))
      expect((await store.pushes.list(page)).items).toEqual([head])
      expect(await store.pushes.head('none')).toBeNull()
    })
  })
}
