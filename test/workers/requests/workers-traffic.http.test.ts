import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { getFrom, startWorkerWorld, upload, workersPath } from './worker-world.ts'
import { startedForAll } from '../../support/started.ts'

const world = startedForAll(startWorkerWorld)

const named = startedForAll(() =>
  startWorkerWorld({ publicUrl: 'https://billing.example.com', domain: 'workers.example.com' }),
)

const get = (path: string) => getFrom(world, path)

describe('requests to workers', () => {
  it('reach a deployed worker at the worker’s path without the prefix, and the response contains the deployment id', async () => {
    const code = `export default { fetch(request, env) {
      const { pathname, search } = new URL(request.url)
      return Response.json({ path: pathname + search, prefix: request.headers.get('x-forwarded-prefix'), greeting: env.GREETING, secret: env.SECRET, list: env.LIST })
    } }`
    const answer = await world.deploy('hello', code, {
      vars: { GREETING: 'hi', LIST: [1, 2] },
      secrets: { SECRET: 'swordfish' },
      environment: 'production',
      author: 'ada',
      message: 'first',
    })
    expect(answer.statusCode).toBe(201)
    expect(answer.headers['location']).toBe('/api/v1/workers/hello')
    const worker = answer.json<{ deployment: { id: string } }>()
    expect(worker).toMatchObject({
      name: 'hello',
      url: `${world.url}/workers/hello`,
      state: 'running',
      restarts: 0,
      last_exit: null,
      deployment: {
        author: 'ada',
        message: 'first',
        environment: 'production',
        active: true,
        variables: ['GREETING', 'LIST', 'SECRET'],
      },
      crons: [],
    })
    expect(answer.body).not.toContain('swordfish')
    const { status, body, headers } = await get('/workers/hello/a/b?c=d')
    expect(status).toBe(200)
    expect(JSON.parse(body)).toEqual({
      path: '/a/b?c=d',
      prefix: '/workers/hello',
      greeting: 'hi',
      secret: 'swordfish',
      list: [1, 2],
    })
    expect(headers.get('x-worker-version')).toBe(worker.deployment.id)
    expect(headers.get('x-request-id')).toBeTruthy()
    // Headers that protect the API must not restrict the content of a worker.
    expect(headers.get('content-security-policy')).toBeNull()
    expect(JSON.parse((await get('/workers/hello')).body)).toMatchObject({ path: '/' })
    expect(JSON.parse((await get('/workers/hello?q')).body)).toMatchObject({ path: '/?q' })
  })

  it('reach a worker with modules of each type', async () => {
    // (module (func (export "answer") (result i32) i32.const 42))
    const wasm = 'AGFzbQEAAAABBQFgAAF/AwIBAAcKAQZhbnN3ZXIAAAoGAQQAQSoL'
    const answer = await world.asAdmin({
      method: 'POST',
      url: `${workersPath}/kinds/deployments`,
      payload: {
        ...upload(''),
        modules: [
          {
            name: 'worker.js',
            type: 'esm',
            content: `import wasm from './a.wasm'; import text from './b.txt'; import data from './c.bin'; import json from './d.json'; import { e } from './e.js'
              export default { async fetch() {
                const { exports } = await WebAssembly.instantiate(wasm)
                return Response.json([exports.answer(), text, new Uint8Array(data)[0], json.deep, e]) } }`,
          },
          { name: 'a.wasm', type: 'wasm', content: wasm },
          { name: './b.txt', type: 'text', content: 'té\0xt' },
          { name: 'c.bin', type: 'data', content: Buffer.from([7]).toString('base64') },
          { name: 'd.json', type: 'json', content: '{"deep":[1]}' },
          { name: 'e.js', type: 'esm', content: 'export const e = 5' },
        ],
      },
    })
    expect(answer.statusCode).toBe(201)
    expect(JSON.parse((await get('/workers/kinds')).body)).toEqual([42, 'té\0xt', 7, [1], 5])
  })

  it('get a problem document with its own error code if the worker does not exist, throws or loops', async () => {
    await world.deploy(
      'faulty',
      `export default { fetch(request) { if (request.url.endsWith('/spin')) for (;;) {} throw new Error('secret detail') } }`,
      { cpu_ms: 50 },
    )
    const missing = await get('/workers/nobody/x')
    expect([missing.status, JSON.parse(missing.body)]).toMatchObject([404, { code: 'worker_not_found' }])
    expect(missing.headers.get('content-type')).toContain('application/problem+json')
    const thrown = await get('/workers/faulty')
    expect([thrown.status, JSON.parse(thrown.body)]).toMatchObject([500, { code: 'worker_exception' }])
    expect(thrown.body).not.toContain('secret detail')
    expect(JSON.parse(thrown.body)).toMatchObject({ instance: `urn:request:${thrown.headers.get('x-request-id')}` })
    const spun = await get('/workers/faulty/spin')
    expect([spun.status, JSON.parse(spun.body)]).toMatchObject([503, { code: 'worker_exceeded_cpu' }])
    expect(spun.headers.get('retry-after')).toBe('1')
    const { logs } = (await world.asAdmin({ url: `${workersPath}/faulty/logs?level=exception` })).json<{
      logs: { message: string; request_id: string }[]
    }>()
    expect(logs[0]?.message).toContain('secret detail')
    expect(logs[0]?.request_id).toBe(thrown.headers.get('x-request-id'))
    await expect.poll(() => world.registry.metrics()).toMatch(/ratecard_worker_restarts\{worker="faulty"\} 1/)
    const metrics = await world.registry.metrics()
    expect(metrics).toMatch(/ratecard_worker_requests_total\{worker="faulty",outcome="exceeded_cpu"\} 1/)
    expect(metrics).toMatch(/ratecard_worker_requests_total\{worker="faulty",outcome="exception"\} 1/)
  })

  it('are streamed in both directions, and the worker is notified when the client disconnects', async () => {
    await world.deploy(
      'stream',
      `export default { async fetch(request) {
        const { readable, writable } = new TransformStream()
        const out = writable.getWriter(), reader = request.body.getReader()
        ;(async () => { for (;;) { const { done, value } = await reader.read(); if (done) break; await out.write(value) } await out.close() })()
        return new Response(readable, { headers: { 'content-type': 'text/plain' } }) } }`,
    )
    let send: (text: string) => void = () => undefined
    let end: () => void = () => undefined
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) => {
          controller.enqueue(new TextEncoder().encode(text))
        }
        end = () => {
          controller.close()
        }
      },
    })
    const answered = fetch(`${world.url}/workers/stream`, { method: 'POST', body, duplex: 'half' })
    send('one')
    const response = await answered
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe('one')
    send('two')
    expect((await reader?.read())?.value).toBe('two')
    end()
    expect((await reader?.read())?.done).toBe(true)
  })

  it('can open a WebSocket, and get a problem document if the worker is unknown', async () => {
    await world.deploy(
      'socket',
      `export default { fetch(request) {
        if (request.headers.get('upgrade') !== 'websocket') return new Response('plain')
        const [client, server] = Object.values(new WebSocketPair())
        server.accept()
        server.addEventListener('close', () => server.close())
        server.addEventListener('message', (event) => server.send('echo ' + event.data))
        return new Response(null, { status: 101, webSocket: client }) } }`,
    )
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/workers/socket/chat`)
    const messages = new Promise((resolve) => {
      socket.onopen = () => {
        socket.send('hi')
      }
      socket.onmessage = (event) => {
        resolve(event.data)
      }
    })
    expect(await messages).toBe('echo hi')
    socket.close()
    const nobody = new WebSocket(`${world.url.replace('http', 'ws')}/workers/nobody`)
    await new Promise((resolve) => {
      nobody.onerror = resolve
    })
    // Other upgrades are ignored, for workers and for the API.
    for (const path of ['/workers/socket', '/healthz']) {
      const status = await new Promise((resolve, reject) => {
        request(`${world.url}${path}`, { headers: { connection: 'Upgrade', upgrade: 'h2c' } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })
      expect(status).toBe(200)
    }
  })

  it('reach a worker at its own hostname and under the workers’ domain, on any path', async () => {
    const code = `export default { fetch(request) { return new Response(new URL(request.url).pathname + ' ' + request.headers.get('x-forwarded-prefix') + ' ' + request.headers.get('host')) } }`
    await named.deploy('shop', code, { hosts: ['shop.example.com'] })
    const at = (host: string, path: string) => getAt(named.url, host, path)
    expect(await at('shop.example.com', '/api/v1/billing/config')).toBe('/api/v1/billing/config null shop.example.com')
    expect(await at('Shop.Example.com:4242', '/x')).toBe('/x null Shop.Example.com:4242')
    expect(await at('shop.workers.example.com', '/y')).toBe('/y null shop.workers.example.com')
    expect(await at('other.workers.example.com', '/healthz')).toContain('"status":"ok"')
    const taken = await named.deploy('other', code, { hosts: ['shop.example.com'] })
    expect(taken.json()).toMatchObject({ code: 'conflict' })
    expect((await named.asAdmin({ url: `${workersPath}/other` })).statusCode).toBe(404)
    expect((await named.deploy('shop', code)).statusCode).toBe(201)
    expect(await at('shop.example.com', '/healthz')).toContain('"status":"ok"')
  })

  it('let a worker call the service, but no other server on this machine', async () => {
    await world.deploy(
      'caller',
      `export default { async fetch(request, env) {
        const own = await fetch(env.RATECARD_API_URL + '/healthz').then((r) => r.json())
        const other = await fetch('http://127.0.0.1:1/').then(() => 'reached', (error) => error.message)
        return Response.json([own.status, other]) } }`,
    )
    const [own, other] = JSON.parse((await get('/workers/caller')).body) as [string, string]
    expect(own).toBe('ok')
    expect(other).toContain('may not reach')
  })
})

function getAt(url: string, host: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, { headers: { host }, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        resolve(text)
      })
    })
      .on('error', reject)
      .end()
  })
}
