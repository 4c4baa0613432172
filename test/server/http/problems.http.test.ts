import { connect, type AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { issueCodes, problemCodes } from '../../../packages/ratecard/src/base/errors/codes.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { closeGracefully, leave } from '../../../packages/ratecard/src/server/http/app.ts'
import { admin, billing, sampleConfig, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(() =>
  startTestApp({
    publicUrl: 'https://billing.example.test/',
    onLog: (line) => log.push(line),
    wrap: (service) => ({
      ...service,
      drift: () => (failure === null ? service.drift() : Promise.reject(failure)),
    }),
  }),
)
let failure: Error | null = null
const log: string[] = []

beforeAll(async () => {
  await test.push(sampleConfig())
})

const json = { 'content-type': 'application/json' }

describe('the problem document of an error', () => {
  it('has exactly the members of the API contract', async () => {
    const response = await test.inject({
      url: `${billing}/config/prices/nothing`,
      headers: { 'x-request-id': 'mine-1' },
    })
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toEqual({
      type: 'https://billing.example.test/docs/errors#price_not_found',
      title: 'No such price',
      status: 404,
      detail: 'There is no price "nothing".',
      instance: 'urn:request:mine-1',
      code: 'price_not_found',
    })
  })

  it('contains issues, the processor’s error, further members and Retry-After if the error has them', async () => {
    failure = new ServiceError('processor_unavailable', 'The processor could not be reached.', {
      hint: 'Try again.',
      issues: [{ code: 'drift', pointer: '#/products/0', severity: 'error', detail: 'changed', hint: 'look' }],
      processor: { type: 'api_error', message: 'down', request_id: 'req_1' },
      retryAfter: 1.2,
      extra: { push_id: 'p1', status: 299, code: 'forged' },
    })
    const response = await test.asAdmin({ url: `${admin}/config/drift` })
    expect(response.statusCode).toBe(503)
    expect(response.headers['retry-after']).toBe('2')
    expect(response.json()).toMatchObject({
      status: 503,
      code: 'processor_unavailable',
      hint: 'Try again.',
      errors: [{ code: 'drift', pointer: '#/products/0', severity: 'error', detail: 'changed', hint: 'look' }],
      processor: { type: 'api_error', message: 'down', request_id: 'req_1' },
      push_id: 'p1',
    })
  })

  it('does not contain the cause of an unexpected error; the cause is logged with the request id', async () => {
    failure = new Error('connection to 10.1.2.3 refused for user admin')
    const response = await test.asAdmin({ url: `${admin}/config/drift` })
    failure = null
    expect(response.statusCode).toBe(500)
    expect(response.json().code).toBe('internal')
    expect(response.body).not.toMatch(/10\.1\.2\.3|admin"/)
    const logged = log.find((line) => line.includes('10.1.2.3'))
    expect(logged).toContain(String(response.headers['x-request-id']))
  })

  it('links to a page of the documentation that explains the error code', async () => {
    const page = await test.inject({ url: '/docs/errors' })
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toContain('text/html')
    for (const code of [...Object.keys(problemCodes), ...Object.keys(issueCodes)])
      expect(page.body).toContain(`id="${code}"`)
  })
})

describe('the response header X-Request-Id', () => {
  it('contains the id that the request sent if that id is safe, and otherwise a generated id', async () => {
    for (const id of ['abc-123', 'A.b:c_d', 'x'.repeat(100)]) {
      const response = await test.inject({ url: '/healthz', headers: { 'x-request-id': id } })
      expect(response.headers['x-request-id']).toBe(id)
    }
    for (const id of ['', 'has space', '<script>', 'x'.repeat(101), '"quoted"']) {
      const response = await test.inject({ url: '/healthz', headers: { 'x-request-id': id } })
      expect(response.headers['x-request-id']).toMatch(/^[a-z0-9-]+$/)
    }
  })

  it('is different in each response', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => test.inject({ url: '/healthz' })))
    expect(new Set(ids.map((response) => response.headers['x-request-id'])).size).toBe(50)
  })
})

