import { firstPrice, metered, meter, of, partner, price, product, withPrices, without, config } from './rule-parts.ts'
import type { Fields, RuleCase } from './rule-parts.ts'

const seats = (fields: Fields = {}): Fields => price({ id: 'seats', ...fields })
const base = (...attached: string[]): Fields => price({ attached_prices: attached })
const firstAttached = `${firstPrice}/attached_prices/0`
const invalid = 'attached_price_invalid'
const mismatch = 'attached_price_mismatch'

export const attachedPrices: RuleCase[] = [
  of(
    'an attached price that does not exist',
    'attached_price_undefined',
    firstAttached,
    withPrices(base('seat'), seats()),
  ),
  of(
    'an attached price by its earlier id',
    'attached_price_undefined',
    firstAttached,
    withPrices(base('chairs'), seats({ previous_ids: ['chairs'] })),
  ),
  of('a price that is attached to itself', invalid, firstAttached, withPrices(base('pro_monthly'))),
  of(
    'a price that is attached twice',
    invalid,
    `${firstPrice}/attached_prices/1`,
    withPrices(base('seats', 'seats'), seats()),
  ),
  of(
    'a price attached to one that is paid once',
    invalid,
    `${firstPrice}/attached_prices`,
    withPrices(without(base('seats'), 'interval'), seats()),
  ),
  of(
    'a price attached to a free one of the service alone',
    invalid,
    `${firstPrice}/attached_prices`,
    withPrices(price({ amount: 0, attached_prices: ['seats'] }), seats()),
  ),
  of(
    'an attached price that is paid once',
    invalid,
    firstAttached,
    withPrices(base('seats'), without(seats(), 'interval')),
  ),
  of('an attached free price', invalid, firstAttached, withPrices(base('seats'), seats({ amount: 0 }))),
  of(
    'an attached free price with a decimal amount',
    invalid,
    firstAttached,
    withPrices(base('seats'), without(seats({ unit_amount_decimal: '0.00' }), 'amount')),
  ),
  of(
    'an attached enterprise price',
    invalid,
    firstAttached,
    withPrices(price({ attached_prices: ['pro_monthly_partner'] }), partner()),
  ),
  of(
    'an attached price with attached prices of its own',
    invalid,
    firstAttached,
    withPrices(base('seats'), seats({ attached_prices: ['support'] }), price({ id: 'support' })),
  ),
  of(
    'an attached price of another product of the group',
    invalid,
    firstAttached,
    config({
      products: [
        product([base('seats')], { subscription_group: 'plan' }),
        product([seats()], { id: 'team', subscription_group: 'plan' }),
      ],
    }),
  ),
  of(
    'an attached price in another currency',
    mismatch,
    firstAttached,
    withPrices(base('seats'), seats({ currency: 'eur' })),
  ),
  of(
    'an attached price in fewer currencies',
    mismatch,
    firstAttached,
    withPrices(price({ attached_prices: ['seats'], currency_options: { eur: { amount: 500 } } }), seats()),
  ),
  of('an attached price by the year', mismatch, firstAttached, withPrices(base('seats'), seats({ interval: 'year' }))),
  of(
    'an attached price every second month',
    mismatch,
    firstAttached,
    withPrices(base('seats'), seats({ interval_count: 2 })),
  ),
  of(
    'a hidden price attached to a public one',
    mismatch,
    firstAttached,
    withPrices(base('seats'), seats({ public: false })),
  ),
]

/** Attached prices that no rule objects to. */
export const attachedWithoutIssue: readonly Fields[] = [
  { ...withPrices(base('seats', 'calls'), seats(), metered({ id: 'calls' })), meters: [meter()] },
  withPrices(price({ public: false, attached_prices: ['seats'] }), seats({ public: false })),
  withPrices(base('seats'), seats(), partner({ attached_prices: [] })),
  withPrices(price({ attached_prices: [], interval: undefined })),
]
