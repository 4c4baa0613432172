// Sends hostile bodies, queries, paths and headers to every route of the OpenAPI description. Each response must match the description, and
// neither a response nor the log may contain an internal error or a secret.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { sampleConfig, startTestApp } from '../../support/app.ts'
import { edit, mutate } from '../../support/generated/mutate.ts'
import { sessionOf } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'
import { attackMs, attackRuns, hostileText } from '../../support/attack/hostile-text.ts'
import { operationsOf, sample, type Operation, type Schema } from '../../support/attack/sample.ts'

const test = startedForAll(() => startTestApp({ onLog: (line) => log.push(line), rateLimit: 1_000_000 }))
let document: Schema
let operations: readonly Operation[]
let session = ''
const log: string[] = []
/** Secrets that no response may contain, except those of the operations listed below. */
const canaries = new Map<string, string>()
const givesSecrets = new Set(['listWebhooks', 'createKey', 'createSession', 'rotateWebhook', 'rotateWebhookSecret'])

beforeAll(async () => {
  document = test.app.swagger() as unknown as Schema
  operations = operationsOf(document)
  expect((await test.push(sampleConfig())).statusCode).toBe(200)
  session = await sessionOf(test, 'acme')
  canaries.set('the service key', test.key)
  canaries.set('the session', session)
  for (const { secret } of await test.service.listWebhooks({ secrets: true }))
    if (secret !== null) canaries.set('the secret of a webhook', secret)
  expect(canaries.size).toBe(3)
})

const ids = ['pro_monthly', 'pro', 'api_calls', 'acme', 'gold', '1', 'free', 'main_hook']
const headerNames = [
  ...['x-request-id', 'idempotency-key', 'prefer', 'x-ratecard-author', 'x-ratecard-message', 'if-none-match'],
  ...['accept', 'accept-encoding', 'origin', 'cookie', 'x-forwarded-for', 'content-encoding', 'expect', 'range'],
]

const damage = fc.record({
  seed: fc.nat(),
  parts: fc.array(fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: hostileText }), {
    minLength: 8,
    maxLength: 8,
  }),
  query: fc.option(fc.tuple(fc.nat(), hostileText)),
  header: fc.option(fc.tuple(fc.constantFrom(...headerNames), hostileText)),
  edits: fc.array(edit, { maxLength: 3 }),
  body: fc.oneof(
    { weight: 6, arbitrary: fc.constant('sampled' as const) },
    { weight: 1, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constant('bytes' as const) },
  ),
  bytes: fc.uint8Array({ maxLength: 200 }),
  who: fc.constantFrom('key', 'key', 'key', 'session', 'nobody'),
})
type Damage = typeof damage extends fc.Arbitrary<infer Value> ? Value : never

function requestOf(operation: Operation, how: Damage): InjectOptions {
  let at = 0
  const part = () => how.parts[at++ % how.parts.length] ?? ''
  const path = operation.path.replaceAll(/\{[^}]+\}/g, () => encodeURIComponent(part().toWellFormed()) || 'x')
  const names = [...operation.query, 'unknown']
  const query =
    how.query === null
      ? ''
      : `?${names[how.query[0] % names.length] ?? ''}=${encodeURIComponent(how.query[1].toWellFormed())}`
  const headers: Record<string, string> = {}
  // An invalid header value is refused by clients and by Node; sockets.attack.test.ts sends those.
  if (how.header !== null) headers[how.header[0]] = how.header[1].replaceAll(/[^\x20-\x7e]/g, '~')
  if (how.who === 'key') headers['x-service-key'] = test.key
  if (how.who === 'session') headers['cookie'] = `ratecard_session=${session}`
  const request = { method: operation.method as 'GET', url: path + query, headers }
  if (operation.body === undefined || how.body === 'none') return request
  headers['content-type'] = 'application/json'
  if (how.body === 'bytes') return { ...request, payload: Buffer.from(how.bytes) }
  const value = sample(operation.body, document, { text: () => part(), pick: (count) => how.seed % Math.max(1, count) })
  return { ...request, payload: JSON.stringify(mutate(value, how.edits)) }
}

/** Codes of responses about workers, which this service does not run. */
const notHere = new Set(['worker_unavailable', 'worker_start_failed'])

