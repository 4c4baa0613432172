// Resuming a push with a step that was sent, but whose result was not stored.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import type { LoggedRequest } from '../../../packages/sandbox/src/protocol/requests/request-log.ts'
import { TestClock } from '../../support/sandbox.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'

let stack: Stack
let clock: TestClock
beforeEach(async () => {
  clock = new TestClock()
  stack = await startStack({ clock })
})
afterEach(() => stack.close())

const hour = 3_600_000

type Parts = Pick<BillingConfig, 'webhooks'> & Pick<BillingConfig['products'][number], 'prices'>

const catalogue = (version: string, { prices = [], webhooks = [] }: Parts = {}): BillingConfig => ({
  version,
  products: [{ id: 'pro', name: 'Pro', prices }],
  webhooks,
})
const monthly: Parts = { prices: [{ id: 'monthly', amount: 1000, currency: 'usd', interval: 'month' }] }
const free: Parts = { prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }] }
const hook: Parts = { webhooks: [{ id: 'hook', url: 'https://app.example.com/hook', events: ['invoice.paid'] }] }

/** Starts a push that is interrupted. Resolves with its id. */
async function interrupted(document: BillingConfig): Promise<string> {
  const error: unknown = await stack.service.push(document, nobody).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ extra: { push_state: 'interrupted' } })
  return (error as { extra: { push_id: string } }).extra.push_id
}

const statesOf = async (id: string) => (await stack.service.findPush(id)).steps.map(({ state }) => state)

describe('a plan step without a response, whose object does not exist at the processor,', () => {
  const creations = (): readonly LoggedRequest[] =>
    stack.sandbox.control.requests().filter(({ method, path }) => method === 'POST' && path === '/v1/prices')
  const keysOf = (requests: readonly LoggedRequest[]) => new Set(requests.map(({ idempotencyKey }) => idempotencyKey))

  /** Sends a price, breaks the connection, and resumes the push after `ms`. Returns the idempotency keys of both attempts. */
  async function resumedAfter(ms: number) {
    await stack.service.push(catalogue('1.0.0'), nobody)
    stack.sandbox.control.fail({ kind: 'close_before', method: 'POST', path: '/v1/prices', count: null })
    const id = await interrupted(catalogue('1.1.0', monthly))
    stack.sandbox.control.clearFaults()
    expect(await statesOf(id)).toEqual(['unknown'])
    const before = keysOf(creations())
    stack.sandbox.control.clearRequests()
    clock.advance(ms)
    expect(await stack.service.resumePush(id)).toMatchObject({ status: 'applied', version: '1.1.0' })
    const after = creations()
    expect((await stack.snapshot()).price).toHaveLength(1)
    expect(after).toHaveLength(1)
    return { before: [...before], after: [...keysOf(after)] }
  }

  test('is retried with the same idempotency key, because its first request may still be in flight', async () => {
    const { before, after } = await resumedAfter(22 * hour)
    expect(before).toEqual([expect.stringMatching(/^ratecard-/)])
    expect(after).toEqual(before)
  })

  test('is retried with a new idempotency key once the first key may have expired', async () => {
    const { before, after } = await resumedAfter(23 * hour)
    expect(after).toEqual([expect.stringMatching(/^ratecard-/)])
    expect(after).not.toEqual(before)
  })
})

