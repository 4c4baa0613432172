import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/config/schema.ts'
import { nobody, startStack } from '../support/stack.ts'
import type { Stack } from '../support/stack.ts'

let stack: Stack
beforeEach(async () => {
  stack = await startStack()
})
afterEach(() => stack.close())

const shop = (amount: number): BillingConfig => ({
  version: '1.0.0',
  products: [{ id: 'p', name: 'P', prices: [{ id: 'a', amount, currency: 'usd' }] }],
})

test('a plan that was reviewed yesterday is applied although the account changed overnight: it is refused instead', async () => {
  await stack.service.push(shop(100), nobody)
  const { plan } = await stack.service.push(shop(200), { ...nobody, dryRun: true })
  await stack.stripe.products.update('rc_p', { name: 'Renamed overnight' })
  const before = stack.writes()
  await expect(stack.service.push(shop(200), { ...nobody, expectPlan: plan })).rejects.toMatchObject({
    code: 'plan_stale',
  })
  expect(stack.writes()).toBe(before)
})

test('a plan that still fits is applied exactly', async () => {
  await stack.service.push(shop(100), nobody)
  const planned = await stack.service.push(shop(200), { ...nobody, dryRun: true })
  const applied = await stack.service.push(shop(200), { ...nobody, expectPlan: planned.plan })
  expect(applied).toMatchObject({ status: 'applied', plan: planned.plan })
})
