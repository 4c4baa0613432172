// The specification, "Resources and their fields": what a document may contain.
import { describe, expect, test } from 'vitest'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'
import { mergeFiles } from '../../packages/ratecard/src/document/files/merge-files.ts'
import { parseSource } from '../../packages/ratecard/src/document/files/source.ts'
import { sampleConfig, startPushedApp, billing, admin } from '../support/app.ts'
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
const product = (fields: Fields = {}): Fields => ({ id: 'pro', name: 'Pro', ...fields })
const config = (fields: Fields = {}): Fields => ({ version: '1.0.0', products: [product()], ...fields })
const priced = (fields: Fields) => config({ products: [product({ prices: [price(fields)] })] })
const codes = (document: unknown) => validateConfig(document).errors.map(({ code }) => code)

describe('a configuration document', () => {
  test('has the members $schema, version, webhooks, meters, products, coupons and promotion_codes', () => {
    expect(codes({ $schema: 'https://example.com/schema.json', ...sampleConfig() })).toEqual([])
  })

  test('needs a version and at least one product, and nothing else', () => {
    expect(codes(config())).toEqual([])
    expect(codes({ products: [product()] })).toEqual(['field_missing'])
    expect(codes(config({ products: [] }))).toEqual(['products_empty'])
  })

  test('may be split into files, each with `version` and `products` and any other section', () => {
    const file = (path: string, fields: Fields) => parseSource({ path, text: JSON.stringify(config(fields)) })
    const { document, issues } = mergeFiles([
      file('subscriptions.json', { products: [product({ prices: [price()] })] }),
      file('usage.json', { products: [], meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }] }),
    ])
    expect(issues).toEqual([])
    expect(document).toMatchObject({ products: [{ id: 'pro' }], meters: [{ id: 'calls' }] })
  })

  elsewhere(
    'has ${VAR_NAME} in its strings replaced before it is pushed, e.g. in the URL of a webhook',
    'test/document/files.test.ts',
    'interpolation of variables:',
  )
})

describe('a product', () => {
  test('has an id, a name, a description, a type, prices, display hints and a processor id', () => {
    const ui = {
      display_name: 'Pro',
      tagline: 'For teams',
      badge: 'New',
      highlighted: true,
      cta_text: 'Buy',
      sort_order: 1,
    }
    const whole = product({ description: 'For teams', type: 'good', prices: [price()], ui, processor_id: 'prod_1' })
    expect(codes(config({ products: [whole] }))).toEqual([])
    expect(codes(config({ products: [product({ type: 'service' })] }))).toEqual([])
    expect(codes(config({ products: [{ id: 'pro' }] }))).toEqual(['field_missing'])
  })

  test('with a processor id is connected with the existing object instead of created', async () => {
    const app = await startPushedApp()
    const { id } = await app.stripe.products.create({ name: 'Theirs' })
    const pushed = await app.push({ version: '2.0.0', products: [{ id: 'ours', name: 'Theirs', processor_id: id }] })
    const read = await app.inject({ url: `${billing}/config/products/ours` })
    await app.close()
    expect(pushed.statusCode).toBe(200)
    expect(read.json()).toMatchObject({ product: { id: 'ours', processor_id: id } })
  })
})

