import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { RunningWorker, WorkerVersionSpec } from '../../../packages/ratecard/src/workers/runtime/worker-runtime.ts'
import { copyOf, findWorkerd } from '../../../packages/ratecard/src/workers/runtime/workerd/process/binary.ts'
import { front, recorder, spec, testRuntime, type Front, type Recorder } from './bench-host.ts'

const runtime = testRuntime()
const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})
afterAll(() => runtime.close())

async function serve(
  version: WorkerVersionSpec,
  prefix = '',
): Promise<{ worker: RunningWorker; site: Front; events: Recorder }> {
  const events = recorder()
  const worker = await runtime.start(version, events)
  const site = await front(() => worker, prefix)
  open.push(() => worker.dispose(), site.close)
  return { worker, site, events }
}

const fetchOnly = (body: string): string => `export default { async fetch(request, env, ctx) { ${body} } }`

describe('a worker in the runtime', () => {
  it('receives its own path, the client’s headers and the worker’s variables', async () => {
    const { site, worker } = await serve(
      spec(fetchOnly('return Response.json({ url: request.url, headers: Object.fromEntries(request.headers), env })'), {
        vars: { TEXT: 'a "quoted"\n text', LIST: [1, { b: null }] },
      }),
      '/workers/sample',
    )
    const response = await fetch(`${site.url}/a%20b?c=d`, {
      headers: {
        'x-own': 'kept',
        'x-forwarded-for': '6.6.6.6',
        'cf-connecting-ip': '6.6.6.6',
        'x-request-id': 'forged',
      },
    })
    const seen = (await response.json()) as { headers: Record<string, string> }
    expect(response.headers.get('x-worker-version')).toBe('v1')
    expect(seen).toMatchObject({
      url: `http://127.0.0.1:${site.port}/a%20b?c=d`,
      env: { TEXT: 'a "quoted"\n text', LIST: [1, { b: null }] },
      headers: {
        'x-own': 'kept',
        'x-forwarded-for': '127.0.0.1',
        'cf-connecting-ip': '127.0.0.1',
        'x-forwarded-prefix': '/workers/sample',
        'x-request-id': 'r1',
      },
    })
    expect(Object.keys(seen.headers)).not.toContain('x-ratecard-proto')
    expect(worker.handlers).toEqual({ fetch: true, scheduled: false, pending: 0 })
  })

  it('streams bodies in both directions without buffering', async () => {
    const { site } = await serve(spec(fetchOnly('return new Response(request.body)')))
    const bytes = randomBytes(12 * 1024 * 1024)
    const response = await fetch(site.url, { method: 'POST', body: bytes })
    const back = Buffer.from(await response.arrayBuffer())
    expect(createHash('sha256').update(back).digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))

    // Sends each part only after the previous one came back: a proxy that buffers would never respond.
    const request = http.request(site.url, { method: 'POST' })
    const answers: string[] = []
    const done = new Promise<void>((resolve, reject) => {
      request.on('error', reject)
      request.on('response', (answer) => {
        answer.setEncoding('utf8').on('data', (text: string) => {
          answers.push(text)
          if (answers.length < 3) request.write(`part ${answers.length}`)
          else request.end()
        })
        answer.on('end', resolve)
      })
    })
    request.write('part 0')
    await done
    expect(answers).toEqual(['part 0', 'part 1', 'part 2'])
  })

  it('has its response stream cancelled when the client disconnects', async () => {
    const { site, events } = await serve(
      spec(
        fetchOnly(
          `let timer; return new Response(new ReadableStream({
             start(c) { timer = setInterval(() => c.enqueue(new TextEncoder().encode('tick')), 5) },
             cancel() { clearInterval(timer); console.log('cancelled') } }))`,
        ),
      ),
    )
    const abort = new AbortController()
    const response = await fetch(site.url, { signal: abort.signal })
    await response.body?.getReader().read()
    abort.abort()
    await events.line((line) => line.message === 'cancelled')
    expect(events.requests).toMatchObject([{ outcome: 'cancelled' }])
  })

  it('can accept WebSocket connections', async () => {
    const { site } = await serve(
      spec(
        fetchOnly(
          `const [client, server] = Object.values(new WebSocketPair()); server.accept();
           server.addEventListener('message', (event) => server.send('echo ' + event.data));
           return new Response(null, { status: 101, webSocket: client })`,
        ),
      ),
    )
    const socket = new WebSocket(site.url.replace('http', 'ws'))
    const heard = await new Promise((resolve, reject) => {
      socket.onopen = () => socket.send('hello')
      socket.onmessage = (event) => resolve(event.data)
      socket.onerror = () => reject(new Error('the connection failed'))
    })
    socket.close()
    expect(heard).toBe('echo hello')
  })

  it('returns no stack trace to the client for an exception, and logs the stack trace with the request id', async () => {
    const { site, events } = await serve(
      spec(
        `console.log('loaded')\n${fetchOnly(`console.warn('about', { to: 'fail' })\n throw new RangeError('too far')`)}`,
      ),
    )
    const response = await fetch(site.url)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('too far')
    const line = await events.line((item) => item.level === 'exception')
    expect(line).toMatchObject({ requestId: 'r1', version: 'v1' })
    expect(line.message).toBe('RangeError: too far\n    at Object.fetch (worker.js:3:8)')
    expect(events.lines).toMatchObject([
      { level: 'log', message: 'loaded' },
      { level: 'warn', message: "about { to: 'fail' }", requestId: 'r1' },
      { level: 'exception' },
    ])
  })

  it.each([{ flags: [] }, { flags: ['nodejs_compat'] }])(
    'shows what it prints in the same way with the flags $flags',
    async ({ flags }) => {
      const hostile = 'new Proxy({}, { getPrototypeOf() { throw new Error("trap") } })'
      const { site, events } = await serve(
        spec(
          fetchOnly(`
          console.log(new Map(request.headers).get('x-own'), new Map([['a', 1n]]), new Headers({ b: '2' }))
          console.info('%s bought %d', 'Ann', 3, Object.assign(Object.create(null), { id: 10n }))
          console.log(${hostile}, request)
          console.error(new RangeError('too far', { cause: 'the map' }))
          if (request.url.endsWith('/throw')) throw ${hostile}
          return new Response('printed')`),
          { compatibilityFlags: flags },
        ),
      )
      expect(await (await fetch(site.url, { headers: { 'x-own': 'kept' } })).text()).toBe('printed')
      expect((await fetch(`${site.url}/throw`)).status).toBe(500)
      await events.line((line) => line.level === 'exception')
      expect(events.lines.map(({ message }) => message)).toEqual([
        "kept Map(1) { 'a' => 1n } Headers { b: '2' }",
        'Ann bought 3 [Object: null prototype] { id: 10n }',
        expect.stringMatching(
          /^\[not readable\] Request \{\n {2}method: 'GET',\n {2}url: 'http:[^]*headers: Headers \{/,
        ),
        "RangeError: too far\n    at Object.fetch (worker.js:5:25)\n  [cause]: 'the map'",
        ...events.lines.slice(4, 8).map(({ message }) => message),
        'Error: thrown: [not readable]',
      ])
    },
  )

  it('finds nothing in the cache, and can use it as on a machine without one', async () => {
    const { site } = await serve(
      spec(
        fetchOnly(`
          const hit = await caches.default.match(request)
          const made = new Response('made', { headers: { 'cache-control': 'max-age=60' } })
          ctx.waitUntil(caches.default.put(request, made.clone()))
          const named = await caches.open('own')
          await named.put('https://shop.example/a', new Response('x'.repeat(1_000_000)))
          const found = [hit, await caches.default.match(request), await named.match('https://shop.example/a')]
          return Response.json([...found.map((one) => one === undefined), await named.delete('https://shop.example/a')])`),
      ),
    )
    for (let again = 0; again < 2; again++)
      expect(await (await fetch(site.url)).json()).toEqual([true, true, true, false])
  })

  it('runs in a folder that only its owner may enter, and logs no line about the folder', async () => {
    const closed = await mkdtemp(path.join(os.tmpdir(), 'closed-'))
    open.push(() => rm(closed, { recursive: true }))
    const said: string[] = []
    const onRuntimeLine = (_worker: string, line: string): void => void said.push(line)
    const hidden = testRuntime({}, { binary: await copyOf(findWorkerd() ?? '', closed), onRuntimeLine })
    open.push(() => hidden.close())
    const events = recorder()
    const worker = await hidden.start(spec(fetchOnly(`console.log('well'); return new Response()`)), events)
    const site = await front(() => worker)
    open.push(site.close)
    expect((await fetch(site.url)).status).toBe(200)
    await events.line((line) => line.message === 'well')
    expect([events.lines.length, said.filter((line) => line.includes('executable'))]).toEqual([1, []])
    expect(await hidden.state()).toEqual(await runtime.state())
  })

  it('logs an exception in the middle of a response body', async () => {
    const { site, events } = await serve(
      spec(
        fetchOnly(
          `return new Response(new ReadableStream({ pull(c) { c.enqueue(new TextEncoder().encode('x')); throw new RangeError('half') } }))`,
        ),
      ),
    )
    await fetch(site.url).then(
      (response) => response.text(),
      () => undefined,
    )
    expect(await events.line((line) => line.level === 'exception')).toMatchObject({ message: 'RangeError: half' })
  })

  it('causes a 500 worker_exception if its handler never responds', async () => {
    const { site } = await serve(spec(fetchOnly('await new Promise(() => {})')))
    const response = await fetch(site.url)
    expect([response.status, await response.json()]).toMatchObject([500, { code: 'worker_exception' }])
  })

  it('has a request without a response ended at the time limit of requests', async () => {
    const { site } = await serve(
      spec(fetchOnly('await new Promise((resolve) => setTimeout(resolve, 60_000))'), {
        limits: { responseMs: 200 },
      }),
    )
    const response = await fetch(site.url)
    expect([response.status, await response.json()]).toMatchObject([504, { code: 'worker_timeout' }])
  })

  it('is stopped at its CPU limit if it loops endlessly', async () => {
    const { site, events } = await serve(spec(fetchOnly('for (;;) {}'), { limits: { cpuMs: 50 } }))
    const response = await fetch(site.url)
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'worker_exceeded_cpu' }])
    expect(events.requests[0]?.outcome).toBe('exceeded_cpu')
    expect(await events.exited()).toMatchObject({ reason: 'exceeded_cpu' })
  })
})

