import { price, product, feature, meter, coupon, code, webhook, config, without, of } from './rule-parts.ts'
import type { Fields, RuleCase } from './rule-parts.ts'

const second = (fields: Fields): Fields[] => [product([price()]), product([], fields)]

export const texts: RuleCase[] = [
  of(
    'half a character',
    'text_malformed',
    '#/products/0/name',
    config({ products: [product([price()], { name: 'a\ud83d' })] }),
  ),
  of(
    'a control character',
    'text_malformed',
    '#/products/0/metadata/team',
    config({ products: [product([price()], { metadata: { team: '\u001b[2J' } })] }),
  ),
  of(
    'a line break where one line is meant',
    'text_malformed',
    '#/meters/0/event_name',
    config({ meters: [meter({ event_name: 'a\nb' })] }),
  ),
]

export const duplicates: RuleCase[] = [
  of(
    'an earlier id that a present price has',
    'previous_id_conflict',
    '#/products/0/prices/1/previous_ids/0',
    config({
      products: [product([price(), price({ id: 'pro_yearly', interval: 'year', previous_ids: ['pro_monthly'] })])],
    }),
  ),
  of(
    'an earlier id that stands twice',
    'previous_id_conflict',
    '#/meters/1/previous_ids/0',
    config({
      meters: [meter({ previous_ids: ['old'] }), meter({ id: 'other', event_name: 'other', previous_ids: ['old'] })],
    }),
  ),
  of('two products of one id', 'id_duplicate', '#/products/1/id', config({ products: second({}) })),
  of(
    'two prices of one id in different products',
    'id_duplicate',
    '#/products/1/prices/0/id',
    config({ products: [product([price()]), product([price()], { id: 'team' })] }),
  ),
  of('two features of one id', 'id_duplicate', '#/features/1/id', config({ features: [feature(), feature()] })),
  of(
    'a feature that is not defined',
    'feature_undefined',
    '#/products/0/features/0',
    config({ features: [feature()], products: [product([price()], { features: ['ssso'] })] }),
  ),
  of(
    'a feature with a limit that a product lists without one',
    'feature_limit_missing',
    '#/products/0/features/0',
    config({ features: [feature({ type: 'limit' })], products: [product([price()], { features: ['sso'] })] }),
  ),
  of(
    'a limit of a feature that is a switch',
    'feature_limit_unused',
    '#/products/0/features/0',
    config({ features: [feature()], products: [product([price()], { features: [{ id: 'sso', limit: 5 }] })] }),
  ),
  of(
    'a feature named twice by a product',
    'value_invalid',
    '#/products/0/features/1',
    config({ features: [feature()], products: [product([price()], { features: ['sso', 'sso'] })] }),
  ),
  of(
    'a size of three decimals',
    'value_invalid',
    '#/products/0/package_dimensions/height',
    config({
      products: [product([price()], { package_dimensions: { height: 1.255, length: 1.25, weight: 2, width: 3 } })],
    }),
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
  of(
    'two webhooks of one url for connected accounts',
    'webhook_url_duplicate',
    '#/webhooks/2/url',
    config({
      webhooks: [webhook(), webhook({ id: 'other', connect: true }), webhook({ id: 'third', connect: true })],
    }),
  ),
]

export const hooks: RuleCase[] = [
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

export const promotions: RuleCase[] = [
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
    'other currencies of a percentage',
    'currency_options_invalid',
    '#/coupons/0/currency_options',
    config({ coupons: [coupon({ currency_options: { eur: { amount_off: 100 } } })] }),
  ),
  of(
    'the own currency of a coupon among the others',
    'currency_options_invalid',
    '#/coupons/0/currency_options/usd',
    config({
      coupons: [
        without(
          coupon({ amount_off: 100, currency: 'usd', currency_options: { usd: { amount_off: 100 } } }),
          'percent_off',
        ),
      ],
    }),
  ),
  of(
    'other currencies of no minimum',
    'currency_options_invalid',
    '#/promotion_codes/0/currency_options',
    config({ coupons: [coupon()], promotion_codes: [code({ currency_options: { eur: { minimum_amount: 100 } } })] }),
  ),
  of(
    'the own currency of a minimum among the others',
    'currency_options_invalid',
    '#/promotion_codes/0/currency_options/usd',
    config({
      coupons: [coupon()],
      promotion_codes: [
        code({
          minimum_amount: 100,
          minimum_amount_currency: 'usd',
          currency_options: { usd: { minimum_amount: 100 } },
        }),
      ],
    }),
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
  of(
    'a metadata key of ours on a webhook',
    'metadata_reserved',
    '#/webhooks/0/metadata/ratecard_connect',
    config({ webhooks: [webhook({ metadata: { ratecard_connect: 'true' } })] }),
  ),
]
