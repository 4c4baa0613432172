// One document for each way to break the rules: each breaks exactly one of them, so that the unit, HTTP and command line tests can
// all ask for exactly one issue. `pointer` is where that issue points.
import type { IssueCode } from '../../packages/ratecard/src/errors/codes.ts'

export interface RuleCase {
  readonly name: string
  readonly code: IssueCode
  readonly pointer: string
  readonly document: Record<string, unknown>
}

type Fields = Record<string, unknown>

const price = (fields: Fields = {}): Fields => ({
  id: 'pro_monthly',
  amount: 1200,
  currency: 'usd',
  interval: 'month',
  ...fields,
})
const tiered = (fields: Fields = {}): Fields => ({
  id: 'pro_tiers',
  currency: 'usd',
  interval: 'month',
  billing_scheme: 'tiered',
  tiers: [
    { up_to: 10, unit_amount: 5 },
    { up_to: 'inf', unit_amount: 3 },
  ],
  ...fields,
})
const metered = (fields: Fields = {}): Fields => price({ usage_type: 'metered', meter: 'calls', ...fields })
const partner = (fields: Fields = {}): Fields =>
  price({ id: 'pro_monthly_partner', amount: 900, public: false, enterprise_template: 'partner', ...fields })
const product = (prices: Fields[], fields: Fields = {}): Fields => ({ id: 'pro', name: 'Pro', prices, ...fields })
const meter = (fields: Fields = {}): Fields => ({ id: 'calls', display_name: 'Calls', event_name: 'call', ...fields })
const coupon = (fields: Fields = {}): Fields => ({ id: 'ten', percent_off: 10, duration: 'once', ...fields })
const code = (fields: Fields = {}): Fields => ({ id: 'code_ten', code: 'TEN', coupon: 'ten', ...fields })
const webhook = (fields: Fields = {}): Fields => ({
  id: 'hook',
  url: 'https://example.test/hook',
  events: ['invoice.paid'],
  ...fields,
})
const config = (fields: Fields = {}): Fields => ({ version: '1.0.0', products: [product([price()])], ...fields })
const withPrices = (...prices: Fields[]): Fields => config({ products: [product(prices)] })
const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))

/** A small document that breaks no rule and gives no warning. */
export const validDocument = (): Fields =>
  config({
    meters: [meter()],
    products: [product([price({ default: true }), tiered(), metered({ id: 'pro_calls', amount: 2 }), partner()])],
    webhooks: [webhook()],
    coupons: [coupon()],
    promotion_codes: [code()],
  })

const firstPrice = '#/products/0/prices/0'
const secondPrice = '#/products/0/prices/1'
const of = (name: string, issue: IssueCode, pointer: string, document: Fields): RuleCase => ({
  name,
  code: issue,
  pointer,
  document,
})

const requiredFields: RuleCase[] = [
  of(
    'a product without an id',
    'field_missing',
    '#/products/0',
    config({ products: [without(product([price()]), 'id')] }),
  ),
  of(
    'a product without a name',
    'field_missing',
    '#/products/0',
    config({ products: [without(product([price()]), 'name')] }),
  ),
  of('a price without an id', 'field_missing', firstPrice, withPrices(without(price(), 'id'))),
  of('a price without a currency', 'field_missing', firstPrice, withPrices(without(price(), 'currency'))),
  of('a price without amount and tiers', 'amount_or_tiers', firstPrice, withPrices(without(price(), 'amount'))),
  of('a meter without an id', 'field_missing', '#/meters/0', config({ meters: [without(meter(), 'id')] })),
  of(
    'a meter without a display name',
    'field_missing',
    '#/meters/0',
    config({ meters: [without(meter(), 'display_name')] }),
  ),
  of(
    'a meter without an event name',
    'field_missing',
    '#/meters/0',
    config({ meters: [without(meter(), 'event_name')] }),
  ),
  of('a document without a version', 'field_missing', '#', without(config(), 'version')),
  of('a document without products', 'field_missing', '#', without(config(), 'products')),
  of('a document with an empty list of products', 'products_empty', '#/products', config({ products: [] })),
]

