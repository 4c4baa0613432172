import { describe, expect, test } from 'vitest'
import { sandboxForTest, startTestSandbox } from '../../support/sandbox.ts'
import { checkReply, checkRequest } from '../../support/stripe-contract.ts'

describe('the contract that is derived from the SDK’s types', () => {
  test('accepts each value that the types allow', () => {
    const params = { currency: 'usd', product: 'p', tiers: [{ up_to: 'inf', unit_amount: '5' }], metadata: { a: 'b' } }
    expect(checkRequest('POST', '/v1/prices', params)).toEqual([])
    expect(checkRequest('POST', '/v1/products/p', { description: '', metadata: '' })).toEqual([])
    expect(checkRequest('GET', '/v1/prices', { lookup_keys: ['a'], expand: ['data.tiers'], active: 'true' })).toEqual(
      [],
    )
  })

  test.each([
    ['an unknown parameter', 'POST', '/v1/prices', { currency: 'usd', amount: '5' }],
    ['a missing one', 'POST', '/v1/prices', { unit_amount: '5' }],
    ['a wrong type', 'POST', '/v1/prices', { currency: 'usd', unit_amount: 'five' }],
    ['a value outside an enum', 'POST', '/v1/prices', { currency: 'usd', billing_scheme: 'flat' }],
    ['a fixed field', 'POST', '/v1/prices/p', { unit_amount: '5' }],
    ['an operation we do not use', 'POST', '/v1/charges', {}],
  ])('refuses %s in a request', (_title, method, path, params) => {
    expect(checkRequest(method, path, params)).not.toEqual([])
  })

  test('reports a missing, a wrong and an unknown member in a response', async () => {
    const { stripe } = await sandboxForTest()
    const { lastResponse: _response, ...meter } = await stripe.billing.meters.create({
      display_name: 'm',
      event_name: 'e',
      default_aggregation: { formula: 'sum' },
    })
    const check = (body: unknown): string[] => checkReply('GET', '/v1/billing/meters/m', 200, body)
    expect(check(meter)).toEqual([])
    const { status: _status, ...withoutStatus } = meter
    expect(check(withoutStatus)).toHaveLength(1)
    expect(check({ ...meter, status: 'asleep' })).toHaveLength(1)
    expect(check({ ...meter, metadata: {} })).toHaveLength(1)
    expect(check({ error: { type: 'api_error', message: 'x' } })).not.toEqual([])
    expect(checkReply('GET', '/v1/billing/meters/m', 404, { error: { type: 'odd', message: 'x' } })).toHaveLength(1)
  })

  test('makes a test fail at its end if the test’s sandbox violated the contract', async () => {
    const sandbox = await startTestSandbox({ check: ({ path }) => [`${path} is broken`] })
    await sandbox.stripe.products.list()
    expect(sandbox.violations).toEqual(['/v1/products is broken'])
    await expect(sandbox.close()).rejects.toThrow('/v1/products is broken')
  })
})
