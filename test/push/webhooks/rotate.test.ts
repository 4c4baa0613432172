// Rotation of a webhook's secret: both endpoints are live for a time, then the old one is disabled once, and nothing else changes.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Service } from '../../../packages/ratecard/src/server/service/service.ts'
import type { BillingConfig, Webhook } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'
import { refusedBy } from '../../support/stores/store.ts'
import { serviceOver } from '../../support/parts.ts'

const hour = 60 * 60_000
let now = Date.UTC(2031, 0, 1)
const clock = { now: () => now }
const stack = startedForEach(() => startStack({ clock }))
beforeEach(async () => {
  await stack.service.push(withHook(), nobody)
})

const withHook = (hook: Partial<Webhook> = {}, version = '1.0.0'): BillingConfig => ({
  version,
  products: [{ id: 'p', name: 'P' }],
  webhooks: [{ id: 'hook', url: 'https://app.example.com/hook', events: ['invoice.paid'], ...hook }],
})
const ci = { keyId: 'key_ci', keyName: 'ci' }
const rotate = (overlapMs: number, id = 'hook') =>
  stack.service.rotateWebhook(id, { author: 'ada', by: ci, message: 'leaked', requestId: 'req_1', overlapMs })
const hook = async (service: Pick<Service, 'listWebhooks'> = stack.service) =>
  (await service.listWebhooks({ secrets: true }))[0]
/** Returns whether each endpoint of the account is enabled, oldest first. */
const live = async () =>
  (await stack.stripe.webhookEndpoints.list({ limit: 100 })).data
    .toReversed()
    .map(({ id, status }) => [id, status] as const)
const pass = (ms: number) => {
  now += ms
  return stack.service.waitingJobs.continueDue()
}

