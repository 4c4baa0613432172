// Access to the dashboard and to routes with its cookie: sessions, links, origins, scopes, headers.
import type { LightMyRequestResponse } from 'fastify'
import { beforeAll, describe, expect, it } from 'vitest'
import { changedConfig, sampleConfig, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const api = '/dashboard/api/v1/billing/admin'
const own = { 'sec-fetch-site': 'same-origin' }
const hour = 60 * 60 * 1000

const test = startedForAll(() =>
  startTestApp({ clock: { now: () => Date.now() + offset }, onLog: (line) => log.push(line) }),
)
let offset = 0
const log: string[] = []

beforeAll(async () => {
  await test.push(sampleConfig())
})

const post = (url: string, form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
  test.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
    payload: new URLSearchParams(form).toString(),
  })
const signIn = (key: string, headers: Readonly<Record<string, string>> = own) =>
  post('/dashboard/session', { key }, headers)
const cookieOf = (response: LightMyRequestResponse) => {
  const [cookie] = response.cookies
  if (cookie === undefined) throw new Error(`no cookie came with ${String(response.statusCode)}`)
  return `${cookie.name}=${cookie.value}`
}
const signedIn = async (scope: 'read' | 'write' = 'write') => {
  const key = await test.service.createKey(`for ${scope}`, { scope })
  return { key, cookie: cookieOf(await signIn(key.key)) }
}
/** Returns the token in the HTML, which scripts of other pages cannot read. */
const tokenIn = (document: string) => /<meta name="page-token" content="([\w-]{43})">/.exec(document)?.[1]
const navigation = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' }
const load = (cookie: string, headers: Readonly<Record<string, string>> = navigation, url = '/dashboard') =>
  test.inject({ url, headers: { cookie, ...headers } })
const ofPage = async (cookie: string) => {
  const token = tokenIn((await load(cookie)).body)
  return token === undefined ? {} : { 'x-csrf-token': token }
}
const get = async (cookie: string, url: string, headers: Readonly<Record<string, string>> = own) =>
  test.inject({ url: `${api}${url}`, headers: { cookie, ...(await ofPage(cookie)), ...headers } })
const act = async (cookie: string, url: string, payload: object, headers: Readonly<Record<string, string>> = own) =>
  test.inject({
    method: 'POST',
    url: `${api}${url}`,
    headers: { cookie, ...(await ofPage(cookie)), ...headers },
    payload,
  })
const codeOf = (response: LightMyRequestResponse) => [response.statusCode, response.json().code] as const

describe('the pages of the dashboard', () => {
  it('have a strict content security policy, and the server has a page for each address', async () => {
    for (const url of ['/dashboard', '/dashboard/', '/dashboard/tenants/acme']) {
      const { statusCode, headers, body } = await test.inject({ url })
      expect([url, statusCode, headers['content-type'], headers['cache-control']]).toEqual([
        url,
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ])
      const policy = String(headers['content-security-policy'])
      for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'"])
        expect(policy).toContain(rule)
      expect(policy).not.toContain('unsafe')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(body).not.toMatch(/<script(?![^>]+src=)|<style|\sstyle=|\son\w+=/)
    }
  })

  it('load files with a content hash in their name, which are cached for a year and compressed as requested', async () => {
    const { body } = await test.inject({ url: '/dashboard' })
    const files = [...body.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '')
    expect(files.length).toBeGreaterThan(1)
    for (const url of files) {
      const { statusCode, headers } = await test.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
      expect([statusCode, headers['cache-control'], headers['content-encoding']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
        'br',
      ])
    }
    expect(
      (await test.inject({ url: files[0] ?? '', headers: { 'accept-encoding': 'br;q=0, gzip' } })).headers,
    ).toMatchObject({
      'content-encoding': 'gzip',
    })
    expect(codeOf(await test.inject({ url: '/dashboard/assets/..%2f..%2fpackage.json' }))).toEqual([
      404,
      'route_not_found',
    ])
    expect((await test.inject({ url: '/dashboard/assets/main.js' })).headers['cache-control']).not.toContain(
      'immutable',
    )
  })
})

