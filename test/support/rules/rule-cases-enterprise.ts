import { price, tiered, metered, partner, meter, withPrices, without, secondPrice, of } from './rule-parts.ts'
import type { Fields, RuleCase } from './rule-parts.ts'

const percent = (off: string, fields: Fields = {}): Fields => ({
  ...without(partner(), 'amount'),
  percent_off_base: off,
  ...fields,
})

export const enterprise: RuleCase[] = [
  of(
    'a public template price',
    'public_enterprise',
    `${secondPrice}/public`,
    withPrices(price(), partner({ public: true })),
  ),
  of(
    'a public price of one deal',
    'public_enterprise',
    `${secondPrice}/public`,
    withPrices(price(), without(partner({ enterprise_id: 'acme', public: true }), 'enterprise_template')),
  ),
  of(
    'a template and an enterprise id on one price',
    'enterprise_both',
    `${secondPrice}/enterprise_id`,
    withPrices(price(), partner({ enterprise_id: 'acme' })),
  ),
  of(
    'an enterprise price as the default',
    'default_enterprise',
    `${secondPrice}/default`,
    withPrices(price(), partner({ default: true })),
  ),
  of(
    'an enterprise price in another currency than its base',
    'base_price_mismatch',
    secondPrice,
    withPrices(price(), partner({ currency: 'eur' })),
  ),
  of(
    'an enterprise price of another interval than its base',
    'base_price_mismatch',
    secondPrice,
    withPrices(price(), partner({ interval: 'year' })),
  ),
  of(
    'an enterprise price of another interval count than its base',
    'base_price_mismatch',
    secondPrice,
    withPrices(price(), partner({ interval_count: 2 })),
  ),
  of('an enterprise price of another usage type than its base', 'base_price_mismatch', secondPrice, {
    ...withPrices(price(), partner({ usage_type: 'metered', meter: 'calls' })),
    meters: [meter()],
  }),
  of('an enterprise price of another meter than its base', 'base_price_mismatch', secondPrice, {
    ...withPrices(metered(), partner({ usage_type: 'metered', meter: 'jobs' })),
    meters: [meter(), meter({ id: 'jobs', event_name: 'job' })],
  }),
  of(
    'more than everything off',
    'percent_off_range',
    `${secondPrice}/percent_off_base`,
    withPrices(price(), percent('100.5')),
  ),
  of('nothing off', 'percent_off_range', `${secondPrice}/percent_off_base`, withPrices(price(), percent('0.0'))),
  of(
    'a price in per cent with an amount',
    'percent_off_beside',
    `${secondPrice}/amount`,
    withPrices(price(), percent('20', { amount: 900 })),
  ),
  of(
    'a price in per cent with a billing scheme',
    'percent_off_beside',
    `${secondPrice}/billing_scheme`,
    withPrices(tiered({ id: 'pro_monthly' }), percent('20', { billing_scheme: 'tiered' })),
  ),
  of(
    'a price in per cent with other currencies',
    'percent_off_beside',
    `${secondPrice}/currency_options`,
    withPrices(
      price({ currency_options: { eur: { amount: 1100 } } }),
      percent('20', { currency_options: { eur: { amount: 900 } } }),
    ),
  ),
  of(
    'a price in per cent whose id continues that of no other',
    'percent_off_without_base',
    `${secondPrice}/percent_off_base`,
    withPrices(price(), percent('20', { id: 'partner' })),
  ),
  of(
    'an ordinary price in per cent',
    'percent_off_without_base',
    `${secondPrice}/percent_off_base`,
    withPrices(price(), without(percent('20'), 'enterprise_template')),
  ),
  of(
    'a price in per cent of what the customer chooses',
    'percent_off_without_base',
    `${secondPrice}/percent_off_base`,
    withPrices(
      { id: 'gift', currency: 'usd', custom_unit_amount: { minimum: 500 } },
      { id: 'gift_partner', currency: 'usd', enterprise_template: 'partner', percent_off_base: '20' },
    ),
  ),
  of(
    'two prices of one template for one base',
    'base_price_duplicate',
    '#/products/0/prices/2/enterprise_template',
    withPrices(price(), partner(), partner({ id: 'pro_monthly_partner2' })),
  ),
  of(
    'two prices of one deal for one base',
    'base_price_duplicate',
    '#/products/0/prices/2/enterprise_id',
    withPrices(
      price(),
      without(partner({ id: 'pro_monthly_a', enterprise_id: 'acme' }), 'enterprise_template'),
      without(partner({ id: 'other', base_price: 'pro_monthly', enterprise_id: 'acme' }), 'enterprise_template'),
    ),
  ),
  of(
    'a base price that does not exist',
    'base_price_undefined',
    `${secondPrice}/base_price`,
    withPrices(price(), partner({ base_price: 'pro_mnthly' })),
  ),
  of(
    'a base price that is an enterprise price',
    'base_price_undefined',
    '#/products/0/prices/2/base_price',
    withPrices(
      price(),
      partner(),
      partner({ id: 'gold', enterprise_template: 'gold', base_price: 'pro_monthly_partner' }),
    ),
  ),
  of(
    'a base price of an ordinary price',
    'base_price_unused_field',
    `${secondPrice}/base_price`,
    withPrices(price(), price({ id: 'pro_weekly', interval: 'week', base_price: 'pro_monthly' })),
  ),
]
