import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { calculatePrice } from '../../../packages/ratecard/src/document/pricing/calculate.ts'
import type { PriceBody, TierBody } from '../../../packages/sandbox/src/objects/bodies.ts'
import { amountFor, partsOf } from '../../../packages/sandbox/src/billing/pricing/price-amounts.ts'

function priceBody(parts: Partial<PriceBody>): PriceBody {
  return {
    id: 'price_1',
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: 0,
    currency: 'usd',
    currency_options: {},
    custom_unit_amount: null,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: 'prod_1',
    recurring: null,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'recurring',
    unit_amount: null,
    unit_amount_decimal: null,
    ...parts,
  }
}

const decimal = fc
  .tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 999_999 }))
  .map(([whole, part]) => `${whole}.${String(part).padStart(6, '0')}`)

const tiers = fc
  .array(
    fc.record({ size: fc.integer({ min: 1, max: 500 }), unit: decimal, flat: fc.integer({ min: 0, max: 9000 }) }),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((given) => {
    let end = 0
    return given.map(({ size, unit, flat }, index) => {
      end += size
      return { up_to: index === given.length - 1 ? null : end, unit, flat }
    })
  })

function tierBody({ up_to, unit, flat }: { up_to: number | null; unit: string; flat: number }): TierBody {
  return { up_to, unit_amount: null, unit_amount_decimal: unit, flat_amount: flat, flat_amount_decimal: String(flat) }
}

describe('invoice amounts of the sandbox', () => {
  test('equal the amounts that Ratecard calculates, for any quantity, tiers and tiers mode', () => {
    const mode = fc.constantFrom('graduated' as const, 'volume' as const)
    fc.assert(
      fc.property(tiers, mode, fc.integer({ min: 0, max: 3000 }), (given, tiers_mode, quantity) => {
        const told = given.map(({ up_to, unit, flat }) => ({
          up_to: up_to ?? ('inf' as const),
          unit_amount_decimal: unit,
          flat_amount: flat,
        }))
        const price = { id: 'p', currency: 'usd', tiers: told, tiers_mode } as unknown as Price
        const body = priceBody({ billing_scheme: 'tiered', tiers_mode, tiers: given.map(tierBody) })
        expect(amountFor(body, 'usd', String(quantity))).toBe(calculatePrice(price, quantity).amount)
      }),
    )
  })

  test('include fractions of a unit, and are rounded once, half up', () => {
    expect(amountFor(priceBody({ unit_amount_decimal: '0.5' }), 'usd', '3')).toBe(2)
    expect(amountFor(priceBody({ unit_amount_decimal: '10' }), 'usd', '2.25')).toBe(23)
    expect(amountFor(priceBody({ unit_amount_decimal: '0.000001' }), 'usd', '0.4')).toBe(0)
  })

  test('are calculated with whole packages, rounded up or down as the price defines', () => {
    const inTens = (round: 'up' | 'down') =>
      amountFor(priceBody({ unit_amount_decimal: '7', transform_quantity: { divide_by: 10, round } }), 'usd', '21')
    expect([inTens('up'), inTens('down')]).toEqual([21, 14])
  })

  test('are, for a tiered price, the sum of the invoice’s lines, for any tiers', () => {
    const mode = fc.constantFrom('graduated' as const, 'volume' as const)
    fc.assert(
      fc.property(tiers, mode, fc.integer({ min: 0, max: 3000 }), (given, tiersMode, quantity) => {
        const price = priceBody({ billing_scheme: 'tiered', tiers_mode: tiersMode, tiers: given.map(tierBody) })
        const parts = partsOf(price, 'usd', String(quantity)) ?? []
        expect(parts.reduce((sum, part) => sum + part.amount, 0)).toBe(amountFor(price, 'usd', String(quantity)))
        const units = parts.filter((part) => !part.flat).reduce((sum, part) => sum + Number(part.quantity), 0)
        expect(units).toBe(quantity)
      }),
    )
  })
})
