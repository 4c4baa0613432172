import { describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'

const stack = startedForEach(startStack)

const shop = (products: BillingConfig['products'], rest: Partial<BillingConfig> = {}): BillingConfig => ({
  version: '1.0.0',
  products,
  ...rest,
})

describe('a second push of the same document', () => {
  test.each<[string, BillingConfig]>([
    [
      'sub-minor decimals',
      shop([{ id: 'p', name: 'P', prices: [{ id: 'a', unit_amount_decimal: '0.500', currency: 'usd' }] }]),
    ],
    [
      'an amount written as a decimal',
      shop([{ id: 'p', name: 'P', prices: [{ id: 'a', unit_amount_decimal: '12.0', currency: 'usd' }] }]),
    ],
    [
      'tiers with zero and absent amounts',
      shop([
        {
          id: 'p',
          name: 'P',
          prices: [
            {
              id: 'a',
              currency: 'usd',
              interval: 'month',
              billing_scheme: 'tiered',
              tiers: [
                { up_to: 10, unit_amount: 0 },
                { up_to: 20, flat_amount: 0, unit_amount: 5 },
                { up_to: 'inf', unit_amount_decimal: '0.25' },
              ],
            },
          ],
        },
      ]),
    ],
    [
      'explicit defaults',
      shop([
        {
          id: 'p',
          name: 'P',
          description: '',
          metadata: {},
          type: 'service',
          prices: [
            {
              id: 'a',
              amount: 5,
              currency: 'usd',
              interval: 'day',
              interval_count: 1,
              usage_type: 'licensed',
              billing_scheme: 'per_unit',
              public: true,
              default: false,
            },
          ],
        },
      ]),
    ],
    [
      'a coupon limited to products',
      shop(
        [
          { id: 'p', name: 'P' },
          { id: 'q', name: 'Q' },
        ],
        { coupons: [{ id: 'c', percent_off: 33.3, duration: 'once', applies_to: ['q', 'p'] }] },
      ),
    ],
    [
      'an expired code',
      shop([{ id: 'p', name: 'P' }], {
        coupons: [{ id: 'c', percent_off: 5, duration: 'once' }],
        promotion_codes: [{ id: 'k', code: 'K', coupon: 'c', active: false }],
      }),
    ],
  ])('changes nothing despite %s', async (_what, config) => {
    await stack.service.push(config, nobody)
    const before = stack.writes()
    const again = await stack.service.push(config, nobody)
    expect(again).toMatchObject({ status: 'unchanged', details: [] })
    expect(stack.writes()).toBe(before)
  })

  test('writes only the tiers if tiers were edited at the processor', async () => {
    const tiered = (amount: number) =>
      shop([
        {
          id: 'p',
          name: 'P',
          prices: [
            {
              id: 'a',
              currency: 'usd',
              interval: 'month',
              billing_scheme: 'tiered',
              tiers: [
                { up_to: 10, unit_amount: amount },
                { up_to: 'inf', unit_amount: 1 },
              ],
            },
          ],
        },
      ])
    await stack.service.push(tiered(7), nobody)
    const outcome = await stack.service.push({ ...tiered(8), version: '1.0.1' }, nobody)
    expect(outcome.details).toMatchObject([{ kind: 'price', action: 'replace', because: ['tiers'] }])
    const live = (await stack.stripe.prices.list({ active: true, expand: ['data.tiers'] })).data
    expect(live[0]?.tiers?.[0]?.unit_amount).toBe(8)
  })
})

describe('an account whose objects fill more than one page', () => {
  test('is read completely: a second push of 250 prices changes nothing', async () => {
    const config = shop([
      {
        id: 'p',
        name: 'P',
        prices: Array.from({ length: 250 }, (_, index) => ({
          id: `price_${String(index)}`,
          amount: index + 1,
          currency: 'usd' as const,
        })),
      },
    ])
    await stack.service.push(config, nobody)
    expect((await stack.service.push(config, nobody)).status).toBe('unchanged')
    expect((await stack.service.pull()).document.products[0]?.prices).toHaveLength(250)
  })
})