describe('a price', () => {
  test('has an amount from zero up, in minor units, or tiers', () => {
    expect(codes(priced({ amount: 0 }))).toEqual([])
    expect(codes(priced({ amount: -1 }))).toEqual(['amount_negative'])
    expect(codes(priced({ amount: 12.5 }))).toEqual(['type_wrong'])
    const tiers = [
      { up_to: 10, unit_amount: 5 },
      { up_to: 'inf', unit_amount: 3 },
    ]
    expect(codes(priced({ amount: undefined, billing_scheme: 'tiered', tiers }))).toEqual([])
    expect(codes(priced({ amount: undefined }))).toEqual(['amount_or_tiers'])
  })

  test('is in one of twenty currencies', () => {
    const twenty = 'usd eur gbp cad aud jpy inr brl mxn sgd hkd nzd chf sek dkk nok pln czk ils zar'.split(' ')
    expect(twenty).toHaveLength(20)
    for (const currency of twenty) expect(codes(priced({ currency }))).toEqual([])
    for (const currency of ['krw', 'USD', 'xxx', 'us'])
      expect(codes(priced({ currency }))).toEqual(['currency_unknown'])
  })

  test('is billed by day, week, month or year, by licence or meter, per unit or in tiers', () => {
    for (const interval of ['day', 'week', 'month', 'year']) expect(codes(priced({ interval }))).toEqual([])
    expect(codes(priced({ interval: 'decade' }))).toEqual(['interval_unknown'])
    expect(codes(priced({ usage_type: 'licensed', billing_scheme: 'per_unit' }))).toEqual([])
    expect(codes(priced({ usage_type: 'used' }))).toEqual(['enum_unknown'])
  })

  test('may be hidden, the default of its product, of a template or of an enterprise id, and adopted', () => {
    expect(codes(priced({ public: false }))).toEqual([])
    expect(codes(priced({ default: true, processor_id: 'price_1' }))).toEqual([])
    const deal = (fields: Fields) =>
      config({ products: [product({ prices: [price(), price({ id: 'pro_x', ...fields })] })] })
    expect(codes(deal({ public: false, enterprise_template: 'gold' }))).toEqual([])
    expect(codes(deal({ public: false, enterprise_id: 'acme' }))).toEqual([])
  })

  test('has display hints', () => {
    const ui = {
      ...{ display_name: 'Pro', billing_period: 'a month', features: ['Unlimited'] },
      price_display: { custom_text: 'Ask us', show_currency: true, suffix: '/ seat' },
      limits: [{ text: 'Projects', value: 10, unit: 'projects' }],
    }
    expect(codes(priced({ ui }))).toEqual([])
  })
})

test('a meter has an id, a display name and an event name', () => {
  const meter = { id: 'calls', display_name: 'Calls', event_name: 'call' }
  expect(codes(config({ meters: [meter] }))).toEqual([])
  for (const name of Object.keys(meter))
    expect(codes(config({ meters: [{ ...meter, [name]: undefined }] }))).toEqual(['field_missing'])
})

test('a webhook has an id, a URL and event types', () => {
  const events = ['invoice.created', 'payment_intent.succeeded', 'customer.subscription.updated']
  expect(codes(config({ webhooks: [{ id: 'main', url: 'https://example.com/hook', events }] }))).toEqual([])
})

describe('what the service returns:', () => {
  const app = startedForAll(() => startPushedApp())

  test('a mapping has config_id, processor_id, item_type and history_count', async () => {
    const { meter } = (await app.inject({ url: `${billing}/config/meters/api_calls` })).json<{
      meter: { processor_id: string }
    }>()
    expect((await app.inject({ url: `${billing}/convert/processor-id/${meter.processor_id}` })).json()).toMatchObject({
      ...{ config_id: 'api_calls', processor_id: meter.processor_id, item_type: 'meter', history_count: 1 },
    })
  })

  test('the report of a push lists ids of products, prices, meters and webhooks by what happened to them', async () => {
    const { changes } = (await app.push({ ...sampleConfig(), version: '1.0.1' }, '?dry_run=true')).json<{
      changes: object
    }>()
    const three = { created: [], updated: [], archived: [] }
    expect(changes).toMatchObject({
      products: three,
      prices: three,
      meters: { created: [], updated: [], deactivated: [] },
      webhooks: { created: [], updated: [], unchanged: ['main_hook'] },
    })
  })

  test('a list of enterprise prices has their ids and amounts', async () => {
    const listed = await app.asAdmin({ url: `${admin}/enterprise/prices/by-template/gold` })
    expect(listed.json()).toMatchObject({ prices: [{ id: 'pro_monthly_gold', amount: 1000 }] })
  })
})
