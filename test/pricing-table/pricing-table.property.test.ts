// The slider of the pricing table shows exactly the amount that the service calculates, with all digits.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Price, Tier } from '../../packages/ratecard/src/document/schema/schema.ts'
import { currencies } from '../../packages/ratecard/src/base/money/currencies.ts'
import { formatMinor } from '../../packages/ratecard/src/base/money/format.ts'
import { calculatePrice } from '../../packages/ratecard/src/document/pricing/calculate.ts'
import { minorAmount, tariffIn } from '../../packages/pricing-table/src/model.ts'
import { formatMoney } from '../../packages/pricing-table/src/money.ts'

const amount = fc.integer({ min: 0, max: 100_000 })
const decimal = fc
  .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 999_999 }))
  .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(6, '0')}`)
const unit = fc.oneof(fc.record({ amount }), fc.record({ unit_amount_decimal: decimal }))
const tierAmounts = fc.oneof(
  fc.record({ unit_amount: amount, flat_amount: amount }),
  fc.record({ unit_amount_decimal: decimal, flat_amount_decimal: decimal }),
)
const bounds = fc.uniqueArray(fc.integer({ min: 1, max: 100_000 }), { maxLength: 5 })
const tiersAt = (ends: readonly number[]): fc.Arbitrary<Tier[]> =>
  fc
    .array(tierAmounts, { minLength: ends.length + 1, maxLength: ends.length + 1 })
    .map((amounts) =>
      [...[...ends].sort((a, b) => a - b), 'inf' as const].map((end, index) => ({ up_to: end, ...amounts[index] })),
    )
const twoCurrencies = fc
  .uniqueArray(fc.constantFrom(...currencies), { minLength: 2, maxLength: 2 })
  .map(([own = 'usd', other = 'eur']) => ({ own, other }))
const interval = { interval: 'month' as const }

const unitPrice: fc.Arbitrary<Price> = fc
  .record({
    codes: twoCurrencies,
    unit,
    option: unit,
    pack: fc.option(
      fc.record({
        divide_by: fc.integer({ min: 2, max: 5000 }),
        round: fc.constantFrom('up' as const, 'down' as const),
      }),
      { nil: undefined },
    ),
  })
  .map(({ codes, unit: own, option, pack }) => ({
    id: 'p',
    currency: codes.own,
    ...interval,
    ...own,
    currency_options: { [codes.other]: option },
    ...(pack === undefined ? {} : { transform_quantity: pack }),
  }))
const tieredPrice: fc.Arbitrary<Price> = fc
  .tuple(twoCurrencies, bounds, fc.constantFrom('graduated' as const, 'volume' as const))
  .chain(([codes, ends, mode]) =>
    fc.tuple(tiersAt(ends), tiersAt(ends)).map(([tiers, others]) => ({
      id: 'p',
      currency: codes.own,
      ...interval,
      billing_scheme: 'tiered' as const,
      tiers_mode: mode,
      tiers,
      currency_options: { [codes.other]: { tiers: others } },
    })),
  )
const price = fc.oneof(unitPrice, tieredPrice)
const quantity = fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 10_000_000 }))

const currenciesOf = (listed: Price) => [listed.currency, ...Object.keys(listed.currency_options ?? {})]
const digits = (text: string) => text.replace(/[^\d]/g, '').replace(/^0+(?=\d)/, '')

describe('the quantity slider of the pricing table', () => {
  test('shows the result of POST calculate, in each currency of the price', () => {
    fc.assert(
      fc.property(price, quantity, (listed, units) => {
        for (const currency of currenciesOf(listed)) {
          const tariff = tariffIn(listed, currency)
          expect(tariff).not.toBeNull()
          if (tariff !== null)
            expect(minorAmount(tariff, units)).toBe(BigInt(calculatePrice(listed, units, currency).amount))
        }
      }),
    )
  })

  test('shows each digit of its number, in any locale', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.constantFrom(...currencies),
        fc.constantFrom('en', 'de', 'fr-CH', 'ja', 'pt-BR', 'he'),
        (minor, currency, locale) => {
          expect(digits(formatMoney(minor, currency, locale))).toBe(digits(formatMinor(minor, currency)))
        },
      ),
    )
  })
})
