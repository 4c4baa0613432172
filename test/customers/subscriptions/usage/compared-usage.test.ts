// The nightly comparison of usage with the processor's summaries, with the real parts.
import { describe, expect, onTestFinished, test } from 'vitest'
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import { createUsageComparison } from '../../../../packages/ratecard/src/customers/subscriptions/usage/compare-usage.ts'
import { createSealer, generateMasterKey } from '../../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../../packages/ratecard/src/store/sql/open-store.ts'
import { newAudit, newTenant } from '../../../support/shop/tenant-records.ts'
import { processorOf } from '../../../processor/suite/bench.ts'
import { customerShop } from '../../../sandbox/customers/customer-shop.ts'

const dayMs = 86_400_000
const signal = AbortSignal.timeout(100_000)

async function world(formula: 'sum' | 'last' = 'sum') {
  const shop = await customerShop()
  // The hour at which the comparison of a day is due.
  const nightMs = 3.5 * 3_600_000
  shop.clock.advance((dayMs + nightMs - (shop.clock.now() % dayMs)) % dayMs)
  const store = await openStore({ url: null, file: ':memory:', sealer: createSealer(generateMasterKey()) })
  onTestFinished(() => store.close())
  const meter = await shop.stripe.billing.meters.create({
    ...{ display_name: 'Calls', event_name: 'call', default_aggregation: { formula } },
  })
  const config = {
    ...{ version: '1.0.0', products: [] },
    features: [{ id: 'calls', name: 'Calls', type: 'metered' as const, meter: 'calls' }],
    meters: [
      {
        id: 'calls',
        display_name: 'Calls',
        event_name: 'call',
        default_aggregation: { formula },
        processor_id: meter.id,
      },
    ],
  }
  const reports: string[] = []
  const comparison = () =>
    createUsageComparison({
      ...{ store, clock: shop.clock, processor: processorOf(shop), applied: () => Promise.resolve({ config }) },
      report: (error, what) => reports.push(`${what}: ${String(error)}`),
    })
  /** Noon (UTC) of a day that is so many days ago. */
  const daysAgo = (days: number) => Math.floor(shop.clock.now() / dayMs) * dayMs - days * dayMs + dayMs / 2
  const send = (customer: string, value: string, at: number) =>
    shop.stripe.billing.meterEvents.create({
      ...{ event_name: 'call', payload: { stripe_customer_id: customer, value } },
      timestamp: Math.floor(at / 1000),
    })
  let last = 0
  /** Counts usage in the store as a report does. It was stored at `createdAt`, by default when it was used. */
  const count = async (tenantId: string, value: string, usedAt: number, createdAt = usedAt) => {
    const report = { tenantId, meter: 'call', identifier: `r${String(++last)}`, value, usedAt, createdAt, event: '{}' }
    await store.usage.hold({ ...report, rangeStart: Math.floor(usedAt / dayMs) * dayMs }, formula, [])
    return report
  }
  const counted = async (tenantId: string, value: string, usedAt: number, createdAt = usedAt) => {
    await store.usage.sent(await count(tenantId, value, usedAt, createdAt), 'sent')
  }
  return {
    ...shop,
    ...{ store, config, comparison, reports, daysAgo, send, count, counted },
    /** Creates a tenant whose usage was counted for forty days. */
    tenant: async (id: string) => {
      const customer = (await shop.stripe.customers.create({ name: id })).id
      await store.tenants.add(newTenant({ id, processorCustomerId: processorId(customer) }), newAudit(id))
      await counted(id, '0', daysAgo(40))
      return customer
    },
    /** Compares all tenants, and returns the differences. */
    compared: async () => {
      const { due, next } = comparison()
      expect(await due()).toBe(true)
      while (await due()) await next(signal)
      const { items } = await store.usageComparison.differences(10)
      return items.map((item) => ({ tenant: item.tenantId, counted: item.counted, recorded: item.recorded }))
    },
    summaryReads: () => shop.control.requests().filter(({ path }) => path.endsWith('/event_summaries')).length,
  }
}

