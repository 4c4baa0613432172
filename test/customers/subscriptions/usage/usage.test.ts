import { beforeEach, describe, expect, test } from 'vitest'
import { caller, forTenant, startWorld } from '../../tenants/world.ts'
import { startedForEach } from '../../../support/started.ts'
import { refusalOf } from '../../../support/stores/store.ts'

const world = startedForEach(startWorld)
beforeEach(async () => {
  for (const id of ['acme', 'beta']) await world.service.createTenant({ id, name: id }, caller)
})

const report = (tenantId: string, value: number | string, more = {}) =>
  world.service.recordUsage({ meter: 'readings', value, ...more }, forTenant(tenantId))

/** Returns the amount for usage on the next invoice, in cents. One reading costs 25. */
async function charged(tenantId: string): Promise<number | undefined> {
  const [invoice] = await world.service.upcomingInvoices(tenantId)
  expect(invoice?.lines.map(({ priceId }) => priceId)).toEqual(['kiln_usage'])
  return invoice?.amountDue
}

describe('the usage that is reported for a tenant', () => {
  test('is billed once per identifier of a tenant', async () => {
    for (const id of ['acme', 'beta']) await world.pay((await world.buy(id, 'kiln_usage')).url)
    expect(await report('acme', 3, { identifier: 'a' })).toEqual({
      meter: 'readings',
      tenantId: 'acme',
      identifier: 'a',
      alreadyCounted: false,
      billed: null,
    })
    await report('acme', 3, { identifier: 'a' })
    // The first report of an identifier counts.
    expect(await report('acme', 9, { identifier: 'a' })).toMatchObject({ alreadyCounted: true })
    await report('beta', 2, { identifier: 'a' })
    await report('acme', '2', { identifier: 'x'.repeat(200) })
    await report('acme', 1)
    await report('acme', 1)
    expect(await charged('acme')).toBe(7 * 25)
    expect(await charged('beta')).toBe(2 * 25)
  })

  test('is counted only once if the response is lost and the client retries the report', async () => {
    await world.pay((await world.buy('acme', 'kiln_usage')).url)
    world.sandbox.control.fail({ kind: 'close_after', method: 'POST', path: '/v1/billing/meter_events', count: 2 })
    await expect(report('acme', 3, { identifier: 'a' })).rejects.toMatchObject({ code: 'processor_timeout' })
    await report('acme', 3, { identifier: 'a' })
    expect(await charged('acme')).toBe(75)
  })

  test.each(['error_before', 'error_after'] as const)(
    'is counted only once after a processor failure (%s)',
    async (kind) => {
      await world.pay((await world.buy('acme', 'kiln_usage')).url)
      world.sandbox.control.fail({ kind, method: 'POST', path: '/v1/billing/meter_events', count: 3 })
      const again = () => report('acme', 3, { identifier: 'a' })
      const [first] = await Promise.allSettled([again()])
      // An event that was executed before the failure is found by its identifier.
      expect(first.status).toBe(kind === 'error_after' ? 'fulfilled' : 'rejected')
      world.sandbox.control.clearFaults()
      // With the first key the processor would replay its failure for a day.
      for (const _again of [1, 2]) await again()
      expect(await charged('acme')).toBe(75)
    },
  )

  test('counts if the seller reports it with an identifier that the tenant’s own session already used', async () => {
    await world.pay((await world.buy('acme', 'kiln_usage')).url)
    const session = await world.service.createSession('acme', null)
    const usage = { meter: 'readings', value: 0, identifier: 'tomorrow' }
    for (const _again of [1, 2]) await world.service.recordUsage(usage, { kind: 'session', session })
    for (const _again of [1, 2]) await report('acme', 3, { identifier: 'tomorrow' })
    expect(await charged('acme')).toBe(75)
  })

  test('is not stored if the report is refused, and no customer is created', async () => {
    const session = await world.service.createSession('acme', null)
    const before = world.writes()
    await expect(report('acme', 'many')).rejects.toMatchObject({ code: 'request_invalid' })
    await expect(report('acme', 1, { timestamp: 0 })).rejects.toMatchObject({ issues: [{ pointer: '#/timestamp' }] })
    await expect(
      world.service.recordUsage({ meter: 'readings', value: -1 }, { kind: 'session', session }),
    ).rejects.toMatchObject({ issues: [{ pointer: '#/value' }] })
    expect(await refusalOf(world.service.recordUsage({ meter: 'nothing', value: 1 }, forTenant('acme')))).toBe(
      'meter_not_found',
    )
    await expect(report('nobody', 1)).rejects.toMatchObject({ code: 'tenant_not_found' })
    expect(world.writes()).toBe(before)
  })
})