describe('a rotated webhook', () => {
  test('has two active endpoints until the overlap ends, and afterwards only the new endpoint', async () => {
    const before = await hook()
    const made = await rotate(24 * hour)
    expect(made).toMatchObject({
      id: 'hook',
      url: 'https://app.example.com/hook',
      secret: expect.stringMatching(/^whsec_/) as string,
      previous: { processorId: before?.processorId, liveUntil: now + 24 * hour },
    })
    expect(made.secret).not.toBe(before?.secret)
    expect(await hook()).toMatchObject({ processorId: made.processorId, secret: made.secret, secretKnown: true })
    const both = [
      [before?.processorId, 'enabled'],
      [made.processorId, 'enabled'],
    ]
    expect(await live()).toEqual(both)
    await pass(24 * hour - 1)
    expect(await live()).toEqual(both)
    expect(await stack.service.findJob(made.jobId)).toMatchObject({
      kind: 'webhook_rotation',
      subject: 'hook',
      state: 'waiting',
      author: 'ada',
      by: ci,
      message: 'leaked',
    })
    await pass(1)
    expect(await live()).toEqual([
      [before?.processorId, 'disabled'],
      [made.processorId, 'enabled'],
    ])
    expect(await stack.service.findJob(made.jobId)).toMatchObject({ state: 'done', stepsDone: 2, error: null })
    const writes = stack.writes()
    await pass(48 * hour)
    expect(stack.writes()).toBe(writes)
  })

  test('changes neither the document, the revision, the next push nor the drift, during the overlap or after it', async () => {
    const revision = (await stack.service.fullConfig()).revision
    await rotate(hour)
    for (const _moment of ['during', 'after']) {
      expect(await stack.service.push(withHook(), nobody)).toMatchObject({ status: 'unchanged', writes: 0 })
      expect(await stack.service.drift()).toMatchObject({ inSync: true, unmanaged: [] })
      expect((await stack.service.pull()).document.webhooks).toHaveLength(1)
      expect((await stack.service.fullConfig()).revision).toBe(revision)
      await pass(hour)
    }
    const history = await stack.service.convert((await live())[0]?.[0] ?? '', { hidden: true })
    expect(history).toMatchObject({ configId: 'hook', current: false, historyCount: 2 })
  })

  test('keeps its old endpoint during an unrelated push, and loses both endpoints when it is removed', async () => {
    await rotate(hour)
    await stack.service.push(withHook({ url: 'https://app.example.com/v2' }, '1.1.0'), nobody)
    expect((await live()).map(([, status]) => status)).toEqual(['enabled', 'enabled'])
    const { webhooks: _gone, ...without } = withHook({}, '1.2.0')
    await stack.service.push(without, nobody)
    expect((await live()).map(([, status]) => status)).toEqual(['disabled', 'disabled'])
    await pass(hour)
    expect((await live()).map(([, status]) => status)).toEqual(['disabled', 'disabled'])
  })

  test('has only the new endpoint immediately if the overlap is 0', async () => {
    const { jobId } = await rotate(0)
    expect((await live()).map(([, status]) => status)).toEqual(['disabled', 'enabled'])
    expect(await stack.service.findJob(jobId)).toMatchObject({ state: 'done' })
  })

  test('can be rotated again during the overlap, and each old endpoint ends at its own time', async () => {
    await rotate(3 * hour)
    await rotate(hour)
    expect((await live()).map(([, status]) => status)).toEqual(['enabled', 'enabled', 'enabled'])
    expect(await stack.service.push(withHook(), nobody)).toMatchObject({ status: 'unchanged' })
    await pass(hour)
    expect((await live()).map(([, status]) => status)).toEqual(['enabled', 'disabled', 'enabled'])
    await pass(2 * hour)
    expect((await live()).map(([, status]) => status)).toEqual(['disabled', 'disabled', 'enabled'])
  })

  test('cannot be rotated if it is unknown or disabled, or while a push runs', async () => {
    expect(await refusedBy(rotate(hour, 'none'))).toMatchObject({ code: 'webhook_not_found' })
    const [first] = await live()
    await stack.stripe.webhookEndpoints.update(first?.[0] ?? '', { disabled: true })
    expect(await refusedBy(rotate(hour))).toMatchObject({ code: 'conflict' })
    await stack.store.exclusively('push', async () => {
      expect(await refusedBy(rotate(hour))).toMatchObject({ code: 'push_in_progress' })
    })
    expect((await stack.service.listJobs({ limit: 10, offset: 0 })).total).toBe(0)
  })

  test('keeps its new endpoint if the overlap ends during a push or the old endpoint was deleted', async () => {
    await rotate(hour)
    await stack.store.exclusively('push', () => pass(hour))
    expect((await live()).map(([, status]) => status)).toEqual(['enabled', 'enabled'])
    const [old] = await live()
    await stack.stripe.webhookEndpoints.del(old?.[0] ?? '')
    await pass(0)
    expect((await live()).map(([, status]) => status)).toEqual(['enabled'])
    expect((await stack.service.listJobs({ limit: 1, offset: 0 })).items).toMatchObject([{ state: 'done' }])
  })
})

test('a webhook that is renamed during the overlap keeps its rotation, and its old endpoint is disabled at the end of the overlap', async () => {
  const before = await hook()
  const made = await rotate(hour)
  await stack.service.push(withHook({ id: 'events', previous_ids: ['hook'] }, '1.1.0'), nobody)
  expect(await hook()).toMatchObject({ id: 'events', processorId: made.processorId })
  expect(await stack.service.findJob(made.jobId)).toMatchObject({ state: 'waiting', subject: 'events' })
  await pass(hour)
  expect(await live()).toEqual([
    [before?.processorId, 'disabled'],
    [made.processorId, 'enabled'],
  ])
})

test('an overlap that two replicas end at the same time causes only one write', async () => {
  const made = await rotate(hour)
  const { store, processor } = stack
  const other = serviceOver({ store, processor, clock })
  now += hour
  const writes = stack.writes()
  await Promise.all([stack.service, other, stack.service, other].map(({ waitingJobs }) => waitingJobs.continueDue()))
  expect(stack.writes()).toBe(writes + 1)
  expect(await other.findJob(made.jobId)).toMatchObject({ state: 'done', steps: [{ attempts: 1 }, { attempts: 1 }] })
  expect((await live()).map(([, status]) => status)).toEqual(['disabled', 'enabled'])
  await other.close()
})