const shapes: RuleCase[] = [
  of('a version of two numbers', 'version_format', '#/version', config({ version: '1.0' })),
  of('a version with a prefix', 'version_format', '#/version', config({ version: 'v1.0.0' })),
  of('a version with a suffix', 'version_format', '#/version', config({ version: '1.0.0-beta' })),
  of('a version that is a number', 'type_wrong', '#/version', config({ version: 1 })),
  of('a negative amount', 'amount_negative', `${firstPrice}/amount`, withPrices(price({ amount: -1 }))),
  of(
    'a negative decimal amount',
    'amount_negative',
    `${firstPrice}/unit_amount_decimal`,
    withPrices(without(price({ unit_amount_decimal: '-0.5' }), 'amount')),
  ),
  of('an amount with decimals', 'type_wrong', `${firstPrice}/amount`, withPrices(price({ amount: 12.5 }))),
  of('an amount in quotes', 'type_wrong', `${firstPrice}/amount`, withPrices(price({ amount: '1200' }))),
  of('an amount of null', 'type_wrong', `${firstPrice}/amount`, withPrices(price({ amount: null }))),
  of(
    'an amount beyond what a processor takes',
    'value_invalid',
    `${firstPrice}/amount`,
    withPrices(price({ amount: 1_000_000_000_000 })),
  ),
  of(
    'a decimal amount with 13 decimals',
    'value_invalid',
    `${firstPrice}/unit_amount_decimal`,
    withPrices(without(price({ unit_amount_decimal: '0.1234567890123' }), 'amount')),
  ),
  of('an unknown currency', 'currency_unknown', `${firstPrice}/currency`, withPrices(price({ currency: 'usx' }))),
  of('a currency in capitals', 'currency_unknown', `${firstPrice}/currency`, withPrices(price({ currency: 'USD' }))),
  of('an unknown interval', 'interval_unknown', `${firstPrice}/interval`, withPrices(price({ interval: 'quarter' }))),
  of('an unknown usage type', 'enum_unknown', `${firstPrice}/usage_type`, withPrices(price({ usage_type: 'license' }))),
  of('an unknown field of the document', 'field_unknown', '#/product', config({ product: [] })),
  of('an unknown field of a price', 'field_unknown', `${firstPrice}/amout`, withPrices(price({ amout: 5 }))),
  of('an id with a space', 'value_invalid', `${firstPrice}/id`, withPrices(price({ id: 'pro monthly' }))),
  of(
    'a name that is too long',
    'value_invalid',
    '#/products/0/name',
    config({ products: [product([price()], { name: 'x'.repeat(251) })] }),
  ),
  of(
    'a product type that does not exist',
    'enum_unknown',
    '#/products/0/type',
    config({ products: [product([price()], { type: 'goods' })] }),
  ),
  of(
    'a webhook without events',
    'value_invalid',
    '#/webhooks/0/events',
    config({ webhooks: [webhook({ events: [] })] }),
  ),
  of(
    'a moment without a zone',
    'value_invalid',
    '#/coupons/0/redeem_by',
    config({ coupons: [coupon({ redeem_by: '2031-02-28' })] }),
  ),
  of(
    'a moment that is not in the calendar',
    'value_invalid',
    '#/coupons/0/redeem_by',
    config({ coupons: [coupon({ redeem_by: '2031-02-30T00:00:00Z' })] }),
  ),
  of(
    'a moment in milliseconds',
    'value_invalid',
    '#/coupons/0/redeem_by',
    config({ coupons: [coupon({ redeem_by: 1924991999000 })] }),
  ),
  of(
    'a percentage of zero',
    'value_invalid',
    '#/coupons/0/percent_off',
    config({ coupons: [coupon({ percent_off: 0 })] }),
  ),
  of(
    'a percentage above 100',
    'value_invalid',
    '#/coupons/0/percent_off',
    config({ coupons: [coupon({ percent_off: 100.5 })] }),
  ),
  of(
    'a code with a space',
    'value_invalid',
    '#/promotion_codes/0/code',
    config({ coupons: [coupon()], promotion_codes: [code({ code: 'T EN' })] }),
  ),
  of(
    'an empty metadata value',
    'value_invalid',
    '#/products/0/metadata/owner',
    config({ products: [product([price()], { metadata: { owner: '' } })] }),
  ),
  of(
    'a metadata key with brackets',
    'value_invalid',
    '#/products/0/metadata/a%5B0%5D',
    config({ products: [product([price()], { metadata: { 'a[0]': 'x' } })] }),
  ),
]