describe('a plan step that was executed, but whose result was not stored,', () => {
  /** Leaves the only step of a push in the state `begun`, as if the process had died while it waited for the response. */
  async function leftBegun(parts: Parts): Promise<string> {
    await stack.service.push(catalogue('1.0.0'), nobody)
    const succeed = vi.spyOn(stack.store.pushes, 'succeed').mockRejectedValueOnce(new Error('the store is gone'))
    const id = await interrupted(catalogue('1.1.0', parts))
    succeed.mockRestore()
    expect(await statesOf(id)).toEqual(['begun'])
    return id
  }

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['by the push that is resumed', (id) => stack.service.resumePush(id)],
    ['by the next push', () => stack.service.push(catalogue('1.1.0', hook), nobody)],
  ])('keeps its webhook endpoint, with the secret that the processor returns again %s', async (_by, goOn) => {
    const id = await leftBegun(hook)
    const [lost] = (await stack.stripe.webhookEndpoints.list()).data
    expect(await goOn(id)).toMatchObject({ status: 'applied', version: '1.1.0' })
    const endpoints = (await stack.stripe.webhookEndpoints.list()).data
    expect(endpoints.map((one) => one.id)).toEqual([lost?.id])
    expect(await stack.service.listWebhooks({ secrets: true })).toMatchObject([
      { processorId: lost?.id, secretKnown: true },
    ])
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['by the push that is resumed', (id) => stack.service.resumePush(id)],
    ['by the next push', () => stack.service.push(catalogue('1.1.0', hook), nobody)],
  ])('deletes its webhook endpoint and creates it again if the secret was lost %s', async (_by, goOn) => {
    const id = await leftBegun(hook)
    const [lost] = (await stack.stripe.webhookEndpoints.list()).data
    expect(lost).toBeDefined()
    // Attempts the step once during an outage first: that turns `begun` into `unknown`, from when on the age of the key counts.
    stack.sandbox.control.fail({ kind: 'close_before', path: '/v1/webhook_endpoints*', count: null })
    await expect(goOn(id)).rejects.toMatchObject({
      code: expect.stringMatching(/^(push_unfinished|processor_)/) as string,
    })
    stack.sandbox.control.clearFaults()
    clock.advance(25 * hour)
    expect(await goOn(id)).toMatchObject({ status: 'applied', version: '1.1.0' })
    const endpoints = (await stack.stripe.webhookEndpoints.list()).data
    expect(endpoints).toHaveLength(1)
    expect(endpoints[0]?.id).not.toBe(lost?.id)
    expect(await stack.service.listWebhooks({ secrets: true })).toMatchObject([
      { processorId: endpoints[0]?.id, secretKnown: true },
    ])
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['by the push that is resumed', (id) => stack.service.resumePush(id)],
    ['by the next push', () => stack.service.push(catalogue('1.1.0', monthly), nobody)],
  ])(
    'is looked up instead of retried if it creates a price and its idempotency key has expired %s',
    async (_by, goOn) => {
      const id = await leftBegun(monthly)
      clock.advance(25 * hour)
      stack.sandbox.control.clearRequests()
      expect(await goOn(id)).toMatchObject({ status: 'applied', version: '1.1.0' })
      const sent = stack.sandbox.control.requests().filter(({ method }) => method === 'POST')
      expect(sent.filter(({ path }) => path === '/v1/prices')).toEqual([])
      expect((await stack.snapshot()).price).toHaveLength(1)
    },
  )

  test('is not retried after its idempotency key expired if an earlier lookup found the object', async () => {
    const id = await leftBegun(monthly)
    clock.advance(22 * hour)
    stack.sandbox.control.fail({ kind: 'close_before', path: '/v1/prices*', count: null })
    await expect(stack.service.resumePush(id)).rejects.toMatchObject({ code: 'push_unfinished' })
    stack.sandbox.control.clearFaults()
    clock.advance(3 * hour)
    expect(await stack.service.resumePush(id)).toMatchObject({ status: 'applied', version: '1.1.0' })
    expect((await stack.snapshot()).price).toHaveLength(1)
  })

  test('is completed without a request if it only records a price that has no object at the processor', async () => {
    const id = await leftBegun(free)
    stack.sandbox.control.clearRequests()
    expect(await stack.service.resumePush(id)).toMatchObject({ status: 'applied', version: '1.1.0' })
    expect(stack.sandbox.control.requests().map(({ path }) => path)).toEqual(['/v1/account'])
    expect(await statesOf(id)).toEqual(['succeeded'])
  })
})