describe('the nightly comparison of recorded usage with the processor’s counts', () => {
  test('finds no difference if the processor counted each of a thousand reports', async () => {
    const { tenant, counted, send, daysAgo, compared } = await world()
    const customer = await tenant('acme')
    for (let index = 0; index < 1000; index++) await counted('acme', '0.1', daysAgo(3 + (index % 20)) + index * 1000)
    for (let index = 0; index < 100; index++) await send(customer, '1', daysAgo(3 + (index % 20)) + index * 1000)
    expect(await compared()).toEqual([])
  })

  test('reports usage that only Ratecard or only the processor has counted, and removes the report once both counts agree', async () => {
    const { tenant, counted, send, daysAgo, compared, store, clock } = await world()
    const less = await tenant('less')
    const more = await tenant('more')
    await counted('less', '12', daysAgo(4))
    await send(less, '7', daysAgo(4))
    await counted('more', '5', daysAgo(4))
    await send(more, '5.5', daysAgo(4))
    expect(await compared()).toEqual([
      { tenant: 'less', counted: '12', recorded: '7' },
      { tenant: 'more', counted: '5', recorded: '5.5' },
    ])
    // Nothing is corrected.
    const ever = { from: 0, to: null }
    expect(await store.usage.used('less', 'call', 'sum', ever)).toBe('12')
    await send(less, '5', daysAgo(4))
    await counted('more', '0.5', daysAgo(4))
    clock.advance(dayMs)
    expect(await compared()).toEqual([])
  })

  test('reports no difference for an event that the processor may still be counting', async () => {
    const { tenant, counted, count, daysAgo, compared, clock } = await world()
    await tenant('late')
    await tenant('lost')
    await counted('late', '7', daysAgo(3), clock.now() - 60_000)
    // The response was lost.
    await count('lost', '7', daysAgo(3))
    expect(await compared()).toEqual([])
    clock.advance(dayMs)
    expect(await compared()).toEqual([{ tenant: 'late', counted: '7', recorded: '0' }])
  })

  test('reports no difference for an event shortly before midnight that the processor counted on the next day', async () => {
    const { tenant, counted, send, daysAgo, compared } = await world()
    const customer = await tenant('acme')
    const midnight = daysAgo(1) - dayMs / 2
    await counted('acme', '3', midnight - 2000)
    await send(customer, '3', midnight + 2000)
    expect(await compared()).toEqual([])
  })

  test('ignores yesterday, today, and the day on which a tenant reported usage for the first time', async () => {
    const { store, customer, tenant, counted, send, daysAgo, compared, summaryReads } = await world()
    await tenant('acme')
    await counted('acme', '4', daysAgo(1))
    await counted('acme', '4', daysAgo(0))
    await store.tenants.add(newTenant({ id: 'young', processorCustomerId: processorId(customer) }), newAudit('young'))
    await send(customer, '900', daysAgo(5) - 3_600_000)
    await counted('young', '1', daysAgo(5))
    await send(customer, '2', daysAgo(4))
    await counted('young', '2', daysAgo(4))
    expect(await compared()).toEqual([])
    expect(summaryReads()).toBe(1)
  })

  test('compares the last value of a meter with the formula `last`', async () => {
    const { tenant, counted, send, daysAgo, compared } = await world('last')
    const same = await tenant('same')
    const other = await tenant('other')
    for (const [id, customer, value] of [
      ['same', same, '8'],
      ['other', other, '9'],
    ] as const) {
      await counted(id, '3', daysAgo(6))
      await counted(id, '8', daysAgo(4))
      await send(customer, '3', daysAgo(6))
      await send(customer, value, daysAgo(4))
    }
    expect(await compared()).toEqual([{ tenant: 'other', counted: '8', recorded: '9' }])
  })

  test('continues after an interruption without reading a tenant twice', async () => {
    const { tenant, counted, daysAgo, comparison, compared, summaryReads, store } = await world()
    for (let index = 0; index < 12; index++) {
      await tenant(`t${String(index)}`)
      await counted(`t${String(index)}`, '1', daysAgo(4))
    }
    const first = comparison()
    for (let index = 0; index < 5; index++) await first.next(signal)
    expect(summaryReads()).toBe(5)
    expect(await compared()).toHaveLength(10)
    expect((await store.usageComparison.differences(1)).total).toBe(12)
    expect(summaryReads()).toBe(12)
    expect(await comparison().due()).toBe(false)
  })

  test('reads nothing about a meter that no feature names, because its usage counts against no limit', async () => {
    const { tenant, counted, daysAgo, compared, summaryReads, config } = await world()
    await tenant('acme')
    await counted('acme', '1', daysAgo(4))
    config.features = []
    expect(await compared()).toEqual([])
    expect(summaryReads()).toBe(0)
  })

  test('continues after a tenant whose usage the processor refuses to summarize, and reports that tenant', async () => {
    const { tenant, counted, daysAgo, compared, reports, stripe } = await world()
    const gone = await tenant('gone')
    await tenant('here')
    for (const id of ['gone', 'here']) await counted(id, '1', daysAgo(4))
    await stripe.customers.del(gone)
    expect(await compared()).toEqual([{ tenant: 'here', counted: '1', recorded: '0' }])
    expect(reports).toEqual([expect.stringContaining('usage of the tenant gone was not compared')])
  })
})
