import { describe, expect, test } from 'vitest'
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import type { Meter } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import {
  decideUsage,
  isDigest,
  readIdentifier,
} from '../../../../packages/ratecard/src/customers/subscriptions/usage/decide-usage.ts'
import type { UsageSituation } from '../../../../packages/ratecard/src/customers/subscriptions/usage/decide-usage.ts'
import { refusedWith } from '../../../support/shop/refused.ts'
import type { NewUsage } from '../../../../packages/ratecard/src/api/customers/checkout.ts'

const now = Date.parse('2031-05-01T00:00:00Z')
const minute = 60_000
const day = 1440 * minute
const meter: Meter = { id: 'readings', display_name: 'Readings', event_name: 'reading' }
const situation = (more: Partial<UsageSituation> = {}): UsageSituation => ({
  meter,
  tenantId: 'acme',
  now,
  livemode: true,
  byKey: false,
  identifier: 'a',
  countedFrom: 0,
  ...more,
})
const event = (usage: Partial<NewUsage> = {}, more: Partial<UsageSituation> = {}) =>
  decideUsage(situation(more), { meter: 'readings', value: 1, ...usage })(processorId('cus_1'))
const refusal = (usage: Partial<NewUsage>, more: Partial<UsageSituation> = {}) =>
  refusedWith(() => event(usage, more))?.issues.map(({ pointer }) => pointer) ?? []

describe('a usage report', () => {
  test('is sent with the payload keys of its meter', () => {
    expect(event()).toEqual({
      eventName: 'reading',
      payload: { stripe_customer_id: 'cus_1', value: '1' },
      timestamp: null,
      identifier: '~acme:readings:a',
    })
    const other: Meter = {
      ...meter,
      customer_mapping: { type: 'by_id', event_payload_key: 'who' },
      value_settings: { event_payload_key: 'much' },
    }
    expect(event({}, { meter: other }).payload).toEqual({ who: 'cus_1', much: '1' })
  })

  test.each([
    [0, '0'],
    [-0, '0'],
    [12.5, '12.5'],
    [1e-7, '0.0000001'],
    ['007.50', '7.5'],
    ['0.000000000001', '0.000000000001'],
    [999_999_999_999_999, '999999999999999'],
    [0.1 + 0.2, '0.3'],
    [2 / 3, '0.666666666667'],
    [1e-13, '0'],
    [12345.678901234567, '12345.678901234567'],
  ])('of %s is sent as exactly %s', (value, text) => {
    expect(event({ value }).payload['value']).toBe(text)
  })

  test.each([NaN, Infinity, 1e15, '', ' 1', '1e3', '1,5', '0x10', '+1', '.5', '0.0000000000001', 'NaN'])(
    'is refused if its value is %j',
    (value) => {
      expect(refusal({ value }, { byKey: true })).toEqual(['#/value'])
    },
  )

  test('is refused if it is negative, also with a service key', () => {
    for (const value of [-3, '-0.5', '-3'])
      for (const byKey of [true, false]) expect(refusal({ value }, { byKey })).toEqual(['#/value'])
  })

  test('may be up to 35 days old and 5 minutes ahead with a service key', () => {
    for (const timestamp of [now - 35 * day, now, now + 5 * minute])
      expect(event({ timestamp }, { byKey: true }).timestamp).toBe(timestamp)
    for (const timestamp of [now - 35 * day - 1, now + 5 * minute + 1, -1, NaN, 1.5])
      expect(refusal({ timestamp }, { byKey: true })).toEqual(['#/timestamp'])
  })

  test('may not be later than now with a session, in live mode and in test mode', () => {
    for (const livemode of [true, false]) {
      expect(event({ timestamp: now }, { livemode }).timestamp).toBe(now)
      expect(refusal({ timestamp: now + 1 }, { livemode })).toEqual(['#/timestamp'])
      expect(refusal({ timestamp: now - 35 * day - 1 }, { livemode })).toEqual(['#/timestamp'])
    }
  })

  test('may be 40 days ahead with a service key in test mode, because of test clocks', () => {
    const ahead = { livemode: false, byKey: true }
    expect(event({ timestamp: now + 40 * day }, ahead).timestamp).toBe(now + 40 * day)
  })

  test.each<Meter>([
    { ...meter, default_aggregation: { formula: 'last' } },
    { ...meter, event_time_window: 'hour' },
    { ...meter, default_aggregation: { formula: 'count' }, event_time_window: 'day' },
  ])('that replaces an earlier report requires a service key: %j', (replaced) => {
    for (const value of [0, 1, -1])
      expect(refusedWith(() => event({ value }, { meter: replaced }))).toMatchObject({
        code: 'not_allowed',
        status: 403,
      })
    expect(event({ value: 0 }, { meter: replaced, byKey: true }).payload['value']).toBe('0')
  })

  test('never shares its identifier with a report of another tenant or meter, or a session’s report with a service key’s report', () => {
    const other = { ...meter, id: 'read' }
    const all = [
      event({}, { tenantId: 'a', identifier: 'b' }),
      // A session cannot use up an identifier that a service key will use.
      event({}, { tenantId: 'a', identifier: 'b', byKey: true }),
      event({}, { tenantId: 'b', identifier: 'b' }),
      event({}, { tenantId: 'a', meter: other, identifier: 'b' }),
      event({}, { tenantId: 'a', identifier: 'b'.repeat(100) }),
      event({}, { tenantId: 'b', identifier: 'b'.repeat(100) }),
      event({}, { tenantId: 'a', identifier: 'b'.repeat(101) }),
    ].map(({ identifier }) => identifier)
    expect(new Set(all).size).toBe(all.length)
    for (const identifier of all) expect(identifier.length).toBeLessThanOrEqual(100)
    expect(event({}, { tenantId: 'a', identifier: 'b'.repeat(100) }).identifier).toBe(all[4])
  })

  test.each(['', 'a\u0000', '\ud800', 'x'.repeat(256)])('is refused with the identifier %j', (identifier) => {
    expect(refusal({}, { identifier })).toEqual(['#/identifier'])
  })
})

describe('the identifier of a usage report at the processor', () => {
  const meters = new Set(['readings', 'measurements'])

  test('is split into tenant and identifier if its middle part is an id that the meter has or had', () => {
    for (const whole of ['acme:readings:day:7', '~acme:measurements:day:7'])
      expect(readIdentifier(whole, meters)).toEqual({ tenantId: 'acme', identifier: 'day:7' })
    expect(readIdentifier(event().identifier, meters)).toEqual({ tenantId: 'acme', identifier: 'a' })
  })

  test('belongs to no tenant if its middle part is not an id of the meter, e.g. in a timestamp', () => {
    for (const whole of ['2026-01-01T10:00:00Z', 'acme:calls:day-7', 'acme:readings:', '~:readings:a', 'lost-1'])
      expect(readIdentifier(whole, meters)).toEqual({ tenantId: null, identifier: whole })
    expect(readIdentifier('acme:readings:a', new Set())).toEqual({ tenantId: null, identifier: 'acme:readings:a' })
  })

  test('is a hash of the reported identifier if the reported identifier is too long', () => {
    expect(isDigest(event({}, { identifier: 'x'.repeat(200) }).identifier)).toBe(true)
    expect(isDigest('lost-1')).toBe(false)
  })
})
