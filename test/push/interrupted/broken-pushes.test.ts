import { describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'
import { refusalOf } from '../../support/stores/store.ts'

const stack = startedForEach(startStack)

const shop = (amount: number, version: string): BillingConfig => ({
  version,
  products: ['a', 'b', 'c'].map((id) => ({
    id,
    name: id,
    prices: [{ id: `${id}_monthly`, amount, currency: 'usd' as const, interval: 'month' as const }],
  })),
})

/** Makes the processor refuse creations of prices and, once the push has read the account, lookups of prices too. */
function outage(): void {
  stack.sandbox.control.fail({ kind: 'close_before', method: 'GET', path: '/v1/prices', skip: 2, count: null })
  stack.sandbox.control.fail({ kind: 'close_before', method: 'GET', path: '/v1/prices/*', count: null })
}

describe('a push that fails midway', () => {
  test('is reported as an error with the failed step, the completed steps and the processor’s message', async () => {
    await stack.service.push(shop(100, '1.0.0'), nobody)
    stack.sandbox.control.fail({ kind: 'error_before', method: 'POST', path: '/v1/prices', skip: 1, count: 50 })
    await expect(stack.service.push(shop(200, '1.1.0'), nobody)).rejects.toMatchObject({
      code: 'processor_timeout',
      extra: {
        push_id: expect.any(String) as string,
        steps_done: expect.any(Number) as number,
        failed_step: { op: 'create', kind: 'price' },
      },
    })
    const { config } = (await stack.service.published()).served
    expect(config.version).toBe('1.0.0')
    expect(config.products[0]?.prices?.[0]?.amount).toBe(100)
  })

  test('leaves no duplicates when it is retried', async () => {
    await stack.service.push(shop(100, '1.0.0'), nobody)
    stack.sandbox.control.fail({ kind: 'cut_body', method: 'POST', path: '/v1/prices', count: 50 })
    outage()
    await expect(stack.service.push(shop(200, '1.1.0'), nobody)).rejects.toMatchObject({ code: 'processor_timeout' })
    stack.sandbox.control.clearFaults()
    await stack.service.push(shop(200, '1.1.0'), nobody)
    const active = (await stack.stripe.prices.list({ active: true, limit: 100 })).data
    expect(active.map((price) => price.lookup_key).sort()).toEqual(['a_monthly', 'b_monthly', 'c_monthly'])
    expect(active.every((price) => price.unit_amount === 200)).toBe(true)
    expect((await stack.stripe.prices.list({ active: false, limit: 100 })).data).toHaveLength(3)
  })

  test('is abandoned when a corrected document is pushed, and the corrected document is published', async () => {
    await stack.service.push(shop(100, '1.0.0'), nobody)
    stack.sandbox.control.fail({ kind: 'close_after', method: 'POST', path: '/v1/prices', skip: 2, count: 50 })
    outage()
    await expect(stack.service.push(shop(99_999, '1.1.0'), nobody)).rejects.toBeDefined()
    stack.sandbox.control.clearFaults()
    const corrected = await stack.service.push(shop(150, '1.1.1'), nobody)
    expect(corrected).toMatchObject({ status: 'applied', revision: 2 })
    const active = (await stack.stripe.prices.list({ active: true, limit: 100 })).data
    expect(active.map((price) => price.unit_amount)).toEqual([150, 150, 150])
    const [, abandoned] = (await stack.service.listPushes({ limit: 10, offset: 0 })).items
    expect(abandoned?.state).toBe('abandoned')
  })

  test('can be resumed, and the resumed push runs only the remaining steps', async () => {
    await stack.service.push(shop(100, '1.0.0'), nobody)
    stack.sandbox.control.fail({ kind: 'error_after', method: 'POST', path: '/v1/prices/*', count: 50 })
    outage()
    const failure: unknown = await stack.service.push(shop(200, '1.1.0'), nobody).catch((error: unknown) => error)
    stack.sandbox.control.clearFaults()
    const id = (failure as { extra: { push_id: string } }).extra.push_id
    expect((await stack.service.findPush(id)).state).toBe('interrupted')
    expect(await stack.service.resumePush(id)).toMatchObject({ status: 'applied', revision: 2, version: '1.1.0' })
    expect((await stack.service.push(shop(200, '1.1.0'), nobody)).status).toBe('unchanged')
    await expect(stack.service.resumePush(id)).rejects.toMatchObject({ code: 'push_not_resumable' })
  })

  test('is not caused by a concurrent push, which is refused immediately with push_in_progress', async () => {
    await stack.service.push(shop(100, '1.0.0'), nobody)
    const results = await Promise.allSettled([
      stack.service.push(shop(200, '1.1.0'), nobody),
      stack.service.push(shop(300, '1.2.0'), nobody),
    ])
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused).toHaveLength(1)
    expect(refused[0]?.reason).toMatchObject({ code: 'push_in_progress' })
    const amounts = (await stack.stripe.prices.list({ active: true })).data.map((price) => price.unit_amount)
    expect(new Set(amounts).size).toBe(1)
  })
})

describe('the version number in a document', () => {
  test('causes a warning if it is not higher than the last version, or a refusal with requireVersionBump', async () => {
    await stack.service.push(shop(100, '1.0.0'), nobody)
    const outcome = await stack.service.push(shop(200, '1.0.0'), nobody)
    expect(outcome.warnings).toMatchObject([
      { code: 'version_not_raised', pointer: '#/version', hint: expect.stringContaining('1.0.1') as string },
    ])
    const strict = await startStack({ requireVersionBump: true })
    try {
      await strict.service.push(shop(100, '1.0.0'), nobody)
      await expect(strict.service.push(shop(200, '1.0.0'), nobody)).rejects.toMatchObject({ code: 'version_conflict' })
      await expect(strict.service.push(shop(200, '0.9.0'), nobody)).rejects.toMatchObject({ code: 'version_conflict' })
      expect((await strict.service.push(shop(100, '1.0.0'), nobody)).status).toBe('unchanged')
      await strict.service.push(shop(200, '1.0.1'), nobody)
      // The command line requests a plan first. If that were refused, no rollback would be possible.
      const planned = await strict.service.rollback(1, { ...nobody, dryRun: true })
      expect(planned).toMatchObject({ status: 'planned', version: '1.0.0', warnings: [] })
      expect(await strict.service.rollback(1, nobody)).toMatchObject({ status: 'applied', version: '1.0.0' })
    } finally {
      await strict.close()
    }
  })

  test('is not stored if the document is invalid, and the earlier version stays public', async () => {
    await stack.service.push(shop(100, '1.0.0'), nobody)
    expect(await refusalOf(stack.service.push({ version: '2.0.0', products: [{ id: 'x' }] }, nobody))).toBe(
      'config_invalid',
    )
    expect((await stack.service.history({ limit: 10, offset: 0 })).total).toBe(1)
    expect((await stack.service.published()).served.version).toBe('1.0.0')
  })
})