describe('a scheduled run of a worker', () => {
  const cron = `export default { async scheduled(event, env, ctx) {
    console.log(JSON.stringify([event.cron, event.scheduledTime, env.NAME]))
    if (event.cron === '1 * * * *') throw new Error('early')
    if (event.cron === '2 * * * *') ctx.waitUntil(new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 20)))
    if (event.cron === '3 * * * *') for (;;) {}
    if (event.cron === '4 * * * *') await new Promise((resolve) => setTimeout(resolve, 60_000))
    ctx.waitUntil((async () => { await new Promise((resolve) => setTimeout(resolve, 30)); console.log('background done') })())
  } }`
  const version = spec(cron, { vars: { NAME: 'x' }, limits: { cpuMs: 60, scheduledMs: 1500 } })
  const at = (minute: string) => ({
    runId: `run${minute}`,
    scheduledTime: 1_700_000_000_000,
    cron: `${minute} * * * *`,
  })

  it('waits for background work, and receives the schedule as its event', async () => {
    const events = recorder()
    const result = await runtime.runOnce(version, at('0'), events)
    expect(result).toMatchObject({ outcome: 'ok' })
    expect(events.lines.map((line) => [line.message, line.runId])).toEqual([
      ['["0 * * * *",1700000000000,"x"]', 'run0'],
      ['background done', 'run0'],
    ])
  })

  it.each([
    ['1', 'exception', /^Error: early\n {4}at Object\.scheduled \(worker\.js:3:/],
    ['2', 'exception', /^Error: late/],
    ['3', 'exceeded_cpu', /60 ms of CPU/],
    ['4', 'timed_out', /1\.5 seconds|1500 ms/],
  ])('of the test worker’s schedule %s has the outcome %s', async (minute, outcome, error) => {
    const result = await runtime.runOnce(version, at(minute), recorder())
    expect(result).toMatchObject({ outcome, error: expect.stringMatching(error) })
  })

  it('has the same outcome in a process that already serves requests', async () => {
    const { worker } = await serve(version)
    expect(await worker.scheduled(at('0'))).toMatchObject({ outcome: 'ok' })
    expect(await worker.scheduled(at('2'))).toMatchObject({ outcome: 'exception' })
    expect(await worker.scheduled(at('3'))).toMatchObject({ outcome: 'exceeded_cpu' })
  })
})

describe('a version of a worker that cannot start', () => {
  it.each([
    ['throws at its top level', `const a = 1\nthrow new Error('no luck')`, /no luck[^]*worker\.js:2/],
    ['has a syntax error', 'export default {', /SyntaxError/],
    ['imports a missing module', `import './missing.js'\nexport default {}`, /missing\.js/],
    ['has no handler', 'export default {}', /neither a fetch nor a scheduled handler/],
  ])('is refused if it %s', async (_title, code, detail) => {
    await expect(runtime.start(spec(code), recorder())).rejects.toMatchObject({
      code: 'worker_start_failed',
      message: expect.stringMatching(detail),
    })
  })

  it('is stopped if its code never finishes loading', async () => {
    const impatient = testRuntime({}, { startTimeoutMs: 400 })
    open.push(() => impatient.close())
    await expect(impatient.start(spec('for (;;) {}'), recorder())).rejects.toMatchObject({
      code: 'worker_start_failed',
      message: expect.stringContaining('did not start within 400 ms'),
    })
  })

  it.each([
    ['buffers', `const kept = []; for (;;) kept.push(new Uint8Array(16 << 20).fill(1))`],
    ['buffers, a little at a time', `const kept = []; for (;;) kept.push(new Uint8Array(1 << 20).fill(1))`],
  ])('is stopped at its memory limit if its top level fills memory with %s', async (_title, code) => {
    const limits = { memoryMb: 200 }
    const refused: unknown = await runtime
      .start(spec(`${code}\nexport default {}`, { limits }), recorder())
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'worker_start_failed' })
    const used = /used (\d+) MB of memory; 200 MB are allowed/.exec(String(refused))?.[1]
    // Without a limit, the worker would have used gigabytes until the time limit of a start, which has another message.
    expect(Number(used)).toBeLessThan(1_500)
  })

  it('is stopped at its CPU limit if its top-level code loops', async () => {
    const looping = spec('for (;;) {}', { limits: { cpuMs: 50 } })
    // On a busy machine the loop gets little of the processor, and the limit of a start must not come first.
    const patient = testRuntime({}, { startTimeoutMs: 60_000 })
    await expect(patient.start(looping, recorder())).rejects.toMatchObject({
      code: 'worker_start_failed',
      message: expect.stringContaining('50 ms of CPU time'),
    })
    await patient.close()
  })

  it('is reported as unavailable if no runtime is installed', async () => {
    const bare = testRuntime({}, { binary: null })
    expect(await bare.state()).toMatchObject({ available: false, detail: expect.stringContaining('not installed') })
    await expect(bare.start(spec(fetchOnly('')), recorder())).rejects.toMatchObject({ code: 'worker_unavailable' })
    expect(await bare.runOnce(spec(''), { runId: 'r', scheduledTime: 0, cron: '' }, recorder())).toMatchObject({
      outcome: 'lost',
    })
    await bare.close()
  })
})

