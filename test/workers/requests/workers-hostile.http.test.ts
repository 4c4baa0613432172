// Requests to workers with bytes that no ordinary client sends.
import { connect } from 'node:net'
import { request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { startWorkerWorld } from './worker-world.ts'
import { startedForAll } from '../../support/started.ts'

const world = startedForAll(() =>
  startWorkerWorld({ publicUrl: 'https://billing.shop.example.com', domain: 'shop.example.com' }),
)
beforeAll(async () => {
  const code = `export default { async fetch(request) {
    const path = new URL(request.url).pathname
    if (path === '/early') return new Response('early')
    if (path === '/length') return new Response(String((await request.arrayBuffer()).byteLength))
    return Response.json({ url: request.url, method: request.method, headers: Object.fromEntries(request.headers), body: await request.text() })
  } }`
  for (const name of ['mirror', 'billing']) expect((await world.deploy(name, code)).statusCode).toBe(201)
})

interface Seen {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends a request with `Connection: close` and returns all bytes of the response. */
function send(lines: readonly string[], body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => (text += chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      resolve(text)
    })
    socket.write([...lines, 'Connection: close', '', body].join('\r\n'), 'latin1')
  })
}

const statusOf = (answer: string) => Number(answer.split(' ', 2)[1])
const seenIn = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Seen

