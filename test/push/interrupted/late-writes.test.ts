// Writes that the processor executes after their sender gave up or died. The next push resolves them first.
import { beforeEach, afterEach, describe, expect, test, vi } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { ProcessorError } from '../../../packages/ratecard/src/processor/processor-error.ts'
import { TestClock } from '../../support/sandbox.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'
import { caller, gold, negotiated, nothing, soldShop, tenantShop } from '../../support/shop/tenant-shop.ts'
import { refusedBy } from '../../support/stores/store.ts'

const priced = (version: string, amount: number): BillingConfig => ({
  version,
  products: [{ id: 'p', name: 'P', prices: [{ id: 'p_m', amount, currency: 'usd', interval: 'month' }] }],
})

describe('the creation of a price that is still in flight when its push stops', () => {
  let stack: Stack
  let clock: TestClock
  beforeEach(async () => {
    clock = new TestClock()
    stack = await startStack({ clock })
    await stack.service.push(priced('6.0.0', 6000), nobody)
  })
  afterEach(() => stack.close())

  async function leftOnItsWay(kind: 'late' | 'late_arrival') {
    // Fails both attempts of the adapter; with `late` the retry is refused because its key is in use.
    stack.sandbox.control.fail({ kind, method: 'POST', path: '/v1/prices', count: kind === 'late' ? 1 : 2 })
    const refusal = await refusedBy(stack.service.push(priced('7.0.0', 7000), nobody))
    expect(refusal).toMatchObject({ code: 'processor_timeout' })
    stack.sandbox.control.clearFaults()
  }

  /** Amount and lookup key of each active price. */
  const active = async () =>
    (await stack.stripe.prices.list({ active: true, limit: 100 })).data.map((one) => [one.unit_amount, one.lookup_key])

  const push = () => stack.service.push(priced('8.0.0', 8000), nobody)

  test('blocks the next push until the creation is executed, and the push after that archives the price', async () => {
    await leftOnItsWay('late')
    const refusal = await refusedBy(push())
    expect(refusal).toMatchObject({ code: 'push_unfinished', retryAfter: 90 })
    clock.advance(30_000)
    expect(await refusedBy(push())).toMatchObject({ code: 'push_unfinished', retryAfter: 60 })
    expect(await active()).toEqual([[6000, 'p_m']])
    expect(await stack.sandbox.control.land()).toBe(1)
    expect(await push()).toMatchObject({ status: 'applied' })
    expect(await active()).toEqual([[8000, 'p_m']])
  })

  test('has no effect if its request reaches the processor after the next push', async () => {
    await leftOnItsWay('late_arrival')
    expect(await push()).toMatchObject({ status: 'applied' })
    expect(await active()).toEqual([[8000, 'p_m']])
    expect(await stack.sandbox.control.land()).toBe(2)
    expect(await active()).toEqual([[8000, 'p_m']])
    expect(await stack.service.drift()).toMatchObject({ inSync: true })
  })

  test('blocks the next push for at most 90 seconds, whether or not the creation is executed', async () => {
    await leftOnItsWay('late')
    expect(await refusedBy(push())).toMatchObject({ code: 'push_unfinished' })
    clock.advance(90_000)
    expect(await push()).toMatchObject({ status: 'applied' })
    expect(await active()).toEqual([[8000, 'p_m']])
  })

  test('blocks the next push for another 90 seconds if its retry gets no response either', async () => {
    await leftOnItsWay('late_arrival')
    clock.advance(80_000)
    stack.sandbox.control.fail({ kind: 'late_arrival', method: 'POST', path: '/v1/prices', count: 2 })
    expect(await refusedBy(push())).toMatchObject({ code: 'push_unfinished', retryAfter: 90 })
    stack.sandbox.control.clearFaults()
    clock.advance(20_000)
    expect(await push()).toMatchObject({ status: 'applied' })
    expect(await stack.sandbox.control.land()).toBe(4)
    expect(await active()).toEqual([[8000, 'p_m']])
  })

  test('leads to only one price even if the resumed push retries the creation hours later', async () => {
    await leftOnItsWay('late_arrival')
    clock.advance(2 * 3_600_000)
    const { items } = await stack.service.listPushes({ limit: 1, offset: 0 })
    const resume = () => stack.service.resumePush(items[0]?.id ?? '')
    stack.sandbox.control.fail({ kind: 'late_arrival', method: 'POST', path: '/v1/prices', count: 2 })
    expect(await refusedBy(resume())).toMatchObject({ code: 'push_unfinished', retryAfter: 90 })
    stack.sandbox.control.clearFaults()
    expect(await resume()).toMatchObject({ status: 'applied', version: '7.0.0' })
    await stack.sandbox.control.land()
    expect(await active()).toEqual([[7000, 'p_m']])
  })

  test('is part of the resumed push, which completes normally', async () => {
    await leftOnItsWay('late')
    await stack.sandbox.control.land()
    const { items } = await stack.service.listPushes({ limit: 1, offset: 0 })
    expect(await stack.service.resumePush(items[0]?.id ?? '')).toMatchObject({ status: 'applied', version: '7.0.0' })
    expect(await active()).toEqual([[7000, 'p_m']])
  })

  test('is reported by the doctor if the late price took the lookup key from the configured price', async () => {
    const lookups = async () => (await stack.service.doctor()).find(({ check }) => check === 'lookup keys')
    expect(await lookups()).toMatchObject({ status: 'ok' })
    await stack.stripe.prices.create({
      ...{ product: 'rc_p', unit_amount: 7000, currency: 'usd', recurring: { interval: 'month' } },
      ...{ lookup_key: 'p_m', transfer_lookup_key: true },
    })
    expect(await lookups()).toMatchObject({ status: 'warning', detail: expect.stringContaining('"p_m"') as string })
  })
})

