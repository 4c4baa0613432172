// A webhook URL contains a secret from an environment variable. A read key must see the variable's name instead, on every route.
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import type { InjectOptions } from 'fastify'
import type { Service } from '../../../packages/ratecard/src/server/service/service.ts'
import { admin, sampleConfig, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'
import { operationsOf, sample, type Operation, type Schema } from '../../support/attack/sample.ts'

let document: Schema
let reader = ''
const log: string[] = []
const canary = 'canary-in-the-url'
const named = 'https://hooks.example.com/in?token=${HOOK_TOKEN}'
/** Operations that return a document for further use, with its secrets: docs/decisions/15-variables-environments-and-consent.md. */
const exact = new Set(['getFullConfig', 'pullConfig', 'getRevision'])

const withHook = (version: string) => ({
  ...sampleConfig(version),
  webhooks: [{ id: 'main_hook', url: named, events: ['invoice.paid' as const] }],
})
const expanded = (version: string, value: string) =>
  JSON.parse(JSON.stringify(withHook(version)).replaceAll('${HOOK_TOKEN}', value)) as object

async function push(version: string, value: string) {
  const kept = await test.asAdmin({ method: 'POST', url: `${admin}/config/written`, payload: withHook(version) })
  const headers = { 'x-ratecard-written': kept.json<{ written: string }>().written }
  const pushed = await test.asAdmin({
    ...{ method: 'POST', url: `${admin}/config`, payload: expanded(version, value), headers },
  })
  expect(pushed.statusCode).toBe(200)
  return pushed.json<{ push_id: string }>().push_id
}

/** A processor that repeats the URL that it refused, and a worker that prints it, each as one event of its stream. */
const withTalkingStreams = (service: Service): Service => ({
  ...service,
  async *pushEvents(id) {
    const failed = { index: 0, op: 'create', kind: 'webhook', configId: 'main_hook', state: 'failed' } as const
    const error = { message: `Invalid URL: https://hooks.example.com/in?token=${canary}` }
    const step = { ...failed, attempts: 1, processorId: null, requestId: null, error }
    yield* await Promise.resolve([{ type: 'step', pushId: id, stepsDone: 0, stepsTotal: 1, step } as const])
  },
  workerLogs: () => Promise.resolve([]),
  async *followWorkerLogs() {
    const line = { id: '1', time: 0, level: 'log', requestId: null, runId: null, deployment: '1' }
    const message = `calling https://hooks.example.com/in?token=${canary}`
    yield* await Promise.resolve([{ ...line, message }])
  },
})
const streams = [`${admin}/pushes/any/events`, '/api/v1/workers/any/logs?follow=true']

let ids: readonly string[] = []
const test = startedForAll(() =>
  startTestApp({ onLog: (line) => log.push(line), rateLimit: 1_000_000, wrap: withTalkingStreams }),
)
beforeAll(async () => {
  document = test.app.swagger() as unknown as Schema
  ids = ['main_hook', '1', '2', await push('1.0.0', `${canary}-old`), await push('1.1.0', canary)]
  reader = (await test.service.createKey('a read key', { scope: 'read' })).key
})

/** Yields every request that a read key may send, with every id that exists. */
function* requests(): Generator<readonly [Operation, InjectOptions & { readonly url: string }]> {
  for (const operation of operationsOf(document))
    for (const id of operation.path.includes('{') ? ids : ['']) {
      const path = operation.path.replaceAll(/\{[^}]+\}/g, id)
      const url = `${path}?${new URLSearchParams({
        ...(operation.query.includes('dry_run') ? { dry_run: 'true' } : {}),
        ...(operation.query.includes('from') ? { from: '1', to: '2' } : {}),
      }).toString()}`
      const value =
        operation.id === 'pushConfig' || operation.id === 'validateConfig'
          ? {
              ...sampleConfig('2.0.0'),
              webhooks: [{ id: 'main_hook', url: 'https://other.example.com', events: ['invoice.paid'] }],
            }
          : sample(operation.body, document, { text: () => 'acme', pick: () => 0 })
      yield [
        operation,
        {
          method: operation.method,
          url,
          headers: { 'content-type': 'application/json' },
          ...(operation.body === undefined ? {} : { payload: JSON.stringify(value) }),
        },
      ]
    }
}

it('a read key gets the secret of a webhook URL in documents only, and a request without a key never gets it', async () => {
  const seen = new Set<string>()
  let named = 0
  for (const [operation, request] of requests())
    for (const key of [reader, '']) {
      // Event streams are skipped, because they do not end.
      if (operation.answer.mediaType === 'text/event-stream') continue
      const headers = { ...request.headers, ...(key === '' ? {} : { 'x-service-key': key }) }
      const { body } = await test.inject({ ...request, headers })
      if (body.includes(canary)) seen.add(key === '' ? `${operation.id} without a key` : operation.id)
      if (body.includes('${HOOK_TOKEN}') && !exact.has(operation.id)) named++
    }
  expect([...seen].toSorted()).toEqual([...exact].toSorted())
  expect(named).toBeGreaterThan(2)
  expect(log.filter((line) => line.includes(canary))).toEqual([])
})

