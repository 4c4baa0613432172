import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { RatecardError, createClient } from '../../packages/client/src/client.ts'
import { readEvents } from '../../packages/client/src/event-stream.ts'

type Answer = (request: IncomingMessage & { body: string }, response: ServerResponse) => void

let server: Server | null = null
afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)))
  server = null
})

/** Starts a server that sends these responses in order, and a client of it. */
async function serving(answers: readonly Answer[], options: { timeoutMs?: number; retries?: number } = {}) {
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = []
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      const answer = answers[seen.length - 1]
      if (answer === undefined) response.writeHead(599).end('{}')
      else answer(Object.assign(request, { body }), response)
    })
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { seen, client: createClient({ baseUrl: `http://127.0.0.1:${port}/`, serviceKey: 'secret', ...options }) }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const drop: Answer = (request) => void request.socket.destroy()
const busy = json(503, { code: 'processor_unavailable', title: 'Busy', detail: 'Busy now' }, { 'retry-after': '0' })
const cost = {
  price_id: 'p',
  quantity: 2,
  currency: 'eur',
  billing_scheme: 'tiered',
  tiers_mode: 'volume',
  amount: 5,
  amount_decimal: '4.5',
  effective_unit_amount: '2.25',
  formatted: '€0.05',
  breakdown: [{ up_to: 'inf', quantity: 2, unit_amount: '2.25', flat_amount: '0', amount: '4.5' }],
}
const outcome = {
  status: 'applied',
  version: '1.0.0',
  revision: 1,
  push_id: 'x',
  changes: {},
  details: [],
  warnings: [],
  impact: [],
  writes: 0,
  plan: 'f',
}

