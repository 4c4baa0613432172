// Slow and silent clients over real sockets: the server closes their connections, and they never block other clients.
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { admin, billing, sampleConfig, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const most = 48
const test = startedForAll(() =>
  startTestApp({
    connections: {
      maxConnections: most,
      headersMs: 400,
      bodyMs: 400,
      restMs: 400,
      keepAliveTimeoutMs: 60_000,
      everyMs: 50,
    },
  }),
)
let port: number
const opened = new Set<Socket>()

beforeAll(async () => {
  await test.push(sampleConfig())
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  port = (test.app.server.address() as AddressInfo).port
})
afterEach(() => {
  for (const socket of opened) socket.destroy()
  opened.clear()
})

async function open(text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  opened.add(socket)
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket
}

/** Returns all bytes received until the server closes the connection. */
async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  if (!socket.closed) await once(socket, 'close')
  return text
}

async function answerTo(text: string): Promise<string> {
  return readAll(await open(text))
}

const closing = 'Connection: close\r\n\r\n'
const health = () => answerTo(`GET /healthz HTTP/1.1\r\nHost: a\r\n${closing}`)
const signedIn = () => `X-Service-Key: ${test.key}\r\n`

describe('a slow connection to the server:', () => {
  it('a client that sends endless headers is disconnected, even if lines keep arriving', async () => {
    const socket = await open('GET /healthz HTTP/1.1\r\nHost: a\r\n')
    const timer = setInterval(() => socket.write('X-More: a\r\n'), 50)
    const answer = await readAll(socket).finally(() => {
      clearInterval(timer)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('"code":"request_invalid"')
  })

  it('a connection on which the client sends nothing is closed', async () => {
    await readAll(await open())
  })

  it('a body that arrives byte by byte is refused with a problem document, and the client is disconnected', async () => {
    const socket = await open(
      `POST ${billing}/config/prices/pro_monthly/calculate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{`,
    )
    const timer = setInterval(() => socket.write(' '), 50)
    const answer = await readAll(socket).finally(() => {
      clearInterval(timer)
    })
    expect(answer).toContain('"code":"request_invalid"')
  })

  it('a client that keeps sending after the response is disconnected, after it has received the response', async () => {
    const socket = await open(`POST ${admin}/config HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const timer = setInterval(() => socket.write('1\r\na\r\n'), 50)
    const answer = await readAll(socket).finally(() => {
      clearInterval(timer)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  })
})

describe('connections beyond the limit', () => {
  it('cause idle and slow connections to be closed, so that health checks get a response', async () => {
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        Array.from({ length: most }, (_, index) =>
          open(['', 'GET / HTTP/1.1\r\n', 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'][index % 3]),
        ),
      )
      expect(await health()).toMatch(/^HTTP\/1\.1 200 /)
    }
    const figures = (await test.asAdmin({ url: '/metrics' })).body
    expect(figures).toMatch(/ratecard_http_connections_cut_total\{reason="crowded"\} [1-9]/)
    expect(Number(/^ratecard_http_connections (\d+)$/m.exec(figures)?.[1])).toBeLessThanOrEqual(most)
  })

  it('do not interrupt running requests with a service key', async () => {
    const body = JSON.stringify(sampleConfig())
    const head = `POST ${admin}/config/validate HTTP/1.1\r\nHost: a\r\n${signedIn()}Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n${closing}`
    const working = await open(`${head}${body.slice(0, 100)}`)
    const answer = readAll(working)
    // The key is checked before the body is read. This request is answered after that check.
    expect(await health()).toMatch(/^HTTP\/1\.1 200 /)
    for (let round = 0; round < 2; round++)
      await Promise.all(
        Array.from({ length: most }, () =>
          open(
            `POST ${billing}/config/prices/pro_monthly/calculate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`,
          ),
        ),
      )
    working.write(body.slice(100))
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*"valid":true/)
  })
})

describe('an invalid request that Node.js itself would close without a response:', () => {
  it.each([
    ['no host', `GET /healthz HTTP/1.1\r\n${closing}`],
    ['two hosts', `GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n${closing}`],
    ['no host, at the price list', `GET ${billing}/config HTTP/1.1\r\n${closing}`],
    ['another expectation', `GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: x\r\n${closing}`],
  ])('%s is refused with a problem document, as other invalid requests are', async (_name, text) => {
    const answer = await answerTo(text)
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"code":"request_invalid"/)
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json')
  })

  it('a request in HTTP/1.0 without a Host header succeeds', async () => {
    expect(await answerTo('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('a body over the size limit is read to its end, so that the client receives the 413', async () => {
    const size = 3_000_000
    for (let round = 0; round < 20; round++) {
      const socket = await open(
        `POST ${billing}/config/prices/pro_monthly/calculate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${String(size)}\r\n\r\n`,
      )
      const failures: Error[] = []
      socket.on('error', (error) => failures.push(error))
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      await new Promise((resolve) => socket.write(' '.repeat(size), resolve))
      socket.write(`GET /healthz HTTP/1.1\r\nHost: a\r\n${closing}`)
      await once(socket, 'close')
      expect(failures).toEqual([])
      expect(text).toMatch(/^HTTP\/1\.1 413 [^]*"code":"body_too_large"[^]*HTTP\/1\.1 200 /)
    }
  })
})

it('a request for the metrics without a key gets a 401, even with a wrong method', async () => {
  for (const method of ['POST', 'PUT', 'DELETE'] as const) {
    expect((await test.inject({ method, url: '/metrics' })).json().code).toBe('service_key_missing')
    expect((await test.asAdmin({ method, url: '/metrics' })).statusCode).toBe(405)
  }
})