/** Signs in with the read key. Returns the headers that the browser then sends. */
async function signedIn(): Promise<Record<string, string>> {
  const entered = await test.inject({
    method: 'POST',
    url: '/dashboard/session',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    payload: new URLSearchParams({ key: test.key }).toString(),
  })
  const cookie = `${entered.cookies[0]?.name ?? ''}=${entered.cookies[0]?.value ?? ''}`
  const page = await test.inject({
    url: '/dashboard',
    headers: { cookie, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' },
  })
  const token = /<meta name="page-token" content="([\w-]{43})">/.exec(page.body)?.[1] ?? ''
  return { cookie, 'sec-fetch-site': 'same-origin', 'x-csrf-token': token }
}

it.each(streams)(
  'the events of %s contain the name of a secret for a read key, and the value of the secret for a write key',
  async (url) => {
    for (const [path, headers] of [
      [url, { 'x-service-key': reader }],
      [`/dashboard${url}`, await signedIn()],
    ] as const) {
      const { statusCode, headers: answered, body } = await test.inject({ url: path, headers })
      expect([statusCode, answered['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
      expect(body).toContain('${HOOK_TOKEN}')
      expect(body).not.toContain(canary)
    }
    expect((await test.asAdmin({ url })).body).toContain(canary)
  },
)

it('the pages of the dashboard contain the name of a secret instead of its value, for every user', async () => {
  const signed = await signedIn()
  const seen: string[] = []
  let named = 0
  for (const [operation, request] of requests()) {
    if (operation.method !== 'GET' && !operation.query.includes('dry_run')) continue
    if (operation.answer.mediaType === 'text/event-stream') continue
    const url = `/dashboard${request.url}`
    const headers = { ...request.headers, ...signed }
    const { body } = await test.inject({ ...request, url, headers })
    if (body.includes(canary)) seen.push(operation.id)
    if (body.includes('${HOOK_TOKEN}')) named++
  }
  expect(seen).toEqual([])
  expect(named).toBeGreaterThan(5)
})

it('a compressed response with redacted secrets arrives complete', async () => {
  const url = '/api/v1/billing/config'
  const headers = { 'accept-encoding': 'gzip', 'x-service-key': reader }
  const answer = await test.inject({ url, headers })
  expect(answer.headers['content-encoding']).toBe('gzip')
  const plain = await test.inject({ url, headers: { 'x-service-key': reader } })
  expect(plain.body).toContain('"products"')
  expect(gunzipSync(answer.rawPayload).toString()).toBe(plain.body)
})

it('a response of several megabytes contains the name of a secret instead of its value, and arrives complete', async () => {
  const payload = {
    ...sampleConfig('2.0.0'),
    products: Array.from({ length: 3_000 }, (_, index) => ({
      id: `p${String(index)}`,
      name: `é漢 ${'😀'.repeat(30)}`,
    })),
    webhooks: [{ id: 'main_hook', url: 'https://other.example.com', events: ['invoice.paid'] }],
  }
  const url = `${admin}/config?dry_run=true`
  const answer = await test.inject({ method: 'POST', url, payload, headers: { 'x-service-key': reader } })
  expect(answer.statusCode).toBe(200)
  expect(answer.body.length).toBeGreaterThan(500_000)
  expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.body)))
  expect(answer.json<{ details: unknown[] }>().details.length).toBeGreaterThan(3_000)
  expect(answer.body).toContain('${HOOK_TOKEN}')
  expect(answer.body).not.toContain(canary)
})

it('the error of a failed push contains the name of a secret instead of its value', async () => {
  const value = `${canary}-failed`
  const kept = await test.asAdmin({ method: 'POST', url: `${admin}/config/written`, payload: withHook('3.0.0') })
  const headers = { 'x-ratecard-written': kept.json<{ written: string }>().written }
  test.sandbox.control.fail({ kind: 'error_before', method: 'POST', path: '/v1/*', count: null })
  const failed = await test.asAdmin({
    ...{ method: 'POST', url: `${admin}/config`, payload: expanded('3.0.0', value), headers },
  })
  test.sandbox.control.clearFaults()
  expect(failed.statusCode).toBeGreaterThanOrEqual(400)
  const push = failed.json<{ push_id: string }>().push_id
  const seen = await test.inject({ url: `${admin}/pushes/${push}`, headers: { 'x-service-key': reader } })
  expect(seen.statusCode).toBe(200)
  expect(seen.body).not.toContain(value)
})