describe('the client library', () => {
  it('converts member names to camelCase and encodes ids in paths', async () => {
    const { client, seen } = await serving([json(200, cost)])
    expect(await client.billing.calculate('a/b', 2)).toMatchObject({
      priceId: 'p',
      tiersMode: 'volume',
      amountDecimal: '4.5',
      breakdown: [{ upTo: null, unitAmount: '2.25' }],
    })
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/api/v1/billing/config/prices/a%2Fb/calculate',
      body: '{"quantity":2}',
    })
    expect(seen[0]?.headers['x-service-key']).toBe('secret')
  })

  it('leaves the content of documents unchanged', async () => {
    const product = { id: 'p', name: 'P', metadata: { some_key: 'x' }, ui: { sort_order: 1 } }
    const { client } = await serving([json(200, { product })])
    expect(await client.billing.product('p')).toEqual(product)
  })

  it('throws a typed error for a problem document', async () => {
    const problem = {
      code: 'processor_rejected',
      title: 'The processor rejected the request',
      status: 422,
      detail: 'No such tax code.',
      hint: 'Correct it.',
      push_id: 'push_1',
      errors: [{ code: 'value_invalid', pointer: '#/x', severity: 'error', detail: 'bad' }],
      processor: { message: 'No such tax code', request_id: 'req_1' },
    }
    const { client } = await serving([json(422, problem, { 'x-request-id': 'r-1' })])
    const error: unknown = await client.admin.config().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RatecardError)
    expect(error).toMatchObject({
      code: 'processor_rejected',
      status: 422,
      message: 'No such tax code.',
      hint: 'Correct it.',
      requestId: 'r-1',
      errors: [{ pointer: '#/x' }],
      processor: { request_id: 'req_1' },
      problem: { push_id: 'push_1' },
    })
  })

  it('retries reads after a lost connection and after a 503', async () => {
    const { client, seen } = await serving([drop, busy, json(200, { webhooks: [] })])
    expect(await client.admin.webhooks()).toEqual([])
    expect(seen).toHaveLength(3)
  })

  it('does not retry a 503 that asks for a longer pause than five seconds, because it would only fail again', async () => {
    const down = json(503, { code: 'processor_unavailable', title: 'Down', detail: 'Down' }, { 'retry-after': '30' })
    const { client, seen } = await serving([down])
    await expect(client.admin.webhooks()).rejects.toMatchObject({ code: 'processor_unavailable', retryAfterMs: 30_000 })
    expect(seen).toHaveLength(1)
  })

  it('throws the last error when no retries are left', async () => {
    const { client, seen } = await serving([busy, busy], { retries: 1 })
    await expect(client.admin.webhooks()).rejects.toMatchObject({ code: 'processor_unavailable' })
    expect(seen).toHaveLength(2)
  })

  it('does not retry a push after a lost connection if the push has no idempotency key', async () => {
    const { client, seen } = await serving([drop, json(200, outcome)])
    await expect(client.admin.push({})).rejects.toMatchObject({ code: 'server_unreachable' })
    expect(seen).toHaveLength(1)
  })

  it('retries a write that has an idempotency key, with the same key', async () => {
    const { client, seen } = await serving([drop, json(200, outcome)])
    expect(await client.admin.push({}, { idempotencyKey: 'k1' })).toMatchObject({ pushId: 'x' })
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['k1', 'k1'])
  })

  it('does not retry a request that got a 404', async () => {
    const { client, seen } = await serving([json(404, { code: 'price_not_found', title: 'x', detail: 'x' })])
    await expect(client.billing.price('x')).rejects.toMatchObject({ code: 'price_not_found' })
    expect(seen).toHaveLength(1)
  })

  it('sends options in the query, and author and message percent-encoded in headers', async () => {
    const { client, seen } = await serving([json(200, outcome)])
    await client.admin.push({ version: '1.0.0' }, { dryRun: true, force: true, author: 'Zoë 100%', message: '値上げ' })
    expect(seen[0]?.url).toBe('/api/v1/billing/admin/config?dry_run=true&force=true')
    expect(decodeURIComponent(String(seen[0]?.headers['x-ratecard-author']))).toBe('Zoë 100%')
    expect(decodeURIComponent(String(seen[0]?.headers['x-ratecard-message']))).toBe('値上げ')
    expect(seen[0]?.body).toBe('{"version":"1.0.0"}')
  })

  it('returns the id of an asynchronous push, or its result if the push has already ended', async () => {
    const { client, seen } = await serving([
      json(202, { push_id: 'p 1', state: 'running' }, { location: '/api/v1/billing/admin/pushes/p%201' }),
      json(200, outcome),
    ])
    expect(await client.admin.startPush({})).toEqual({ started: true, pushId: 'p 1' })
    expect(seen[0]?.headers['prefer']).toBe('respond-async')
    expect(await client.admin.startPush({})).toMatchObject({ started: false, outcome: { status: 'applied' } })
  })

  it('follows the events of a push and ignores unknown event types', async () => {
    const { client } = await serving([
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const state = { push_id: 'p', steps_done: 0, steps_total: 1, state: 'running' }
        const step = {
          index: 0,
          op: 'create',
          kind: 'price',
          config_id: 'x',
          state: 'succeeded',
          attempts: 1,
          processor_id: 'price_1',
          request_id: null,
          error: null,
        }
        response.write(`: hello\n\nevent: state\ndata: ${JSON.stringify(state)}\n\nevent: weather\ndata: {}\n\n`)
        response.end(`event: step\ndata: ${JSON.stringify({ push_id: 'p', steps_done: 1, steps_total: 1, step })}\n\n`)
      },
    ])
    const events = []
    for await (const event of client.admin.pushEvents('p')) events.push(event)
    expect(events).toEqual([
      { type: 'state', pushId: 'p', state: 'running', stepsDone: 0, stepsTotal: 1 },
      expect.objectContaining({
        type: 'step',
        stepsDone: 1,
        step: expect.objectContaining({ configId: 'x', processorId: 'price_1' }),
      }),
    ])
  })

  it('aborts a request that exceeds its timeout', async () => {
    const { client } = await serving([() => undefined], { timeoutMs: 50, retries: 0 })
    await expect(client.billing.config()).rejects.toMatchObject({ code: 'request_timeout', status: 0 })
  })

  it('aborts a request when the caller’s abort signal fires', async () => {
    const { client } = await serving([() => undefined])
    const stop = new AbortController()
    const call = client.billing.config({ signal: stop.signal })
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'request_aborted' })
  })

  it('throws an error with the hint to check the address if the other side is not a Ratecard server', async () => {
    const { client } = await serving([(_, response) => void response.writeHead(200).end('<html>')])
    await expect(client.billing.config()).rejects.toMatchObject({
      code: 'answer_invalid',
      hint: expect.stringContaining('Check the address'),
    })
  })
})

describe('an event stream in the client library', () => {
  const text = 'event: a\r\ndata: {"x":"é"}\r\n\r\ndata: one\ndata: two\n\nevent: only\n\ndata: unfinished'

  it.each([1, 2, 3, 7, 1000])('contains the same events if its text arrives in chunks of %i bytes', async (size) => {
    const bytes = new TextEncoder().encode(text)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
    const events = []
    for await (const event of readEvents(body)) events.push(event)
    expect(events).toEqual([
      { event: 'a', data: '{"x":"é"}' },
      { event: 'message', data: 'one\ntwo' },
    ])
  })
})