function check(operation: Operation, answer: LightMyRequestResponse): void {
  const shown = `${operation.id}: ${String(answer.statusCode)} ${answer.body.slice(0, 500)}`
  if (answer.statusCode >= 500) expect(notHere.has(answer.json<{ code: string }>().code), shown).toBe(true)
  if (givesSecrets.has(operation.id)) return
  for (const [name, value] of canaries) expect(answer.body.includes(value), `${name} in ${shown}`).toBe(false)
}

function checkLog(): void {
  for (const line of log.splice(0))
    for (const [name, value] of canaries)
      expect(line.includes(value), `${name} in the log: ${line.slice(0, 500)}`).toBe(false)
}

describe('each route of the API', () => {
  it(
    'responds to malformed requests with a status that its API description lists, and without an internal error or a secret',
    { timeout: attackMs * 3 },
    async () => {
      let sent = 0
      await fc.assert(
        fc.asyncProperty(fc.nat(), damage, async (which, how) => {
          // Round robin over the operations, so that each gets the same number of requests. The random number only selects the first one.
          const operation = operations[(sent++ + which) % operations.length]
          if (operation === undefined) throw new Error('no operation')
          check(operation, await test.inject(requestOf(operation, how)))
          checkLog()
          // After a reset, the document is pushed again, so that later requests find objects.
          if (operation.id.startsWith('reset')) await test.push(sampleConfig())
        }),
        { numRuns: attackRuns, interruptAfterTimeLimit: attackMs, endOnFailure: true },
      )
      expect(sent).toBeGreaterThan(operations.length)
      // The metrics contain counts only, and nothing of the requests.
      const metrics = (await test.asAdmin({ url: '/metrics' })).body
      expect(metrics).toContain('ratecard_http_requests_total')
      for (const [name, value] of canaries) expect([name, metrics.includes(value)]).toEqual([name, false])
      expect((await test.inject({ url: '/healthz' })).statusCode).toBe(200)
    },
  )

  it(
    'requires its own kind of credential, and refuses every wrong credential with the same response',
    { timeout: attackMs * 3 },
    async () => {
      const read = await test.service.createKey('gone')
      await test.service.revokeKey(read.id)
      const wrong: readonly Record<string, string>[] = [
        {},
        { 'x-service-key': '' },
        { 'x-service-key': 'guess' },
        { 'x-service-key': read.key },
        { 'x-service-key': `${test.key} `.trimEnd().slice(0, -1) },
        { 'x-service-key': test.key.toUpperCase() },
        { 'x-service-key': `${test.key},${test.key}` },
        { authorization: `Bearer ${test.key}` },
        { cookie: `x-service-key=${test.key}` },
        { cookie: `ratecard_session=${session}` },
        { cookie: `ratecard_session=${session.slice(0, -2)}` },
      ]
      let guarded = 0
      for (const operation of operations.filter(({ needsKey }) => needsKey)) {
        guarded++
        for (const headers of wrong) {
          const url = operation.path.replaceAll(/\{[^}]+\}/g, 'acme')
          const answer = await test.inject({
            method: operation.method,
            url,
            headers,
            ...(operation.body === undefined ? {} : { payload: '{}' }),
          })
          expect([operation.id, headers, [401, 403].includes(answer.statusCode)]).toEqual([operation.id, headers, true])
          check(operation, answer)
        }
      }
      expect(guarded).toBeGreaterThan(30)
      checkLog()
    },
  )

  it('reveals no secret while the processor is unavailable', { timeout: attackMs * 3 }, async () => {
    await test.sandbox.close()
    for (const operation of operations) {
      const url = operation.path.replaceAll(/\{[^}]+\}/g, 'acme')
      const value =
        operation.body === undefined
          ? undefined
          : operation.id === 'pushConfig'
            ? sampleConfig('9.0.0')
            : sample(operation.body, document, { text: () => 'acme', pick: () => 0 })
      const answer = await test.inject({
        method: operation.method,
        url,
        headers: { 'x-service-key': test.key, 'content-type': 'application/json' },
        ...(value === undefined ? {} : { payload: JSON.stringify(value) }),
      })
      expect([
        operation.id,
        answer.statusCode === 500 ? log.filter((line) => line.includes('request failed')).join('') : '',
      ]).toEqual([operation.id, ''])
      if (givesSecrets.has(operation.id)) continue
      for (const [name, secret] of canaries)
        expect([operation.id, name, answer.body.includes(secret)]).toEqual([operation.id, name, false])
    }
    checkLog()
    expect((await test.inject({ url: '/healthz' })).statusCode).toBe(200)
  })
})
