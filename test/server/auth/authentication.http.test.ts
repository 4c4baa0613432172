import { connect, type AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { admin, billing, sampleConfig, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startTestApp)
let revoked: string

beforeAll(async () => {
  const created = await test.service.createKey('to be revoked')
  revoked = created.key
  await test.service.revokeKey(created.id)
})

/** Returns the admin routes of the OpenAPI description, so that new routes are tested too. */
function adminRoutes(): { method: 'GET' | 'POST' | 'DELETE'; url: string }[] {
  const paths = Object.entries(test.app.swagger().paths ?? {})
  return paths
    .filter(([path]) => path.startsWith(admin) || path === '/metrics')
    .flatMap(([path, operations]) =>
      (['GET', 'POST', 'DELETE'] as const)
        .filter((method) => method.toLowerCase() in (operations ?? {}))
        .map((method) => ({ method, url: path.replace(/\{[^}]+\}/g, '1') })),
    )
}

describe('service keys on admin routes', () => {
  it('are required on each admin route of the API description', async () => {
    const routes = adminRoutes()
    expect(routes.length).toBeGreaterThanOrEqual(20)
    for (const route of routes) {
      const missing = await test.inject(route)
      expect([route, missing.statusCode, missing.json().code]).toEqual([route, 401, 'service_key_missing'])
      for (const key of ['rck_wrong', revoked, `${test.key}x`, test.key.toUpperCase()]) {
        const wrong = await test.inject({ ...route, headers: { 'x-service-key': key } })
        expect([route, wrong.statusCode, wrong.json().code]).toEqual([route, 401, 'service_key_invalid'])
      }
    }
  })

  it('are checked before other errors: without a key, unknown paths, wrong methods, wrong parameters and malformed bodies all get a 401', async () => {
    const requests = [
      { method: 'GET', url: `${admin}/no-such-route` },
      { method: 'GET', url: admin },
      { method: 'OPTIONS', url: `${admin}/config` },
      { method: 'PUT', url: `${admin}/config` },
      { method: 'GET', url: `${admin}/config/history?limit=zero` },
      { method: 'POST', url: `${admin}/config`, payload: '{', headers: { 'content-type': 'application/json' } },
      { method: 'POST', url: `${admin}/config`, payload: 'x', headers: { 'content-type': 'text/plain' } },
    ] as const
    for (const request of requests) {
      const response = await test.inject(request)
      expect([request.url, response.statusCode, response.json().code]).toEqual([
        request.url,
        401,
        'service_key_missing',
      ])
      expect(response.headers['www-authenticate']).toBeDefined()
    }
  })

  it('are checked before any byte of the body is read', async () => {
    await test.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = test.app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    // The announced body is never sent, so a response shows that the server did not wait for it.
    socket.write(
      `POST ${admin}/config HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
    )
    const [answer] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data: Buffer) => resolve([data])))
    socket.destroy()
    expect(answer?.toString()).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('identify the caller, and the time of their last use is recorded', async () => {
    const response = await test.asAdmin({ url: `${admin}/keys` })
    expect(response.statusCode).toBe(200)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json().keys).toEqual([
      expect.objectContaining({
        name: 'first',
        hint: test.key.slice(-4),
        revoked_at: null,
        last_used_at: expect.any(String),
      }),
      expect.objectContaining({ name: 'to be revoked', revoked_at: expect.any(String) }),
    ])
    expect(response.body).not.toContain(test.key)
  })
})

describe('service keys on public routes', () => {
  it('are refused if they are wrong, so that the caller notices a mistyped key', async () => {
    await test.push(sampleConfig())
    for (const url of [
      `${billing}/config`,
      `${billing}/schema`,
      `${billing}/config/prices/pro_monthly`,
      `${billing}/nothing`,
    ]) {
      const response = await test.inject({ url, headers: { 'x-service-key': 'wrong' } })
      expect([url, response.statusCode, response.json().code]).toEqual([url, 401, 'service_key_invalid'])
    }
  })

  it('are optional, and an empty Authorization header is ignored', async () => {
    const response = await test.inject({ url: `${billing}/config`, headers: { 'x-service-key': '' } })
    expect(response.statusCode).toBe(200)
  })
})

describe('a service key', () => {
  it('is shown only once, in the response to its creation, and is invalid immediately after its revocation', async () => {
    const created = await test.asAdmin({ method: 'POST', url: `${admin}/keys`, payload: { name: 'ci' } })
    expect(created.statusCode).toBe(201)
    const { id, key } = created.json()
    expect(key).toMatch(/^rck_[A-Za-z0-9_-]{43}$/)
    const headers = { 'x-service-key': key }
    expect((await test.inject({ url: `${admin}/keys`, headers })).statusCode).toBe(200)
    const gone = await test.asAdmin({ method: 'DELETE', url: `${admin}/keys/${id}` })
    expect([gone.statusCode, gone.body]).toEqual([204, ''])
    expect((await test.inject({ url: `${admin}/keys`, headers })).statusCode).toBe(401)
    const again = await test.asAdmin({ method: 'DELETE', url: `${admin}/keys/${id}` })
    expect([again.statusCode, again.json().code]).toEqual([404, 'key_not_found'])
  })

  it('cannot be revoked if it is the last owner key', async () => {
    const { keys } = (await test.asAdmin({ url: `${admin}/keys` })).json<{ keys: { id: string; name: string }[] }>()
    const first = keys.find(({ name }) => name === 'first')
    const response = await test.asAdmin({ method: 'DELETE', url: `${admin}/keys/${String(first?.id)}` })
    expect([response.statusCode, response.json().code]).toEqual([409, 'last_owner_key'])
    expect((await test.asAdmin({ url: `${admin}/keys` })).statusCode).toBe(200)
  })
})

describe('the rate limit per client address', () => {
  const stranger = { remoteAddress: '203.0.113.7' }
  const path = `${billing}/config/prices/pro_monthly/calculate`
  const calculate = { method: 'POST', url: path, payload: { quantity: 1 }, ...stranger } as const

  it('limits attempts with guessed keys with Retry-After, but limits no valid key, no other address and no loopback address', async () => {
    const limited = await startTestApp({ rateLimit: 3 })
    try {
      const guess = { url: `${admin}/keys`, headers: { 'x-service-key': 'guess' } }
      const answers = []
      for (let attempt = 0; attempt < 5; attempt++) answers.push(await limited.inject({ ...guess, ...stranger }))
      expect(answers.map((answer) => answer.statusCode)).toEqual([401, 401, 401, 429, 429])
      expect(answers[3]?.json().code).toBe('rate_limited')
      expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(0)
      expect((await limited.asAdmin({ url: `${admin}/keys`, ...stranger })).statusCode).toBe(200)
      expect((await limited.inject({ ...guess, remoteAddress: '203.0.113.8' })).statusCode).toBe(401)
      for (let attempt = 0; attempt < 5; attempt++) expect((await limited.inject(guess)).statusCode).toBe(401)
    } finally {
      await limited.close()
    }
  })

  it('uses the forwarded client address only if it comes from a trusted proxy', async () => {
    const lines: string[] = []
    const limited = await startTestApp({
      rateLimit: 2,
      trustedProxies: ['127.0.0.1', '198.51.100.0/24'],
      onLog: (line) => lines.push(line),
    })
    try {
      const guess = async (forwarded: string, remoteAddress = '127.0.0.1') =>
        (
          await limited.inject({
            url: `${admin}/keys`,
            headers: { 'x-service-key': 'guess', 'x-forwarded-for': forwarded },
            remoteAddress,
          })
        ).statusCode
      // In the header, the client's claim is left of the address that the proxy saw.
      const seen = []
      for (const claimed of ['127.0.0.1', '1.1.1.1', '2.2.2.2']) seen.push(await guess(`${claimed}, 203.0.113.7`))
      expect(seen).toEqual([401, 401, 429])
      expect(await guess('203.0.113.7, 198.51.100.4')).toBe(429)
      expect(await guess('203.0.113.8')).toBe(401)
      expect(lines.join('')).not.toContain('RATECARD_TRUSTED_PROXIES')
      const untrusted = []
      for (const claimed of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) untrusted.push(await guess(claimed, '192.0.2.1'))
      expect(untrusted).toEqual([401, 401, 429])
      expect(lines.filter((line) => line.includes('RATECARD_TRUSTED_PROXIES'))).toHaveLength(1)
    } finally {
      await limited.close()
    }
  })

  it('counts failed authentications and public requests separately, so that neither uses up the limit of the other', async () => {
    const limited = await startTestApp({ rateLimit: 2 })
    try {
      await limited.push(sampleConfig())
      const guess = { url: `${admin}/keys`, headers: { 'x-service-key': 'guess' }, ...stranger }
      const statuses = []
      for (let attempt = 0; attempt < 3; attempt++) statuses.push((await limited.inject(guess)).statusCode)
      expect(statuses).toEqual([401, 401, 429])
      expect((await limited.inject(calculate)).statusCode).toBe(200)
    } finally {
      await limited.close()
    }
  })

  it('counts writes without a key, and does not count reads', async () => {
    const limited = await startTestApp({ rateLimit: 2 })
    try {
      await limited.push(sampleConfig())
      const statuses = []
      for (let attempt = 0; attempt < 3; attempt++) statuses.push((await limited.inject(calculate)).statusCode)
      expect(statuses).toEqual([200, 200, 429])
      expect((await limited.asAdmin(calculate)).statusCode).toBe(200)
      for (let attempt = 0; attempt < 5; attempt++)
        expect((await limited.inject({ url: `${billing}/config`, ...stranger })).statusCode).toBe(200)
    } finally {
      await limited.close()
    }
  })
})
