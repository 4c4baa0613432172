import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sandboxForTest } from '../../support/sandbox.ts'
import { operations } from '../../support/stripe-contract.ts'

/** Returns every parameter name of the contract, at any depth. */
function namesIn(schema: unknown, names = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return names
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties') for (const property of Object.keys(value as object)) names.add(property)
    namesIn(value, names)
  }
  return names
}

const text = fc.constantFrom(
  ...[
    '',
    'usd',
    'EUR',
    'xyz',
    'true',
    'false',
    '0',
    '1',
    '-1',
    '1.5',
    '99999999999999999999',
    '1e5',
    'inf',
    'month',
    'tiered',
  ],
  ...[
    'p',
    'price_x',
    'TEN',
    'coupon',
    'metered',
    '*',
    'invoice.paid',
    'https://example.test/',
    'data.product',
    'tiers',
    '\u0000',
    '€',
  ],
)

function valueFor(names: readonly string[]): fc.Arbitrary<string[]> {
  const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: text })
  const step = fc.oneof(
    name.map((inner) => `[${inner}]`),
    fc.constantFrom('[0]', '[1]', '[]', '[usd]'),
  )
  const path = fc
    .tuple(fc.constantFrom(...names), fc.array(step, { maxLength: 3 }))
    .map(([head, rest]) => head + rest.join(''))
  const pair = fc.tuple(path, text).map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
  return fc.array(pair, { maxLength: 6 })
}

test('the sandbox responds to arbitrary input with an object or an error that the API contract allows, and never crashes', async () => {
  const sandbox = await sandboxForTest()
  const { stripe, url, apiKey } = sandbox
  await stripe.products.create({ id: 'p', name: 'P' })
  await stripe.coupons.create({ id: 'TEN', percent_off: 10 })
  const request = fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      id: fc.constantFrom('p', 'TEN', 'nope', '%00', '..%2f'),
      pairs: valueFor([...namesIn(operation.params), 'expand', 'id', 'foreign']),
      key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(request, async ({ operation, id, pairs, key }) => {
      const path = operation.path.replace('{id}', id)
      const form = pairs.join('&')
      const headers = {
        Authorization: `Bearer ${apiKey}`,
        ...(operation.method === 'POST' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      }
      const reply = await (operation.method === 'POST'
        ? fetch(`${url}${path}`, { method: 'POST', headers, body: form })
        : fetch(`${url}${path}?${form}`, { method: operation.method, headers }))
      const body: unknown = await reply.json()
      expect(reply.status, JSON.stringify(body)).toBeLessThan(500)
      expect(sandbox.violations).toEqual([])
    }),
    { numRuns: 500 },
  )
})
