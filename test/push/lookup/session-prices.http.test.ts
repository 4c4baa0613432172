// The negotiated prices of a tenant, which only its own session can read.
import { beforeAll, describe, expect, it } from 'vitest'
import { admin, billing, changedConfig, sampleConfig, startTestApp } from '../../support/app.ts'
import { cookieOf, sessionOf } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(() => startTestApp({ allowedRedirects: ['https://shop.example.test'] }))
let cookie: string
let stranger: string

const path = `${billing}/session/prices`
const see = async (headers: Record<string, string>, query = '') => test.inject({ url: path + query, headers })
const deal = (action: string, body: object) =>
  test.asAdmin({ method: 'POST', url: `${admin}/enterprise/${action}`, payload: { tenant_id: 'acme', ...body } })

beforeAll(async () => {
  await test.push(
    changedConfig('1.0.0', ({ products }) => {
      const own = products[1]?.prices?.find(({ id }) => id === 'pro_monthly_gold')
      Object.assign(own ?? {}, { metadata: { margin: 'thin' }, nickname: 'last resort' })
    }),
  )
  cookie = cookieOf(await sessionOf(test, 'acme'))
  stranger = cookieOf(await sessionOf(test, 'stranger'))
})

describe('GET session/prices', () => {
  it('returns an empty list for a tenant without negotiated prices', async () => {
    const response = await see({ cookie })
    expect([response.statusCode, response.json()]).toEqual([200, { prices: [] }])
    expect(response.headers['cache-control']).toBe('no-store')
  })

  it('returns the negotiated price instead of its base price, without notes, and only to the tenant of the deal', async () => {
    await deal('apply-template', { enterprise_template: 'gold' })
    const { prices } = (await see({ cookie })).json()
    expect(prices).toHaveLength(1)
    expect(prices[0]).toMatchObject({
      base_price_id: 'pro_monthly',
      price: { id: 'pro_monthly_gold', amount: 1000, currency: 'usd', interval: 'month' },
    })
    expect(JSON.stringify(prices)).not.toContain('thin')
    expect((await see({ cookie: stranger })).json()).toEqual({ prices: [] })
    await deal('apply-custom', { enterprise_id: 'acme' })
    const [custom] = (await see({ cookie })).json().prices
    expect([custom.base_price_id, custom.price.amount]).toEqual(['pro_monthly', 800])
    await deal('remove', {})
    expect((await see({ cookie })).json()).toEqual({ prices: [] })
  })

  it('omits a negotiated price whose base price is hidden', async () => {
    await deal('apply-template', { enterprise_template: 'gold' })
    await test.push(
      changedConfig('1.0.1', ({ products }) => {
        const base = products[1]?.prices?.find(({ id }) => id === 'pro_monthly')
        Object.assign(base ?? {}, { public: false })
      }),
    )
    expect((await see({ cookie })).json()).toEqual({ prices: [] })
    await test.push(sampleConfig('1.0.2'))
    expect((await see({ cookie })).json().prices).toHaveLength(1)
  })

  it('accepts a service key with a tenant id, and the cookie on pages of allowed origins', async () => {
    const keyed = await see({ 'x-service-key': test.key }, '?tenant_id=acme')
    expect(keyed.json().prices).toHaveLength(1)
    expect((await see({ 'x-service-key': test.key })).statusCode).toBe(400)
    expect((await see({ cookie }, '?tenant_id=stranger')).statusCode).toBe(403)
    expect((await see({})).json().code).toBe('service_key_missing')
    const origin = 'https://shop.example.test'
    const allowed = await see({ cookie, origin })
    expect([allowed.statusCode, allowed.headers['access-control-allow-origin']]).toEqual([200, origin])
    expect(allowed.headers['access-control-allow-credentials']).toBe('true')
    const foreign = await see({ cookie, origin: 'https://evil.test' })
    expect([foreign.statusCode, foreign.headers['access-control-allow-origin']]).toEqual([403, undefined])
    const preflight = await test.app.inject({
      method: 'OPTIONS',
      url: path,
      headers: { origin, 'access-control-request-method': 'GET' },
    })
    expect(preflight.headers['access-control-allow-methods']).toBe('GET')
  })
})
