// The specification, "Errors", "Limits" and "Versioning".
import { describe, expect, test } from 'vitest'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'
import { admin, sampleConfig, startPushedApp } from '../support/app.ts'
import { startedForAll } from '../support/started.ts'
import { elsewhere } from './elsewhere.ts'

type Fields = Record<string, unknown>
const price = (fields: Fields = {}): Fields => ({
  id: 'pro',
  amount: 1200,
  currency: 'usd',
  interval: 'month',
  ...fields,
})
const meter = { id: 'calls', display_name: 'Calls', event_name: 'call' }
const hook = (id: string) => ({ id, url: 'https://example.com/hook', events: ['invoice.paid'] })
const config = (fields: Fields): Fields => ({ version: '1.0.0', products: [{ id: 'pro', name: 'Pro' }], ...fields })
const products = (...all: Fields[]) => config({ products: all })
const prices = (...all: Fields[]) => products({ id: 'pro', name: 'Pro', prices: all })

describe('a push fails validation if', () => {
  const app = startedForAll(() => startPushedApp())

  test.each<[string, Fields, string]>([
    ['a product has no id', products({ name: 'Pro' }), 'field_missing'],
    ['a product has no name', products({ id: 'pro' }), 'field_missing'],
    ['a price has no id', prices(price({ id: undefined })), 'field_missing'],
    ['a price has no currency', prices(price({ currency: undefined })), 'field_missing'],
    ['a price has neither an amount nor tiers', prices(price({ amount: undefined })), 'amount_or_tiers'],
    ['a meter has no display name', config({ meters: [{ ...meter, display_name: undefined }] }), 'field_missing'],
    ['an amount is negative', prices(price({ amount: -1 })), 'amount_negative'],
    ['a currency is unknown', prices(price({ currency: 'usx' })), 'currency_unknown'],
    ['an interval is unknown', prices(price({ interval: 'fortnight' })), 'interval_unknown'],
    ['a tiered price has no tiers', prices(price({ amount: undefined, billing_scheme: 'tiered' })), 'tiers_missing'],
    ['a metered price names no meter', prices(price({ usage_type: 'metered' })), 'meter_missing'],
    ['a metered price names an unknown meter', prices(price({ usage_type: 'metered', meter: 'x' })), 'meter_undefined'],
    ['the version is 1.0', config({ version: '1.0' }), 'version_format'],
    ['the version is v1.0.0', config({ version: 'v1.0.0' }), 'version_format'],
    ['there is no product', config({ products: [] }), 'products_empty'],
    ['two products have one id', products({ id: 'a', name: 'A' }, { id: 'a', name: 'B' }), 'id_duplicate'],
    [
      'two prices have one id, in whatever products',
      products({ id: 'a', name: 'A', prices: [price()] }, { id: 'b', name: 'B', prices: [price()] }),
      'id_duplicate',
    ],
    ['two meters have one id', config({ meters: [meter, { ...meter, event_name: 'other' }] }), 'id_duplicate'],
    ['two webhooks have one URL', config({ webhooks: [hook('a'), hook('b')] }), 'webhook_url_duplicate'],
  ])('%s', async (_, document, code) => {
    expect(validateConfig(document).errors.map((issue) => issue.code)).toContain(code)
    const pushed = await app.asAdmin({ method: 'POST', url: `${admin}/config`, payload: document })
    expect([pushed.statusCode, pushed.json<{ code: string }>().code]).toEqual([422, 'config_invalid'])
    expect((await app.asAdmin({ url: `${admin}/config` })).json()).toMatchObject({ revision: 1 })
  })
})

test('versions are three numbers: 1.0.0 and 10.20.30', () => {
  for (const version of ['1.0.0', '10.20.30']) expect(validateConfig(config({ version })).errors).toEqual([])
})

elsewhere('a schedule runs at most once a minute', 'test/specification/7-workers.test.ts', "'* * * * * *'")
elsewhere(
  'a run starts within seconds of its time',
  'test/workers/runtime/scheduler.test.ts',
  'schedules fire automatically',
)
elsewhere(
  'a run that is due while the one before still goes on is skipped',
  'test/workers/runtime/scheduler.test.ts',
  'a scheduled time during the previous run is skipped',
)
elsewhere(
  'a scheduled run has the CPU limit of a request',
  'test/workers/runtime/fleet.slow.test.ts',
  'endless loops in a request and in a scheduled run end at the CPU limit',
)
elsewhere('there is at least one product', 'test/specification/2-resources.test.ts', 'products_empty')
elsewhere('there are twenty currencies', 'test/specification/2-resources.test.ts', 'toHaveLength(20)')
elsewhere(
  'every accepted change is in the history, and paths begin with /api/v1/',
  'test/specification/4-endpoints.test.ts',
  'GET config/history returns pages',
)
elsewhere('the schema is published', 'test/specification/4-endpoints.test.ts', 'GET schema returns the JSON Schema')

test('a document that keeps every rule is valid', () => {
  expect(validateConfig(sampleConfig())).toMatchObject({ valid: true, errors: [] })
})
