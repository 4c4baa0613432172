// Usage of tenants without a subscription item for the meter: the processor takes it and bills it to nobody.
import { expect, test } from 'vitest'
import { mirrorSettings } from '../../../support/mirror.ts'
import { startedForEach } from '../../../support/started.ts'
import { refusalOf } from '../../../support/stores/store.ts'
import { forTenant, kiln, startWorld } from '../../tenants/world.ts'

const tenant = { id: 'acme', name: 'Acme' }
const world = startedForEach(() => startWorld({ tenant, mirror: mirrorSettings }))
const withoutMirror = startedForEach(() => startWorld({ tenant }))

const report = (more = {}, by = world) =>
  by.service.recordUsage({ meter: 'readings', value: 3, ...more }, forTenant('acme'))
const strict = { strict: true }
const finding = async () => (await world.service.doctor()).find(({ check }) => check === 'unbilled usage')

/** Waits until the mirror shows everything that has happened at the processor by now. */
async function mirrorCaughtUp(): Promise<void> {
  const now = Date.now()
  const asOf = async () => {
    world.service.feed?.feeder.wake()
    return (await world.service.feed?.mirror.status())?.asOf ?? 0
  }
  await expect.poll(asOf, { timeout: 60_000, interval: 20 }).toBeGreaterThanOrEqual(now)
}

test('reported usage is billed if the tenant has an item for the meter, and is not if the processor knows of none', async () => {
  await mirrorCaughtUp()
  expect(await report()).toMatchObject({ billed: false })
  await world.pay((await world.buy('acme', 'kiln_monthly')).url)
  await mirrorCaughtUp()
  // A subscription to another price of the same product does not bill the meter.
  expect(await report()).toMatchObject({ billed: false })
  // The processor is not asked again within seconds, so that nothing is said of the tenant meanwhile.
  expect(await report()).toMatchObject({ billed: null })
  await world.pay((await world.buy('acme', 'kiln_usage')).url)
  await mirrorCaughtUp()
  expect(await report()).toMatchObject({ billed: true })
})

test('usage just after a purchase is never called unpaid, and what was listed meanwhile is taken off the list', async () => {
  await mirrorCaughtUp()
  await world.pay((await world.buy('acme', 'kiln_usage')).url)
  const said = [await report(), await report(), await report()].map(({ billed }) => billed)
  expect(said).not.toContain(false)
  await mirrorCaughtUp()
  expect(await finding()).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^0 /) })
  expect(await world.service.unbilledUsage()).toEqual([])
})

test('a report with `strict` of usage that no subscription bills is refused and stores nothing, not even a customer', async () => {
  await mirrorCaughtUp()
  const writes = world.writes()
  await expect(report(strict)).rejects.toMatchObject({
    code: 'meter_not_subscribed',
    message:
      'The tenant "acme" has no subscription to a price of the meter "readings", so this usage would not be paid for.',
  })
  expect(world.writes()).toBe(writes)
  expect(await finding()).toMatchObject({ status: 'ok' })
})

test('a report with `strict` is accepted as soon as the tenant has subscribed, even if the mirror is outdated', async () => {
  await mirrorCaughtUp()
  await world.service.feed?.feeder.stop()
  await world.pay((await world.buy('acme', 'kiln_usage')).url)
  // The stopped mirror does not know the subscription: the processor does.
  expect(await report()).toMatchObject({ billed: true })
  expect(await report(strict)).toMatchObject({ billed: true })
})

test('without the mirror it is not known whether usage is billed, and reports with `strict` are checked at the processor', async () => {
  expect(await report({}, withoutMirror)).toMatchObject({ billed: null })
  expect(await refusalOf(report(strict, withoutMirror))).toBe('meter_not_subscribed')
  await withoutMirror.pay((await withoutMirror.buy('acme', 'kiln_usage')).url)
  expect(await report(strict, withoutMirror)).toMatchObject({ billed: true })
})

test('the doctor names tenants whose usage no subscription bills, and ignores reports that were not counted', async () => {
  await mirrorCaughtUp()
  expect(await finding()).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^0 /) })
  await report({ identifier: 'a' })
  expect(await report({ identifier: 'a', value: 9 })).toMatchObject({ alreadyCounted: true })
  await report({ identifier: 'b' })
  await refusalOf(report(strict))
  expect(await finding()).toMatchObject({
    status: 'warning',
    detail:
      '2 usage reports of the last 30 days came from tenants that have no item for the meter, so the usage is not paid for: acme on "readings" (2)',
    hint: expect.stringContaining('`ratecard tenants subscriptions acme`'),
  })
  await world.service.removeTenant('acme', { author: null, by: null, requestId: null })
  expect(await finding()).toMatchObject({ status: 'ok' })
})

test('usage of a meter that only counts an allowance of the plan is neither unpaid nor listed', async () => {
  const document = kiln()
  document.features = [
    ...(document.features ?? []),
    { id: 'reads', name: 'Readings', type: 'metered', meter: 'readings' },
  ]
  document.products.push({
    ...{ id: 'starter', name: 'Starter', features: [{ id: 'reads', limit: 100 }] },
    prices: [{ id: 'starter', amount: 0, currency: 'usd', interval: 'month' }],
  })
  const free = await startWorld({ document, tenant, mirror: mirrorSettings })
  try {
    await free.buy('acme', 'starter')
    const reported = await free.service.recordUsage({ meter: 'readings', value: 3 }, forTenant('acme'))
    expect(reported).toMatchObject({ billed: null })
    expect(await free.service.unbilledUsage()).toEqual([])
  } finally {
    await free.close()
  }
})