describe('errors of the HTTP framework itself', () => {
  it('are problem documents too, e.g. the error for an unknown route, whose hint is the nearest route', async () => {
    for (const url of [
      '/nothing',
      '/api/v1/nothing',
      `${billing}/nothing`,
      `${billing}/config/`,
      '/API/v1/billing/config',
    ]) {
      const response = await test.inject({ url })
      expect([url, response.statusCode, response.json().code]).toEqual([url, 404, 'route_not_found'])
    }
    const near = await test.inject({ url: `${billing}/confg` })
    expect(near.json().hint).toBe(`Did you mean ${billing}/config?`)
  })

  it('contain the methods that the path allows', async () => {
    const cases = [
      ['DELETE', `${billing}/config`, 'GET, HEAD'],
      ['GET', `${billing}/config/prices/pro_monthly/calculate`, 'POST'],
      ['PUT', '/healthz', 'GET, HEAD'],
    ] as const
    for (const [method, url, allow] of cases) {
      const response = await test.inject({ method, url })
      expect([url, response.statusCode, response.json().code]).toEqual([url, 405, 'method_not_allowed'])
      expect(response.headers['allow']).toBe(allow)
    }
    const response = await test.asAdmin({ method: 'PATCH', url: `${admin}/config` })
    expect([response.statusCode, response.headers['allow']]).toEqual([405, 'GET, HEAD, POST'])
  })

  it('are problem documents if the media type or the encoding of the request is not plain JSON', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ]
    for (const type of types) {
      const response = await test.asAdmin({
        method: 'POST',
        url: `${admin}/config`,
        payload: '{}',
        headers: { 'content-type': type },
      })
      expect([type, response.statusCode, response.json().code]).toEqual([type, 415, 'media_type_unsupported'])
    }
    const packed = await test.asAdmin({
      method: 'POST',
      url: `${admin}/config`,
      payload: '{}',
      headers: { ...json, 'content-encoding': 'gzip' },
    })
    expect([packed.statusCode, packed.json().code]).toEqual([415, 'media_type_unsupported'])
  })

  it('are problem documents for bodies that are too large, where each route has its own limit', async () => {
    const document = JSON.stringify({ version: '1.0.0', products: [], padding: 'x'.repeat(11 * 1024 * 1024) })
    const push = await test.asAdmin({ method: 'POST', url: `${admin}/config`, payload: document, headers: json })
    expect([push.statusCode, push.json().code]).toEqual([413, 'body_too_large'])
    const calculate = await test.inject({
      method: 'POST',
      url: `${billing}/config/prices/pro_monthly/calculate`,
      payload: JSON.stringify({ quantity: 1, padding: 'x'.repeat(20_000) }),
      headers: json,
    })
    expect([calculate.statusCode, calculate.json().code]).toEqual([413, 'body_too_large'])
    expect(calculate.json().detail).toBe('The body is larger than 16384 bytes, the limit of this route.')
  })

  it('have status 400 for a path that is not a valid URL', async () => {
    const response = await test.inject({ url: `${billing}/config/prices/%E0%A4%A` })
    expect([response.statusCode, response.json().code]).toEqual([400, 'request_invalid'])
  })

  it('are problem documents even for bytes that are not HTTP', async () => {
    await test.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = test.app.server.address() as AddressInfo
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('this is not http\r\n\r\n'))
      let text = ''
      socket.on('data', (data: Buffer) => (text += data.toString()))
      socket.on('close', () => resolve(text))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/)
    const problem = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { code: string; instance: string }
    expect(problem.code).toBe('request_invalid')
    expect(answer).toContain(`X-Request-Id: ${problem.instance.replace('urn:request:', '')}`)
  })
})

describe('a service that is about to shut down (in its shutdown delay)', () => {
  it('is not ready, but still responds to requests and closes their connections', async () => {
    const leaving = await startTestApp()
    await leaving.push(sampleConfig())
    const unhurried = leave(leaving.app, 20)
    expect((await leaving.inject({ url: '/readyz' })).json().code).toBe('shutting_down')
    const answers = [
      await leaving.inject({ url: `${billing}/config` }),
      await leaving.asAdmin({ url: `${admin}/keys` }),
    ]
    expect(answers.map(({ statusCode, headers }) => [statusCode, headers['connection']])).toEqual([
      [200, 'close'],
      [200, 'close'],
    ])
    await unhurried
    expect((await leaving.inject({ url: `${billing}/config` })).statusCode).toBe(200)
    leaving.app.drain()
    expect((await leaving.inject({ url: `${billing}/config` })).statusCode).toBe(503)
    await leaving.close()
  })
})

describe('a service that is shutting down (draining)', () => {
  it('responds to a request on an idle connection with Connection: close', async () => {
    const test = await startTestApp()
    await test.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = test.app.server.address() as AddressInfo
    const idle = connect(port, '127.0.0.1')
    const ask = (body = '') =>
      `POST ${admin}/keys HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${String(body.length + 100)}\r\n\r\n${body}`
    let text = ''
    idle.on('data', (data: Buffer) => (text += data.toString()))
    const ended = new Promise<string>((resolve) => {
      idle.once('error', ({ message }) => resolve(message))
      idle.once('end', () => resolve('ended'))
    })
    await new Promise<void>((resolve) => idle.once('connect', () => resolve()))
    const closed = closeGracefully(test.app, 1000)
    idle.write(ask('the rest of the body'))
    await expect.poll(() => text).toMatch(/shutting_down/)
    // A connection that is closed with unread bytes would be reset here.
    idle.write('comes after the response'.padEnd(100))
    expect(await ended).toBe('ended')
    expect(text).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close/i)
    idle.end()
    await closed
    await test.close()
  })

  it('refuses new requests, is not ready, stays alive, and finishes the running request', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const draining = await startTestApp({
      wrap: (service) => ({ ...service, listKeys: async () => gate.then(() => service.listKeys()) }),
    })
    const running = draining.asAdmin({ url: `${admin}/keys` })
    await new Promise(setImmediate)
    draining.app.drain()
    const refused = await draining.inject({ url: `${billing}/config` })
    expect([refused.statusCode, refused.json().code, refused.headers['connection']]).toEqual([
      503,
      'shutting_down',
      'close',
    ])
    expect((await draining.inject({ url: '/readyz' })).json().code).toBe('shutting_down')
    expect((await draining.inject({ url: '/healthz' })).statusCode).toBe(200)
    release()
    expect((await running).statusCode).toBe(200)
    await closeGracefully(draining.app, 1000)
    await draining.close()
  })
})
