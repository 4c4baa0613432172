import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { startSandbox } from '../../../packages/sandbox/src/server.ts'
import { TestClock, clientOf, sandboxForTest, sandboxTest as test, startTestSandbox } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { temporaryFolder } from '../../support/folder.ts'

describe('accounts of the sandbox:', () => {
  test('each test key has an account of its own, with a stable id', async ({ sandbox }) => {
    const [one, two] = [clientOf(sandbox, 'sk_test_one'), clientOf(sandbox, 'sk_test_two')]
    const [first, again, other] = [
      await one.accounts.retrieveCurrent(),
      await one.accounts.retrieveCurrent(),
      await two.accounts.retrieveCurrent(),
    ]
    expect(first.id).toMatch(/^acct_1[a-z0-9]{15}$/)
    expect(again.id).toBe(first.id)
    expect(other.id).not.toBe(first.id)
  })

  test('an account neither sees the objects of another account nor collides with their ids', async ({ sandbox }) => {
    const [one, two] = [clientOf(sandbox, 'sk_test_one'), clientOf(sandbox, 'sk_test_two')]
    const price = { currency: 'usd', unit_amount: 1, lookup_key: 'k' }
    const meter = { display_name: 'm', event_name: 'e', default_aggregation: { formula: 'sum' as const } }
    for (const stripe of [one, two]) {
      const { id } = await stripe.products.create({ id: 'same', name: 'P' }, { idempotencyKey: 'same-key' })
      await stripe.prices.create({ ...price, product: id })
      await stripe.billing.meters.create(meter)
      await stripe.coupons.create({ id: 'SAME', percent_off: 10 })
      await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: 'SAME' }, code: 'SAME' })
    }
    const [mine] = (await one.prices.list()).data
    expect((await one.prices.list()).data).toHaveLength(1)
    expect(await refusal(two.prices.retrieve(mine?.id ?? ''))).toMatchObject({ status: 404 })
    expect((await two.events.list({ limit: 100 })).data).toHaveLength(5)
  })

  test('a live key, or any other key that is not a test key, is refused with 401 and masked in the error', async ({
    sandbox,
  }) => {
    for (const [key, shown] of [
      ['sk_live_abcdefgh1234', 'sk_live_********1234'],
      ['pk_test_abcdefgh1234', 'pk_test_********1234'],
      ['nonsense-key', '********-key'],
    ] as const) {
      expect(await refusal(clientOf(sandbox, key).products.list())).toMatchObject({
        status: 401,
        type: 'invalid_request_error',
        message: `Invalid API Key provided: ${shown}`,
      })
    }
  })

  test('a request without a key gets Stripe’s instructions on authentication, and both Basic and Bearer authentication succeed', async ({
    sandbox,
  }) => {
    const { url } = sandbox
    const bare = await fetch(`${url}/v1/products`)
    expect(bare.status).toBe(401)
    expect(await bare.text()).toContain('You did not provide an API key.')
    const basic = `Basic ${Buffer.from('sk_test_x:').toString('base64')}`
    for (const Authorization of [basic, 'Bearer sk_test_x']) {
      expect((await fetch(`${url}/v1/products`, { headers: { Authorization } })).status).toBe(200)
    }
  })

  test('every response has a request id, and an error body contains the same id', async ({
    sandbox: { url, stripe },
  }) => {
    const reply = await fetch(`${url}/v1/products`, { headers: { Authorization: 'Bearer sk_test_x' } })
    expect(reply.headers.get('request-id')).toMatch(/^req_[A-Za-z0-9]{14}$/)
    const failed: unknown = await stripe.products.retrieve('nope').catch((error: unknown) => error)
    expect(failed).toMatchObject({ requestId: expect.stringMatching(/^req_/) as string })
  })

  test('a request to an unknown path gets the error message of the real API', async ({ sandbox: { url, apiKey } }) => {
    const reply = await fetch(`${url}/v1/nope`, { method: 'POST', headers: { Authorization: `Bearer ${apiKey}` } })
    expect(reply.status).toBe(404)
    expect(await reply.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message:
          'Unrecognized request URL (POST: /v1/nope). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.',
      },
    })
  })

  test('a request body that is not form-encoded is refused', async ({ sandbox: { url, apiKey } }) => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
    const reply = await fetch(`${url}/v1/products`, { method: 'POST', headers, body: '{"name":"P"}' })
    expect(reply.status).toBe(400)
    expect(await reply.text()).toContain('application/x-www-form-urlencoded')
  })

  test('list parameters may have empty brackets, e.g. `items[]=a`, as in requests that are written with curl', async ({
    sandbox: { url, apiKey, stripe },
  }) => {
    const { id } = await stripe.products.create({ name: 'P' })
    const body =
      `product=${id}&currency=usd&billing_scheme=tiered&tiers_mode=graduated&recurring[interval]=month` +
      '&tiers[][up_to]=5&tiers[][unit_amount]=10&tiers[][up_to]=inf&tiers[][unit_amount]=8&expand[]=tiers'
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/x-www-form-urlencoded' }
    const reply = await fetch(`${url}/v1/prices`, { method: 'POST', headers, body })
    expect(await reply.json()).toMatchObject({
      tiers: [
        { up_to: 5, unit_amount: 10 },
        { up_to: null, unit_amount: 8 },
      ],
    })
  })

  test('the sandbox listens on loopback addresses only', async () => {
    const started = startSandbox({ port: 0, host: '0.0.0.0', dataDir: null, clock: new TestClock() })
    await expect(started).rejects.toThrow('loopback')
  })
})

describe('state of the sandbox:', () => {
  test('a restart keeps objects, their order and the idempotency keys', async () => {
    const dataDir = temporaryFolder()
    const clock = new TestClock()
    const first = await startTestSandbox({ dataDir, clock })
    await first.stripe.products.create({ id: 'a', name: 'A' })
    const keyed = await first.stripe.products.create({ id: 'b', name: 'B' }, { idempotencyKey: 'k' })
    await first.stripe.products.del('a')
    await first.close()
    const second = await sandboxForTest({ dataDir, clock })
    expect((await second.stripe.products.list()).data.map((product) => product.id)).toEqual(['b'])
    expect((await second.stripe.events.list()).data).toHaveLength(3)
    const replayed = await second.stripe.products.create({ id: 'b', name: 'B' }, { idempotencyKey: 'k' })
    expect(replayed.created).toBe(keyed.created)
    expect(replayed.lastResponse.headers['idempotent-replayed']).toBe('true')
  })

  test('the state file can be read by its owner only, and contains no API key', async () => {
    const dataDir = temporaryFolder()
    const { stripe, close } = await startTestSandbox({ dataDir, apiKey: 'sk_test_verysecretkey' })
    await stripe.products.create({ name: 'P' })
    await close()
    const file = join(dataDir, 'sandbox.db')
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(readFileSync(file).includes('verysecretkey')).toBe(false)
  })

  test('a second sandbox on the same data folder fails to start with an error that names the folder', async () => {
    const dataDir = temporaryFolder()
    const first = await sandboxForTest({ dataDir })
    await first.stripe.products.create({ name: 'P' })
    const second = startSandbox({ port: 0, dataDir, clock: new TestClock() })
    await expect(second).rejects.toThrow(`Another sandbox is using ${dataDir}.`)
  })
})