describe('a page of the dashboard, requested by a signed-in user,', () => {
  const tokenIn = (document: string) => /<meta name="page-token" content="([^"]+)">/.exec(document)?.[1]

  it('contains the CSRF token only if the request is a navigation of the browser with a session', async () => {
    const { cookie } = await signedIn()
    expect(tokenIn((await load(cookie, navigation)).body)).toMatch(/^[\w-]{43}$/)
    for (const goal of ['empty', 'iframe', 'script'])
      expect(tokenIn((await load(cookie, { ...own, 'sec-fetch-dest': goal })).body)).toBeUndefined()
    expect(tokenIn((await load('theme=dark', {})).body)).toBeUndefined()
  })

  it('preloads its own script', async () => {
    const preloaded = (body: string) =>
      [...body.matchAll(/<link rel="modulepreload" href="\/dashboard\/assets\/([\w-]+)-\w+\.js">/g)].map(
        ([, name]) => name,
      )
    for (const [place, script] of [
      ['/tenants', 'tenants'],
      ['/tenants/acme', 'tenant'],
      ['/plan/psh_1', 'push'],
    ] as const)
      expect(preloaded((await test.inject({ url: `/dashboard${place}` })).body)).toContain(script)
    const others = preloaded((await test.inject({ url: '/dashboard/nowhere' })).body)
    expect(new Set(others)).toEqual(new Set(['chunk']))
  })
})

