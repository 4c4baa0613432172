// Usage that counts against limits, but whose report got no response: it is sent again without the client.
import { describe, expect, onTestFinished, test } from 'vitest'
import { startTestApp } from '../../../support/app.ts'
import { nobody } from '../../../support/shop/selling.ts'
import { refusalOf } from '../../../support/stores/store.ts'
import { forTenant } from '../../tenants/world.ts'
import { meteredDocument } from '../features/metered-document.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const events = '/v1/billing/meter_events'

async function heldWorld() {
  const ahead = { ms: 0 }
  const app = await startTestApp({ clock: { now: () => Date.now() + ahead.ms } })
  onTestFinished(() => app.close())
  expect((await app.push(meteredDocument)).statusCode).toBe(200)
  const { id: customer } = await app.stripe.customers.create({ name: 'Acme' })
  await app.service.createTenant({ id: 'acme', name: 'Acme', processorCustomerId: customer }, nobody)
  const { control } = app.sandbox
  const report = (value: number, identifier: string) =>
    app.service.recordUsage({ meter: 'calls', value, identifier }, forTenant('acme'))
  return {
    ...{ app, control, customer, report },
    pass: (ms: number) => (ahead.ms += ms),
    /** Reports usage whose response is lost (`close_after`), or whose request is (`close_before`). */
    lose: async (kind: 'close_after' | 'close_before', value: number, identifier: string) => {
      control.fail({ kind, path: events, method: 'POST', count: null })
      expect(await refusalOf(report(value, identifier))).toBe('processor_timeout')
      control.clearFaults()
    },
    resend: () => app.service.waitingJobs.continueDue(),
    used: async () => {
      const [check] = await app.service.checkFeatures([{ feature: 'calls' }], forTenant('acme'))
      return check?.used
    },
    /** What the processor bills. */
    billed: async () => {
      const [meter] = (await app.stripe.billing.meters.list()).data
      const now = Math.floor((Date.now() + ahead.ms) / minuteMs) * 60
      const range = { start_time: now - 40 * 86_400, end_time: now + 600 }
      const { data } = await app.stripe.billing.meters.listEventSummaries(meter?.id ?? '', { customer, ...range })
      return data[0]?.aggregated_value ?? 0
    },
    requests: () => control.requests().filter(({ path }) => path === events).length,
    finding: async () => (await app.service.doctor()).find(({ check }) => check === 'counted usage'),
  }
}

describe('a usage report to which the processor did not respond', () => {
  test('is retried without a request of the client and billed once, whether or not the first attempt had reached the processor', async () => {
    const world = await heldWorld()
    await world.lose('close_after', 5, 'arrived')
    await world.lose('close_before', 2, 'lost')
    expect([await world.used(), await world.billed()]).toEqual([7, 5])
    world.pass(5 * minuteMs)
    await world.resend()
    expect([await world.used(), await world.billed()]).toEqual([7, 7])
    const before = world.requests()
    await world.resend()
    expect(world.requests()).toBe(before)
  })

  test('is not retried while its first attempt may still be in flight', async () => {
    const world = await heldWorld()
    await world.lose('close_before', 2, 'lost')
    world.pass(2 * minuteMs)
    await world.resend()
    expect([await world.used(), await world.billed()]).toEqual([2, 0])
  })

  test('is retried with the value of the first report, even if the client retries with another value', async () => {
    const world = await heldWorld()
    await world.lose('close_before', 2, 'lost')
    expect(await world.report(900, 'lost')).toMatchObject({ alreadyCounted: true })
    expect([await world.used(), await world.billed()]).toEqual([2, 2])
  })

  test('no longer counts towards limits if the processor refuses the retry', async () => {
    const world = await heldWorld()
    await world.lose('close_before', 2, 'lost')
    await world.app.stripe.customers.del(world.customer)
    world.pass(5 * minuteMs)
    await expect(world.resend()).rejects.toBeInstanceOf(AggregateError)
    expect(await world.used()).toBe(0)
    await world.resend()
  })

  test('is stored while the processor is unavailable, and sent once the processor is available again', async () => {
    const world = await heldWorld()
    await world.lose('close_before', 2, 'first')
    await world.lose('close_before', 3, 'second')
    world.pass(5 * minuteMs)
    world.control.fail({ kind: 'rate_limit', path: events, method: 'POST', count: null })
    await expect(world.resend()).rejects.toBeInstanceOf(AggregateError)
    world.control.clearFaults()
    expect([await world.used(), await world.billed()]).toEqual([5, 0])
    await world.resend()
    expect([await world.used(), await world.billed()]).toEqual([5, 5])
  })

  test('is not retried after a day, because it could be billed twice: the doctor reports it, and a client’s retry is refused', async () => {
    const world = await heldWorld()
    await world.lose('close_after', 5, 'old')
    expect(await world.finding()).toMatchObject({ status: 'ok' })
    world.pass(25 * hourMs)
    const before = world.requests()
    await world.resend()
    expect(await refusalOf(world.report(5, 'old'))).toBe('conflict')
    expect(world.requests()).toBe(before)
    expect([await world.used(), await world.billed()]).toEqual([5, 5])
    expect(await world.finding()).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('1 usage report is counted, but the processor never confirmed it.'),
    })
  })
})

describe('a usage report that the processor has acknowledged', () => {
  test('is never sent again, because the processor detects duplicate identifiers for a day only', async () => {
    const world = await heldWorld()
    expect(await world.report(5, 'once')).toMatchObject({ alreadyCounted: false })
    world.pass(25 * hourMs)
    expect(await world.report(5, 'once')).toMatchObject({ alreadyCounted: true })
    expect([await world.used(), await world.billed()]).toEqual([5, 5])
  })
})
