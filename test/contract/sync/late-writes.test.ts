// Writes that the processor carries out only after their sender gave up or died: what comes next settles them first.
import { beforeEach, afterEach, describe, expect, test, vi } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/config/schema/schema.ts'
import { ServiceError } from '../../../packages/ratecard/src/errors/service-error.ts'
import { ProcessorError } from '../../../packages/ratecard/src/processor/processor-error.ts'
import { TestClock } from '../../support/sandbox.ts'
import { nobody, startStack } from '../../support/stack.ts'
import type { Stack } from '../../support/stack.ts'
import { caller, gold, negotiated, nothing, tenantShop } from '../../support/tenant-shop.ts'
import { refusedBy } from '../../support/store.ts'

const priced = (version: string, amount: number): BillingConfig => ({
  version,
  products: [{ id: 'p', name: 'P', prices: [{ id: 'p_m', amount, currency: 'usd', interval: 'month' }] }],
})

describe('a price whose creation is still on its way when its push stops', () => {
  let stack: Stack
  let clock: TestClock
  beforeEach(async () => {
    clock = new TestClock()
    stack = await startStack({ clock })
    await stack.service.push(priced('6.0.0', 6000), nobody)
  })
  afterEach(() => stack.close())

  async function leftOnItsWay(kind: 'late' | 'late_arrival') {
    // Both attempts of the adapter; of a write that holds its key the second one is told so.
    stack.sandbox.control.fail({ kind, method: 'POST', path: '/v1/prices', count: kind === 'late' ? 1 : 2 })
    const refusal = await refusedBy(stack.service.push(priced('7.0.0', 7000), nobody))
    expect(refusal).toMatchObject({ code: 'processor_timeout' })
    stack.sandbox.control.clearFaults()
  }

  /** Amount and lookup key of each active price. */
  const active = async () =>
    (await stack.stripe.prices.list({ active: true, limit: 100 })).data.map((one) => [one.unit_amount, one.lookup_key])

  const push = () => stack.service.push(priced('8.0.0', 8000), nobody)

  test('refuses the next push while it is carried out, and is put away by the push after it', async () => {
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

  test('changes nothing when it arrives after the next push has applied', async () => {
    await leftOnItsWay('late_arrival')
    expect(await push()).toMatchObject({ status: 'applied' })
    expect(await active()).toEqual([[8000, 'p_m']])
    expect(await stack.sandbox.control.land()).toBe(2)
    expect(await active()).toEqual([[8000, 'p_m']])
    expect(await stack.service.drift()).toMatchObject({ inSync: true })
  })

  test('is over after the longest time of a write, whether or not it was carried out', async () => {
    await leftOnItsWay('late')
    expect(await refusedBy(push())).toMatchObject({ code: 'push_unfinished' })
    clock.advance(90_000)
    expect(await push()).toMatchObject({ status: 'applied' })
    expect(await active()).toEqual([[8000, 'p_m']])
  })

  test('is waited for as long again when it is sent again and has no answer either', async () => {
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

  test('is made once though the resumed push sends it again hours later and has no answer', async () => {
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

  test('is used by the push that is resumed', async () => {
    await leftOnItsWay('late')
    await stack.sandbox.control.land()
    const { items } = await stack.service.listPushes({ limit: 1, offset: 0 })
    expect(await stack.service.resumePush(items[0]?.id ?? '')).toMatchObject({ status: 'applied', version: '7.0.0' })
    expect(await active()).toEqual([[7000, 'p_m']])
  })

  test('is told by doctor when it took the lookup key from the price of the configuration', async () => {
    const lookups = async () => (await stack.service.doctor()).find(({ check }) => check === 'lookup keys')
    expect(await lookups()).toMatchObject({ status: 'ok' })
    await stack.stripe.prices.create({
      ...{ product: 'rc_p', unit_amount: 7000, currency: 'usd', recurring: { interval: 'month' } },
      ...{ lookup_key: 'p_m', transfer_lookup_key: true },
    })
    expect(await lookups()).toMatchObject({ status: 'warning', detail: expect.stringContaining('"p_m"') as string })
  })
})

describe('a swap that is still on its way when its apply stops', () => {
  async function leftOnItsWay(kind: 'late' | 'late_arrival') {
    const shop = await tenantShop(negotiated())
    const customer = await shop.tenant('t')
    const { id } = await shop.subscribe(customer, [['pro_monthly', 1]])
    shop.sandbox.control.fail({ kind, method: 'POST', path: '/v1/subscriptions/*', count: kind === 'late' ? 1 : 4 })
    expect(await refusedBy(shop.apply('t', gold))).toMatchObject({ code: 'processor_timeout' })
    shop.sandbox.control.clearFaults()
    return { shop, id }
  }

  test('refuses the removal of the deal while it is carried out, and is undone by the next one', async () => {
    const { shop, id } = await leftOnItsWay('late')
    const refusal = await refusedBy(shop.apply('t', nothing))
    expect(refusal).toMatchObject({ code: 'tenant_busy', retryAfter: 90 })
    expect(await shop.sandbox.control.land()).toBe(1)
    expect(await shop.items(id)).toEqual([['pro_monthly_gold', 1]])
    expect(await shop.apply('t', nothing)).toMatchObject({ pricesSwapped: 1 })
    expect(await shop.items(id)).toEqual([['pro_monthly', 1]])
  })

  test('does not bring the deal back when it arrives after the removal', async () => {
    const { shop, id } = await leftOnItsWay('late_arrival')
    await shop.apply('t', nothing)
    expect(await shop.items(id)).toEqual([['pro_monthly', 1]])
    expect(await shop.sandbox.control.land()).toBeGreaterThan(0)
    expect(await shop.items(id)).toEqual([['pro_monthly', 1]])
  })

  test('is looked up and not sent again once the processor has forgotten its key', async () => {
    const clock = new TestClock()
    const shop = await tenantShop(negotiated(), { clock })
    const { id } = await shop.subscribe(await shop.tenant('t'), [['pro_monthly', 1]])
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
  ['whose answer makes no sense', new ProcessorError('broken', 'Stripe’s answer makes no sense.')],
])('a step of a migration %s after it was sent may still be carried out', async (_how, reason) => {
  const shop = await tenantShop(negotiated())
  const { id } = await shop.subscribe(await shop.tenant('t'), [['pro_monthly', 1]])
  await shop.push(dearer(negotiated()))
  const swap = vi.spyOn(shop.processor, 'swapItems').mockRejectedValueOnce(reason)
  const job = await shop.service.startMigration({ priceId: 'pro_monthly', to: 'now' }, caller)
  expect(await shop.finished(job.id)).toMatchObject({ state: 'failed', steps: [{ state: 'unknown' }] })
  swap.mockRestore()
  await shop.service.resumeJob(job.id)
  expect(await shop.finished(job.id)).toMatchObject({ state: 'done' })
  expect(await shop.items(id)).toEqual([['pro_monthly', 1]])
})

/** The same configuration with another amount for `pro_monthly`. */
function dearer(document: BillingConfig): BillingConfig {
  const products = document.products.map((product) => ({
    ...product,
    prices: (product.prices ?? []).map((price) => (price.id === 'pro_monthly' ? { ...price, amount: 9900 } : price)),
  }))
  return { ...document, version: '9.0.0', products }
}
