import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Price, Tier } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { currencies } from '../../../packages/ratecard/src/base/money/currencies.ts'
import { calculatePrice } from '../../../packages/ratecard/src/document/pricing/calculate.ts'

const amount = fc.integer({ min: 0, max: 100_000 })
const decimal = fc
  .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 999_999 }))
  .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(6, '0')}`)
const tierAmounts = fc.oneof(
  fc.record({ unit_amount: amount }),
  fc.record({ flat_amount: amount }),
  fc.record({ unit_amount: amount, flat_amount: amount }),
  fc.record({ unit_amount_decimal: decimal }),
  fc.record({ unit_amount_decimal: decimal, flat_amount: amount }),
)
const tiers = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 5 }),
    fc.array(tierAmounts, { minLength: 6, maxLength: 6 }),
  )
  .map(([ends, amounts]): Tier[] => {
    const ascending = [...ends].sort((a, b) => a - b)
    return [...ascending, 'inf' as const].map((end, index) => ({ up_to: end, ...amounts[index] }))
  })
const currency = fc.constantFrom(...currencies)
const tieredPrice = (mode: 'graduated' | 'volume') =>
  fc.record({
    id: fc.constant('p'),
    currency,
    interval: fc.constant('month' as const),
    billing_scheme: fc.constant('tiered' as const),
    tiers_mode: fc.constant(mode),
    tiers,
  })
const unitPrice = fc.oneof(
  fc.record({ id: fc.constant('p'), currency, amount }),
  fc.record({ id: fc.constant('p'), currency, unit_amount_decimal: decimal }),
)
const quantity = fc.integer({ min: 0, max: 500 })

// The reference implementation counts unit by unit in millionths, without ranges of tiers.
const millionths = (tier: { unit_amount?: number; amount?: number; unit_amount_decimal?: string }) =>
  tier.unit_amount_decimal === undefined
    ? BigInt(tier.unit_amount ?? tier.amount ?? 0) * 1_000_000n
    : BigInt(tier.unit_amount_decimal.replace('.', ''))
const tierOf = (all: readonly Tier[], unit: number) => all.findIndex(({ up_to }) => up_to === 'inf' || unit <= up_to)
const reference = (price: Price, units: number): bigint => {
  if (price.tiers === undefined) return millionths(price) * BigInt(units)
  const touched = new Set<number>([units === 0 ? 0 : tierOf(price.tiers, price.tiers_mode === 'volume' ? units : 1)])
  let total = 0n
  for (let unit = 1; unit <= units; unit++) {
    const tier = tierOf(price.tiers, price.tiers_mode === 'volume' ? units : unit)
    touched.add(tier)
    total += millionths(price.tiers[tier] ?? {})
  }
  for (const tier of touched) total += BigInt(price.tiers[tier]?.flat_amount ?? 0) * 1_000_000n
  return total
}

describe('the calculated cost of a price', () => {
  test('equals the sum of a calculation unit by unit, in each currency', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.oneof(unitPrice, tieredPrice('graduated'), tieredPrice('volume')), quantity, (price, units) => {
        const exact = reference(price, units)
        const cost = calculatePrice(price, units)
        seen.add(price.currency)
        expect(BigInt(cost.amount)).toBe((exact + 500_000n) / 1_000_000n)
        const [whole = '', fraction = ''] = cost.amountDecimal.split('.')
        expect(BigInt(whole + fraction.padEnd(6, '0'))).toBe(exact)
        expect(cost.breakdown.reduce((sum, line) => sum + line.quantity, 0)).toBe(units)
      }),
      { numRuns: 2500 },
    )
    expect(seen.size).toBe(currencies.length)
  })

  test('never decreases with more usage, for prices per unit and with graduated tiers', () => {
    fc.assert(
      fc.property(fc.oneof(unitPrice, tieredPrice('graduated')), quantity, quantity, (price, a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a]
        expect(calculatePrice(price, less).amount).toBeLessThanOrEqual(calculatePrice(price, more).amount)
      }),
    )
  })
})