describe('the configuration of a worker', () => {
  it('passes any text to the worker unchanged', async () => {
    const texts = [
      '',
      '"',
      '\\',
      '\n',
      '\r\n',
      '\u0000',
      '\u001f\u007f',
      'é ü 漢 😀',
      '"); (name = "x"',
      '$HOME ${A} `b`',
      '\u2028',
      'x'.repeat(70_000),
    ]
    for (let index = 0; index < 60; index++)
      texts.push(randomBytes(index).toString(index % 2 === 0 ? 'latin1' : 'utf8'))
    const vars = Object.fromEntries(texts.map((text, index) => [`V${index}`, text]))
    const { site } = await serve(spec(fetchOnly('return Response.json(env)'), { vars }))
    expect(await (await fetch(site.url)).json()).toEqual(vars)
  })

  it('can contain text, binary and wasm modules', async () => {
    const add = Buffer.from(
      '0061736d0100000001070160027f7f017f03020100070701036164640000' + '0a09010700200020016a0b',
      'hex',
    )
    const { site } = await serve(
      spec(
        `import text from './a.txt'; import data from './b.bin'; import wasm from './c.wasm'
         ${fetchOnly(`const { exports } = new WebAssembly.Instance(wasm); return Response.json([text, [...new Uint8Array(data)], exports.add(2, 3)])`)}`,
        {
          modules: [
            { name: './a.txt', type: 'text', content: 'ü"' },
            { name: './b.bin', type: 'data', content: new Uint8Array([0, 255]) },
            { name: './c.wasm', type: 'wasm', content: add },
          ],
        },
      ),
    )
    expect(await (await fetch(site.url)).json()).toEqual(['ü"', [0, 255], 5])
  })
})
