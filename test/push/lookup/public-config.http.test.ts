import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { billing, startPushedApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startPushedApp)

const path = `${billing}/config`
const withKey = () => ({ 'x-service-key': test.key })

describe('the public configuration', () => {
  it('contains public prices with their processor ids, and no hidden prices or notes', async () => {
    const response = await test.inject({ url: path })
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    const served = response.json()
    expect(served).toMatchObject({ version: '1.0.0', revision: 1, created_at: served.updated_at })
    expect(served.id).toMatch(/^cfg_1_[0-9a-f]{12}$/)
    const products = served.config.products as {
      id: string
      processor_id: string
      prices?: { id: string; processor_id: string }[]
    }[]
    expect(products.map(({ id, prices }) => [id, prices?.map((price) => price.id)])).toEqual([
      ['free', ['free']],
      ['pro', ['pro_monthly']],
      ['usage', ['usage_graduated']],
      ['announced', undefined],
    ])
    expect(products[0]?.prices?.[0]?.processor_id).toBe('free')
    expect(products[1]?.prices?.[0]?.processor_id).toMatch(/^price_/)
    expect(products.every(({ processor_id }) => processor_id.length > 0)).toBe(true)
    expect(Object.keys(served.config)).not.toEqual(expect.arrayContaining(['webhooks']))
    for (const hidden of ['secret', 'acme', 'gold', 'backstage', 'hook', 'welcome', 'HELLO'])
      expect(response.body).not.toContain(hidden)
  })

  it('is the same with a service key, because the whole document has a separate route', async () => {
    const [open, keyed] = [await test.inject({ url: path }), await test.inject({ url: path, headers: withKey() })]
    expect(keyed.body).toBe(open.body)
  })

  it('can be read by any origin, and caches must revalidate the response', async () => {
    const response = await test.inject({ url: path, headers: { origin: 'https://shop.example.test' } })
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=0, must-revalidate',
      vary: 'Accept-Encoding',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(response.headers['access-control-expose-headers']).toContain('ETag')
  })

  it('is compressed as requested, and each encoding has its own strong ETag', async () => {
    const plain = await test.inject({ url: path })
    const cases = [
      ['gzip', 'gzip', gunzipSync],
      ['br', 'br', brotliDecompressSync],
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['br;q=0.1, gzip;q=0.9', 'gzip', gunzipSync],
      ['*', 'br', brotliDecompressSync],
      ['GZIP', 'gzip', gunzipSync],
    ] as const
    for (const [accept, encoding, unpack] of cases) {
      const response = await test.inject({ url: path, headers: { 'accept-encoding': accept } })
      expect([accept, response.headers['content-encoding']]).toEqual([accept, encoding])
      expect(unpack(response.rawPayload).toString()).toBe(plain.body)
      expect(response.headers['etag']).toBe(String(plain.headers['etag']).replace(/"$/, `-${encoding}"`))
      expect(response.headers['content-length']).toBe(String(response.rawPayload.length))
    }
    for (const accept of ['identity', 'gzip;q=0, br;q=0', 'zstd', '']) {
      const response = await test.inject({ url: path, headers: { 'accept-encoding': accept } })
      expect([accept, response.headers['content-encoding'], response.body]).toEqual([accept, undefined, plain.body])
    }
  })

  it('returns 304 if If-None-Match matches the ETag: alone, in a list, weak, as *, or of another encoding', async () => {
    const etag = String((await test.inject({ url: path })).headers['etag'])
    expect(etag).toMatch(/^"[^"]+"$/)
    for (const header of [
      etag,
      `W/${etag}`,
      `"other", ${etag}`,
      `"a",W/${etag},"b"`,
      '*',
      etag.replace(/"$/, '-gzip"'),
    ]) {
      const response = await test.inject({ url: path, headers: { 'if-none-match': header } })
      expect([header, response.statusCode, response.body]).toEqual([header, 304, ''])
      expect(response.headers['etag']).toBe(header.includes('-gzip') ? header : etag)
      expect(response.headers['cache-control']).toBeDefined()
      expect(response.headers['content-type']).toBeUndefined()
    }
    for (const header of ['"other"', etag.slice(1, -1), '', `${etag.slice(0, -1)}x"`]) {
      const response = await test.inject({ url: path, headers: { 'if-none-match': header } })
      expect([header, response.statusCode]).toEqual([header, 200])
    }
  })

  it('is also available with HEAD, with the headers of GET', async () => {
    const [get, head] = [await test.inject({ url: path }), await test.inject({ method: 'HEAD', url: path })]
    expect([head.statusCode, head.body]).toEqual([200, ''])
    for (const name of ['etag', 'content-length', 'content-type', 'cache-control'])
      expect(head.headers[name]).toBe(get.headers[name])
    const price = await test.inject({ method: 'HEAD', url: `${path}/prices/pro_monthly` })
    expect([price.statusCode, price.body]).toEqual([200, ''])
  })
})

describe('lookups of a single price, product or meter', () => {
  it('return a price with its product, a product or a meter in the public form', async () => {
    const price = (await test.inject({ url: `${path}/prices/pro_monthly` })).json()
    expect(price.price).toMatchObject({
      id: 'pro_monthly',
      amount: 1200,
      processor_id: expect.stringMatching(/^price_/),
    })
    expect(price.product.prices).toEqual([price.price])
    const product = (await test.inject({ url: `${path}/products/pro` })).json()
    expect(product.product).toEqual(price.product)
    const meter = (await test.inject({ url: `${path}/meters/api_calls` })).json()
    expect(meter.meter).toMatchObject({ id: 'api_calls', event_name: 'api_call', processor_id: expect.any(String) })
  })

  it('return hidden prices if the request has a key, and such a response is not cached', async () => {
    const price = await test.inject({ url: `${path}/prices/pro_secret`, headers: withKey() })
    expect(price.statusCode).toBe(200)
    expect(price.headers['cache-control']).toBe('private, no-store')
    expect(price.headers['vary']).toBe('X-Service-Key')
    expect(price.json().product.prices).toHaveLength(4)
    expect((await test.inject({ url: `${path}/products/backstage`, headers: withKey() })).statusCode).toBe(200)
  })

  it('return 304 if If-None-Match matches the ETag', async () => {
    const url = `${path}/products/pro`
    const etag = String((await test.inject({ url })).headers['etag'])
    expect((await test.inject({ url, headers: { 'if-none-match': etag } })).statusCode).toBe(304)
  })

  it('accept any text as an id and return 404 for unknown ids', async () => {
    for (const id of [
      '%2F',
      '%00',
      '..%2f..%2fadmin',
      'a'.repeat(900),
      '%F0%9F%92%B0',
      'constructor',
      '__proto__',
      'toString',
    ])
      for (const kind of ['prices', 'products', 'meters']) {
        const response = await test.inject({ url: `${path}/${kind}/${id}` })
        expect([kind, id, response.statusCode]).toEqual([kind, id, 404])
      }
  })
})

describe('POST calculate for a price', () => {
  const calculate = (id: string, payload: unknown) =>
    test.inject({
      method: 'POST',
      url: `${path}/prices/${id}/calculate`,
      payload: JSON.stringify(payload),
      headers: { 'content-type': 'application/json' },
    })

  it('returns the exact cost with its lines', async () => {
    const response = await calculate('usage_graduated', { quantity: 103 })
    expect(response.headers['access-control-allow-origin']).toBe('*')
    expect(response.json()).toEqual({
      price_id: 'usage_graduated',
      quantity: 103,
      currency: 'usd',
      billing_scheme: 'tiered',
      tiers_mode: 'graduated',
      amount: 12,
      amount_decimal: '11.5',
      effective_unit_amount: expect.stringMatching(/^0\.1116/),
      formatted: '$0.12',
      breakdown: [
        { up_to: 100, quantity: 100, unit_amount: 0, flat_amount: 0, amount: 0 },
        { up_to: 'inf', quantity: 3, unit_amount: '0.5', flat_amount: 10, amount: '11.5' },
      ],
    })
    const flat = (await calculate('pro_monthly', { quantity: 3 })).json()
    expect(flat).toMatchObject({ amount: 3600, billing_scheme: 'per_unit', formatted: '$36.00' })
    expect(flat).not.toHaveProperty('tiers_mode')
  })

  it('returns the same error code for each kind of invalid quantity', async () => {
    for (const quantity of [-1, 1.5, '3', null, true, [], {}, 9007199254740993, undefined]) {
      const response = await calculate('pro_monthly', { quantity })
      expect([quantity, response.statusCode, response.json().code]).toEqual([quantity, 422, 'quantity_invalid'])
      expect(response.json().errors[0].pointer).toBe('#/quantity')
    }
    const huge = await test.inject({
      method: 'POST',
      url: `${path}/prices/pro_monthly/calculate`,
      payload: '{"quantity":1e400}',
      headers: { 'content-type': 'application/json' },
    })
    expect(huge.json().code).toBe('quantity_invalid')
  })

  it('refuses a body with other members than the quantity', async () => {
    for (const [payload, pointer] of [
      [[], '#'],
      ['x', '#'],
      [5, '#'],
      [{ quantity: 1, coupon: 'x' }, '#/coupon'],
    ] as const) {
      const response = await calculate('pro_monthly', payload)
      expect([payload, response.statusCode, response.json().code]).toEqual([payload, 400, 'request_invalid'])
      expect(response.json().errors[0].pointer).toBe(pointer)
    }
  })

  it('may be called from any origin, after a CORS preflight', async () => {
    const preflight = await test.inject({
      method: 'OPTIONS',
      url: `${path}/prices/pro_monthly/calculate`,
      headers: {
        origin: 'https://shop.example.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(preflight.statusCode).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe('*')
    expect(preflight.headers['access-control-allow-methods']).toContain('POST')
    expect(String(preflight.headers['access-control-allow-headers']).toLowerCase()).toContain('content-type')
  })

  it('lets other origins read its error responses', async () => {
    const response = await test.inject({ url: `${path}/prices/none`, headers: { origin: 'https://shop.example.test' } })
    expect([response.statusCode, response.headers['access-control-allow-origin']]).toEqual([404, '*'])
    const unknown = await test.inject({ url: `${billing}/nothing`, headers: { origin: 'https://shop.example.test' } })
    expect([unknown.statusCode, unknown.headers['access-control-allow-origin']]).toEqual([404, '*'])
  })
})

describe('the JSON Schema of billing documents', () => {
  it('is served with headers that allow caching', async () => {
    const response = await test.inject({ url: `${billing}/schema` })
    expect(response.headers['content-type']).toBe('application/schema+json; charset=utf-8')
    expect(response.json()).toMatchObject({ type: 'object' })
    const again = await test.inject({
      url: `${billing}/schema`,
      headers: { 'if-none-match': String(response.headers['etag']) },
    })
    expect(again.statusCode).toBe(304)
  })
})
