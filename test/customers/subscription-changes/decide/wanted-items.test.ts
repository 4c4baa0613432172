import { describe, expect, test } from 'vitest'
import type { BillingConfig, Price } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import { ServiceError } from '../../../../packages/ratecard/src/base/errors/service-error.ts'
import { replacedItems } from '../../../../packages/ratecard/src/customers/subscription-changes/decide/replaced-items.ts'
import type { ListedItem } from '../../../../packages/ratecard/src/customers/subscription-changes/decide/replaced-items.ts'
import { wantedItems } from '../../../../packages/ratecard/src/customers/subscription-changes/decide/wanted-items.ts'
import type { Offer } from '../../../../packages/ratecard/src/customers/subscription-changes/decide/wanted-items.ts'

const price = (id: string, fields: Partial<Price> = {}): Price => ({
  ...{ id, amount: 1000, currency: 'usd', interval: 'month', processor_id: `price_${id}` },
  ...fields,
})
const metered = { usage_type: 'metered', meter: 'calls', amount: 2 } as const
const config: BillingConfig = {
  version: '1.0.0',
  products: [
    { id: 'basic', name: 'Basic', prices: [price('basic', { attached_prices: ['calls', 'storage'] })] },
    {
      id: 'pro',
      name: 'Pro',
      prices: [
        price('pro', { attached_prices: ['calls_pro', 'storage'] }),
        price('pro_gold', { enterprise_template: 'gold', base_price: 'pro', public: false }),
      ],
    },
    { id: 'desk', name: 'Desk', prices: [price('desk', { attached_prices: ['storage'] })] },
    { id: 'usage', name: 'Usage', prices: [price('calls', metered), price('calls_pro', metered)] },
    { id: 'extra', name: 'Extra', prices: [price('storage'), { id: 'setup', amount: 9900, currency: 'usd' }] },
    { id: 'free', name: 'Free', prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }] },
    { id: 'secret', name: 'Secret', prices: [price('secret', { public: false })] },
  ],
}
const offer: Offer = {
  config,
  tenant: { enterpriseTemplate: null, enterpriseId: null },
  hidden: false,
  has: () => false,
}

/** An item of the group of plans, or of its own product. */
const item = (id: string, quantity: number | null): ListedItem => ({
  ...{ listed: id, quantity, scope: ['basic', 'pro'].includes(id) ? 'group plan' : id },
  attachedPrices:
    config.products.flatMap(({ prices = [] }) => prices).find((one) => one.id === id)?.attached_prices ?? [],
})
const basicFor = (quantity: number) => [item('basic', quantity), item('calls', null), item('storage', quantity)]

const change = (
  present: readonly ListedItem[],
  items: Parameters<typeof wantedItems>[1],
  { scope = 'group plan', ...more }: Partial<Offer> & { readonly scope?: string } = {},
) =>
  wantedItems({ ...offer, ...more }, items, {
    ...{ currency: 'usd', replaced: replacedItems(scope, present, []) },
    keptPrice: () => null,
  }).map(({ priceId, quantity }) => [priceId, quantity])

const refusal = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    if (error instanceof ServiceError) return [error.code, error.message]
    throw error
  }
  return null
}

describe('the items of a subscription after a change', () => {
  test('include attached prices in the quantity of the replaced item if the request has no quantity', () => {
    expect(change(basicFor(7), [{ priceId: 'pro' }])).toEqual([
      ['pro', 7],
      ['calls_pro', null],
      ['storage', 7],
    ])
  })

  test('include attached prices in the quantity of the request', () => {
    expect(change(basicFor(7), [{ priceId: 'pro', quantity: 2 }])).toEqual([
      ['pro', 2],
      ['calls_pro', null],
      ['storage', 2],
    ])
  })

  test('are the same if the request also names the attached prices', () => {
    const named = [{ priceId: 'storage' }, { priceId: 'pro' }, { priceId: 'calls_pro' }]
    expect(change(basicFor(3), named)).toEqual([
      ['storage', 3],
      ['pro', 3],
      ['calls_pro', null],
    ])
  })

  test('include a shared attached price in the sum of the quantities of the new item and of the kept items', () => {
    const present = [item('basic', 3), item('calls', null), item('desk', 2), item('storage', 5)]
    expect(change(present, [{ priceId: 'pro', quantity: 4 }])).toEqual([
      ['pro', 4],
      ['calls_pro', null],
      ['storage', 6],
    ])
  })

  test('include an attached price of a removed item if a kept item requires the attached price', () => {
    const present = [item('basic', 3), item('calls', null), item('desk', 2), item('storage', 5)]
    expect(change(present, [])).toEqual([['storage', 2]])
    expect(change(present, [], { scope: 'storage' })).toEqual([['storage', 5]])
  })

  test('exclude kept items that share no attached price with the change', () => {
    const present = [...basicFor(1), item('secret', 1)]
    expect(change(present, [{ priceId: 'secret', quantity: 4 }], { scope: 'secret', hidden: true })).toEqual([
      ['secret', 4],
    ])
  })

  test('include negotiated prices with the attached prices of their base price', () => {
    const tenant = { enterpriseTemplate: 'gold', enterpriseId: null }
    expect(change(basicFor(2), [{ priceId: 'pro' }], { tenant })).toEqual([
      ['pro_gold', 2],
      ['calls_pro', null],
      ['storage', 2],
    ])
  })
})

describe('a request for a subscription change', () => {
  test.each([
    ['to an unknown price', [{ priceId: 'gone' }], 'price_not_found'],
    ['to a hidden price by a session', [{ priceId: 'secret' }], 'price_not_found'],
    ['to a quantity of usage', [{ priceId: 'calls', quantity: 2 }], 'change_invalid'],
    ['to a price twice', [{ priceId: 'pro' }, { priceId: 'pro' }], 'change_invalid'],
    [
      'to another quantity of an attached price',
      [{ priceId: 'pro' }, { priceId: 'storage', quantity: 4 }],
      'change_invalid',
    ],
    ['to a price that is paid once', [{ priceId: 'setup' }], 'change_invalid'],
    ['to a free price beside another one', [{ priceId: 'free' }, { priceId: 'pro' }], 'change_invalid'],
  ])('%s is refused', (_what, items, code) => {
    expect(refusal(() => change(basicFor(1), items))?.[0]).toBe(code)
  })
})

test('a change to a free price contains only that price, under its own id, whatever the quantity was', () => {
  expect(change(basicFor(7), [{ priceId: 'free' }])).toEqual([['free', 1]])
})

describe('the items that a subscription change replaces', () => {
  test('are the items of the group with their attached prices, including later phases', () => {
    const present = [...basicFor(2), item('desk', 1)]
    const replaced = replacedItems('group plan', present, [item('pro', 2), item('calls_pro', null), item('desk', 1)])
    expect([...replaced.prices].sort()).toEqual(['basic', 'calls', 'calls_pro', 'pro', 'storage'])
    expect(replaced.quantity).toBe(2)
  })

  test('count as a quantity of 1 if several licensed items are replaced', () => {
    expect(replacedItems('group plan', [item('basic', 3), item('pro', 4)], []).quantity).toBe(1)
  })
})
