// A server that sends malformed responses as bytes. They are random with a seed: PROPERTY_SEED repeats a run.
import { createServer, type AddressInfo } from 'node:net'
import fc from 'fast-check'
import { hostileText } from './hostile-text.ts'
import { listenLocally } from '../listen.ts'

/** Duration of each of the three parts (workers, servers that they fetch, the processor): two minutes in total. */
export const partMs = Number(process.env['ATTACK_SECONDS'] ?? 40) * 1_000

const latin1 = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
})
const status = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 999 }).map((code) => String(code).padStart(3, '0')) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('200', '204', '304', '301', '404', '500', '101', '100', '103', '600', '000'),
  },
  { weight: 1, arbitrary: fc.constantFrom('', '20', '2000', '-1', '2 0', 'abc', '0x1') },
)
const reason = fc.oneof(latin1, hostileText, fc.constantFrom('', 'OK', 'a\u0001b', 'a\u007f', 'caf\u00e9'))
const statusLine = fc
  .tuple(fc.constantFrom('HTTP/1.1 ', 'HTTP/1.0 ', 'HTTP/1.1  ', 'HTTP/2 ', 'http/1.1 ', 'ICY ', ''), status, reason)
  .map(([version, code, words]) => `${version}${code} ${words}`)

const headerName = fc.oneof(
  { weight: 1, arbitrary: latin1 },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...['content-length', 'transfer-encoding', 'connection', 'upgrade', 'trailer', 'date', 'expect', 'keep-alive'],
      ...['set-cookie', 'location', 'content-type', 'content-encoding', 'x-request-id', 'x-worker-version', 'nel'],
      ...['x-ratecard-exception', 'x-ratecard-egress', 'sec-websocket-accept', 'retry-after', 'stripe-notice', 'etag'],
    ),
  },
)
const headerValue = fc.oneof(
  latin1,
  hostileText,
  fc.constantFrom('0', '5', '-1', '1e9', '99999999999999999999', 'chunked', 'gzip', 'close', 'upgrade', 'websocket'),
  fc.constantFrom('connection, content-length', 'ratecard_session=x; Path=/', '=ratecard_session=x', '%E0%A4%A'),
  fc.integer({ min: 1, max: 40_000 }).map((length) => 'h'.repeat(length)),
)
export const headerBlock = fc.array(fc.tuple(headerName, headerValue), { maxLength: 8 })
export const body = fc.oneof(
  latin1,
  hostileText,
  fc.json(),
  fc.constantFrom('', '5\r\nhello\r\n0\r\n\r\n', 'zz\r\n', '0\r\n\r\n'),
)

/** A whole response, as latin1. */
export const rawResponse = fc
  .tuple(statusLine, headerBlock, body, fc.constantFrom('\r\n', '\r\n', '\r\n', '\n'))
  .map(
    ([line, headers, content, end]) =>
      `${line}${end}${headers.map(([name, value]) => `${name}: ${value}${end}`).join('')}${end}${content}`,
  )

export interface RawServer {
  readonly port: number
  /** The response to every request from now on. */
  send(bytes: string): void
  close(): void
}

/** Starts a server that sends its bytes once a request has begun, and then ends the connection. */
export async function rawServer(): Promise<RawServer> {
  let bytes = ''
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => socket.end(bytes, 'latin1'))
  })
  await listenLocally(server)
  return {
    port: (server.address() as AddressInfo).port,
    send: (next) => {
      bytes = next
    },
    close: () => server.close(),
  }
}

/** Tries one example after the other until the time is over. An uncaught error fails the test and names the example before it. */
export async function tryFor<T>(
  ms: number,
  examples: fc.Arbitrary<T>,
  attempt: (example: T) => Promise<void>,
): Promise<number> {
  const escaped: unknown[] = []
  const onEscape = (error: unknown) => escaped.push(error)
  process.on('uncaughtException', onEscape).on('unhandledRejection', onEscape)
  const first = fc.readConfigureGlobal().seed ?? Date.now()
  const until = performance.now() + ms
  let count = 0
  try {
    for (let batch = 0; performance.now() < until; batch++)
      for (const example of fc.sample(examples, { seed: first + batch, numRuns: 50 })) {
        if (performance.now() >= until) break
        count++
        const told = `seed ${String(first)}, batch ${String(batch)}, example ${JSON.stringify(example).slice(0, 2_000)}`
        await attempt(example).catch((error: unknown) => {
          throw new Error(told, { cause: error })
        })
        if (escaped.length > 0) throw new Error(`not caught after ${told}`, { cause: escaped[0] })
      }
  } finally {
    process.off('uncaughtException', onEscape).off('unhandledRejection', onEscape)
  }
  return count
}
