// Access to the checkout: cookies, keys, and the origins of pages.
import { beforeAll, describe, expect, it } from 'vitest'
import { billing, startPushedApp, startTestApp } from '../../support/app.ts'
import { cookieOf, nobody, sessionOf, urls } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(() => startPushedApp({ allowedRedirects: ['https://shop.example.test'] }))
let cookie: string

beforeAll(async () => {
  cookie = cookieOf(await sessionOf(test, 'acme'))
})

const checkout = `${billing}/checkout`
const post = (url: string, payload: object, headers: Record<string, string>) =>
  test.inject({ method: 'POST', url, payload, headers })
const pro = { price_id: 'pro_monthly', ...urls }

describe('a page of another site', () => {
  const preflight = (origin: string, url = checkout) =>
    test.app.inject({
      method: 'OPTIONS',
      url,
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    })

  it('may use the session cookie if its origin is allowed', async () => {
    for (const origin of ['https://shop.example.test', 'http://localhost:3000', 'http://127.0.0.1:8080']) {
      const answer = await preflight(origin)
      expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([204, origin])
      expect(answer.headers['access-control-allow-credentials']).toBe('true')
      expect(answer.headers['access-control-allow-methods']).toBe('POST')
      expect(String(answer.headers['vary'])).toContain('Origin')
      const response = await post(checkout, pro, { cookie, origin })
      expect([response.statusCode, response.headers['access-control-allow-origin']]).toEqual([200, origin])
    }
    for (const origin of [
      'https://evil.test',
      'null',
      'http://shop.example.test',
      'https://shop.example.test.evil.test',
      'https://localhost.evil.test',
      'file://',
    ])
      for (const url of [checkout, `${billing}/portal`, `${billing}/usage`]) {
        const answer = await preflight(origin, url)
        expect([origin, answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([
          origin,
          404,
          undefined,
        ])
        const response = await post(url, {}, { cookie, origin })
        expect([origin, response.statusCode, response.json().code]).toEqual([origin, 403, 'not_allowed'])
        expect(response.headers['access-control-allow-origin']).toBeUndefined()
      }
  })

  it('can read the price list without credentials', async () => {
    const answer = await preflight('https://evil.test', `${billing}/config`)
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([204, '*'])
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('cannot submit an HTML form, because a checkout accepts only JSON (415)', async () => {
    const response = await test.inject({
      method: 'POST',
      url: checkout,
      payload: 'price_id=pro_monthly',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(response.statusCode).toBe(415)
  })
})

describe('the credential of a checkout', () => {
  it('is the key if the request has both key and cookie, and the tenant is that of the cookie: a wrong key or cookie is refused', async () => {
    const wrong = await post(checkout, pro, { cookie, 'x-service-key': 'wrong' })
    expect([wrong.statusCode, wrong.json().code]).toEqual([401, 'service_key_invalid'])
    const foreign = await post(checkout, pro, { cookie: cookieOf('nothing'), 'x-service-key': test.key })
    expect([foreign.statusCode, foreign.json().code]).toEqual([401, 'session_invalid'])
    const both = await post(checkout, pro, { cookie, 'x-service-key': test.key })
    expect(both.statusCode).toBe(200)
    const { metadata } = await test.stripe.checkout.sessions.retrieve(both.json().session_id)
    expect(metadata?.['ratecard_tenant_id']).toBe('acme')
  })

  it('is refused as soon as its tenant is removed or its session is revoked', async () => {
    await test.service.createTenant({ id: 'brief', name: 'B' }, nobody)
    const kept = await test.service.createSession('brief', null)
    const revoked = await test.service.createSession('brief', null)
    await test.service.revokeSession(revoked.id)
    const answer = async (value: string) => (await post(checkout, pro, { cookie: cookieOf(value) })).statusCode
    expect([await answer(kept.value), await answer(revoked.value)]).toEqual([200, 401])
    await test.service.removeTenant('brief', nobody)
    expect(await answer(kept.value)).toBe(401)
  })

  it('counts towards the rate limit of the client’s address if the credential is wrong', async () => {
    const limited = await startTestApp({ rateLimit: 3 })
    try {
      const guess = (headers: Record<string, string>) =>
        limited.inject({ method: 'POST', url: checkout, payload: pro, headers, remoteAddress: '203.0.113.7' })
      const statuses = []
      for (const value of ['a', 'b', 'c', 'd']) statuses.push((await guess({ cookie: cookieOf(value) })).statusCode)
      statuses.push((await guess({})).statusCode)
      expect(statuses).toEqual([401, 401, 401, 429, 429])
      const genuine = cookieOf(await sessionOf(limited, 'customer'))
      // There is no configuration, so this response shows that the session was accepted.
      expect((await guess({ cookie: genuine })).json().code).toBe('config_not_found')
    } finally {
      await limited.close()
    }
  })
})
