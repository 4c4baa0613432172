import { describe, expect, test } from 'vitest'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'
import { monthlyPrices } from '../../support/fixtures.ts'

const stack = startedForEach(startStack)

const count = 120
const catalogue = monthlyPrices(count)

/** Starts a push, and requests its cancellation as soon as it is in the journal. */
async function cancelled(ask: (id: string) => Promise<unknown>): Promise<{ id: string; error: unknown }> {
  let id = ''
  let asking: Promise<unknown> | undefined
  const error = await stack.service
    .push(catalogue, {
      ...nobody,
      onOpen: (pushId) => {
        id = pushId
        asking = ask(pushId)
      },
    })
    .catch((reason: unknown) => reason)
  await asking
  return { id, error }
}

describe('a running push', () => {
  test('stops between two steps when it is cancelled, and completes exactly its original plan when it is resumed', async () => {
    const { id, error } = await cancelled((pushId) => stack.service.cancelPush(pushId))
    expect(error).toMatchObject({
      code: 'push_cancelled',
      status: 409,
      extra: { push_id: id, push_state: 'interrupted' },
    })
    const report = await stack.service.findPush(id)
    expect(report.state).toBe('interrupted')
    expect(report.stepsDone).toBeLessThan(report.stepsTotal)
    expect(report.steps.filter(({ state }) => state === 'begun' || state === 'unknown')).toEqual([])
    await expect(stack.service.published()).rejects.toMatchObject({ code: 'config_not_found' })

    const resumed = await stack.service.resumePush(id)
    expect(resumed).toMatchObject({ status: 'applied', pushId: id, impact: [] })
    expect(resumed.plan).toMatch(/^[0-9a-f]{64}$/)
    expect((await stack.snapshot()).price).toHaveLength(count)
    expect((await stack.service.push(catalogue, nobody)).status).toBe('unchanged')
  })

  test('can be cancelled by another replica through the shared store', async () => {
    stack.sandbox.control.fail({ kind: 'latency', latencyMs: 40, count: null })
    const { id, error } = await cancelled((pushId) => stack.store.pushes.requestCancel(pushId, Date.now()))
    stack.sandbox.control.clearFaults()
    expect(error).toMatchObject({ code: 'push_cancelled' })
    const report = await stack.service.findPush(id)
    expect(report).toMatchObject({ state: 'interrupted' })
    expect(report.stepsDone).toBeLessThan(report.stepsTotal)
    expect((await stack.service.push(catalogue, nobody)).status).toBe('applied')
    expect((await stack.snapshot()).price.filter(({ active }) => active)).toHaveLength(count)
  })

  test('cannot be cancelled once it has ended', async () => {
    const { pushId } = await stack.service.push(catalogue, nobody)
    await expect(stack.service.cancelPush(pushId ?? '')).rejects.toMatchObject({
      code: 'push_not_running',
      status: 409,
    })
    await expect(stack.service.cancelPush('nope')).rejects.toMatchObject({ code: 'push_not_found' })
  })
})

test('two requests to cancel stop a push once, and do not stop the push after it was resumed', async () => {
  const { id } = await cancelled(async (pushId) => {
    await stack.service.cancelPush(pushId)
    await stack.service.cancelPush(pushId).catch(() => undefined)
  })
  let reopened = ''
  expect((await stack.service.resumePush(id, { onOpen: (pushId) => (reopened = pushId) })).status).toBe('applied')
  expect(reopened).toBe(id)
})
