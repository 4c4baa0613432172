// Random status lines, reasons, headers and bodies, from workers and from servers that workers fetch. After each one the service must still
// respond.
import http from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorkerWorld, type WorkerWorld } from './worker-world.ts'
import { hostileText } from '../../support/attack/hostile-text.ts'
import { body, headerBlock, partMs, rawResponse, rawServer, tryFor } from '../../support/attack/raw-responses.ts'
import type { RawServer } from '../../support/attack/raw-responses.ts'

let upstream: RawServer
let world: WorkerWorld
beforeAll(async () => {
  upstream = await rawServer()
  world = await startWorkerWorld({}, {}, ['127.0.0.1'])
  await world.deploy(
    'fetching',
    `export default { async fetch(request) {
      try { return await fetch('http://127.0.0.1:${String(upstream.port)}/', { headers: request.headers, redirect: 'manual' }) }
      catch (error) { return new Response(String(error), { status: 599 }) } } }`,
  )
  await world.deploy(
    'saying',
    `export default { async fetch(request) {
      const { status, statusText, headers, body } = await request.json()
      const made = new Headers()
      for (const [name, value] of headers) try { made.append(name, value) } catch {}
      return new Response([101, 204, 205, 304].includes(status) ? null : body, { status, statusText, headers: made }) } }`,
  )
})
afterAll(async () => {
  await world.close()
  upstream.close()
})

/** Returns the status that a client reads. 0: the connection ended without one or in the middle of the body. */
function ask(path: string, payload = '', headers: http.OutgoingHttpHeaders = {}): Promise<number> {
  return new Promise((resolve) => {
    const options = { method: payload === '' ? 'GET' : 'POST', headers, agent: false }
    const request = http.request(`${world.url}${path}`, options, (response) => {
      response.on('error', () => resolve(0))
      response.on('close', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      resolve(101)
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED' ? -1 : 0))
    request.setTimeout(20_000, () => request.destroy())
    request.end(payload)
  })
}

/** Returns the number of bytes after an upgrade. The connection ends after any response. */
function upgrade(path: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      ),
    )
    let first = ''
    socket.setTimeout(20_000, () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      first += chunk.toString('latin1')
      if (first.includes('\r\n')) socket.destroy()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0)))
  })
}

const isWell = async () => expect(await ask('/healthz')).toBe(200)
const isStatus = (status: number) =>
  expect(status === 0 || status === 101 || (status >= 200 && status <= 599), `status ${String(status)}`).toBe(true)

it('malformed responses to a worker’s fetch do not crash a process, and the worker never returns an invalid HTTP status', async () => {
  const count = await tryFor(partMs, rawResponse, async (bytes) => {
    upstream.send(bytes)
    isStatus(await ask('/workers/fetching/'))
    isStatus(await upgrade('/workers/fetching/'))
    await isWell()
  })
  process.stdout.write(`responses of fetched servers: ${String(count)}\n`)
})

it('malformed responses of a worker do not crash a process', async () => {
  const response = fc.record({
    status: fc.oneof(fc.integer({ min: 200, max: 599 }), fc.integer({ min: -1, max: 1_000 })),
    statusText: hostileText,
    headers: headerBlock,
    body,
  })
  const count = await tryFor(partMs, response, async (wish) => {
    isStatus(await ask('/workers/saying/', JSON.stringify(wish), { 'content-type': 'application/json' }))
    await isWell()
  })
  process.stdout.write(`responses of workers: ${String(count)}\n`)
})
