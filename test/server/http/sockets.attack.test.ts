// Malformed HTTP over raw sockets to a separate process that may open 1,024 files.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { attackMs, attackRuns } from '../../support/attack/hostile-text.ts'

const key = 'attack-sockets-service-key'
const script = `
const { startServer } = await import(process.argv[1])
const server = await startServer({ env: process.env, port: 0, dataDir: process.argv[2], out() {} })
process.stdout.write(new URL(server.url).port + '\\n')
process.on('SIGTERM', () => server.close().then(() => process.exit(0)))`

let folder: string
let child: ChildProcess
let port: number
const opened = new Set<Socket>()

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-attack-'))
  const main = path.join(process.cwd(), 'packages/ratecard/src/server/composition/main.ts')
  child = spawn('bash', ['-c', `ulimit -n 1024; exec "$0" -e "$1" "$2" "$3"`, process.execPath, script, main, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      HOME: folder,
      RATECARD_SERVICE_KEY: key,
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_WORKERS: 'off',
      RATECARD_LOG_LEVEL: 'silent',
    },
  })
  if (child.stdout === null) throw new Error('no output')
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  port = Number(line)
})
afterEach(() => {
  for (const socket of opened) socket.destroy()
  opened.clear()
})
afterAll(async () => {
  child.kill('SIGTERM')
  await once(child, 'close')
  rmSync(folder, { recursive: true })
})

function open(text: string | Buffer = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  opened.add(socket)
  return new Promise((resolve) => {
    socket.on('error', () => {
      resolve(socket)
    })
    socket.once('connect', () => {
      if (text.length > 0) socket.write(text)
      resolve(socket)
    })
  })
}

/** Time (ms) without a byte after which a response on an open connection counts as complete. */
const silentMs = 1_500

/** Returns the bytes received until the server closes the connection, or sends nothing for `patienceMs`. */
async function answerTo(text: string | Buffer, patienceMs = silentMs): Promise<string> {
  const socket = await open(text)
  let answer = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk))
  socket.setTimeout(patienceMs, () => socket.destroy())
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  return answer
}

const closing = 'Connection: close\r\n\r\n'
/** Patience (ms) for a request that may have to wait because the server is busy. It fails if the server rejects the connection. */
const turnMs = 20_000
const health = () => answerTo(`GET /healthz HTTP/1.1\r\nHost: a\r\n${closing}`, turnMs)
const admin = () =>
  answerTo(`GET /api/v1/billing/admin/keys HTTP/1.1\r\nHost: a\r\nX-Service-Key: ${key}\r\n${closing}`, turnMs)
const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
const ok = /^HTTP\/1\.1 200 /

describe('more connections than the server may have open files', () => {
  const shapes: Readonly<Record<string, string>> = {
    'connections without a byte': '',
    'half a header': 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-A',
    'half a body':
      'POST /api/v1/billing/config/prices/a/calculate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    'idle connections': 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
    'clients that read no response': 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2),
  }

  it.each(Object.entries(shapes))(
    'do not block a health check or an authenticated request: %s',
    async (_name, text) => {
      for (let round = 0; round < 2; round++) {
        await Promise.all(Array.from({ length: 1_100 }, async () => (await open(text)).pause()))
        expect(await health()).toMatch(ok)
        expect(await admin()).toMatch(ok)
      }
    },
  )
})

describe('request smuggling:', () => {
  const inner = 'GET /api/v1/billing/config HTTP/1.1\r\nHost: a\r\n\r\n'
  const post = (headers: string, body: string) => `POST /healthz HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`
  it.each([
    [
      'CL and TE',
      post(`Content-Length: ${String(inner.length + 5)}\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${inner}`),
    ],
    ['TE and CL', post('Transfer-Encoding: chunked\r\nContent-Length: 4', `0\r\n\r\n${inner}`)],
    ['two lengths', post(`Content-Length: 0\r\nContent-Length: ${String(inner.length)}`, inner)],
    ['a signed length', post('Content-Length: +0', inner)],
    ['a length list', post('Content-Length: 0, 50', inner)],
    ['TE that is not chunked', post('Transfer-Encoding: xchunked', `0\r\n\r\n${inner}`)],
    ['TE twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', `0\r\n\r\n${inner}`)],
    ['TE with a tab', post('Transfer-Encoding:\tchunked , x', `0\r\n\r\n${inner}`)],
    ['a folded header', post('X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 0', inner)],
    ['a space before the colon', post('Content-Length : 5', inner)],
    ['a bare line feed', `GET /healthz HTTP/1.1\nHost: a\n\n${inner}`],
    ['a bare carriage return', `GET /healthz HTTP/1.1\rHost: a\r\r${inner}`],
    ['a NUL in a header', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n${inner}`],
    ['a chunk of a huge size', post('Transfer-Encoding: chunked', `ffffffffffffffffff\r\n${inner}`)],
    ['a chunk of a negative size', post('Transfer-Encoding: chunked', `-1\r\n${inner}`)],
    ['a chunk that is cut', post('Transfer-Encoding: chunked', '10\r\nab')],
    ['an absolute target of another host', `GET http://b/healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n${closing}`],
    ['another version', `GET /healthz HTTP/3.7\r\nHost: a\r\n\r\n${inner}`],
    ['a header of 100 kB', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(100_000)}\r\n\r\n${inner}`],
  ])('with %s, the second request, which is hidden in the body of the first, gets no response', async (_name, text) => {
    const answer = await answerTo(text)
    const found = statuses(answer)
    // A request hidden in the first one would get 404 `config_not_found`.
    expect(answer).not.toContain('config_not_found')
    expect(found.length).toBeLessThanOrEqual(1)
    for (const status of found) expect(status).toBeLessThan(500)
    expect(await health()).toMatch(ok)
  })

  it('a thousand pipelined requests get their responses in the order of the requests', async () => {
    const answer = await answerTo(
      `${'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(999)}GET /nothing HTTP/1.1\r\nHost: a\r\n${closing}`,
    )
    const found = statuses(answer)
    expect(found.length).toBe(1_000)
    expect(found.lastIndexOf(200)).toBe(998)
    expect(found[999]).toBe(404)
  })
})

it('a request of malformed bytes never ends the server process', { timeout: attackMs * 3 }, async () => {
  const request = Buffer.from(
    'POST /api/v1/billing/config/prices/pro/calculate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nX-Request-Id: a\r\n\r\n10\r\n{"quantity":1234\r\n1\r\n}\r\n0\r\n\r\n',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(request.length - 1), fc.uint8Array({ maxLength: 3 })), { minLength: 1, maxLength: 4 }),
      async (changes) => {
        const bytes = changes.reduce(
          (text, [at, by]) => Buffer.concat([text.subarray(0, at), by, text.subarray(at + 1)]),
          request,
        )
        for (const status of statuses(await answerTo(bytes))) expect(status).toBeLessThan(500)
      },
    ),
    { numRuns: Math.ceil(attackRuns / 15), interruptAfterTimeLimit: attackMs },
  )
  expect(await health()).toMatch(ok)
})
