import { describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../support/stack.ts'
import { payingCustomer } from '../support/shop/paying-customer.ts'
import { startedForEach } from '../support/started.ts'
import { refusalOf } from '../support/stores/store.ts'

const stack = startedForEach(startStack)

const shop = (amount: number): BillingConfig => ({
  version: '1.0.0',
  products: [{ id: 'p', name: 'P', prices: [{ id: 'a', amount, currency: 'usd' }] }],
})

const recurring = (amount: number): BillingConfig => ({
  version: '1.0.0',
  products: [{ id: 'p', name: 'P', prices: [{ id: 'a', amount, currency: 'usd', interval: 'month' }] }],
})

test('a saved plan is refused if the account was changed after the plan was saved', async () => {
  await stack.service.push(shop(100), nobody)
  const { plan } = await stack.service.push(shop(200), { ...nobody, dryRun: true })
  await stack.stripe.products.update('rc_p', { name: 'Renamed overnight' })
  const before = stack.writes()
  expect(await refusalOf(stack.service.push(shop(200), { ...nobody, expectPlan: plan }))).toBe('plan_stale')
  expect(stack.writes()).toBe(before)
})

test('a saved plan is applied exactly as saved if the account is unchanged', async () => {
  await stack.service.push(shop(100), nobody)
  const planned = await stack.service.push(shop(200), { ...nobody, dryRun: true })
  const applied = await stack.service.push(shop(200), { ...nobody, expectPlan: planned.plan })
  expect(applied).toMatchObject({ status: 'applied', plan: planned.plan })
})

describe('the fingerprint of a plan', () => {
  test('differs for another document with the same changes at the processor', async () => {
    await stack.service.push(shop(100), nobody)
    const { plan } = await stack.service.push(shop(200), { ...nobody, dryRun: true })
    const renumbered = { ...shop(200), version: '9.0.0' }
    expect(await refusalOf(stack.service.push(renumbered, { ...nobody, expectPlan: plan }))).toBe('plan_stale')
  })

  test('differs for a plan that overwrites an edit at the processor', async () => {
    await stack.service.push(shop(100), nobody)
    const calm = await stack.service.push(shop(200), { ...nobody, dryRun: true, force: true })
    await stack.stripe.products.update('rc_p', { name: 'by hand' })
    const overwriting = await stack.service.push(shop(200), { ...nobody, dryRun: true, force: true })
    expect(overwriting.plan).not.toBe(calm.plan)
  })

  test('is the same with one more subscriber, unless the additional subscriber makes an approval necessary', async () => {
    const careful = await startStack({ impactThreshold: 1 })
    try {
      await careful.service.push(recurring(100), nobody)
      const [price] = (await careful.stripe.prices.list()).data
      const subscribe = async () => {
        const customer = await payingCustomer(careful.stripe, { name: 'Ada' })
        await careful.stripe.subscriptions.create({ customer, items: [{ price: price?.id ?? '' }] })
      }
      const planned = async () => (await careful.service.push(recurring(200), { ...nobody, dryRun: true })).plan
      const none = await planned()
      await subscribe()
      expect(await planned()).toBe(none)
      await subscribe()
      expect(await planned()).not.toBe(none)
      expect(
        await refusalOf(careful.service.push(recurring(200), { ...nobody, expectPlan: none, approveImpact: true })),
      ).toBe('plan_stale')
    } finally {
      await careful.close()
    }
  })
})