describe('a swap of prices that is still in flight when the application of its deal stops', () => {
  async function leftOnItsWay(kind: 'late' | 'late_arrival') {
    const { shop, id } = await soldShop({ pro_monthly: 1 })
    shop.sandbox.control.fail({ kind, method: 'POST', path: '/v1/subscriptions/*', count: kind === 'late' ? 1 : 4 })
    expect(await refusedBy(shop.apply('t', gold))).toMatchObject({ code: 'processor_timeout' })
    shop.sandbox.control.clearFaults()
    return { shop, id }
  }

  test('blocks the removal of the deal until the swap is executed, and a retry of the removal reverts the swap', async () => {
    const { shop, id } = await leftOnItsWay('late')
    const refusal = await refusedBy(shop.apply('t', nothing))
    expect(refusal).toMatchObject({ code: 'tenant_busy', retryAfter: 90 })
    expect(await shop.sandbox.control.land()).toBe(1)
    expect(await shop.items(id)).toEqual({ pro_monthly_gold: 1 })
    expect(await shop.apply('t', nothing)).toMatchObject({ pricesSwapped: 1 })
    expect(await shop.items(id)).toEqual({ pro_monthly: 1 })
  })

  test('does not restore the deal if the swap reaches the processor after the removal', async () => {
    const { shop, id } = await leftOnItsWay('late_arrival')
    await shop.apply('t', nothing)
    expect(await shop.items(id)).toEqual({ pro_monthly: 1 })
    expect(await shop.sandbox.control.land()).toBeGreaterThan(0)
    expect(await shop.items(id)).toEqual({ pro_monthly: 1 })
  })

  test('is looked up instead of retried once its idempotency key has expired', async () => {
    const clock = new TestClock()
    const shop = await tenantShop(negotiated(), { clock })
    const { id } = await shop.subscribe(await shop.tenant('t'), { pro_monthly: 1 })
    const settle = vi.spyOn(shop.store.jobs, 'settle').mockRejectedValueOnce(new Error('the store is gone'))
    await expect(shop.apply('t', gold)).rejects.toThrow()
    settle.mockRestore()
    const [item] = (await shop.stripe.subscriptions.retrieve(id)).items.data
    const price = await shop.processorPrice('pro_monthly')
    await shop.stripe.subscriptions.update(id, { items: [{ id: item?.id ?? '', price }], proration_behavior: 'none' })
    clock.advance(25 * 3_600_000)
    shop.sandbox.control.clearRequests()
    expect(await shop.apply('t', nothing)).toMatchObject({ pricesSwapped: 0 })
    expect(shop.sandbox.control.requests().filter(({ method }) => method === 'POST')).toEqual([])
  })
})

test.each([
  ['whose tenant was taken over', new ServiceError('tenant_busy', 'Another process took over this tenant.')],
  ['whose response was malformed', new ProcessorError('broken', 'Stripe’s answer makes no sense.')],
])(
  'a migration step %s after it was sent has an unknown outcome, and a resumed migration finishes the step',
  async (_how, reason) => {
    const { shop, id } = await soldShop({ pro_monthly: 1 })
    await shop.push(dearer(negotiated()))
    const swap = vi.spyOn(shop.processor, 'swapItems').mockRejectedValueOnce(reason)
    const job = await shop.service.startMigration({ priceId: 'pro_monthly', to: 'now' }, caller)
    expect(await shop.finished(job.id)).toMatchObject({ state: 'failed', steps: [{ state: 'unknown' }] })
    swap.mockRestore()
    await shop.service.resumeJob(job.id)
    expect(await shop.finished(job.id)).toMatchObject({ state: 'done' })
    expect(await shop.items(id)).toEqual({ pro_monthly: 1 })
  },
)

/** Returns the configuration with another amount for `pro_monthly`. */
function dearer(document: BillingConfig): BillingConfig {
  const products = document.products.map((product) => ({
    ...product,
    prices: (product.prices ?? []).map((price) => (price.id === 'pro_monthly' ? { ...price, amount: 9900 } : price)),
  }))
  return { ...document, version: '9.0.0', products }
}
