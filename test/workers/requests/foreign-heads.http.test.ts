// Status lines, reasons and headers from workers and from the servers that they fetch: which are passed on, and that no process ends.
import { createServer, type AddressInfo, type Server } from 'node:net'
import http, { type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkerWorld, type WorkerWorld } from './worker-world.ts'
import { listenLocally } from '../../support/listen.ts'

/** Sends the decoded bytes of the path `/<base64url>`, whatever they are. */
const upstream: Server = createServer((socket) => {
  socket.on('error', () => socket.destroy())
  socket.once('data', (chunk: Buffer) => {
    const name = /^\w+ \/([\w-]*)/.exec(chunk.toString('latin1'))?.[1] ?? ''
    socket.end(Buffer.from(name, 'base64url'))
  })
})

/** A worker that fetches the URL in `u` and returns the response. A failed fetch is returned as status 599 with its message. */
const fetching = `export default { async fetch(request) {
  try { return await fetch(new URL(request.url).searchParams.get('u'), { headers: request.headers }) }
  catch (error) { return new Response(error.name + ': ' + error.message, { status: 599 }) } } }`

/** A worker that responds with the status and headers given in the query as JSON. */
const saying = `export default { fetch(request) {
  const { body = 'said', long, ...init } = JSON.parse(new URL(request.url).searchParams.get('say'))
  return new Response(body, long === undefined ? init : { headers: { 'x-long': 'a'.repeat(long) } }) } }`

let world: WorkerWorld
let upstreamUrl: string
beforeAll(async () => {
  await listenLocally(upstream)
  upstreamUrl = `http://127.0.0.1:${String((upstream.address() as AddressInfo).port)}`
  world = await startWorkerWorld({}, {}, ['127.0.0.1'])
  await world.deploy('fetching', fetching)
  await world.deploy('saying', saying)
})
afterAll(async () => {
  await world.close()
  upstream.close()
})

/** Uses node:http, because `fetch` hides reasons and cookies. */
function ask(path: string, headers: http.OutgoingHttpHeaders = {}): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${world.url}${path}`, { headers, agent: false, insecureHTTPParser: true }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve(Object.assign(response, { text })))
      response.on('error', reject)
    })
    request.on('error', reject)
  })
}
const say = (wish: object) => ask(`/workers/saying/?say=${encodeURIComponent(JSON.stringify(wish))}`)
const through = (bytes: string) =>
  ask(
    `/workers/fetching/?u=${encodeURIComponent(`${upstreamUrl}/${Buffer.from(bytes, 'latin1').toString('base64url')}`)}`,
  )
const isWell = async () => (await ask('/healthz')).statusCode

describe('an HTTP reason phrase (the text beside the status code)', () => {
  it.each(['Can’t find that', 'Gone fishing', 'caf\u00e9', ''])(
    'is dropped if a worker sends it: %j',
    async (statusText) => {
      const response = await say({ status: 404, statusText })
      expect([response.statusCode, response.statusMessage, response.text]).toEqual([404, 'Not Found', 'said'])
      expect(await isWell()).toBe(200)
    },
  )

  it('is dropped if a server that a worker calls sends it', async () => {
    for (const reason of ['a\u0001b', 'a\u007f', 'caf\u00e9', 'OK']) {
      const response = await through(`HTTP/1.1 200 ${reason}\r\ncontent-length: 2\r\n\r\nhi`)
      // The parser may also refuse the whole line, which is an error of the fetch.
      expect([200, 599]).toContain(response.statusCode)
      if (response.statusCode === 200) expect([response.statusMessage, response.text]).toEqual(['OK', 'hi'])
      expect(await isWell()).toBe(200)
    }
  })
})

describe('an invalid status code in a server’s response to a worker’s request', () => {
  it.each(['000', '001', '099', '600', '999'])('is an error of the worker’s fetch: %s', async (status) => {
    const response = await through(`HTTP/1.1 ${status} OK\r\ncontent-length: 2\r\n\r\nhi`)
    expect([response.statusCode, response.text]).toEqual([
      599,
      expect.stringMatching(
        new RegExp(
          `^TypeError: fetch to 127.* failed: the server answered with the status ${status}; .* from 200 to 599`,
        ),
      ),
    ])
    expect(await isWell()).toBe(200)
  })

  it('includes the code 101 if the worker did not request an upgrade', async () => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'
    const response = await through(head)
    expect([response.statusCode, response.text]).toEqual([599, expect.stringContaining('no upgrade was asked for')])
    expect(await isWell()).toBe(200)
  })
})

describe('response headers that a worker sets', () => {
  it('are refused with their own error code if they exceed 16 KiB', async () => {
    const response = await say({ long: 17_000 })
    expect([response.statusCode, JSON.parse(response.text)]).toMatchObject([
      502,
      {
        code: 'worker_failed',
        detail: 'The worker "saying" answered with more than 16 KiB of response headers, which is the limit.',
        hint: expect.stringContaining('fewer or shorter headers'),
      },
    ])
    expect((await say({})).statusCode).toBe(200)
  })

  it('are removed on the service’s own hostname if they would affect the whole origin', async () => {
    const wide = {
      'clear-site-data': '"cookies"',
      'strict-transport-security': 'max-age=1',
      'alt-svc': 'h3=":1"',
      nel: '{}',
      'report-to': '{}',
      'reporting-endpoints': 'a="https://x.test"',
      'service-worker-allowed': '/',
      'origin-agent-cluster': '?1',
      'public-key-pins': 'max-age=1',
    }
    const { headers } = await say({ headers: { ...wide, 'x-own': 'kept', 'cache-control': 'no-cache' } })
    expect(Object.keys(wide).filter((name) => name in headers)).toEqual([])
    expect(headers).toMatchObject({ 'x-own': 'kept', 'cache-control': 'no-cache' })
  })

  it('cannot set a cookie of the service on the service’s own hostname, however the cookie’s name is written', async () => {
    const ours = [
      'ratecard_session=evil; Path=/api/v1/billing',
      'RateCard_Session=evil',
      ' ratecard_dashboard=evil; Path=/dashboard',
      '__Host-ratecard_session=evil; Secure; Path=/',
      '__host-ratecard_dashboard=evil; Secure; Path=/',
      '__Secure-ratecard_session=evil; Secure',
      '=ratecard_session=evil',
      '\tratecard_dashboard =evil',
    ]
    const others = ['theme=dark; Path=/workers/saying', 'my_ratecard_session=x']
    const response = await say({ headers: [...ours, ...others].map((value) => ['set-cookie', value]) })
    expect(response.headers['set-cookie']).toEqual(others)
  })
})

describe('the log output of a worker', () => {
  it('may contain invalid source positions, and is logged unchanged', async () => {
    const source_map = JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA' })
    const code = `export default { fetch() { throw new Error('see worker.js:0:0 and worker.js:9:0') } }`
    await world.deploy('odd', code, {
      modules: [{ name: 'worker.js', type: 'esm', content: code }],
      source_map,
    })
    expect((await ask('/workers/odd')).statusCode).toBe(500)
    await expect
      .poll(async () => (await world.asAdmin({ url: '/api/v1/workers/odd/logs?level=exception' })).body)
      .toContain('worker.js:0:0')
    expect(await isWell()).toBe(200)
  })
})
