// The names of the cookies with and without TLS. The other name is ignored.
import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { admin, billing, sampleConfig, startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts'

const own = { 'sec-fetch-site': 'same-origin' }

async function open(options: TestAppOptions): Promise<TestApp> {
  const test = await startTestApp(options)
  onTestFinished(() => test.close())
  await test.push(sampleConfig())
  return test
}

const signIn = (test: TestApp, headers: Readonly<Record<string, string>> = {}) =>
  test.inject({
    method: 'POST',
    url: '/dashboard/session',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...own, ...headers },
    payload: new URLSearchParams({ key: test.key }).toString(),
  })
const mint = async (test: TestApp, headers: Readonly<Record<string, string>> = {}) => {
  await test.asAdmin({ method: 'POST', url: `${admin}/tenants`, payload: { id: 'buyer', name: 'Buyer' } })
  return test.asAdmin({ method: 'POST', url: `${admin}/sessions`, payload: { tenant_id: 'buyer' }, headers })
}
const isSession = async (test: TestApp, cookie: string, headers: Readonly<Record<string, string>> = {}) =>
  (await test.inject({ url: `${billing}/entitlements`, headers: { cookie, ...headers } })).statusCode !== 401
const isSignedIn = async (test: TestApp, cookie: string, headers: Readonly<Record<string, string>> = {}) =>
  (await test.inject({ url: '/dashboard/sign-in?next=/dashboard', headers: { cookie, ...headers } })).statusCode === 303
const only = ({ cookies: [cookie] }: LightMyRequestResponse) => cookie ?? { name: '', value: '' }

describe('with a public URL that uses https,', () => {
  const options = { publicUrl: 'https://billing.example.com' }

  it('the session cookie has the __Host- prefix, and a cookie without the prefix is ignored', async () => {
    const test = await open(options)
    const cookie = only(await mint(test))
    expect(cookie).toMatchObject({ name: '__Host-ratecard_session', path: '/', secure: true, httpOnly: true })
    expect(cookie).not.toHaveProperty('domain')
    expect(await isSession(test, `__Host-ratecard_session=${cookie.value}`)).toBe(true)
    expect(await isSession(test, `ratecard_session=${cookie.value}`)).toBe(false)
    const tossed = `ratecard_session=x; __Host-ratecard_session=${cookie.value}; ratecard_session=y`
    expect(await isSession(test, tossed)).toBe(true)
  })

  it('the dashboard’s cookie has the __Host- prefix, and authenticates pages of the dashboard only', async () => {
    const test = await open(options)
    const response = await signIn(test)
    const cookie = only(response)
    expect(cookie).toMatchObject({ name: '__Host-ratecard_dashboard', path: '/', secure: true, sameSite: 'Strict' })
    const sent = `__Host-ratecard_dashboard=${cookie.value}`
    expect(await isSignedIn(test, sent)).toBe(true)
    expect(await isSignedIn(test, `ratecard_dashboard=${cookie.value}`)).toBe(false)
    expect((await test.inject({ url: `${admin}/config`, headers: { cookie: sent } })).statusCode).toBe(401)
    const out = await test.inject({ method: 'POST', url: '/dashboard/sign-out', headers: { cookie: sent, ...own } })
    expect(only(out)).toMatchObject({ name: '__Host-ratecard_dashboard', value: '', path: '/', secure: true })
    expect(await isSignedIn(test, sent)).toBe(false)
  })
})

describe('behind a proxy that terminates TLS,', () => {
  const overTls = { 'x-forwarded-proto': 'https' }

  it('the cookies have the __Host- prefix if the proxy is trusted', async () => {
    const test = await open({ trustedProxies: ['127.0.0.1'] })
    const session = only(await mint(test, overTls))
    const dashboard = only(await signIn(test, overTls))
    expect([session.name, dashboard.name]).toEqual(['__Host-ratecard_session', '__Host-ratecard_dashboard'])
    expect(await isSession(test, `__Host-ratecard_session=${session.value}`, overTls)).toBe(true)
    expect(await isSignedIn(test, `__Host-ratecard_dashboard=${dashboard.value}`, overTls)).toBe(true)
  })

  it('the cookies have no prefix if the proxy is not trusted', async () => {
    const test = await open({})
    expect([only(await mint(test, overTls)).name, only(await signIn(test, overTls)).name]).toEqual([
      'ratecard_session',
      'ratecard_dashboard',
    ])
  })
})

it('without TLS a cookie with the __Host- prefix is ignored', async () => {
  const test = await open({})
  const session = only(await mint(test))
  expect([session.name, await isSession(test, `ratecard_session=${session.value}`)]).toEqual(['ratecard_session', true])
  expect(await isSession(test, `__Host-ratecard_session=${session.value}`)).toBe(false)
})
