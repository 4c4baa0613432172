import { expect, it } from 'vitest'
import { compareDocuments } from '../../../packages/ratecard/src/catalog/compare-documents.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/config/schema/schema.ts'

const document = (product: object, price: object): BillingConfig => ({
  version: '1.0.0',
  products: [
    {
      id: 'pro',
      name: 'Pro',
      ...product,
      prices: [{ id: 'monthly', amount: 1900, currency: 'usd', interval: 'month', ...price }],
    },
  ],
})

it('a renamed item is shown as one change of its id, not as a removed and an added item', () => {
  const after = document({ id: 'plus', previous_ids: ['pro'] }, { id: 'plus_monthly', previous_ids: ['monthly'] })
  const found = compareDocuments(document({}, {}), after)
  expect(found.map(({ kind, configId, change, fields }) => [kind, configId, change, fields[0]])).toEqual([
    ['product', 'plus', 'changed', { field: 'id', before: 'pro', after: 'plus' }],
    ['price', 'plus_monthly', 'changed', { field: 'id', before: 'monthly', after: 'plus_monthly' }],
  ])
  expect(compareDocuments(after, after)).toEqual([])
  const without = document({ id: 'plus' }, {})
  expect(compareDocuments(document({}, {}), without).map(({ change }) => change)).toContain('removed')
})
