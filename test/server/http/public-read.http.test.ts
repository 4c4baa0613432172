import { request, type IncomingHttpHeaders } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { admin, billing, changedConfig, sampleConfig, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startTestApp)
let port: number

beforeAll(async () => {
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  port = (test.app.server.address() as AddressInfo).port
})

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

function send(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Returns the response without the values that differ between requests. */
function essence({ status, headers, body }: Answer): unknown {
  const { 'x-request-id': id, date: _date, ...rest } = headers
  return {
    status,
    body: body.toString('base64'),
    id: typeof id,
    headers: Object.fromEntries(Object.entries(rest).sort()),
  }
}

const path = `${billing}/config`
/** An empty query has the same result, but goes through the router. */
const throughTheRouter = `${path}?`

describe('the fast path for the public price list', () => {
  it('returns the same error as the router if there is no configuration', async () => {
    const answer = await send(path)
    expect(answer.status).toBe(404)
    expect(answer.headers['content-type']).toContain('application/problem+json')
    expect(JSON.parse(answer.body.toString())).toMatchObject({ code: 'config_not_found' })
  })

  it('responds with the same status, headers and bytes as the router', async () => {
    await test.push(sampleConfig())
    const etag = String((await send(path)).headers.etag)
    const requests = [
      {},
      { 'accept-encoding': 'gzip' },
      { 'accept-encoding': 'br, gzip' },
      { 'if-none-match': etag },
      { 'if-none-match': '*', 'accept-encoding': 'br' },
      { 'if-none-match': '"other"' },
      { origin: 'https://shop.example.test' },
    ]
    for (const headers of requests)
      expect(essence(await send(path, headers))).toEqual(essence(await send(throughTheRouter, headers)))
  })

  it('returns the request’s own request id if there is one, and a generated id otherwise', async () => {
    expect((await send(path, { 'x-request-id': 'mine' })).headers['x-request-id']).toBe('mine')
    expect((await send(path, { 'x-request-id': '"><' })).headers['x-request-id']).toMatch(/^[a-z0-9-]+$/)
  })

  it('leaves requests with a key to the router, so that a wrong key is refused', async () => {
    expect((await send(path, { 'x-service-key': 'wrong' })).status).toBe(401)
    expect((await send(path, { 'x-service-key': test.key })).status).toBe(200)
  })

  it('leaves requests with other methods or queries to the router', async () => {
    expect((await send(path, {}, 'DELETE')).status).toBe(405)
    expect((await send(`${path}?x=1`)).status).toBe(400)
    const head = await send(path, {}, 'HEAD')
    expect([head.status, head.body.length]).toEqual([200, 0])
  })

  it('leaves requests with a repeated header to the router', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8').on('data', (part) => (text += String(part)))
      socket.on('close', () => resolve(text)).on('error', reject)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"request_invalid"/)
  })

  it('returns the result of a push by the same process from the next response on', async () => {
    const before = await send(path)
    await test.push(changedConfig('1.1.0', ({ products }) => void (products[1]!.name = 'Pro plus')))
    const after = await send(path, { 'if-none-match': String(before.headers.etag) })
    expect(after.status).toBe(200)
    expect(after.body.toString()).toContain('Pro plus')
  })

  it('is included in the request counts of the metrics', async () => {
    await send(path)
    const { body } = await send('/metrics', { 'x-service-key': test.key })
    expect(body.toString()).toMatch(
      /ratecard_http_requests_total\{method="GET",route="\/api\/v1\/billing\/config",status="200"\} [1-9]/,
    )
  })

  it('ends with the server: a server that shuts down refuses requests, and running streams end', async () => {
    const { pushes } = JSON.parse((await send(`${admin}/pushes`, { 'x-service-key': test.key })).body.toString()) as {
      pushes: { id: string }[]
    }
    expect(
      (await send(`${admin}/pushes/${String(pushes[0]?.id)}/events`, { 'x-service-key': test.key })).body.toString(),
    ).toContain('"state":"applied"')
    test.app.drain()
    const answer = await send(path)
    expect([answer.status, JSON.parse(answer.body.toString()).code]).toEqual([503, 'shutting_down'])
  })
})