const prices: RuleCase[] = [
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

const enterprise: RuleCase[] = [
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

const second = (fields: Fields): Fields[] => [product([price()]), product([], fields)]

const duplicates: RuleCase[] = [
  of('two products of one id', 'id_duplicate', '#/products/1/id', config({ products: second({}) })),
  of(
    'two prices of one id in different products',
    'id_duplicate',
    '#/products/1/prices/0/id',
    config({ products: [product([price()]), product([price()], { id: 'team' })] }),
  ),
  of(
    'two meters of one id',
    'id_duplicate',
    '#/meters/1/id',
    config({ meters: [meter(), meter({ event_name: 'other' })] }),
  ),
  of(
    'two meters of one event name',
    'event_name_duplicate',
    '#/meters/1/event_name',
    config({ meters: [meter(), meter({ id: 'other' })] }),
  ),
  of(
    'two coupons of one id',
    'id_duplicate',
    '#/coupons/1/id',
    config({ coupons: [coupon(), coupon({ percent_off: 20 })] }),
  ),
  of(
    'two promotion codes of one id',
    'id_duplicate',
    '#/promotion_codes/1/id',
    config({ coupons: [coupon()], promotion_codes: [code(), code({ code: 'OTHER' })] }),
  ),
  of(
    'two promotion codes of one code in other letters',
    'code_duplicate',
    '#/promotion_codes/1/code',
    config({ coupons: [coupon()], promotion_codes: [code(), code({ id: 'other', code: 'Ten' })] }),
  ),
  of(
    'two webhooks of one id',
    'id_duplicate',
    '#/webhooks/1/id',
    config({ webhooks: [webhook(), webhook({ url: 'https://example.test/other' })] }),
  ),
  of(
    'two webhooks of one url',
    'webhook_url_duplicate',
    '#/webhooks/1/url',
    config({ webhooks: [webhook(), webhook({ id: 'other' })] }),
  ),
]

const hooks: RuleCase[] = [
  of(
    'a webhook url without encryption',
    'webhook_url_invalid',
    '#/webhooks/0/url',
    config({ webhooks: [webhook({ url: 'http://example.test/hook' })] }),
  ),
  of(
    'a webhook url that is no url',
    'webhook_url_invalid',
    '#/webhooks/0/url',
    config({ webhooks: [webhook({ url: 'example.test/hook' })] }),
  ),
  of(
    'a webhook url with an unexpanded variable',
    'webhook_url_invalid',
    '#/webhooks/0/url',
    config({ webhooks: [webhook({ url: 'https://${HOST}/hook' })] }),
  ),
  of(
    'an event that the processor does not know',
    'webhook_event_unknown',
    '#/webhooks/0/events/0',
    config({ webhooks: [webhook({ events: ['invoice.payed'] })] }),
  ),
  of(
    'an event listed twice',
    'webhook_event_duplicate',
    '#/webhooks/0/events/1',
    config({ webhooks: [webhook({ events: ['invoice.paid', 'invoice.paid'] })] }),
  ),
]

const promotions: RuleCase[] = [
  of(
    'a coupon without a discount',
    'coupon_discount',
    '#/coupons/0',
    config({ coupons: [without(coupon(), 'percent_off')] }),
  ),
  of(
    'a coupon with two discounts',
    'coupon_discount',
    '#/coupons/0',
    config({ coupons: [coupon({ amount_off: 100, currency: 'usd' })] }),
  ),
  of(
    'an amount off without a currency',
    'coupon_currency',
    '#/coupons/0',
    config({ coupons: [without(coupon({ amount_off: 100 }), 'percent_off')] }),
  ),
  of(
    'a percentage with a currency',
    'coupon_currency',
    '#/coupons/0/currency',
    config({ coupons: [coupon({ currency: 'usd' })] }),
  ),
  of(
    'a repeating coupon without months',
    'coupon_duration',
    '#/coupons/0',
    config({ coupons: [coupon({ duration: 'repeating' })] }),
  ),
  of(
    'months on a coupon that does not repeat',
    'coupon_duration',
    '#/coupons/0/duration_in_months',
    config({ coupons: [coupon({ duration_in_months: 3 })] }),
  ),
  of(
    'a coupon for an undefined product',
    'product_undefined',
    '#/coupons/0/applies_to/0',
    config({ coupons: [coupon({ applies_to: ['pros'] })] }),
  ),
  of(
    'a coupon that lists a product twice',
    'value_invalid',
    '#/coupons/0/applies_to/1',
    config({ coupons: [coupon({ applies_to: ['pro', 'pro'] })] }),
  ),
  of(
    'a code of an undefined coupon',
    'coupon_undefined',
    '#/promotion_codes/0/coupon',
    config({ coupons: [coupon()], promotion_codes: [code({ coupon: 'tne' })] }),
  ),
  of(
    'a minimum amount without a currency',
    'minimum_amount_currency',
    '#/promotion_codes/0/minimum_amount',
    config({ coupons: [coupon()], promotion_codes: [code({ minimum_amount: 500 })] }),
  ),
  of(
    'a minimum currency without an amount',
    'minimum_amount_currency',
    '#/promotion_codes/0/minimum_amount_currency',
    config({ coupons: [coupon()], promotion_codes: [code({ minimum_amount_currency: 'usd' })] }),
  ),
  of(
    'a code that outlives its coupon',
    'code_exceeds_coupon',
    '#/promotion_codes/0/expires_at',
    config({
      coupons: [coupon({ redeem_by: '2031-01-01T00:00:00Z' })],
      promotion_codes: [code({ expires_at: '2031-01-01T00:00:01Z' })],
    }),
  ),
  of(
    'a code that may be redeemed more often than its coupon',
    'code_exceeds_coupon',
    '#/promotion_codes/0/max_redemptions',
    config({ coupons: [coupon({ max_redemptions: 5 })], promotion_codes: [code({ max_redemptions: 6 })] }),
  ),
  of(
    'a metadata key of ours',
    'metadata_reserved',
    '#/coupons/0/metadata/ratecard_id',
    config({ coupons: [coupon({ metadata: { ratecard_id: 'x' } })] }),
  ),
]

/** Documents that are invalid for exactly one reason. */
export const ruleCases: readonly RuleCase[] = [
  ...requiredFields,
  ...shapes,
  ...prices,
  ...enterprise,
  ...duplicates,
  ...hooks,
  ...promotions,
]

/** Documents that are valid and give exactly one warning. */
export const warningCases: readonly RuleCase[] = [
  of('an enterprise price without a base', 'base_price_missing', firstPrice, withPrices(partner())),
  of('a webhook without an id', 'webhook_id_missing', '#/webhooks/0', config({ webhooks: [without(webhook(), 'id')] })),
  of(
    'a yen amount written with decimals',
    'amount_suspicious',
    `${firstPrice}/amount`,
    withPrices(price({ currency: 'jpy', amount: 120_000 })),
  ),
  of(
    'a yen amount far above its dollar twin',
    'amount_suspicious',
    `${secondPrice}/amount`,
    withPrices(price({ amount: 500 }), price({ id: 'pro_jpy', currency: 'jpy', amount: 50_000 })),
  ),
  of(
    'an amount below what the processor charges',
    'amount_below_minimum',
    `${firstPrice}/amount`,
    withPrices(price({ amount: 12 })),
  ),
  of(
    'a decimal amount below what the processor charges',
    'amount_below_minimum',
    `${firstPrice}/unit_amount_decimal`,
    withPrices(without(price({ unit_amount_decimal: '49.9' }), 'amount')),
  ),
]
