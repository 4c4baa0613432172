import { expect, it } from 'vitest'
import { compareDocuments } from '../../packages/ratecard/src/catalog/compare-documents.ts'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'

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

it('the comparison of two documents shows a removed API version of a webhook as an update, and a changed version as a replacement', () => {
  const versioned = (version: object): BillingConfig => ({
    version: '1.0.0',
    products: [],
    webhooks: [{ id: 'hook', url: 'https://example.test/hook', events: ['invoice.paid'], ...version }],
  })
  const [old, now, silent] = [{ api_version: '2025-03-31.basil' }, { api_version: '2026-03-31.basil' }, {}].map(
    versioned,
  )
  const actions = (later?: BillingConfig) => old && later && compareDocuments(old, later).map(({ action }) => action)
  expect([actions(now), actions(silent)]).toEqual([['replace'], ['update']])
})

it('the comparison of two documents shows a renamed item as one change of its id, not as a removed and an added item', () => {
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
