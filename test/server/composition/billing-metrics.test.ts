// Billing metrics of a service with a mirror.
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import {
  registerBillingGauges,
  withBillingCounters,
} from '../../../packages/ratecard/src/server/composition/billing-metrics.ts'
import { lookAtBilling } from '../../../packages/ratecard/src/server/composition/billing-watch.ts'
import { registerMirrorMetrics } from '../../../packages/ratecard/src/server/composition/processor-metrics.ts'
import { mirrorOff } from '../../../packages/ratecard/src/customers/mirror/mirror.ts'
import { changedConfig, sampleConfig } from '../../support/app.ts'
import { mirrorSettings } from '../../support/mirror.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { nobody, startStack, type Stack } from '../../support/stack.ts'

let stack: Stack
const registry = new Registry()

const reports: string[] = []
const report = (_error: unknown, what: string) => reports.push(what)

beforeAll(async () => {
  stack = await startStack({ mirror: mirrorSettings })
  registerBillingGauges(registry, stack.service, report)
})
afterAll(() => stack.close())

const valuesOf = async (name: string, of = registry) => {
  const metric = (await of.getMetricsAsJSON()).find((one) => one.name === name)
  const values = (metric?.values ?? []) as readonly { value: number; labels: Readonly<Record<string, string>> }[]
  return values.map(({ value, labels }) => [...Object.values(labels), value])
}

it('the metrics count pushes by outcome and fields edited at the processor, and contain revenue and subscriptions', async () => {
  const service = withBillingCounters(stack.service, registry, { store: stack.store, clock: systemClock, report })
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
  expect(await valuesOf('ratecard_drift_fields')).toEqual([])
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

/** A replica of the service with its own metrics. Replicas share a store. */
function replica(of: Stack, clock: { now: () => number }) {
  const metrics = new Registry()
  const service = withBillingCounters(of.service, metrics, { store: of.store, clock, report })
  return { metrics, service, look: () => lookAtBilling({ service, store: of.store, clock, report }) }
}

describe('the billing metrics of several replicas', () => {
  it('are collected by one replica at a time, count dropped usage once, and survive a restart', async () => {
    let now = Date.now()
    const clock = { now: () => now }
    const own = await startStack({ clock })
    onTestFinished(() => own.close())
    await own.service.push(sampleConfig(), nobody)
    own.sandbox.control.checkUsage('later')
    const meters = await own.stripe.billing.meters.list()
    const drop = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          own.stripe.billing.meterEvents.create({
            event_name: meters.data[0]?.event_name ?? '',
            payload: { stripe_customer_id: 'cus_unknown', value: '1' },
            identifier: `lost-${String(count)}-${String(index)}`,
          }),
        ),
      )
    await drop(2)
    const [first, second] = [replica(own, clock), replica(own, clock)]
    const dropped = (of: typeof first) => valuesOf('ratecard_usage_dropped_total', of.metrics)
    expect(await dropped(first)).toEqual([])
    const before = own.sandbox.control.requests().length
    await Promise.all([first.look(), second.look()])
    await first.look()
    const asked = own.sandbox.control.requests().slice(before)
    expect(asked.filter(({ path }) => path === '/v1/webhook_endpoints')).toHaveLength(1)
    for (const one of [first, second, replica(own, clock)]) {
      expect(await dropped(one)).toEqual([[2]])
      expect(await valuesOf('ratecard_drift_fields', one.metrics)).toEqual([[0]])
    }
    await second.service.droppedUsage({})
    expect(await dropped(first)).toEqual([[2]])
    // Before the drop, because reports are cached for a while and are told apart by their time.
    now += 3_600_000
    await drop(3)
    await second.look()
    expect(await dropped(first)).toEqual([[5]])
  })
})

describe('a scrape of the metrics', () => {
  it('calculates the revenue once for all metrics that contain revenue', async () => {
    const metrics = new Registry()
    let reads = 0
    const counting = {
      billingGauges: () => {
        reads += 1
        return stack.service.billingGauges()
      },
    }
    registerBillingGauges(metrics, counting, report)
    await metrics.metrics()
    expect(reads).toBe(1)
    await metrics.metrics()
    expect(reads).toBe(2)
  })

  it('leaves out metrics that cannot be read, and contains all others', async () => {
    const metrics = new Registry()
    const closed = await startStack()
    const { service, store } = closed
    registerBillingGauges(metrics, service, report)
    withBillingCounters(service, metrics, { store, clock: systemClock, report })
    registerMirrorMetrics(metrics, { mirror: mirrorOff, store: store.mirror, clock: systemClock, report })
    await store.facts.set('drift_fields', '3')
    expect(await valuesOf('ratecard_drift_fields', metrics)).toEqual([[3]])
    await closed.close()
    const text = await metrics.metrics()
    expect(text).toContain('ratecard_pushes_total')
    expect(text).not.toMatch(/^ratecard_drift_fields/m)
    expect(text).not.toMatch(/^ratecard_mirror_corrections_total/m)
    expect(reports).toContain('metrics were left out of a scrape')
  })
})
