// Usage that the processor accepts and drops later. API v2 reports it, and the doctor shows it.
import { expect, test } from 'vitest'
import { refusal } from '../../../support/shop/stripe-refusal.ts'
import { negotiated, tenantShop } from '../../../support/shop/tenant-shop.ts'

test('the doctor reports usage that the processor dropped, with meter, cause and an example', async () => {
  const shop = await tenantShop(negotiated())
  const { stripe, sandbox, service } = shop
  const usage = async () => (await service.doctor()).find(({ check }) => check === 'usage')
  expect(await usage()).toMatchObject({ status: 'ok' })
  const customer = await shop.tenant('t')
  const send = (payload: Record<string, string>, own: object = {}) =>
    stripe.billing.meterEvents.create({ event_name: 'call', payload, ...own })
  const now = Math.floor(sandbox.control.now(shop.secretKey))
  const wrong = [
    () => send({ stripe_customer_id: 'cus_unknown', value: '1' }, { identifier: 'lost-1' }),
    () => send({ stripe_customer_id: customer, value: 'many' }),
    () => send({ stripe_customer_id: customer, value: '1' }, { timestamp: now - 40 * 86_400 }),
    () => send({ stripe_customer_id: customer, value: '1' }, { event_name: 'unheard_of' }),
  ]
  // By default the sandbox refuses invalid usage at once. With this setting it reports the error later.
  for (const one of wrong) expect((await refusal(one())).status).toBe(400)
  expect(await usage()).toMatchObject({ status: 'ok' })
  sandbox.control.checkUsage('later')
  for (const one of wrong) expect((await one()).object).toBe('billing.meter_event')
  await send({ stripe_customer_id: customer, value: '5' })

  const found = await usage()
  expect(found).toMatchObject({ status: 'warning', detail: expect.stringContaining('4 usage events') })
  for (const part of [
    'meter "calls": 1 × meter_event_customer_not_found, for example lost-1',
    'meter_event_invalid_value',
    'timestamp_too_far_in_past',
    'no meter: 1 × no_meter',
  ])
    expect(found?.detail).toContain(part)
  // Dropped usage is not billed.
  const { data } = await stripe.billing.meters.list()
  const day = 86_400
  const sums = await stripe.billing.meters.listEventSummaries(data[0]?.id ?? '', {
    customer,
    start_time: Math.floor(now / day) * day,
    end_time: (Math.floor(now / day) + 1) * day,
  })
  expect(sums.data.map(({ aggregated_value: value }) => value)).toEqual([5])
})

test('dropped usage is shown with the tenant’s usage, under the identifiers that the tenant sent', async () => {
  let ahead = 0
  const shop = await tenantShop(negotiated(), { clock: { now: () => Date.now() + ahead } })
  const { stripe, sandbox, service } = shop
  const customer = await shop.tenant('t')
  await shop.subscribe(await shop.tenant('other'), { calls: null })
  const send = (payload: Record<string, string>, own: object = {}) =>
    stripe.billing.meterEvents.create({ event_name: 'call', payload, ...own })
  expect(await service.droppedUsageOf('t')).toEqual([])
  sandbox.control.checkUsage('later')
  await send({ stripe_customer_id: 'cus_unknown', value: '1' }, { identifier: 'lost-1' })
  // Two days ahead: Ratecard accepts it because a test clock may be ahead, and the processor drops it.
  const timestamp = sandbox.control.now(shop.secretKey) * 1000 + 2 * 86_400_000
  const report = (meter: string, identifier: string) =>
    service.recordUsage({ meter, value: 3, identifier, timestamp }, { kind: 'key', keyId: 'key_1', tenantId: 't' })
  await report('calls', 'day:7')
  // Its identifier is too long, so the processor gets a digest of it.
  await report('calls', 'x'.repeat(200))

  const [long, own, foreign] = await service.droppedUsage({})
  expect(own).toMatchObject({
    meter: 'calls',
    processorMeterId: expect.stringMatching(/^mtr_/),
    code: 'timestamp_in_future',
    count: 1,
    examples: [{ tenantId: 't', identifier: 'day:7' }],
  })
  expect(foreign?.examples).toEqual([{ tenantId: null, identifier: 'lost-1' }])
  expect(long?.examples).toEqual([{ tenantId: null, identifier: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  expect(await service.droppedUsage({ meter: 'calls', tenantId: 't' })).toEqual([long, own])
  expect(await service.droppedUsageOf('t')).toEqual([own])
  expect(await service.droppedUsageOf('other')).toEqual([])
  await expect(service.droppedUsage({ meter: 'call' })).rejects.toMatchObject({ code: 'meter_not_found' })
  await expect(service.droppedUsage({ tenantId: 'nobody' })).rejects.toMatchObject({ code: 'tenant_not_found' })

  // A failed read of dropped usage does not hide the invoices.
  await shop.subscribe(customer, { calls: null })
  ahead = 61_000
  sandbox.control.fail({ kind: 'error_before', method: 'GET', path: '/v2/core/events', count: 20 })
  expect(await service.droppedUsageOf('t')).toBeNull()
  await expect(service.droppedUsage({})).rejects.toMatchObject({ code: expect.stringMatching(/^processor_/) })
  expect(await service.upcomingInvoices('t')).toHaveLength(1)
})

test('dropped usage of an unknown tenant, because its long identifier was hashed, is listed for each tenant, but counted for none', async () => {
  const shop = await tenantShop(negotiated())
  await shop.tenant('t')
  await shop.tenant('other')
  shop.sandbox.control.checkUsage('later')
  const timestamp = shop.sandbox.control.now(shop.secretKey) * 1000 + 2 * 86_400_000
  await shop.service.recordUsage(
    { meter: 'calls', value: 3, identifier: 'x'.repeat(200), timestamp },
    { kind: 'key', keyId: 'key_1', tenantId: 't' },
  )
  for (const tenantId of ['t', 'other'])
    expect(await shop.service.droppedUsage({ tenantId })).toMatchObject([{ count: 1, examples: [{ tenantId: null }] }])
  // This tenant's invoice may or may not lack the usage.
  expect(await shop.service.droppedUsageOf('other')).toEqual([])
})

test('a dropped identifier with colons from another program belongs to no tenant, and an identifier with an earlier meter id to its tenant', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  shop.sandbox.control.checkUsage('later')
  const timestamp = shop.sandbox.control.now(shop.secretKey) * 1000 + 2 * 86_400_000
  await shop.stripe.billing.meterEvents.create({
    event_name: 'call',
    payload: { stripe_customer_id: customer, value: 'many' },
    identifier: '2026-01-01T10:00:00Z',
  })
  await shop.service.recordUsage(
    { meter: 'calls', value: 3, identifier: 'day:7', timestamp },
    { kind: 'key', keyId: 'key_1', tenantId: 't' },
  )
  await shop.push(
    JSON.parse(
      JSON.stringify(negotiated('2.0.0'))
        .replaceAll('"meter":"calls"', '"meter":"requests"')
        .replace('{"id":"calls","display_name"', '{"id":"requests","previous_ids":["calls"],"display_name"'),
    ),
  )
  expect(await shop.service.droppedUsage({ meter: 'requests' })).toMatchObject([
    { meter: 'requests', examples: [{ tenantId: 't', identifier: 'day:7' }] },
    { meter: 'requests', examples: [{ tenantId: null, identifier: '2026-01-01T10:00:00Z' }] },
  ])
})
