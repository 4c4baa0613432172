import { price, tiered, metered, meter, withPrices, without, firstPrice, secondPrice, of } from './rule-parts.ts'
import type { RuleCase } from './rule-parts.ts'

export const prices: RuleCase[] = [
  of('three decimals that do not end in 0', 'amount_not_chargeable', `${firstPrice}/amount`, {
    ...withPrices(price({ currency: 'kwd', amount: 5124 })),
    extra_currencies: ['kwd'],
  }),
  of(
    'a fraction of a króna in another currency',
    'amount_not_chargeable',
    `${firstPrice}/currency_options/isk/amount`,
    {
      ...withPrices(price({ currency: 'usd', currency_options: { isk: { amount: 5050 } } })),
      extra_currencies: ['isk'],
    },
  ),
  of(
    'two prices with one lookup key',
    'lookup_key_duplicate',
    `${secondPrice}/lookup_key`,
    withPrices(price({ lookup_key: 'Pro 2022' }), price({ id: 'other', lookup_key: 'Pro 2022' })),
  ),
  of(
    'a lookup key that is the id of another price',
    'lookup_key_duplicate',
    `${firstPrice}/lookup_key`,
    withPrices(price({ lookup_key: 'other' }), price({ id: 'other' })),
  ),
  of(
    'a further currency that is its own',
    'currency_options_invalid',
    `${firstPrice}/currency_options/usd`,
    withPrices(price({ currency: 'usd', currency_options: { usd: { amount: 5 } } })),
  ),
  of(
    'a further currency without an amount',
    'currency_options_invalid',
    `${firstPrice}/currency_options/gbp`,
    withPrices(price({ currency: 'usd', currency_options: { gbp: {} } })),
  ),
  of(
    'a further currency priced otherwise',
    'currency_options_invalid',
    `${firstPrice}/currency_options/gbp`,
    withPrices(price({ currency: 'usd', currency_options: { gbp: { tiers: [{ up_to: 'inf', unit_amount: 1 }] } } })),
  ),
  of(
    'tiers that end elsewhere in another currency',
    'currency_options_invalid',
    `${firstPrice}/currency_options/gbp/tiers`,
    withPrices(
      tiered({
        currency: 'usd',
        currency_options: {
          gbp: {
            tiers: [
              { up_to: 3, unit_amount: 1 },
              { up_to: 'inf', unit_amount: 1 },
            ],
          },
        },
      }),
    ),
  ),
  of(
    'packages beside tiers',
    'price_parts',
    `${firstPrice}/transform_quantity`,
    withPrices(tiered({ transform_quantity: { divide_by: 10, round: 'up' } })),
  ),
  of(
    'an amount of choice in a recurring price',
    'price_parts',
    `${firstPrice}/custom_unit_amount`,
    withPrices(without(price({ interval: 'month', custom_unit_amount: {} }), 'amount')),
  ),
  of(
    'a trial of a one-time price',
    'price_parts',
    `${firstPrice}/trial_period_days`,
    withPrices(without(price({ trial_period_days: 7 }), 'interval')),
  ),
  of('a price with amount and tiers', 'amount_or_tiers', firstPrice, withPrices(tiered({ amount: 5 }))),
  of('a price with two amounts', 'amount_or_tiers', firstPrice, withPrices(price({ unit_amount_decimal: '0.5' }))),
  of('a tiered price without tiers', 'tiers_missing', firstPrice, withPrices(without(tiered(), 'tiers'))),
  of(
    'a tiered price with an amount in place of tiers',
    'tiers_missing',
    firstPrice,
    withPrices(price({ billing_scheme: 'tiered' })),
  ),
  of(
    'tiers without a tiered scheme',
    'tiers_missing',
    `${firstPrice}/tiers`,
    withPrices(without(tiered(), 'billing_scheme')),
  ),
  of(
    'a tiers mode without tiers',
    'tiers_missing',
    `${firstPrice}/tiers_mode`,
    withPrices(price({ tiers_mode: 'volume' })),
  ),
  of('an empty list of tiers', 'tiers_invalid', `${firstPrice}/tiers`, withPrices(tiered({ tiers: [] }))),
  of(
    'tiers that do not end',
    'tiers_invalid',
    `${firstPrice}/tiers/0/up_to`,
    withPrices(tiered({ tiers: [{ up_to: 10, unit_amount: 5 }] })),
  ),
  of(
    'tiers that descend',
    'tiers_invalid',
    `${firstPrice}/tiers/1/up_to`,
    withPrices(
      tiered({
        tiers: [
          { up_to: 10, unit_amount: 5 },
          { up_to: 10, unit_amount: 4 },
          { up_to: 'inf', unit_amount: 3 },
        ],
      }),
    ),
  ),
  of(
    'an infinite tier before the last',
    'tiers_invalid',
    `${firstPrice}/tiers/0/up_to`,
    withPrices(
      tiered({
        tiers: [
          { up_to: 'inf', unit_amount: 5 },
          { up_to: 'inf', unit_amount: 3 },
        ],
      }),
    ),
  ),
  of(
    'a tier up to zero',
    'value_invalid',
    `${firstPrice}/tiers/0/up_to`,
    withPrices(
      tiered({
        tiers: [
          { up_to: 0, unit_amount: 5 },
          { up_to: 'inf', unit_amount: 3 },
        ],
      }),
    ),
  ),
  of(
    'a tier without an amount',
    'tier_amount_missing',
    `${firstPrice}/tiers/0`,
    withPrices(tiered({ tiers: [{ up_to: 'inf' }] })),
  ),
  of(
    'a tier with two unit amounts',
    'tier_amount_missing',
    `${firstPrice}/tiers/0`,
    withPrices(tiered({ tiers: [{ up_to: 'inf', unit_amount: 1, unit_amount_decimal: '1' }] })),
  ),
  of('a tiered price without an interval', 'interval_missing', firstPrice, withPrices(without(tiered(), 'interval'))),
  of('a metered price without an interval', 'interval_missing', firstPrice, {
    ...withPrices(without(metered(), 'interval')),
    meters: [meter()],
  }),
  of(
    'an interval count without an interval',
    'interval_count_alone',
    `${firstPrice}/interval_count`,
    withPrices(without(price({ interval_count: 2 }), 'interval')),
  ),
  of('37 months', 'interval_too_long', `${firstPrice}/interval_count`, withPrices(price({ interval_count: 37 }))),
  of(
    '157 weeks',
    'interval_too_long',
    `${firstPrice}/interval_count`,
    withPrices(price({ interval: 'week', interval_count: 157 })),
  ),
  of(
    '1096 days',
    'interval_too_long',
    `${firstPrice}/interval_count`,
    withPrices(price({ interval: 'day', interval_count: 1096 })),
  ),
  of(
    'four years',
    'interval_too_long',
    `${firstPrice}/interval_count`,
    withPrices(price({ interval: 'year', interval_count: 4 })),
  ),
  of('a metered price that names no meter', 'meter_missing', firstPrice, {
    ...withPrices(without(metered(), 'meter')),
    meters: [meter()],
  }),
  of('a metered price that names an undefined meter', 'meter_undefined', `${firstPrice}/meter`, {
    ...withPrices(metered({ meter: 'call' })),
    meters: [meter()],
  }),
  of('a metered price in a document without meters', 'meter_undefined', `${firstPrice}/meter`, withPrices(metered())),
  of('a meter on a licensed price', 'meter_unused_field', `${firstPrice}/meter`, {
    ...withPrices(price({ meter: 'calls' })),
    meters: [meter()],
  }),
  of(
    'two default prices',
    'default_duplicate',
    `${secondPrice}/default`,
    withPrices(price({ default: true }), price({ id: 'pro_yearly', interval: 'year', default: true })),
  ),
]
