import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { validateConfig } from '../../../packages/ratecard/src/document/validation/validate.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { calculatePrice } from '../../../packages/ratecard/src/document/pricing/calculate.ts'
import { describePrice } from '../../../packages/ratecard/src/document/pricing/describe.ts'

const fixture = (name: string): BillingConfig => {
  const text = readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8')
  const { config } = validateConfig(JSON.parse(text))
  if (config === null) throw new Error(`${name} is not valid`)
  return config
}
const priceOf = (id: string): Price => {
  const found = fixture('02-usage-billing')
    .products.flatMap(({ prices }) => prices ?? [])
    .find((price) => price.id === id)
  if (found === undefined) throw new Error(`no price ${id}`)
  return found
}
const problemOf = (work: () => unknown): ServiceError => {
  try {
    work()
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
const unit = (fields: Partial<Price>): Price => ({ id: 'p', currency: 'usd', interval: 'month', ...fields })

describe('the cost that calculate() returns:', () => {
  test.each([
    [0, 0, 0],
    [50, 0, 2000],
    [51, 0, 2275],
    [200, 0, 6000],
    [201, 306, 6025],
    [500, 2100, 13500],
    [501, 2106, 7515],
    [2000, 11100, 30000],
    [2001, 11104, 30015],
    [20000, 83100, 300000],
    [25000, 93100, 375000],
  ])('%i units cost %i with graduated and %i with volume tiers', (quantity, graduated, volume) => {
    expect(calculatePrice(priceOf('render_minutes_graduated'), quantity).amount).toBe(graduated)
    expect(calculatePrice(priceOf('export_jobs_volume'), quantity).amount).toBe(volume)
  })

  test('the result lists the number of units in each tier', () => {
    expect(calculatePrice(priceOf('render_minutes_graduated'), 2001)).toEqual({
      priceId: 'render_minutes_graduated',
      quantity: 2001,
      currency: 'usd',
      billingScheme: 'tiered',
      tiersMode: 'graduated',
      amount: 11104,
      amountDecimal: '11104',
      effectiveUnitAmount: '5.549225387306',
      formatted: '$111.04',
      breakdown: [
        { upTo: 200, quantity: 200, unitAmount: '0', flatAmount: '0', amount: '0' },
        { upTo: 2000, quantity: 1800, unitAmount: '6', flatAmount: '300', amount: '11100' },
        { upTo: 20000, quantity: 1, unitAmount: '4', flatAmount: '0', amount: '4' },
      ],
    })
    expect(calculatePrice(priceOf('export_jobs_volume'), 501).breakdown).toEqual([
      { upTo: null, quantity: 501, unitAmount: '15', flatAmount: '0', amount: '7515' },
    ])
  })

  test('a quantity of 0 costs the flat amount of the first tier, and of no other tier', () => {
    const tiers: Price['tiers'] = [
      { up_to: 10, flat_amount: 500 },
      { up_to: 'inf', unit_amount: 7, flat_amount: 100 },
    ]
    const graduated = unit({ billing_scheme: 'tiered', tiers })
    const volume = unit({ billing_scheme: 'tiered', tiers_mode: 'volume', tiers })
    expect([0, 1, 10, 11].map((quantity) => calculatePrice(graduated, quantity).amount)).toEqual([500, 500, 500, 607])
    expect([0, 1, 10, 11].map((quantity) => calculatePrice(volume, quantity).amount)).toEqual([500, 500, 500, 177])
    expect(calculatePrice(graduated, 0)).toMatchObject({ effectiveUnitAmount: null, quantity: 0 })
  })

  test('fractions of a minor unit are rounded once, at the end, half up', () => {
    const price = unit({ unit_amount_decimal: '0.5' })
    expect([0, 1, 2, 3].map((quantity) => calculatePrice(price, quantity).amount)).toEqual([0, 1, 1, 2])
    expect(calculatePrice(price, 3)).toMatchObject({
      amountDecimal: '1.5',
      effectiveUnitAmount: '0.5',
      formatted: '$0.02',
    })
    const tiers: Price['tiers'] = [
      { up_to: 1, unit_amount_decimal: '0.3' },
      { up_to: 2, unit_amount_decimal: '0.3' },
      { up_to: 'inf', unit_amount_decimal: '0.3' },
    ]
    // If each line were rounded, the result would be 0.
    expect(calculatePrice(unit({ billing_scheme: 'tiered', tiers }), 3)).toMatchObject({
      amount: 1,
      amountDecimal: '0.9',
    })
  })

  test.each([-1, 0.5, NaN, Infinity, 2 ** 53])('a quantity of %d is refused', (quantity) => {
    expect(problemOf(() => calculatePrice(unit({ amount: 1 }), quantity)).code).toBe('quantity_invalid')
  })

  test('an amount beyond Number.MAX_SAFE_INTEGER is refused', () => {
    expect(calculatePrice(unit({ amount: 1 }), Number.MAX_SAFE_INTEGER).amount).toBe(Number.MAX_SAFE_INTEGER)
    const refused = problemOf(() => calculatePrice(unit({ amount: 2 }), 2 ** 52))
    expect([refused.code, refused.message]).toEqual(['quantity_invalid', expect.stringContaining('too large')])
  })

  test('a quantity of negative zero counts as zero', () => {
    const cost = calculatePrice(unit({ amount: 5 }), -0)
    expect([cost.quantity, cost.breakdown[0]?.quantity].map((value) => Object.is(value, 0))).toEqual([true, true])
  })
})

describe('describePrice()', () => {
  test.each<[Price, string]>([
    [unit({ amount: 1200, currency: 'eur' }), '€12.00 / month'],
    [unit({ amount: 3300, currency: 'eur', interval_count: 3 }), '€33.00 / 3 months'],
    [{ id: 'p', amount: 500, currency: 'jpy' }, '¥500 once'],
    [unit({ amount: 0 }), 'free / month'],
    [{ id: 'p', amount: 0, currency: 'usd' }, 'free'],
    [
      unit({ unit_amount_decimal: '0.050', usage_type: 'metered', meter: 'api_calls' }),
      '$0.0005 per unit / month (metered: api_calls)',
    ],
    [unit({ billing_scheme: 'tiered', tiers: [{ up_to: 'inf', unit_amount: 0 }] }), 'graduated: $0.00 / month'],
    [
      unit({
        billing_scheme: 'tiered',
        tiers_mode: 'volume',
        tiers: [{ up_to: 'inf', unit_amount: 5, flat_amount: 100 }],
      }),
      'volume: $0.05 + $1.00 flat / month',
    ],
    [
      unit({
        billing_scheme: 'tiered',
        tiers: [
          { up_to: 10, unit_amount: 500 },
          { up_to: 100, flat_amount: 1000 },
          { up_to: 'inf', unit_amount_decimal: '0.5' },
        ],
      }),
      'graduated: up to 10 $5.00, up to 100 $10.00 flat, then $0.005 / month',
    ],
    [
      unit({
        billing_scheme: 'tiered',
        tiers: Array.from({ length: 14 }, (_, at) => ({ up_to: at === 13 ? 'inf' : at + 1, unit_amount: 100 })),
      }),
      expect.stringMatching(/^graduated: up to 1 \$1\.00, .* up to 12 \$1\.00, and 2 more \/ month$/),
    ],
    [
      unit({ amount: 1200, currency_options: { eur: { amount: 1100 }, jpy: { amount: 1500 } } }),
      '$12.00 / month (also €11.00, ¥1,500)',
    ],
    [unit({ amount: 3490, tax_included_in_price: true }), '$34.90 / month (tax included)'],
    [unit({ amount: 3490, tax_included_in_price: false }), '$34.90 / month (tax excluded)'],
  ])('describes %o', (price, text) => expect(describePrice(price)).toEqual(text))
})

describe('the cost of a price in several currencies', () => {
  const priced = unit({
    amount: 1000,
    currency_options: { eur: { amount: 900 }, jpy: { unit_amount_decimal: '1500.5' } },
  })

  test('is calculated with the amount in the requested currency, and rounded to its minor unit', () => {
    expect(calculatePrice(priced, 3)).toMatchObject({ currency: 'usd', amount: 3000 })
    expect(calculatePrice(priced, 3, 'usd')).toMatchObject({ currency: 'usd', amount: 3000 })
    expect(calculatePrice(priced, 3, 'eur')).toMatchObject({ currency: 'eur', amount: 2700, formatted: '€27.00' })
    expect(calculatePrice(priced, 1, 'jpy')).toMatchObject({ amount: 1501, amountDecimal: '1500.5' })
  })

  test('is an error in a currency that the price lacks', () => {
    expect(problemOf(() => calculatePrice(priced, 1, 'gbp')).code).toBe('currency_not_offered')
    expect(problemOf(() => calculatePrice(priced, 1, '__proto__')).code).toBe('currency_not_offered')
  })

  test('uses the tiers of the requested currency', () => {
    const tiers = (first: number) => [
      { up_to: 10, unit_amount: first, flat_amount_decimal: '0.5' },
      { up_to: 'inf' as const, unit_amount: 1 },
    ]
    const tiered = unit({ billing_scheme: 'tiered', tiers: tiers(5), currency_options: { eur: { tiers: tiers(4) } } })
    expect(calculatePrice(tiered, 12)).toMatchObject({ amountDecimal: '52.5', amount: 53 })
    expect(calculatePrice(tiered, 12, 'eur')).toMatchObject({ amountDecimal: '42.5', amount: 43 })
  })
})

describe('a price per package of units', () => {
  test.each([
    ['up', 0, 0],
    ['up', 1, 1],
    ['up', 1000, 1],
    ['up', 1001, 2],
    ['down', 999, 0],
    ['down', 1000, 1],
    ['down', 1999, 1],
  ] as const)('that is rounded %s charges %i units as %i packages', (round, quantity, packages) => {
    const cost = calculatePrice(unit({ amount: 500, transform_quantity: { divide_by: 1000, round } }), quantity)
    expect(cost).toMatchObject({ quantity, amount: packages * 500, breakdown: [{ quantity: packages }] })
  })
})

test('the cost of a price with a custom amount cannot be calculated', () => {
  const { amount: _amount, ...free } = unit({ amount: 1, custom_unit_amount: { minimum: 100 } })
  expect(problemOf(() => calculatePrice(free, 1)).code).toBe('price_not_calculable')
})
