// Billing metrics of a service with a mirror.
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerBillingGauges, withBillingCounters } from '../../packages/ratecard/src/composition/billing-metrics.ts'
import { changedConfig, sampleConfig } from '../support/app.ts'
import { mirrorSettings } from '../support/mirror.ts'
import { payingCustomer } from '../support/paying-customer.ts'
import { nobody, startStack } from '../support/stack.ts'
import type { Stack } from '../support/stack.ts'

let stack: Stack
const registry = new Registry()

beforeAll(async () => {
  stack = await startStack({ mirror: mirrorSettings })
  registerBillingGauges(registry, stack.service)
})
afterAll(() => stack.close())

const valuesOf = async (name: string) => {
  const metric = (await registry.getMetricsAsJSON()).find((one) => one.name === name)
  const values = (metric?.values ?? []) as readonly { value: number; labels: Readonly<Record<string, string>> }[]
  return values.map(({ value, labels }) => [...Object.values(labels), value])
}

it('metrics count pushes by outcome and edited fields, and show revenue and subscriptions', async () => {
  const service = withBillingCounters(stack.service, registry)
  await service.push(sampleConfig(), { ...nobody, dryRun: true })
  expect(await valuesOf('ratecard_pushes_total')).toEqual([])
  await service.push(sampleConfig(), nobody)
  await service.push(sampleConfig(), nobody)
  const broken = changedConfig('2.0.0', ({ products }) => void Object.assign(products[0] ?? {}, { name: '' }))
  await expect(service.push(broken, nobody)).rejects.toMatchObject({ code: 'config_invalid' })
  expect(await valuesOf('ratecard_pushes_total')).toEqual([
    ['applied', 1],
    ['unchanged', 1],
    ['refused', 1],
  ])

  const { data } = await stack.stripe.products.list({ active: true })
  const pro = data.find(({ name }) => name === 'Pro')
  await stack.stripe.products.update(pro?.id ?? '', { name: 'Edited by hand' })
  await service.drift()
  expect(await valuesOf('ratecard_drift_fields')).toEqual([[1]])

  const prices = await stack.stripe.prices.list({ active: true, limit: 100 })
  const monthly = prices.data.find(({ metadata }) => metadata['ratecard_id'] === 'pro_monthly')
  const customer = await payingCustomer(stack.stripe, { name: 'Buyer' })
  await stack.stripe.subscriptions.create({ customer, items: [{ price: monthly?.id ?? '', quantity: 2 }] })
  const look = async () => {
    stack.service.feed?.feeder.wake()
    return valuesOf('ratecard_mrr')
  }
  await expect.poll(look, { timeout: 30_000, interval: 50 }).toEqual([['usd', 2400]])
  expect(await valuesOf('ratecard_subscriptions')).toEqual([['active', 1]])
})