describe('a session of the dashboard', () => {
  it('is created with a key, and its cookie is not available to scripts, other sites and other paths', async () => {
    const response = await signIn(test.key)
    expect([response.statusCode, response.headers.location]).toEqual([303, '/dashboard'])
    expect(response.cookies).toEqual([
      {
        name: 'ratecard_dashboard',
        value: expect.stringMatching(/^[\w-]{43}$/),
        path: '/dashboard',
        httpOnly: true,
        sameSite: 'Strict',
        maxAge: 12 * 60 * 60,
      },
    ])
    const cookie = cookieOf(response)
    expect((await get(cookie, '/config')).json()).toMatchObject({ revision: 1 })
    expect((await get(cookie, '/keys/current')).json()).toMatchObject({ name: 'first', scope: 'owner' })
    expect(codeOf(await test.inject({ url: '/api/v1/billing/admin/config', headers: { cookie } }))).toEqual([
      401,
      'service_key_missing',
    ])
    expect(codeOf(await test.inject({ url: `${api}/config`, headers: { 'x-service-key': test.key } }))).toEqual([
      401,
      'session_invalid',
    ])
  })

  it('has a secure cookie if the browser uses TLS', async () => {
    for (const headers of [{ origin: 'https://billing.example.com' }, { 'x-forwarded-proto': 'https' }])
      expect((await signIn(test.key, { ...own, ...headers })).cookies[0]).toMatchObject({ secure: true })
  })

  it('is refused for a wrong, a revoked and an expired key, with a page that states the reason', async () => {
    const revoked = await test.service.createKey('revoked')
    await test.service.revokeKey(revoked.id)
    const expired = await test.service.createKey('brief', { expiresAt: Date.now() + offset + 1000 })
    offset += 1000
    for (const [key, words] of [
      ['rck_wrong', 'service key is not valid'],
      ['', 'service key is not valid'],
      [revoked.key, 'service key is not valid'],
      [expired.key, 'has expired'],
    ] as const) {
      const response = await signInPage(key)
      expect([response.statusCode, response.cookies]).toEqual([401, []])
      expect(response.body).toContain(words)
      if (key !== '') expect(response.body).not.toContain(key)
    }
  })
  // The error is an HTML page, so the check for problem documents is skipped.
  const signInPage = (key: string) =>
    test.app.inject({
      method: 'POST',
      url: '/dashboard/session',
      headers: { ...own, 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
      payload: new URLSearchParams({ key }).toString(),
    })

  it('never redirects to another site after the sign-in', async () => {
    for (const [next, goes] of [
      ['/dashboard/tenants/acme?x=1', '/dashboard/tenants/acme?x=1'],
      ['https://evil.example', '/dashboard'],
      ['//evil.example', '/dashboard'],
      ['/dashboard/../api', '/dashboard'],
      ['/dashboardevil', '/dashboard'],
      ['/dashboard\r\nx: y', '/dashboard'],
    ] as const)
      expect((await post('/dashboard/session', { key: test.key, next }, own)).headers.location).toBe(goes)
  })

  it('expires after twelve hours', async () => {
    const { cookie } = await signedIn()
    offset += 12 * hour - 1000
    expect((await get(cookie, '/keys/current')).statusCode).toBe(200)
    offset += 1000
    expect(codeOf(await get(cookie, '/keys/current'))).toEqual([401, 'session_invalid'])
  })

  it('ends when the key with which it was created is revoked or expires', async () => {
    const { key, cookie } = await signedIn()
    expect((await get(cookie, '/keys/current')).statusCode).toBe(200)
    await test.service.revokeKey(key.id)
    expect(codeOf(await get(cookie, '/keys/current'))).toEqual([401, 'session_invalid'])
    const brief = await test.service.createKey('brief', { expiresAt: Date.now() + offset + hour })
    const briefly = cookieOf(await signIn(brief.key))
    offset += hour
    expect(codeOf(await get(briefly, '/keys/current'))).toEqual([401, 'session_invalid'])
  })

  it('ends on the server when the user signs out, which only a page of the dashboard can request', async () => {
    const { cookie } = await signedIn()
    expect(codeOf(await post('/dashboard/sign-out', {}, { cookie, 'sec-fetch-site': 'cross-site' }))).toEqual([
      403,
      'not_allowed',
    ])
    const out = await post('/dashboard/sign-out', {}, { cookie, ...own })
    expect([out.statusCode, out.headers.location, out.cookies[0]?.value]).toEqual([303, '/dashboard/sign-in', ''])
    expect(codeOf(await get(cookie, '/keys/current'))).toEqual([401, 'session_invalid'])
  })

  it('cannot be replaced by the session of a tenant', async () => {
    await test.service.createTenant({ id: 'buyer', name: 'Buyer' }, { author: null, by: null, requestId: null })
    const { value } = await test.service.createSession('buyer', null)
    for (const cookie of [`ratecard_dashboard=${value}`, `ratecard_session=${value}`])
      expect(codeOf(await get(cookie, '/config'))).toEqual([401, 'session_invalid'])
  })
})

describe('a sign-in link of the dashboard', () => {
  const link = async () => {
    const { url, expires_at: expiresAt } = (
      await test.asAdmin({ method: 'POST', url: '/api/v1/billing/admin/dashboard/links' })
    ).json()
    return { url: String(url), expiresAt: Date.parse(expiresAt) }
  }
  const open = (url: string, headers: Readonly<Record<string, string>> = {}) => test.app.inject({ url, headers })
  const tokenOf = (url: string) => new URL(url, 'http://localhost').searchParams.get('token') ?? '?'
  const press = (url: string, headers: Readonly<Record<string, string>> = own) =>
    test.app.inject({
      method: 'POST',
      url: '/dashboard/open',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
      payload: new URLSearchParams({ token: tokenOf(url) }).toString(),
    })

  it('shows a button that signs the user in once with the key that created the link, and the link’s token is not logged', async () => {
    const { url } = await link()
    const shown = await open(url)
    expect([shown.statusCode, shown.headers['cache-control'], shown.cookies]).toEqual([200, 'no-store', []])
    expect(shown.body).toContain('<form class="card" method="post" action="/dashboard/open">')
    expect(shown.body).toContain(`name="token" value="${tokenOf(url)}"`)
    expect(shown.body).not.toContain('<script')
    const opened = await press(url)
    expect([opened.statusCode, opened.headers.location, opened.headers['cache-control']]).toEqual([
      303,
      '/dashboard',
      'no-store',
    ])
    expect((await get(cookieOf(opened), '/keys/current')).json()).toMatchObject({ name: 'first' })
    const again = await press(url)
    expect([again.statusCode, again.cookies]).toEqual([401, []])
    expect(opened.body + again.body + log.join('')).not.toContain(tokenOf(url))
  })

  it('stays valid after GET, HEAD or a prefetch, which set no cookie', async () => {
    const { url } = await link()
    const head = await test.app.inject({ method: 'HEAD', url })
    expect([head.statusCode, head.headers.allow, head.cookies]).toEqual([405, 'GET, POST', []])
    for (const headers of [{}, {}, { 'sec-purpose': 'prefetch' }]) {
      const shown = await open(url, headers)
      expect([shown.statusCode, shown.cookies]).toEqual([200, []])
    }
    expect((await press(url)).statusCode).toBe(303)
  })

  it('creates one session if the button is pressed twice at the same time', async () => {
    const { url } = await link()
    const answers = await Promise.all([press(url), press(url)])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([303, 401])
  })

  it('cannot be submitted by a page of another origin', async () => {
    const { url } = await link()
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
      expect(codeOf(await press(url, headers))).toEqual([403, 'not_allowed'])
    expect((await press(url)).statusCode).toBe(303)
  })

  it('expires after ten minutes', async () => {
    const { url, expiresAt } = await link()
    expect(expiresAt - (Date.now() + offset)).toBeLessThanOrEqual(10 * 60_000)
    offset += 10 * 60_000
    expect((await press(url)).statusCode).toBe(401)
  })

  it('cannot be used as a session, and a session cannot be used as a sign-in link', async () => {
    const { url } = await link()
    expect(codeOf(await get(`ratecard_dashboard=${tokenOf(url)}`, '/config'))).toEqual([401, 'session_invalid'])
    const { cookie } = await signedIn()
    expect((await press(`/dashboard/open?token=${cookie.split('=')[1] ?? ''}`)).statusCode).toBe(401)
    expect((await open('/dashboard/open')).statusCode).toBe(401)
  })

  it('cannot be created with a read key', async () => {
    const { key } = await test.service.createKey('looks', { scope: 'read' })
    const made = await test.inject({
      method: 'POST',
      url: '/api/v1/billing/admin/dashboard/links',
      headers: { 'x-service-key': key },
    })
    expect(codeOf(made)).toEqual([403, 'key_scope'])
  })
})

describe('a page of another site', () => {
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { 'sec-fetch-site': 'cross-site' },
    // Another port of this machine is the same site for the browser, so the browser sends the cookies.
    { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:3000' },
    { origin: 'null' },
    // No header names the origin.
    {},
  ]

  it.each(foreign)('cannot execute any action of the API: %j', async (headers) => {
    const { cookie } = await signedIn()
    const next = changedConfig('2.0.0', ({ products }) => void products.pop())
    for (const [url, body] of [
      ['/config', next],
      ['/keys', { name: 'stolen' }],
      ['/tenants', { name: 'Intruder' }],
      ['/config/reset', {}],
    ] as const)
      expect([url, ...codeOf(await act(cookie, url, body, headers))]).toEqual([url, 403, 'not_allowed'])
    expect((await get(cookie, '/config')).json().revision).toBe(1)
  })

  it('can neither read data of the dashboard nor sign a user in', async () => {
    const { cookie } = await signedIn()
    for (const site of ['cross-site', 'same-site'])
      expect(codeOf(await get(cookie, '/config', { 'sec-fetch-site': site }))).toEqual([403, 'not_allowed'])
    expect((await get(cookie, '/config')).headers['access-control-allow-origin']).toBeUndefined()
    const forged = await test.app.inject({
      method: 'POST',
      url: '/dashboard/session',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
      payload: new URLSearchParams({ key: test.key }).toString(),
    })
    expect([forged.statusCode, forged.cookies]).toEqual([403, []])
  })

  it('is distinguished from the service’s own pages by the Origin header if the browser sends no Sec-Fetch-Site header', async () => {
    const { cookie } = await signedIn()
    const made = await act(cookie, '/tenants', { id: 'ours', name: 'Ours' }, { origin: 'http://localhost:80' })
    expect(made.statusCode).toBe(201)
  })

  it('cannot change anything with an HTML form, because only JSON is accepted', async () => {
    const { cookie } = await signedIn()
    const response = await post(`${api}/tenants`, { name: 'Form' }, { cookie, ...(await ofPage(cookie)), ...own })
    expect(codeOf(response)).toEqual([415, 'media_type_unsupported'])
  })
})

describe('another page on the dashboard’s origin, e.g. of a worker,', () => {
  it('can neither read nor write through the API, because its requests have the cookie but not the CSRF token', async () => {
    const { cookie } = await signedIn()
    const [other, { cookie: elsewhere }] = [{ id: 'intruder', name: 'Intruder' }, await signedIn()]
    for (const said of [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': 'x'.repeat(43) }, await ofPage(elsewhere)]) {
      const headers = { cookie, ...own, ...said }
      expect(codeOf(await test.inject({ url: `${api}/webhooks`, headers }))).toEqual([401, 'session_invalid'])
      const acted = await test.inject({ method: 'POST', url: `${api}/tenants`, headers, payload: other })
      expect(codeOf(acted)).toEqual([401, 'session_invalid'])
    }
    expect((await act(cookie, '/tenants', other)).statusCode).toBe(201)
  })

  it('cannot read the CSRF token from the HTML, which the server returns only to navigations and no cache stores', async () => {
    const { cookie } = await signedIn()
    const loaded = await load(cookie)
    expect([tokenIn(loaded.body) === undefined, loaded.headers['cache-control']]).toEqual([false, 'no-store'])
    expect(loaded.headers['cross-origin-opener-policy']).toBe('same-origin')
    for (const goal of ['empty', 'iframe', 'frame', 'object', 'embed', 'image', 'script', 'style'])
      expect([goal, tokenIn((await load(cookie, { ...own, 'sec-fetch-dest': goal })).body)]).toEqual([goal, undefined])
    expect(tokenIn((await load('theme=dark', {})).body)).toBeUndefined()
    expect(loaded.body).not.toContain(cookie.split('=')[1])
  })
})

describe('a browser without the dashboard’s session cookie', () => {
  it('is redirected to the sign-in if the browser would have sent the cookie, and back after the sign-in', async () => {
    const here = '/dashboard/tenants/acme?x=1'
    const sent = await load('theme=dark', navigation, here)
    expect([sent.statusCode, sent.headers.location]).toEqual([
      303,
      `/dashboard/sign-in?next=${encodeURIComponent(here)}`,
    ])
    expect((await load('theme=dark', navigation, String(sent.headers.location))).body).toContain('Service key')
  })

  it('gets the page if the user follows a link from another site, and returns to that page after the sign-in', async () => {
    const crossed = await load('theme=dark', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' })
    expect([crossed.statusCode, tokenIn(crossed.body)]).toEqual([200, undefined])
    const { cookie } = await signedIn()
    const back = await load(cookie, navigation, '/dashboard/sign-in?next=%2Fdashboard%2Fjobs')
    expect([back.statusCode, back.headers.location]).toEqual([303, '/dashboard/jobs'])
  })
})

describe('a dashboard session with a read key', () => {
  it('can read everything except secrets and can plan, but can change nothing', async () => {
    const { cookie } = await signedIn('read')
    expect((await get(cookie, '/webhooks')).json().webhooks[0].secret).toBeNull()
    const next = changedConfig('2.0.0', ({ products }) => void products.pop())
    expect((await act(cookie, '/config?dry_run=true', next)).json().status).toBe('planned')
    const writer = await signedIn()
    expect((await get(writer.cookie, '/webhooks?secrets=false')).json().webhooks[0]).toMatchObject({
      secret: null,
      secret_known: true,
    })
    expect((await get(writer.cookie, '/webhooks')).json().webhooks[0].secret).toMatch(/^whsec_/)
    for (const [url, body] of [
      ['/config', next],
      ['/config/rollback', { revision: 1 }],
      ['/keys', { name: 'more' }],
      ['/tenants', { name: 'Intruder' }],
      ['/dashboard/links', {}],
    ] as const)
      expect([url, ...codeOf(await act(cookie, url, body))]).toEqual([url, 403, 'key_scope'])
  })
})

describe('the change tag that the dashboard polls', () => {
  it('changes after each write, by key or by cookie, and stays the same after reads', async () => {
    const { cookie } = await signedIn()
    const tag = async () => String((await get(cookie, '/changes')).json().tag)
    const seen = [await tag()]
    await test.asAdmin({ url: '/api/v1/billing/admin/config' })
    await act(cookie, '/config?dry_run=true', sampleConfig('3.0.0'))
    await act(cookie, '/config/validate', sampleConfig())
    expect(await tag()).toBe(seen[0])
    await test.asAdmin({ method: 'POST', url: '/api/v1/billing/admin/tenants', payload: { name: 'One' } })
    seen.push(await tag())
    await act(cookie, '/keys', { name: 'two' })
    seen.push(await tag())
    await test.push(changedConfig('4.0.0', ({ products }) => void products.pop()))
    seen.push(await tag())
    expect(new Set(seen).size).toBe(4)
  })
})
