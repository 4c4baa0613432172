// Tests of the journal of jobs, and of requests to cancel a push or a job. They run on every engine.
import { describe, expect, test as base } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/kinds.ts'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { applyPush, newPush, refusalOf, underPush, type MakePlace } from '../../support/stores/store.ts'
import { newJob } from '../../support/shop/tenant-records.ts'
import type { LeaseToken } from '../../../packages/ratecard/src/store/lease-token.ts'
import type { JobRecord, NewJob } from '../../../packages/ratecard/src/store/records/journal.ts'

const page = { limit: 10, offset: 0 }
const nothing = { result: null, error: null }

export function jobsContract(engine: string, makePlace: MakePlace): void {
  const open = async () => (await makePlace()).open({ clock: { now: () => 5000 } })
  const test = base.extend('store', () => open())

  type Work = (store: KyselyStore, job: JobRecord, token: LeaseToken) => Promise<void>
  const inJob = async (change: Partial<NewJob>, work: Work) => {
    const store = await open()
    await store.exclusively('price:pro', async ({ token }) =>
      work(store, await store.jobs.open(newJob(change), token), token),
    )
  }

  describe(`jobs on ${engine}:`, () => {
    test('a new job is running, with all steps pending in their order', async ({ store }) => {
      const { steps, ...head } = newJob()
      const job = await store.exclusively('a', ({ token }) => store.jobs.open({ ...head, steps }, token))
      expect(job).toEqual({
        ...head,
        state: 'running',
        stepsTotal: 3,
        stepsDone: 0,
        error: null,
        updatedAt: head.createdAt,
        finishedAt: null,
        resumesAt: null,
      })
      expect(await store.jobs.find(job.id)).toEqual(job)
      expect(await store.jobs.steps(job.id)).toEqual(
        steps.map((step, index) => ({
          jobId: job.id,
          index,
          step,
          state: 'pending',
          waitsUntil: null,
          attempts: 0,
          result: null,
          error: null,
          beganAt: null,
          endedAt: null,
        })),
      )
      expect(await store.jobs.find('none')).toBeNull()
      expect(await store.jobs.steps('none')).toEqual([])
    })

    test('a job id cannot be used twice, and the first job stays unchanged', () =>
      inJob({}, async (store, job, token) => {
        expect(await refusalOf(store.jobs.open(newJob({ id: job.id, steps: [] }), token))).toBe('conflict')
        expect(await store.jobs.steps(job.id)).toHaveLength(3)
      }))

    test('each start of a step counts as an attempt, and the step stores its result', () =>
      inJob({}, async (store, job, token) => {
        for (const state of ['unknown', 'failed', 'pending'] as const) {
          await store.jobs.begin(job.id, 0, token)
          await store.jobs.settle(job.id, 0, { state, result: null, error: '"no"' }, token)
          const [step] = await store.jobs.steps(job.id)
          expect(step).toMatchObject({ state, error: '"no"', endedAt: state === 'pending' ? null : 5000 })
        }
        expect(await store.jobs.begin(job.id, 0, token)).toMatchObject({
          index: 0,
          state: 'begun',
          attempts: 4,
          error: null,
          beganAt: 5000,
          endedAt: null,
        })
        await store.jobs.settle(job.id, 0, { state: 'succeeded', result: '{"swapped":1}', error: null }, token)
        expect((await store.jobs.steps(job.id))[0]).toMatchObject({
          state: 'succeeded',
          result: '{"swapped":1}',
          endedAt: 5000,
        })
      }))

    test('succeeded and skipped steps count as done, once each, and other steps do not', () =>
      inJob({}, async (store, job, token) => {
        const counted = async () => (await store.jobs.find(job.id))?.stepsDone
        await store.jobs.settle(job.id, 0, { state: 'succeeded', ...nothing }, token)
        expect(await counted()).toBe(1)
        await store.jobs.settle(job.id, 1, { state: 'failed', ...nothing }, token)
        await store.jobs.settle(job.id, 1, { state: 'unknown', ...nothing }, token)
        expect(await counted()).toBe(1)
        await store.jobs.settle(job.id, 1, { state: 'skipped', ...nothing }, token)
        expect(await counted()).toBe(2)
        for (const again of ['succeeded', 'failed'] as const)
          expect(await refusalOf(store.jobs.settle(job.id, 0, { state: again, ...nothing }, token))).toBe('internal')
        expect(await refusalOf(store.jobs.begin(job.id, 1, token))).toBe('internal')
        expect(await counted()).toBe(2)
      }))

    test('a change of an unknown job or step is refused', () =>
      inJob({}, async (store, job, token) => {
        expect(await refusalOf(store.jobs.begin('none', 0, token))).toBe('job_not_found')
        expect(await refusalOf(store.jobs.end('none', 'done', null, token))).toBe('job_not_found')
        expect(await refusalOf(store.jobs.begin(job.id, 3, token))).toBe('internal')
      }))

    test('an interrupted or failed job can be resumed, which makes its failed steps pending; a done or cancelled job cannot be resumed', () =>
      inJob({}, async (store, job, token) => {
        await store.jobs.settle(job.id, 0, { state: 'succeeded', ...nothing }, token)
        await store.jobs.begin(job.id, 1, token)
        await store.jobs.settle(job.id, 1, { state: 'failed', result: null, error: '"declined"' }, token)
        await store.jobs.begin(job.id, 2, token)
        await store.jobs.settle(job.id, 2, { state: 'unknown', result: null, error: null }, token)
        await store.jobs.end(job.id, 'failed', '"one failed"', token)
        expect(await store.jobs.find(job.id)).toMatchObject({
          state: 'failed',
          error: '"one failed"',
          finishedAt: 5000,
        })
        await store.jobs.resume(job.id, token)
        expect(await store.jobs.find(job.id)).toMatchObject({
          state: 'running',
          stepsDone: 1,
          error: null,
          finishedAt: null,
        })
        expect(await store.jobs.steps(job.id)).toMatchObject([
          { state: 'succeeded' },
          { state: 'pending', attempts: 1, error: null },
          { state: 'unknown', attempts: 1 },
        ])
        await store.jobs.end(job.id, 'interrupted', null, token)
        expect(await store.jobs.find(job.id)).toMatchObject({ state: 'interrupted', finishedAt: null })
        await store.jobs.resume(job.id, token)
        await store.jobs.end(job.id, 'cancelled', null, token)
        const late = [
          store.jobs.resume(job.id, token),
          store.jobs.begin(job.id, 1, token),
          store.jobs.end(job.id, 'done', null, token),
        ]
        for (const outcome of await Promise.allSettled(late))
          expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'job_not_running' } })
      }))

    test('jobs are listed newest first, either all jobs or those of one kind', async ({ store }) => {
      await store.exclusively('a', async ({ token }) => {
        for (const [id, kind] of [
          ['j1', 'migration'],
          ['j2', 'template_move'],
          ['j3', 'migration'],
        ] as const)
          await store.jobs.open(newJob({ id, kind, createdAt: 7, steps: [] }), token)
      })
      const ids = async (query: object) => (await store.jobs.list({ ...page, ...query })).items.map((job) => job.id)
      expect(await ids({})).toEqual(['j3', 'j2', 'j1'])
      expect(await ids({ limit: 1, offset: 1 })).toEqual(['j2'])
      expect(await ids({ kind: 'migration' })).toEqual(['j3', 'j1'])
      expect(await store.jobs.list({ limit: 1, offset: 0, kind: 'migration' })).toMatchObject({ total: 2 })
    })

    test('migration steps from or to a price are found behind any number of newer migrations, under each earlier id of the price', async () => {
      const store = await open()
      const move = (from: string, to: string) => JSON.stringify({ from_processor_id: from, to_processor_id: to })
      await store.exclusively('a', async ({ token }) => {
        const made = async (change: Partial<NewJob>) => {
          const { id } = await store.jobs.open(newJob(change), token)
          await store.jobs.settle(id, 0, { state: 'succeeded', result: '{}', error: null }, token)
        }
        await made({
          id: 'old',
          subject: 'team_monthly',
          createdAt: 1,
          steps: [move('price_a', 'price_b'), move('x', 'price_b')],
        })
        await made({ id: 'back', createdAt: 2, steps: [move('price_b', 'price_a')] })
        await made({ id: 'deal', kind: 'template_move', createdAt: 3, steps: [move('price_a', 'price_b')] })
        for (let more = 0; more < 101; more++)
          await made({ id: `other_${String(more)}`, createdAt: 4 + more, steps: [move('price_aa', 'price_bb')] })
      })
      const found = async (...prices: string[]) =>
        (await store.jobs.movesBetween(prices.map(processorId), 0)).map(({ step }) => step)
      const both = [move('price_b', 'price_a'), move('price_a', 'price_b')]
      expect(await found('price_b')).toEqual(both)
      expect(await found('price_a', 'price_c')).toEqual(both)
      expect(await found('price_c')).toEqual([])
      expect(await found()).toEqual([])
    })

    test('a push of many prices finds the migration steps of one of these prices in a large migration', async ({
      store,
    }) => {
      const moves = Array.from({ length: 1_001 }, (_, at) => JSON.stringify({ to_processor_id: `price_${String(at)}` }))
      const jobId = await store.exclusively('a', async ({ token }) => {
        const { id } = await store.jobs.open(newJob({ steps: moves }), token)
        for (const at of [0, 7, 1_000])
          await store.jobs.settle(id, at, { state: 'succeeded', result: `"${String(at)}"`, error: null }, token)
        return id
      })
      const others = Array.from({ length: 60 }, (_, at) => `other_${String(at)}`)
      const found = (prices: readonly string[]) => store.jobs.movesBetween(prices.map(processorId), 0)
      const wanted = [0, 1_000].map((at) => ({ jobId, step: moves[at], result: `"${String(at)}"` }))
      expect(await found(['price_0', 'price_1000', ...others])).toEqual(wanted)
      expect(await found(['price_0', 'price_1000'])).toEqual(wanted)
      // A wildcard of a LIKE pattern is an ordinary character in an id.
      expect(await found(['price%'])).toEqual([])
    })

    test('steps of migrations that ended before a given time are left out of the result', async ({ store }) => {
      const step = JSON.stringify({ to_processor_id: 'price_a' })
      await store.exclusively('a', async ({ token }) => {
        for (const id of ['ended', 'running']) {
          await store.jobs.open(newJob({ id, createdAt: 1, steps: [step] }), token)
          await store.jobs.settle(id, 0, { state: 'succeeded', result: `"${id}"`, error: null }, token)
        }
        await store.jobs.end('ended', 'done', null, token)
      })
      const since = async (at: number) =>
        (await store.jobs.movesBetween([processorId('price_a')], at)).map(({ result }) => result)
      expect(await since(5000)).toEqual(['"running"', '"ended"'])
      expect(await since(5001)).toEqual(['"running"'])
    })

    test('unfinished jobs of a kind and subject are the running, waiting and interrupted jobs, oldest first', async () => {
      const store = await open()
      await store.exclusively('a', async ({ token }) => {
        const start = async (change: Partial<NewJob>) => store.jobs.open(newJob(change), token)
        await start({ id: 'late', createdAt: 9 })
        await start({ id: 'early', createdAt: 3 })
        await start({ id: 'ended', createdAt: 4 })
        await start({ id: 'failed', createdAt: 5 })
        await start({ id: 'waiting', createdAt: 6 })
        await store.jobs.wait('waiting', 7, '""', token)
        await start({ id: 'other_subject', subject: 'basic' })
        await start({ id: 'other_kind', kind: 'template_move' })
        await store.jobs.end('early', 'interrupted', null, token)
        await store.jobs.end('ended', 'done', null, token)
        await store.jobs.end('failed', 'failed', null, token)
      })
      expect((await store.jobs.unfinished('migration', 'pro_monthly')).map((job) => job.id)).toEqual([
        'early',
        'waiting',
        'late',
      ])
    })

    test('a waiting job of any kind is due from its resume time on, and due jobs are listed oldest first', async ({
      store,
    }) => {
      await store.exclusively('a', async ({ token }) => {
        const start = async (change: Partial<NewJob>) => store.jobs.open(newJob(change), token)
        await start({ id: 'late', createdAt: 9, subject: 'basic' })
        await start({ id: 'early', createdAt: 3, kind: 'template_move' })
        await start({ id: 'running', createdAt: 4 })
        await start({ id: 'interrupted', createdAt: 5 })
        await store.jobs.wait('late', 700, '"must wait"', token)
        await store.jobs.wait('early', 600, '"must wait"', token)
        await store.jobs.end('interrupted', 'interrupted', '{"resume_after":"1970-01-01T00:00:00.000Z"}', token)
      })
      const due = async (now: number) => (await store.jobs.due(now)).map((job) => job.id)
      expect(await due(599)).toEqual([])
      expect(await due(600)).toEqual(['early'])
      expect(await due(10_000)).toEqual(['early', 'late'])
      const waiting = { state: 'waiting', resumesAt: 700, error: '"must wait"', finishedAt: null }
      expect(await store.jobs.find('late')).toMatchObject(waiting)
    })

    test('a job leaves the state waiting when it is resumed or ends, and a waiting step leaves it when the step is started', () =>
      inJob({}, async (store, job, token) => {
        const waits = { state: 'pending', result: null, error: null, waitsUntil: 800 } as const
        const step = async () => (await store.jobs.steps(job.id))[0]
        await store.jobs.settle(job.id, 0, waits, token)
        expect(await step()).toMatchObject({ state: 'pending', waitsUntil: 800, endedAt: null })
        await store.jobs.wait(job.id, 800, '""', token)
        expect(await store.jobs.requestCancel(job.id, 1)).toBe(false)
        await store.jobs.resume(job.id, token)
        expect(await store.jobs.find(job.id)).toMatchObject({ state: 'running', resumesAt: null, error: null })
        expect(await step()).toMatchObject({ waitsUntil: 800 })
        await store.jobs.begin(job.id, 0, token)
        expect(await step()).toMatchObject({ state: 'begun', waitsUntil: null })
        await store.jobs.settle(job.id, 0, waits, token)
        await store.jobs.settle(job.id, 0, { state: 'failed', ...nothing }, token)
        expect(await step()).toMatchObject({ waitsUntil: null })
        await store.jobs.wait(job.id, 900, '""', token)
        await store.jobs.end(job.id, 'cancelled', null, token)
        expect(await store.jobs.find(job.id)).toMatchObject({ state: 'cancelled', resumesAt: null })
      }))

    test('a job can have thousands of steps', () =>
      inJob({ steps: Array.from({ length: 2500 }, (_, index) => `{"n":${String(index)}}`) }, async (store, job) => {
        const steps = await store.jobs.steps(job.id)
        expect(steps.map((step) => step.index)).toEqual(Array.from({ length: 2500 }, (_, index) => index))
      }))

    test('the holder of an expired lease cannot write with any method', () =>
      inJob({}, async (store, job, token) => {
        await store.jobs.begin(job.id, 0, token)
        const before = [await store.jobs.list(page), await store.jobs.steps(job.id)]
        await store.database.write((db) => db.updateTable('leases').set({ expiresAt: 0 }).execute())
        const attempts = [
          store.jobs.open(newJob(), token),
          store.jobs.begin(job.id, 1, token),
          store.jobs.settle(job.id, 0, { state: 'succeeded', ...nothing }, token),
          store.jobs.end(job.id, 'done', null, token),
          store.jobs.wait(job.id, 1, '""', token),
          store.jobs.resume(job.id, token),
        ]
        for (const outcome of await Promise.allSettled(attempts))
          expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'push_in_progress' } })
        expect([await store.jobs.list(page), await store.jobs.steps(job.id)]).toEqual(before)
      }))
  })

  describe(`the request to cancel on ${engine}`, () => {
    test('is accepted only for a running job, and is deleted when the run ends', () =>
      inJob({}, async (store, job, token) => {
        expect(await store.jobs.requestCancel('none', 1)).toBe(false)
        expect(await store.jobs.cancelRequested(job.id)).toBe(false)
        expect(await store.jobs.requestCancel(job.id, 1)).toBe(true)
        expect(await store.jobs.requestCancel(job.id, 2)).toBe(true)
        expect(await store.jobs.cancelRequested(job.id)).toBe(true)
        await store.jobs.end(job.id, 'interrupted', null, token)
        expect(await store.jobs.cancelRequested(job.id)).toBe(false)
        expect(await store.jobs.requestCancel(job.id, 3)).toBe(false)
        await store.jobs.resume(job.id, token)
        expect(await store.jobs.cancelRequested(job.id)).toBe(false)
      }))

    test('is accepted only for a running push, and is deleted when the run ends', async () =>
      underPush(await open(), {}, async (store, push, token) => {
        expect(await store.pushes.requestCancel('none', 1)).toBe(false)
        expect(await store.pushes.requestCancel(push.id, 1)).toBe(true)
        expect(await store.pushes.cancelRequested(push.id)).toBe(true)
        expect(await store.jobs.cancelRequested(push.id)).toBe(false)
        await store.pushes.end(push.id, 'interrupted', null, token)
        expect(await store.pushes.cancelRequested(push.id)).toBe(false)
        expect(await store.pushes.requestCancel(push.id, 2)).toBe(false)
        await store.pushes.resume(push.id, token)
        expect(await store.pushes.cancelRequested(push.id)).toBe(false)
        await store.pushes.requestCancel(push.id, 3)
        // A push whose process died with a pending cancel request is resumed without it.
        await store.pushes.resume(push.id, token)
        expect(await store.pushes.cancelRequested(push.id)).toBe(false)
        await store.pushes.end(push.id, 'abandoned', null, token)
        const applied = newPush()
        await applyPush(store, applied, [], token)
        expect(await store.pushes.requestCancel(applied.id, 4)).toBe(false)
      }))
  })
}
