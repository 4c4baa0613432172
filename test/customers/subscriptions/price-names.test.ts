import { describe, expect, test } from 'vitest'
import { configId, processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { MappingEntry, ResourceKind } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { namePrices } from '../../../packages/ratecard/src/customers/subscriptions/price-names.ts'

let sequence = 0
const entry = (config: string, processor: string, kind: ResourceKind = 'price'): MappingEntry => ({
  kind,
  configId: configId(config),
  processorId: processorId(processor),
  sequence: ++sequence,
  revision: 1,
})
const config = (prices: Record<string, string>): BillingConfig => ({
  version: '1.0.0',
  products: [
    {
      id: 'p',
      name: 'P',
      prices: Object.entries(prices).map(([id, processor_id]) => ({ id, amount: 1, currency: 'usd', processor_id })),
    },
  ],
})

describe('a price of the processor', () => {
  test.each([
    ['has the id of its price in the configuration', { a: 'price_1' }, [entry('a', 'price_1')], 'a', false],
    ['is legacy after it was replaced', { a: 'price_2' }, [entry('a', 'price_1'), entry('a', 'price_2')], 'a', true],
    ['is legacy after its id was removed from the configuration', {}, [entry('a', 'price_1')], 'a', true],
    [
      'is current again after a rollback',
      { a: 'price_1' },
      [entry('a', 'price_1'), entry('a', 'price_2'), entry('a', 'price_1')],
      'a',
      false,
    ],
    ['has the new id after a rename', { b: 'price_1' }, [entry('b', 'price_1'), entry('a', 'price_1')], 'b', false],
    [
      'has an id that still exists if its last id was removed',
      { a: 'price_2' },
      [entry('a', 'price_1'), entry('gone', 'price_1')],
      'a',
      true,
    ],
    ['has no id if that processor id belongs to a product', {}, [entry('p', 'price_1', 'product')], null, false],
    ['has no id if it is unmanaged', { a: 'price_9' }, [], null, false],
  ] as const)('%s', (_what, prices, history, name, legacy) => {
    expect(namePrices(config(prices), history)(processorId('price_1'))).toMatchObject({ configId: name, legacy })
  })

  test('is a legacy price after a reset', () => {
    expect(namePrices(null, [entry('a', 'price_1')])(processorId('price_1'))).toMatchObject({
      configId: 'a',
      legacy: true,
    })
  })
})
