import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BillingConfig, Price, Product } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { isPublic } from '../../../packages/ratecard/src/document/schema/public-view.ts'
import { validateConfig } from '../../../packages/ratecard/src/document/validation/validate.ts'
import {
  itemsSold,
  type ItemSold,
  type RequestedItem,
} from '../../../packages/ratecard/src/document/pricing/sold-together.ts'
import { arbitraryConfig } from '../../support/generated/arbitrary-config.ts'

const monthly = (id: string, fields: Partial<Price> = {}): Price => ({
  id,
  amount: 1000,
  currency: 'usd',
  interval: 'month',
  ...fields,
})
const usage = (id: string, fields: Partial<Price> = {}): Price =>
  monthly(id, { usage_type: 'metered', meter: 'calls', amount: 2, ...fields })
const product = (id: string, prices: Price[], group?: string): Product => ({
  ...{ id, name: id, prices },
  ...(group === undefined ? {} : { subscription_group: group }),
})

const config: BillingConfig = {
  version: '1.0.0',
  meters: [
    { id: 'calls', display_name: 'Calls', event_name: 'call' },
    { id: 'space', display_name: 'Space', event_name: 'space' },
  ],
  products: [
    product(
      'pro',
      [
        monthly('pro', { attached_prices: ['calls', 'storage'], previous_ids: ['plus'] }),
        monthly('pro_yearly', { interval: 'year' }),
        monthly('pro_gold', { enterprise_template: 'gold', base_price: 'pro', public: false }),
        monthly('pro_acme', { enterprise_id: 'acme', base_price: 'pro', attached_prices: ['storage'] }),
        usage('pro_space', { meter: 'space' }),
      ],
      'plan',
    ),
    product('team', [monthly('team', { attached_prices: ['calls'] })], 'plan'),
    product('usage', [
      usage('calls'),
      usage('calls_gold', { amount: 1, enterprise_template: 'gold', base_price: 'calls' }),
    ]),
    product('extra', [monthly('storage'), { id: 'setup', amount: 9900, currency: 'usd' }]),
    product('desk', [monthly('desk', { attached_prices: ['storage', 'calls'] })]),
    product('secret', [monthly('secret', { public: false })]),
  ],
}
const none = { enterpriseTemplate: null, enterpriseId: null }
const sold = (
  wanted: readonly RequestedItem[],
  deal = none as { enterpriseTemplate: string | null; enterpriseId: string | null },
) => itemsSold({ config, deal, mayBuy: isPublic }, wanted)
const short = (items: readonly ItemSold[]) => items.map(({ price, quantity }) => [price.id, quantity])
const refused = (...ids: (string | RequestedItem)[]) =>
  sold(ids.map((id) => (typeof id === 'string' ? { priceId: id } : id))).problems.map(({ kind, field, at, detail }) => [
    kind,
    field,
    at,
    detail,
  ])

test('the document of these tests is valid', () => {
  expect(validateConfig(config).errors).toEqual([])
})

describe('attached prices', () => {
  test('are sold with their price: metered attached prices without a quantity, licensed ones in the quantity of the price', () => {
    expect(short(sold([{ priceId: 'pro', quantity: 3 }, { priceId: 'setup' }]).items)).toEqual([
      ['pro', 3],
      ['calls', null],
      ['storage', 3],
      ['setup', 1],
    ])
  })

  test('contain the price to which they are attached, and whether the request named them', () => {
    const { items } = sold([{ priceId: 'plus', quantity: 2 }, { priceId: 'storage' }])
    expect(items.map(({ listed, attachedTo, wantedAt }) => [listed.id, attachedTo, wantedAt])).toEqual([
      ['pro', [], 0],
      ['calls', ['pro'], null],
      ['storage', ['pro'], 1],
    ])
  })

  test('are sold once for two items if they are metered, and in the sum of both quantities if they are licensed', () => {
    const { items, problems } = sold([
      { priceId: 'pro', quantity: 3 },
      { priceId: 'desk', quantity: 2 },
    ])
    expect([short(items), problems]).toEqual([
      [
        ['pro', 3],
        ['calls', null],
        ['storage', 5],
        ['desk', 2],
      ],
      [],
    ])
  })

  test('are replaced by their negotiated prices for a tenant with a deal', () => {
    expect(short(sold([{ priceId: 'pro', quantity: 2 }], { ...none, enterpriseTemplate: 'gold' }).items)).toEqual([
      ['pro_gold', 2],
      ['calls_gold', null],
      ['storage', 2],
    ])
  })

  test('are taken only from the negotiated price’s own list if the negotiated price has a list', () => {
    expect(short(sold([{ priceId: 'pro' }], { ...none, enterpriseId: 'acme' }).items)).toEqual([
      ['pro_acme', 1],
      ['storage', 1],
    ])
  })
})

