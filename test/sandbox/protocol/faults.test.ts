import Stripe from 'stripe'
import { describe, expect } from 'vitest'
import { clientOf, sandboxForTest, sandboxTest as test } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

describe('injected faults of the sandbox:', () => {
  test('the fault rate_limit refuses the next matching request, and the following request succeeds', async ({
    sandbox,
  }) => {
    const { stripe, control } = sandbox
    control.fail({ kind: 'rate_limit', reason: 'endpoint-rate' })
    const failed: unknown = await stripe.products.list().catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(Stripe.errors.StripeRateLimitError)
    expect(failed).toMatchObject({ code: 'rate_limit', headers: { 'stripe-rate-limited-reason': 'endpoint-rate' } })
    await stripe.products.list()
  })

  test('a fault can be limited to a method, path and account, to a number of requests, and can skip a number of requests first', async () => {
    const sandbox = await sandboxForTest()
    const { control, stripe } = sandbox
    control.fail({ kind: 'rate_limit', method: 'POST', path: '/v1/products/*', count: 2, skip: 1 })
    await stripe.products.create({ id: 'p', name: 'P' })
    await stripe.products.retrieve('p')
    await stripe.products.update('p', { name: '1' })
    await expect(stripe.products.update('p', { name: '2' })).rejects.toThrow(/rate limit/)
    await expect(stripe.products.update('p', { name: '3' })).rejects.toThrow(/rate limit/)
    await stripe.products.update('p', { name: '4' })
    expect(control.faults()).toEqual([])
    control.fail({ kind: 'rate_limit', account: (await stripe.accounts.retrieveCurrent()).id, count: null })
    await clientOf(sandbox, 'sk_test_other').products.list()
    for (let index = 0; index < 3; index++) await expect(stripe.products.list()).rejects.toThrow(/rate limit/)
    expect(control.faults()).toMatchObject([{ kind: 'rate_limit', struck: 3 }])
    control.clearFaults()
    await stripe.products.list()
  })

  test('the fault lock_timeout returns a 429 with its own error code', async ({ sandbox: { stripe, control } }) => {
    control.fail({ kind: 'lock_timeout' })
    expect(await refusal(stripe.products.create({ name: 'P' }))).toMatchObject({ status: 429, code: 'lock_timeout' })
  })

  test('the fault conflict returns a 409 and executes nothing', async ({ sandbox: { stripe, control } }) => {
    control.fail({ kind: 'conflict' })
    expect(await refusal(stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' }))).toMatchObject({
      status: 409,
      code: 'idempotency_key_in_use',
    })
    await stripe.products.create({ name: 'P' }, { idempotencyKey: 'k' })
  })

  test('a request that failed without a stored result (option keep: false) is executed when it is retried', async ({
    sandbox: { stripe, control },
  }) => {
    for (const kind of ['error_before', 'error_after'] as const) {
      control.reset()
      control.fail({ kind, keep: false })
      const create = (): Promise<Stripe.Response<Stripe.Product>> =>
        stripe.products.create({ name: 'P' }, { idempotencyKey: kind })
      expect(await refusal(create())).toMatchObject({ status: 500 })
      const made = await create()
      expect(made.lastResponse).toMatchObject({ statusCode: 200 })
      expect((await stripe.products.list()).data.map((product) => product.id)).toEqual([made.id])
    }
  })

  test.each([
    ['close_before', 0],
    ['close_after', 1],
    ['cut_body', 1],
  ] as const)('the fault %s loses the response; the number of created objects is %d', async (kind, made) => {
    const { stripe, control, url, apiKey } = await sandboxForTest()
    control.fail({ kind })
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/x-www-form-urlencoded' }
    const asked = fetch(`${url}/v1/products`, { method: 'POST', headers, body: 'name=P' }).then((reply) => reply.text())
    await expect(asked).rejects.toThrow()
    expect((await stripe.products.list()).data).toHaveLength(made)
  })

  test('the SDK treats a truncated response as a connection error and does not retry', async ({ sandbox }) => {
    const stripe = clientOf(sandbox, sandbox.apiKey, 2)
    sandbox.control.fail({ kind: 'cut_body' })
    await expect(stripe.products.create({ name: 'P' })).rejects.toBeInstanceOf(Stripe.errors.StripeConnectionError)
    expect(sandbox.control.requests()).toHaveLength(1)
  })

  test('added latency and another fault can apply to the same request', async ({ sandbox: { stripe, control } }) => {
    control.fail({ kind: 'latency', latencyMs: 5 })
    control.fail({ kind: 'rate_limit' })
    await expect(stripe.products.list()).rejects.toThrow(/rate limit/)
    expect(control.faults()).toEqual([])
  })
})

describe('rate limit profiles of the sandbox:', () => {
  const burst = async (stripe: Stripe, size: number): Promise<(string | undefined)[]> => {
    const calls = Array.from({ length: size }, () => stripe.products.list().then(() => undefined, reasonOf))
    return (await Promise.all(calls)).filter((reason) => reason !== undefined)
  }
  const reasonOf = (error: unknown): string =>
    error instanceof Stripe.errors.StripeError ? (error.headers?.['stripe-rate-limited-reason'] ?? 'none') : 'none'

  test('requests are not limited unless a profile is set', async ({ sandbox: { stripe } }) => {
    expect(await burst(stripe, 60)).toEqual([])
  })

  test('the profile `sandbox` allows 25 requests per second', async () => {
    const { stripe, clock } = await sandboxForTest({ profile: 'sandbox' })
    expect(await burst(stripe, 30)).toEqual(Array(5).fill('global-rate'))
    clock.advance(200)
    expect(await burst(stripe, 8)).toHaveLength(3)
    clock.advance(60_000)
    expect(await burst(stripe, 30)).toHaveLength(5)
  })

  test('the profile `live` allows 25 requests per second of one operation and 100 in total', async ({
    sandbox: { stripe, control },
  }) => {
    control.setProfile('live')
    expect(await burst(stripe, 30)).toEqual(Array(5).fill('endpoint-rate'))
    // The five refused requests use no quota: 75 of 100 are left for other operations.
    const others = [stripe.prices, stripe.coupons, stripe.customers, stripe.events]
    const calls = others.flatMap((resource) =>
      Array.from({ length: 25 }, () => resource.list().then(() => 'passed', reasonOf)),
    )
    const answers = await Promise.all(calls)
    expect(answers.filter((answer) => answer === 'passed')).toHaveLength(75)
    expect(answers.filter((answer) => answer === 'global-rate')).toHaveLength(25)
  })

  test('each account has its own rate limit', async () => {
    const sandbox = await sandboxForTest({ profile: 'sandbox' })
    expect(await burst(sandbox.stripe, 25)).toEqual([])
    expect(await burst(clientOf(sandbox, 'sk_test_other'), 25)).toEqual([])
  })
})
