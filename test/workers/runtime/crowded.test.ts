import http from 'node:http'
import os from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { front, recorder, spec, testRuntime } from './bench-host.ts'

/** A worker that may run two requests at once. */
async function atMostTwo(code: string) {
  const runtime = testRuntime()
  onTestFinished(() => runtime.close())
  const worker = await runtime.start(spec(code, { limits: { concurrent: 2 } }), recorder())
  const site = await front(() => worker, '')
  onTestFinished(site.close)
  return { worker, site }
}

test('a worker runs no more concurrent requests than its limit, and accepts new requests when running requests have ended', async () => {
  const code = `export default { fetch(request) {
    if (request.url.endsWith('/free')) return new Response('free')
    return new Promise((resolve) => setTimeout(resolve, 60_000))
  } }`
  const { site } = await atMostTwo(code)
  const leave = new AbortController()
  const asked = [1, 2, 3].map(() => fetch(site.url, { signal: leave.signal }))
  const refused = await Promise.race(asked)
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'worker_unavailable'])
  leave.abort()
  await Promise.allSettled(asked)
  await expect.poll(async () => (await fetch(`${site.url}/free`)).status).toBe(200)
})

test('a worker has a lower CPU priority than the service', async () => {
  const runtime = testRuntime()
  onTestFinished(() => runtime.close())
  const worker = await runtime.start(spec(`export default { fetch() {} }`), recorder())
  const { pid } = worker.stats()
  expect(os.getPriority(pid ?? 0)).toBeGreaterThan(os.getPriority())
})

/** Returns the status of the response to an upgrade. The connection stays open until the signal aborts. */
function upgrade(url: string, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    }
    const request = http.request(url, { headers, signal })
    request.on('error', reject)
    request.on('response', (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    request.on('upgrade', (answer, socket) => {
      signal.addEventListener('abort', () => socket.destroy())
      resolve(answer.statusCode)
    })
    request.end()
  })
}

/** A worker that waits at /wait, fails at /fail, accepts every WebSocket, and otherwise responds at once. */
const busy = `export default { fetch(request) {
  if (request.headers.get('upgrade') === 'websocket') {
    const [client, server] = Object.values(new WebSocketPair())
    server.accept()
    return new Response(null, { status: 101, webSocket: client })
  }
  if (request.url.endsWith('/fail')) throw new Error('failed')
  if (request.url.endsWith('/wait')) return new Promise((resolve) => setTimeout(resolve, 60_000))
  return new Response('free')
} }`

test('a WebSocket counts as a concurrent request, and is refused at the limit of concurrent requests', async () => {
  const { worker, site } = await atMostTwo(busy)
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  expect(await upgrade(site.url, leave.signal)).toBe(101)
  const waiting = Promise.allSettled([fetch(`${site.url}/wait`, { signal: leave.signal })])
  await expect.poll(() => worker.stats().inFlight).toBe(2)
  expect(await upgrade(site.url, leave.signal)).toBe(503)
  expect((await fetch(site.url)).status).toBe(503)
  leave.abort()
  await waiting
  await expect.poll(() => worker.stats().inFlight).toBe(0)
  const again = new AbortController()
  onTestFinished(() => again.abort())
  expect(await upgrade(site.url, again.signal)).toBe(101)
})

test('a worker accepts exactly one more request for each concurrent request that has ended', async () => {
  const { worker, site } = await atMostTwo(busy)
  const fill = async () => {
    const leave = new AbortController()
    onTestFinished(() => leave.abort())
    const asked = Promise.allSettled(['/wait', '/wait'].map((path) => fetch(site.url + path, { signal: leave.signal })))
    await expect.poll(() => worker.stats().inFlight).toBe(2)
    expect((await fetch(site.url)).status).toBe(503)
    leave.abort()
    await asked
    await expect.poll(() => worker.stats().inFlight).toBe(0)
  }
  for (let round = 0; round < 5; round++) {
    expect((await fetch(site.url)).status).toBe(200)
    expect((await fetch(`${site.url}/fail`)).status).toBe(500)
    const leave = new AbortController()
    expect(await upgrade(site.url, leave.signal)).toBe(101)
    leave.abort()
    await expect.poll(() => worker.stats().inFlight).toBe(0)
    await fill()
  }
  await fill()
})
