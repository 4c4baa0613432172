import { describe, expect } from 'vitest'
import { clientOf, sandboxForTest, sandboxTest as test } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

const day = 24 * 3_600_000

describe('idempotency keys of the sandbox:', () => {
  test('a retry with the same key and parameters returns the first response and creates no second object', async () => {
    const { stripe } = await sandboxForTest()
    const first = await stripe.products.create({ name: 'P', description: 'd' }, { idempotencyKey: 'k' })
    const second = await stripe.products.create({ description: 'd', name: 'P' }, { idempotencyKey: 'k' })
    expect(second.id).toBe(first.id)
    expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined()
    expect(second.lastResponse.headers['idempotent-replayed']).toBe('true')
    expect(second.lastResponse.headers['original-request']).toBe(first.lastResponse.requestId)
    expect((await stripe.products.list()).data).toHaveLength(1)
  })

  test('a retry returns the stored response, even if the object has changed in the meantime', async ({
    sandbox: { stripe },
  }) => {
    const { id } = await stripe.products.create({ name: 'before' }, { idempotencyKey: 'k' })
    await stripe.products.update(id, { name: 'after' })
    expect(await stripe.products.create({ name: 'before' }, { idempotencyKey: 'k' })).toMatchObject({
      id,
      name: 'before',
    })
  })

  test('a key is refused if it is sent again with other parameters or to another operation', async ({
    sandbox: { stripe },
  }) => {
    await stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' })
    const reused = {
      status: 400,
      type: 'idempotency_error',
      message:
        'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
        "Try using a key other than 'k' if you meant to execute a different request.",
    }
    expect(await refusal(stripe.products.create({ name: 'Q' }, { idempotencyKey: 'k' }))).toMatchObject(reused)
    expect(await refusal(stripe.customers.create({ name: 'P' }, { idempotencyKey: 'k' }))).toMatchObject(reused)
  })

  test('a refused request does not use up its idempotency key', async ({ sandbox: { stripe } }) => {
    await expect(stripe.products.create({} as never, { idempotencyKey: 'k' })).rejects.toThrow()
    expect(await stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' })).toMatchObject({ name: 'P' })
  })

  test('a key is stored for 24 hours', async ({ sandbox: { stripe, clock } }) => {
    const first = await stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' })
    clock.advance(day - 1)
    expect((await stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' })).id).toBe(first.id)
    clock.advance(1)
    expect((await stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' })).id).not.toBe(first.id)
  })

  test('a retry of a request that failed with a 500 gets the same 500, even if the request was executed', async ({
    sandbox: { stripe, control },
  }) => {
    for (const [kind, made] of [
      ['error_before', 0],
      ['error_after', 1],
    ] as const) {
      control.reset()
      control.fail({ kind })
      for (let attempt = 0; attempt < 2; attempt++) {
        expect(await refusal(stripe.products.create({ name: 'P' }, { idempotencyKey: kind }))).toMatchObject({
          status: 500,
          type: 'api_error',
        })
      }
      expect((await stripe.products.list()).data).toHaveLength(made)
    }
  })

  test('a request gets a 409 while another request with the same key is running', async ({
    sandbox: { stripe, control },
  }) => {
    control.fail({ kind: 'latency', latencyMs: 150, path: '/v1/products', count: 2 })
    const slow = stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' })
    // The slow request holds its key once the fault counts it.
    while (control.faults()[0]?.struck !== 1) await new Promise((resolve) => setImmediate(resolve))
    expect(await refusal(stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' }))).toMatchObject({
      status: 409,
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
    })
    expect(await slow).toMatchObject({ name: 'P' })
    expect(await stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' })).toMatchObject({ id: (await slow).id })
  })

  test('a key with more than 255 characters is refused', async ({ sandbox: { stripe } }) => {
    await stripe.products.create({ name: 'P' }, { idempotencyKey: 'k'.repeat(255) })
    expect(await refusal(stripe.products.create({ name: 'P' }, { idempotencyKey: 'k'.repeat(256) }))).toMatchObject({
      status: 400,
      type: 'idempotency_error',
    })
  })

  test('retries of the SDK with one key create only one object', async ({ sandbox }) => {
    const stripe = clientOf(sandbox, sandbox.apiKey, 2)
    sandbox.control.fail({ kind: 'close_after', method: 'POST' })
    const { id } = await stripe.products.create({ name: 'P' })
    expect((await stripe.products.list()).data.map((product) => product.id)).toEqual([id])
    expect(sandbox.control.requests().map((request) => [request.status, request.replayed])).toEqual([
      [null, false],
      [200, true],
      [200, false],
    ])
  })
})
