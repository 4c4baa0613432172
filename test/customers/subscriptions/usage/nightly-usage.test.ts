// The nightly comparison of usage in the running service: its feed makes it, `doctor` and the metrics show it.
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { withBillingCounters } from '../../../../packages/ratecard/src/server/composition/billing-metrics.ts'
import { pushLease } from '../../../../packages/ratecard/src/acts/lease.ts'
import { readUsageComparison } from '../../../../packages/ratecard/src/customers/subscriptions/usage/compare-usage.ts'
import { startTestApp } from '../../../support/app.ts'
import { mirrored, mirrorSettings } from '../../../support/mirror.ts'
import { nobody } from '../../../support/shop/selling.ts'
import { forTenant } from '../../tenants/world.ts'
import { meteredDocument } from '../features/metered-document.ts'

const dayMs = 86_400_000
const patience = { timeout: 60_000, interval: 20 }

test('a difference between recorded usage and the processor’s count is found at night, reported by the doctor, and counted in the metrics', async () => {
  // The clock begins at noon, because reports around midnight may belong to either day.
  const ahead = { ms: (1.5 * dayMs - (Date.now() % dayMs)) % dayMs }
  const clock = { now: () => Date.now() + ahead.ms }
  const app = await startTestApp({ clock, mirror: mirrorSettings })
  onTestFinished(() => app.close())
  const { service, stripe, store } = app
  const registry = new Registry()
  withBillingCounters(service, registry, { store, clock, report: (error) => expect(error).toBeNull() })
  const metric = async () => {
    const found = (await registry.getMetricsAsJSON()).find(({ name }) => name === 'ratecard_usage_differences')
    return found?.values.map(({ value }) => value)
  }
  const finding = async () => (await service.doctor()).find(({ check }) => check === 'counted usage')
  const night = async (days: number) => {
    ahead.ms += days * dayMs
    const begun = clock.now()
    await expect
      .poll(async () => {
        service.feed?.feeder.wake()
        return (await readUsageComparison(store))?.comparedAt ?? 0
      }, patience)
      .toBeGreaterThanOrEqual(begun)
  }

  expect(await metric()).toEqual([])
  expect((await app.push(meteredDocument)).statusCode).toBe(200)
  const { id: customer } = await stripe.customers.create({ name: 'Acme' })
  await service.createTenant({ id: 'acme', name: 'Acme', processorCustomerId: customer }, nobody)
  await mirrored(app)
  const report = (value: number) => service.recordUsage({ meter: 'calls', value }, forTenant('acme'))
  await report(1)
  await night(2)
  await report(10)
  await night(3)
  expect(await finding()).toEqual({
    check: 'counted usage',
    status: 'ok',
    detail: expect.stringMatching(
      /^0 tenants had usage that differed at the processor when it was compared, 20/,
    ) as string,
  })
  expect(await metric()).toEqual([0])

  // Usage that did not go through this service.
  const payload = { stripe_customer_id: customer, value: '4' }
  await stripe.billing.meterEvents.create({ event_name: 'call', payload })
  const released = Promise.withResolvers<null>()
  const pushing = store.exclusively(pushLease, () => released.promise)
  ahead.ms += 3 * dayMs
  await mirrored(app)
  // A push needs the whole rate limit.
  expect(await metric()).toEqual([0])
  expect(await finding()).toMatchObject({
    status: 'warning',
    detail: expect.stringMatching(/^no comparison of usage with the processor has ended since \S+$/) as string,
  })
  released.resolve(null)
  await pushing
  await night(0)
  expect(await metric()).toEqual([1])
  expect(await finding()).toMatchObject({
    status: 'warning',
    detail: expect.stringMatching(
      /^1 tenant and meter has usage that differs at the processor: acme on "call": 10 counted, 14 at the processor \(\S+ to \S+\)$/,
    ),
    hint: 'Usage that is sent to the processor directly is billed, but counts against no limit. Send usage through Ratecard from now on, but do not report this usage again: that would bill it twice.',
  })

  // Usage from before belongs to the former customer.
  const { id: processorCustomerId } = await stripe.customers.create({ name: 'Acme' })
  await service.updateTenant('acme', { processorCustomerId }, nobody)
  await night(1)
  expect(await metric()).toEqual([0])
})
