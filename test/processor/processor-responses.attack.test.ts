// The processor answers pushes and plans with random responses. After each one the service must still respond.
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { sampleConfig, startTestApp } from '../support/app.ts'
import { partMs, rawResponse, rawServer, tryFor } from '../support/attack/raw-responses.ts'

const member = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('list', 'account', 'product', 'acct_1', 'https://x'),
)
const names = ['object', 'id', 'data', 'has_more', 'url', 'error', 'metadata', 'livemode', 'lastResponse', '__proto__']
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(fc.constantFrom(...names, 'toJSON', 'headers', 'type', 'code'), member, { maxKeys: 8 }),
)
/** Valid HTTP with JSON of any kind, e.g. from a gateway. */
const jsonResponse = fc
  .tuple(fc.constantFrom(200, 200, 200, 201, 204, 302, 400, 401, 402, 404, 409, 429, 500, 503), json)
  .map(([status, value]) => {
    const text = JSON.stringify(value)
    const head = `HTTP/1.1 ${String(status)} X\r\ncontent-type: application/json\r\nrequest-id: req_1\r\n`
    return `${head}content-length: ${String(Buffer.byteLength(text))}\r\n\r\n${Buffer.from(text).toString('latin1')}`
  })

it('malformed responses of the processor become problem documents, and the price list stays available', async () => {
  const processor = await rawServer()
  onTestFinished(() => processor.close())
  const test = await startTestApp({ apiBase: `http://127.0.0.1:${String(processor.port)}` })
  onTestFinished(() => test.close())
  const count = await tryFor(partMs, fc.oneof({ weight: 2, arbitrary: jsonResponse }, rawResponse), async (bytes) => {
    processor.send(bytes)
    const planned = await test.push(sampleConfig(), '?dry_run=true')
    const pushed = await test.push(sampleConfig())
    for (const { statusCode, body } of [planned, pushed]) {
      const { code } = JSON.parse(body) as { code?: string }
      expect([statusCode, code]).toEqual([expect.any(Number), expect.stringMatching(/^(processor_|push_|conflict)/)])
      expect(statusCode).not.toBe(500)
    }
    expect((await test.inject({ url: '/healthz' })).statusCode).toBe(200)
  })
  process.stdout.write(`responses in place of the processor: ${String(count)}\n`)
})