describe('a hostile request to a worker', () => {
  it.each([
    ['two hosts', ['Host: a.example', 'Host: b.example']],
    ['a path in the host', ['Host: a.example/admin']],
    ['a user in the host', ['Host: me@a.example']],
    ['a query in the host', ['Host: a.example?x']],
    ['an empty host', ['Host:']],
    ['two lengths', ['Host: a.example', 'Content-Length: 1', 'Content-Length: 2']],
    ['a length and chunks', ['Host: a.example', 'Content-Length: 1', 'Transfer-Encoding: chunked']],
    ['a compressed transfer encoding', ['Host: a.example', 'Transfer-Encoding: gzip, chunked']],
    ['an unknown framing', ['Host: a.example', 'Transfer-Encoding: xchunked']],
  ])('is refused with %s before it reaches the worker', async (_what, headers) => {
    const answer = await send(['POST /workers/mirror/x HTTP/1.1', ...headers], '0\r\n\r\n')
    expect(statusOf(answer)).toBe(400)
    expect(answer).toContain('"code":"request_invalid"')
    expect(answer).not.toMatch(/x-worker-version/i)
  })

  it('cannot forge or remove headers of the service’s proxy', async () => {
    const forged = ['X-Forwarded-For', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP', 'CF-IPCountry', 'Forwarded']
    const answer = await send([
      'GET /workers/mirror/x HTTP/1.1',
      'Host: a.example',
      ...forged.map((name) => `${name}: 6.6.6.6`),
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Prefix: /evil',
      'X-Forwarded-Port: 1',
      'X-Ratecard-Proto: https',
      'X-Request-Id: one',
      'X-Request-Id: two',
      'X-Own: kept',
      'X-Named: gone',
      'Connection: x-named, x-forwarded-for, cf-connecting-ip, host',
      'Proxy-Authorization: gone',
    ])
    const { url, headers } = seenIn(answer)
    expect(url).toBe('http://a.example/x')
    expect(headers).toMatchObject({
      host: 'a.example',
      'x-forwarded-for': '127.0.0.1',
      'cf-connecting-ip': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-prefix': '/workers/mirror',
      'x-own': 'kept',
    })
    expect(JSON.stringify(headers)).not.toMatch(/6\.6\.6\.6|evil|gone|one|two|x-forwarded-port/)
    expect(answer).toContain(`X-Request-Id: ${headers['x-request-id'] ?? '?'}`)
  })

  it('has the client address that the trusted proxy recorded; neither client nor worker can forge the address', async () => {
    const trusting = await startWorkerWorld({}, { trustedProxies: ['127.0.0.1'] })
    try {
      const mirror = `export default { fetch: (request) => Response.json([request.headers.get('x-forwarded-for'), request.headers.get('cf-connecting-ip')]) }`
      await trusting.deploy('mirror', mirror)
      const through = `export default { fetch: () => fetch('${trusting.url}/workers/mirror', { headers: { 'x-forwarded-for': '203.0.113.9' } }) }`
      await trusting.deploy('through', through)
      const ask = async (path: string, forwarded: string) =>
        (await fetch(`${trusting.url}${path}`, { headers: { 'x-forwarded-for': forwarded } })).json()
      expect(await ask('/workers/mirror', '6.6.6.6, 203.0.113.7')).toEqual(['203.0.113.7', '203.0.113.7'])
      expect(await ask('/workers/mirror', 'nonsense')).toEqual(['127.0.0.1', '127.0.0.1'])
      expect(await ask('/workers/through', '203.0.113.7')).toEqual(['127.0.0.1', '127.0.0.1'])
    } finally {
      await trusting.close()
    }
  })

  it('reaches the worker of the host in its URL if the URL is absolute, whatever the Host header is', async () => {
    const direct = await send([`GET ${world.url}/workers/mirror/a?b HTTP/1.1`, 'Host: mirror.shop.example.com'])
    expect(seenIn(direct).url).toBe(`${world.url}/a?b`)
    const named = await send(['GET http://mirror.shop.example.com?q HTTP/1.1', 'Host: a.example'])
    expect(seenIn(named).url).toBe('http://mirror.shop.example.com/?q')
    expect(seenIn(await send(['GET /x HTTP/1.1', 'Host: mirror.shop.example.com.:80'])).headers).not.toHaveProperty(
      'x-forwarded-prefix',
    )
  })

  it('reaches only the worker of its path, even with dots and double slashes in the path', async () => {
    const at = (path: string) => send([`GET ${path} HTTP/1.1`, 'Host: a.example'])
    for (const path of ['/workers/mirror/../billing', '/workers/mirror/%2e%2e/billing', '/workers/mirror//billing'])
      expect(seenIn(await at(path)).headers['x-forwarded-prefix']).toBe('/workers/mirror')
    for (const path of ['/workers/nobody/../mirror', '/workers/mirror%2fx', '/workers/MIRROR', '/workers/__proto__'])
      expect(await at(path)).toContain('"code":"worker_not_found"')
    expect(await at('/workers//mirror')).toContain('"code":"route_not_found"')
  })

  it('is handled as an ordinary request if it has both a WebSocket upgrade and a body', async () => {
    const answer = await send(
      ['POST /workers/mirror/x HTTP/1.1', 'Host: a.example', 'Upgrade: websocket', 'Content-Length: 2'],
      'hi',
    )
    expect(seenIn(answer)).toMatchObject({ method: 'POST', body: 'hi' })
  })

  it('reaches no worker at the service’s own hostname, and no worker can have a hostname of the workers’ domain', async () => {
    const answer = await send(['GET /healthz HTTP/1.1', 'Host: billing.shop.example.com'])
    expect(answer).toContain('"status":"ok"')
    const taken = await world.deploy('thief', 'export default { fetch() {} }', { hosts: ['mirror.shop.example.com'] })
    expect(taken.json()).toMatchObject({ code: 'worker_bundle_invalid' })
  })
})

describe('a large request body to a worker', () => {
  it.each([
    ['/workers/mirror/early', 200, 'early'],
    ['/workers/nobody', 404, 'worker_not_found'],
  ])(
    'is read to its end at %s even if the request is refused, so that the client gets the response and the connection stays open',
    async (path, status, text) => {
      const { port } = new URL(world.url)
      const answer = await new Promise<{ status: number | undefined; body: string; sent: boolean }>(
        (resolve, reject) => {
          const outgoing = request({ port, path, method: 'PUT', headers: { 'content-length': 32 * 1024 * 1024 } })
          let sent = false
          outgoing.on('error', reject)
          outgoing.on('finish', () => (sent = true))
          outgoing.on('response', (response) => {
            let body = ''
            response.setEncoding('utf8')
            response.on('data', (chunk: string) => (body += chunk))
            response.on('end', () => {
              const done = () => {
                resolve({ status: response.statusCode, body, sent })
              }
              if (sent) done()
              else outgoing.on('finish', done)
            })
          })
          const chunk = Buffer.alloc(1024 * 1024)
          const write = (left: number) => {
            if (left === 0) outgoing.end()
            else
              outgoing.write(chunk, () => {
                write(left - 1)
              })
          }
          write(32)
        },
      )
      expect(answer).toMatchObject({ status, sent: true })
      expect(answer.body).toContain(text)
    },
  )

  it('arrives complete if the worker reads it', async () => {
    const response = await fetch(`${world.url}/workers/mirror/length`, {
      method: 'POST',
      body: new Uint8Array(8 * 1024 * 1024),
    })
    expect(await response.text()).toBe(String(8 * 1024 * 1024))
  })
})
