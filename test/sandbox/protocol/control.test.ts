import { describe, expect } from 'vitest'
import { clientOf, sandboxForTest, sandboxTest as test, type TestSandbox } from '../../support/sandbox.ts'

/** Sends a control request. With a key it concerns that account only. */
async function control(
  sandbox: TestSandbox,
  method: string,
  path: string,
  options: { readonly body?: unknown; readonly key?: string; readonly headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const authorization: Record<string, string> =
    options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` }
  const reply = await fetch(`${sandbox.url}/_sandbox/${path}`, {
    method,
    headers: { ...authorization, ...options.headers },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  })
  return { status: reply.status, body: await reply.json() }
}

describe('control routes of the sandbox:', () => {
  test('the status response counts objects by account and kind', async ({ sandbox }) => {
    await sandbox.stripe.products.create({ name: 'P' })
    const { id } = await sandbox.stripe.accounts.retrieveCurrent()
    expect((await control(sandbox, 'GET', '')).body).toMatchObject({
      profile: 'none',
      faults: [],
      objects: [
        { account: id, kind: 'event', total: 1 },
        { account: id, kind: 'product', total: 1 },
      ],
    })
  })

  test('a seed request executes ordinary requests, and later requests can use fields of earlier responses', async ({
    sandbox,
  }) => {
    const calls = [
      { path: '/v1/products', params: { name: 'Solo' }, as: 'solo' },
      {
        path: '/v1/prices',
        params: { product: '{{solo.id}}', currency: 'usd', unit_amount: 900, recurring: { interval: 'month' } },
        as: 'price',
      },
      { path: '/v1/products/{{solo.id}}', params: { default_price: '{{price.id}}' } },
    ]
    const seeded = await control(sandbox, 'POST', 'seed', { body: { calls }, key: sandbox.apiKey })
    expect(seeded.status).toBe(200)
    const [product] = (await sandbox.stripe.products.list({ expand: ['data.default_price'] })).data
    expect(product).toMatchObject({
      name: 'Solo',
      default_price: { unit_amount: 900, recurring: { interval: 'month' } },
    })
  })

  test('a seed request stops at the first error and names the request that failed', async ({ sandbox }) => {
    const calls = [
      { path: '/v1/products', params: { name: 'P' } },
      { path: '/v1/prices', params: { currency: 'usd' } },
    ]
    const seeded = await control(sandbox, 'POST', 'seed', { body: { calls }, key: sandbox.apiKey })
    expect(seeded).toMatchObject({
      status: 400,
      body: { call: 1, answer: { error: { type: 'invalid_request_error' } } },
    })
    expect((await control(sandbox, 'POST', 'seed', { body: { calls } })).status).toBe(401)
  })

  test('a reset with a key empties that account, and a reset without a key empties all accounts', async ({
    sandbox,
  }) => {
    const other = clientOf(sandbox, 'sk_test_other')
    await sandbox.stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' })
    await other.products.create({ name: 'P' })
    await control(sandbox, 'POST', 'reset', { key: sandbox.apiKey })
    expect((await sandbox.stripe.products.list()).data).toEqual([])
    expect((await other.products.list()).data).toHaveLength(1)
    const again = await sandbox.stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' })
    expect(again.lastResponse.headers['idempotent-replayed']).toBeUndefined()
    await control(sandbox, 'POST', 'reset')
    expect((await other.products.list()).data).toEqual([])
  })

  test('a snapshot can be restored more than once, for one account or for all', async ({ sandbox }) => {
    const other = clientOf(sandbox, 'sk_test_other')
    await sandbox.stripe.products.create({ id: 'a', name: 'A' })
    await control(sandbox, 'PUT', 'snapshots/start', { key: sandbox.apiKey })
    await other.products.create({ id: 'o', name: 'O' })
    for (let round = 0; round < 2; round++) {
      await sandbox.stripe.products.create({ id: 'b', name: 'B' })
      await sandbox.stripe.products.update('a', { name: 'changed' })
      expect((await control(sandbox, 'POST', 'snapshots/start/restore')).body).toEqual({ restored: 'start' })
      expect((await sandbox.stripe.products.list()).data.map((product) => product.name)).toEqual(['A'])
      expect((await other.products.list()).data).toHaveLength(1)
    }
    expect((await control(sandbox, 'POST', 'snapshots/nope/restore')).status).toBe(404)
  })

  test('the request log contains requests and statuses, never the API key', async () => {
    const sandbox = await sandboxForTest({ apiKey: 'sk_test_verysecretkey' })
    const { lastResponse } = await sandbox.stripe.products.create(
      { name: 'P', images: ['a', 'b'] },
      { idempotencyKey: 'k' },
    )
    await sandbox.stripe.products.create({ name: 'P', images: ['a', 'b'] }, { idempotencyKey: 'k' })
    await sandbox.stripe.products.retrieve('nope').catch(() => undefined)
    const { body } = await control(sandbox, 'GET', 'requests')
    expect(body).toMatchObject({
      requests: [
        {
          id: lastResponse.requestId,
          method: 'POST',
          path: '/v1/products',
          params: { name: 'P', images: ['a', 'b'] },
          idempotencyKey: 'k',
          status: 200,
          replayed: false,
        },
        { status: 200, replayed: true },
        { method: 'GET', path: '/v1/products/nope', status: 404, idempotencyKey: null },
      ],
    })
    expect(JSON.stringify(body)).not.toContain('verysecretkey')
    expect((await control(sandbox, 'GET', 'requests?limit=1')).body).toMatchObject({ requests: [{ status: 404 }] })
    expect((await control(sandbox, 'GET', `requests/${lastResponse.requestId}`)).body).toMatchObject({ status: 200 })
    await control(sandbox, 'DELETE', 'requests')
    expect((await control(sandbox, 'GET', 'requests')).body).toEqual({ requests: [] })
  })

  test('an error links to its entry in the request log', async ({ sandbox }) => {
    const headers = { Authorization: `Bearer ${sandbox.apiKey}` }
    const failed = (await (await fetch(`${sandbox.url}/v1/products/nope`, { headers })).json()) as {
      error: { request_log_url: string }
    }
    expect(await (await fetch(failed.error.request_log_url)).json()).toMatchObject({
      path: '/v1/products/nope',
      status: 404,
    })
  })

  test('injected faults can be added, listed and cleared', async ({ sandbox }) => {
    const body = { kind: 'rate_limit', method: 'POST', path: '/v1/prices', count: 3 }
    expect((await control(sandbox, 'POST', 'faults', { body })).body).toEqual({ id: 1 })
    expect((await control(sandbox, 'GET', 'faults')).body).toMatchObject({ faults: [{ ...body, struck: 0 }] })
    await control(sandbox, 'DELETE', 'faults')
    expect((await control(sandbox, 'GET', 'faults')).body).toEqual({ faults: [] })
    expect((await control(sandbox, 'PUT', 'profile', { body: { profile: 'live' } })).body).toEqual({ profile: 'live' })
  })

  test.each([
    ['POST', 'faults', { kind: 'explode' }, /kind must be one of rate_limit/],
    ['POST', 'faults', { kind: 'latency' }, /latency needs latency_ms/],
    ['POST', 'faults', { kind: 'conflict', often: 1 }, /often is unknown/],
    ['POST', 'faults', { kind: 'conflict', count: -1 }, /count must be a whole number/],
    ['PUT', 'profile', { profile: 'fast' }, /profile must be one of none, sandbox, live/],
    ['POST', 'faults', 'no object', /must be a JSON object/],
  ] as const)(
    'an invalid control request is refused with its reason: %s %s %j',
    async (method, path, body, message) => {
      const sandbox = await sandboxForTest()
      const answer = await control(sandbox, method, path, { body })
      expect(answer.status).toBe(400)
      expect((answer.body as { error: string }).error).toMatch(message)
    },
  )

  test('a control request from a web page of another origin is refused', async ({ sandbox }) => {
    const answer = await control(sandbox, 'POST', 'reset', { headers: { Origin: 'https://evil.example' } })
    expect(answer.status).toBe(403)
    expect((await control(sandbox, 'GET', 'nope/at/all')).status).toBe(404)
  })
})
