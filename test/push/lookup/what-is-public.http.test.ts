import { beforeAll, describe, expect, it } from 'vitest'
import { admin, billing, changedConfig, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startTestApp)
const note = 'canary-margin-40'

beforeAll(async () => {
  const document = changedConfig('1.0.0', (config) => {
    config.meters?.push(
      { id: 'hidden_calls', display_name: 'Hidden', event_name: 'hidden' },
      { id: 'idle', display_name: 'Idle', event_name: 'idle' },
    )
    for (const product of config.products) {
      product.metadata = { note }
      for (const price of product.prices ?? []) price.metadata = { note }
    }
    config.products[1]?.prices?.push({
      ...{ id: 'secret_usage', currency: 'usd', interval: 'month', amount: 5, usage_type: 'metered' as const },
      ...{ meter: 'hidden_calls', public: false },
    })
  })
  expect((await test.push(document)).statusCode).toBe(200)
})

describe('the public configuration over HTTP', () => {
  it('contains no metadata of products and prices', async () => {
    for (const path of ['', '/prices/pro_monthly', '/products/pro', '/products/announced', '/meters/api_calls']) {
      const answer = await test.inject({ url: `${billing}/config${path}` })
      expect([path, answer.statusCode]).toEqual([path, 200])
      expect([path, answer.body.includes('metadata') || answer.body.includes(note)]).toEqual([path, false])
    }
  })

  it('has a fixed order of members, so that its bytes stay the same between releases', async () => {
    const { config } = (await test.inject({ url: `${billing}/config` })).json<{ config: object }>()
    expect(Object.keys(config)).toEqual(['version', 'meters', 'products'])
  })

  it('contains each meter of the document, also one that only a hidden price or no price bills', async () => {
    const { config } = (await test.inject({ url: `${billing}/config` })).json<{
      config: { meters: { id: string; processor_id: string }[] }
    }>()
    expect(config.meters.map(({ id }) => id)).toEqual(['api_calls', 'hidden_calls', 'idle'])
    for (const meter of config.meters) {
      expect((await test.inject({ url: `${billing}/config/meters/${meter.id}` })).json()).toEqual({ meter })
      const converted = await test.inject({ url: `${billing}/convert/processor-id/${meter.processor_id}` })
      expect(converted.json()).toMatchObject({ config_id: meter.id, item_type: 'meter' })
    }
    expect((await test.inject({ url: `${billing}/config/meters/nothing` })).json().code).toBe('meter_not_found')
  })

  it('omits metadata, which a service key can read', async () => {
    const { price } = (await test.asAdmin({ url: `${billing}/config/prices/pro_monthly` })).json()
    expect(price.metadata).toEqual({ note })
    expect((await test.asAdmin({ url: `${admin}/config` })).json().config.meters).toHaveLength(3)
  })

  it('contains the limits of products, but not the features that are switches', async () => {
    const document = changedConfig('1.1.0', (config) => {
      config.features = [
        { id: 'sso', name: 'Single sign-on', metadata: { note } },
        { id: 'projects', name: 'Projects', type: 'limit', unit: 'projects', metadata: { note } },
        { id: 'unused', name: 'Unused', type: 'limit' },
      ]
      const [product] = config.products
      if (product !== undefined) product.features = ['sso', { id: 'projects', limit: 10 }]
    })
    expect((await test.push(document)).statusCode).toBe(200)
    const { config } = (await test.inject({ url: `${billing}/config` })).json<{
      config: { features: { processor_id: string }[]; products: { id: string; features?: unknown }[] }
    }>()
    expect(config.products[0]?.features).toEqual([{ id: 'projects', limit: 10 }])
    expect(config.features).toEqual([
      { id: 'projects', name: 'Projects', type: 'limit', unit: 'projects', processor_id: expect.any(String) as string },
    ])
  })
})
