// The specification, "Endpoints": the public ones and those for a service key.
import { describe, expect, test } from 'vitest'
import { admin, billing, changedConfig, sampleConfig, startPushedApp } from '../support/app.ts'
import { startedForAll, startedForEach } from '../support/started.ts'
import { elsewhere } from './elsewhere.ts'

describe('without a credential,', () => {
  const app = startedForAll(() => startPushedApp())
  const read = async (path: string) => (await app.inject({ url: `${billing}/${path}` })).json<Record<string, unknown>>()

  test('GET schema returns the JSON Schema of a configuration', async () => {
    expect(await read('schema')).toMatchObject({ type: 'object', required: ['version', 'products'] })
  })

  test('GET config returns the configuration with public prices only', async () => {
    const { config } = await read('config')
    expect(config).toMatchObject({
      version: '1.0.0',
      products: [{ id: 'free' }, { id: 'pro', prices: [{ id: 'pro_monthly' }] }, { id: 'usage' }, { id: 'announced' }],
    })
  })

  test('GET config/prices, products and meters return one of them by its configuration id', async () => {
    expect(await read('config/prices/pro_monthly')).toMatchObject({ price: { id: 'pro_monthly', amount: 1200 } })
    expect(await read('config/products/pro')).toMatchObject({ product: { id: 'pro', name: 'Pro' } })
    expect(await read('config/meters/api_calls')).toMatchObject({ meter: { id: 'api_calls', event_name: 'api_call' } })
    expect(await read('config/prices/pro_secret')).toMatchObject({ status: 404, code: 'price_not_found' })
  })

  test('POST calculate returns the cost of a quantity', async () => {
    const cost = async (id: string, quantity: number) =>
      (
        await app.inject({ method: 'POST', url: `${billing}/config/prices/${id}/calculate`, payload: { quantity } })
      ).json<object>()
    expect(await cost('pro_monthly', 3)).toMatchObject({ quantity: 3, amount: 3600, currency: 'usd' })
    // 100 for nothing, 50 at half a cent, and 10 cents once.
    expect(await cost('usage_graduated', 150)).toMatchObject({ amount: 35 })
  })

  test('GET convert/processor-id returns the mapping of a public object, and no other', async () => {
    const { config } = (await app.asAdmin({ url: `${admin}/config` })).json<{
      config: { products: { processor_id: string }[] }
    }>()
    const [, pro, , backstage] = config.products
    expect(await read(`convert/processor-id/${pro?.processor_id ?? ''}`)).toMatchObject({
      config_id: 'pro',
      item_type: 'product',
    })
    expect(await read(`convert/processor-id/${backstage?.processor_id ?? ''}`)).toMatchObject({ status: 404 })
  })
})

describe('with the service key,', () => {
  const app = startedForEach(() => startPushedApp())
  const read = async (path: string) => (await app.asAdmin({ url: `${admin}/${path}` })).json<Record<string, unknown>>()
  const post = (path: string, payload: object) => app.asAdmin({ method: 'POST', url: `${admin}/${path}`, payload })

  test('GET config returns the whole configuration, with hidden and enterprise prices', async () => {
    const ids = [{ id: 'pro_monthly' }, { id: 'pro_secret' }, { id: 'pro_monthly_acme' }, { id: 'pro_monthly_gold' }]
    expect(await read('config')).toMatchObject({ config: { products: [{}, { id: 'pro', prices: ids }, {}, {}, {}] } })
  })

  test('POST config updates the configuration', async () => {
    await post(
      'config',
      changedConfig('1.1.0', ({ products }) => products.push({ id: 'next', name: 'Next' })),
    )
    expect(await read('config')).toMatchObject({ version: '1.1.0', revision: 2 })
  })

  test('POST config/validate returns a result, and applies nothing', async () => {
    const valid = async (document: object) => (await post('config/validate', document)).json<object>()
    expect(await valid(changedConfig('1.1.0', ({ products }) => products.pop()))).toMatchObject({
      valid: true,
      errors: [],
    })
    expect(await valid({ version: 'v1', products: [] })).toMatchObject({
      valid: false,
      errors: [{ code: 'version_format' }, { code: 'products_empty' }],
    })
    expect(await read('config')).toMatchObject({ revision: 1 })
  })

  test('GET config/history returns pages of `limit` versions from `offset`', async () => {
    for (const version of ['1.0.1', '1.0.2'])
      await post(
        'config',
        changedConfig(version, ({ products }) => products.push({ id: `p${version}`, name: version })),
      )
    expect(await read('config/history?limit=1&offset=1')).toMatchObject({
      versions: [{ version: '1.0.1' }],
      pagination: { limit: 1, offset: 1, total: 3 },
    })
  })

  test('GET config/pull returns the configuration of the account at the processor', async () => {
    await app.stripe.products.create({ name: 'Made by hand' })
    const products = [...sampleConfig().products.map(({ id }) => ({ id })), { name: 'Made by hand' }]
    expect(await read('config/pull')).toMatchObject({ products })
  })

  test('POST config/reset archives everything', async () => {
    await app.asAdmin({ method: 'POST', url: `${admin}/config/reset` })
    expect((await app.stripe.products.list({ active: true })).data).toEqual([])
  })

  test('GET webhooks lists the webhooks with their signing secrets', async () => {
    expect(await read('webhooks')).toMatchObject({
      webhooks: [
        {
          id: 'main_hook',
          url: 'https://hooks.example.test/billing',
          secret: expect.stringMatching(/^whsec_/) as string,
        },
      ],
    })
  })

  test('GET enterprise/prices returns the prices of a template or of an enterprise id', async () => {
    expect(await read('enterprise/prices/by-template/gold')).toMatchObject({ prices: [{ id: 'pro_monthly_gold' }] })
    expect(await read('enterprise/prices/by-id/acme')).toMatchObject({
      prices: [{ id: 'pro_monthly_acme', amount: 800 }],
    })
  })
})

elsewhere(
  'POST enterprise/apply-template and apply-custom take a tenant and a template or enterprise id, and return the count of swapped prices',
  'test/specification/5-enterprise-and-checkout.test.ts',
  'the count of swapped prices is returned',
)