describe('a request to sell several items together:', () => {
  test('unknown, hidden and negotiated prices are reported as not found', () => {
    expect(refused('nope', 'secret', 'pro_gold', 'pro')).toEqual([
      ['not_found', 'price_id', 0, 'There is no price "nope".'],
      ['not_found', 'price_id', 1, 'There is no price "secret".'],
      ['not_found', 'price_id', 2, 'There is no price "pro_gold".'],
    ])
  })

  test('the same price twice is refused, also by its earlier id', () => {
    expect(refused('setup', 'setup')).toEqual([['invalid', 'price_id', 1, 'The price "setup" is listed twice.']])
    expect(refused('pro', 'plus')).toEqual([['invalid', 'price_id', 1, 'The price "pro" is listed twice.']])
  })

  test('a metered price with a quantity is refused', () => {
    const detail = 'The price "calls" is metered: it is billed by usage and has no quantity.'
    expect(refused('pro', { priceId: 'calls', quantity: 1 })).toEqual([['invalid', 'quantity', 1, detail]])
  })

  test('an attached price is refused in a quantity that differs from the quantity of its base price', () => {
    const detail = 'The price "storage" is sold with "pro" in the quantity 3, not 2.'
    const wanted = [
      { priceId: 'pro', quantity: 3 },
      { priceId: 'storage', quantity: 2 },
    ]
    expect(refused(...wanted)).toEqual([['invalid', 'quantity', 1, detail]])
  })

  test('prices of two products of one subscription group are refused', () => {
    const detail = '"pro" and "team" are both of the group "plan": a tenant can have only one of them.'
    expect(refused('setup', 'pro', 'team')).toEqual([['invalid', 'price_id', 2, detail]])
  })

  test('two prices of one product are refused if both bill the base fee or the same meter', () => {
    const detail = '"pro" and "pro_yearly" are both of the product "pro": a tenant can have only one of them.'
    expect(refused('pro', 'pro_yearly')).toEqual([['invalid', 'price_id', 1, detail]])
    expect(refused('pro', 'pro_space')).toEqual([])
  })

  test('more than 20 recurring or 20 one-time prices, including attached ones, are refused', () => {
    const many = (name: string, more: Partial<Price> = {}) =>
      Array.from({ length: 20 }, (_, at) => product(`${name}${at}`, [monthly(`${name}${at}`, more)]))
    const big = { ...config, products: [...config.products, ...many('a')] }
    const wanted = Array.from({ length: 19 }, (_, at) => ({ priceId: `a${at}` }))
    const selling = { config: big, deal: none, mayBuy: isPublic }
    expect(itemsSold(selling, [...wanted, { priceId: 'setup' }, { priceId: 'team' }]).problems).toMatchObject([
      { detail: expect.stringContaining('21 recurring and 1 one-time prices') },
    ])
    expect(itemsSold(selling, [...wanted, { priceId: 'setup' }, { priceId: 'a19' }]).problems).toEqual([])
  })
})

describe('the items of a valid request for any document', () => {
  const wishes = fc.array(fc.record({ at: fc.nat(30), quantity: fc.option(fc.integer({ min: 1, max: 9 })) }), {
    minLength: 1,
    maxLength: 4,
  })
  const wantedOf = (document: BillingConfig, chosen: readonly { at: number; quantity: number | null }[]) => {
    const prices = document.products.flatMap(({ prices: own = [] }) => own)
    return chosen.flatMap(({ at, quantity }) => {
      const price = prices[at % Math.max(1, prices.length)]
      if (price === undefined) return []
      return [{ priceId: price.id, ...(quantity === null || price.usage_type === 'metered' ? {} : { quantity }) }]
    })
  }

  test('can be requested again by their price ids, with the same result', () => {
    fc.assert(
      fc.property(arbitraryConfig, wishes, (document, chosen) => {
        const selling = { config: document, deal: none, mayBuy: () => true }
        const first = itemsSold(selling, wantedOf(document, chosen))
        fc.pre(first.problems.length === 0)
        const again = first.items.map(({ listed, quantity }) => ({
          priceId: listed.id,
          ...(quantity === null ? {} : { quantity }),
        }))
        const second = itemsSold(selling, again)
        expect([short(second.items), second.problems]).toEqual([short(first.items), []])
      }),
    )
  })

  test('include each attached price, and no price twice', () => {
    fc.assert(
      fc.property(arbitraryConfig, wishes, (document, chosen) => {
        const { items, problems } = itemsSold(
          { config: document, deal: none, mayBuy: () => true },
          wantedOf(document, chosen),
        )
        fc.pre(problems.length === 0)
        const ids = items.map(({ price }) => price.id)
        expect(new Set(ids).size).toBe(ids.length)
        for (const { price } of items) expect(ids).toEqual(expect.arrayContaining(price.attached_prices ?? []))
      }),
    )
  })
})
