import { Stripe } from 'stripe'
import { describe, expect, it } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { couponAdapter, observeCoupon } from '../../../packages/ratecard/src/processor/stripe/kinds/coupon.ts'
import { newMeterParams, observeMeter } from '../../../packages/ratecard/src/processor/stripe/kinds/meter.ts'
import { newPriceParams, observePrice } from '../../../packages/ratecard/src/processor/stripe/kinds/price.ts'
import {
  newProductParams,
  observeProduct,
  productChangeParams,
} from '../../../packages/ratecard/src/processor/stripe/kinds/product.ts'
import { observePromotionCode } from '../../../packages/ratecard/src/processor/stripe/kinds/promotion-code.ts'
import { observeWebhook } from '../../../packages/ratecard/src/processor/stripe/kinds/webhook.ts'
import { createCoupon, createMeter, createPrice, createProduct, update } from '../suite/steps.ts'
import { liveCoupon, liveMeter, livePrice, liveProduct, livePromotionCode, liveWebhook } from './live-objects.ts'

const now = 1_790_000_000

describe('amounts in requests to Stripe and in its responses', () => {
  const perUnit = (unitAmount: string) => newPriceParams(createPrice('x', processorId('p'), { unitAmount }))

  it('are integers if they are whole minor units, and decimals otherwise', () => {
    expect(perUnit('1200')).toMatchObject({ unit_amount: 1200 })
    expect(perUnit('1200')).not.toHaveProperty('unit_amount_decimal')
    expect(perUnit('0.5')).not.toHaveProperty('unit_amount')
    expect(String(perUnit('0.5').unit_amount_decimal)).toBe('0.5')
  })

  it('are sent as decimals if they are beyond the exact range of JavaScript numbers', () => {
    expect(String(perUnit('90071992547409931').unit_amount_decimal)).toBe('90071992547409931')
  })

  it('are read from the SDK’s decimals and from strings with the same result', () => {
    const live = livePrice(perUnit('0.5'))
    for (const unit_amount_decimal of [Stripe.Decimal.from('0.50'), '0.500' as unknown as Stripe.Decimal])
      expect(observePrice({ ...live, unit_amount_decimal }).fields.unitAmount).toBe('0.5')
  })

  it('of zero equal missing amounts in a tier', () => {
    const tier = {
      up_to: null,
      unit_amount: 0,
      unit_amount_decimal: Stripe.Decimal.zero,
      flat_amount: 0,
      flat_amount_decimal: null,
    }
    const live = { ...livePrice(perUnit('1')), billing_scheme: 'tiered', tiers_mode: 'volume', tiers: [tier] }
    expect(observePrice(live).fields.tiers).toEqual([{ upTo: null, unitAmount: null, flatAmount: null }])
  })

  it('cause an error if tiers were not expanded in the response', () => {
    const live = { ...livePrice(perUnit('1')), billing_scheme: 'tiered', tiers_mode: 'volume' }
    expect(() => observePrice(live)).toThrow(/tiers of price_1 did not come/)
  })
})

describe('a live value that a document cannot express', () => {
  const live = livePrice(newPriceParams(createPrice('x', processorId('p'))))
  const option = { custom_unit_amount: null, tax_behavior: null, unit_amount: 100, unit_amount_decimal: null }
  const chosen = { maximum: null, minimum: null, preset: null }
  const recurring = {
    interval: 'month',
    interval_count: 1,
    meter: null,
    trial_period_days: null,
    usage_type: 'licensed',
  }

  it.each<[string, Partial<Stripe.Price>]>([
    ['transform_quantity', { transform_quantity: { divide_by: 10, round: 'half' as 'up' } }],
    ['currency_options', { currency_options: { eur: option, xyz: option } }],
    ['currency_options', { currency_options: { usd: { ...option, custom_unit_amount: chosen } } }],
    ['currency', { currency: 'xyz' }],
    ['metered_without_meter', { recurring: { ...recurring, usage_type: 'metered' } }],
    ['recurring.interval', { recurring: { ...recurring, interval: 'hour' } }],
  ])('is reported: a price’s %s', (reason, change) => {
    expect(observePrice({ ...live, ...change }).unrepresentable).toContain(reason)
  })

  it('is not reported for a price whose only currency option is its own currency', () => {
    expect(observePrice({ ...live, currency_options: { eur: option } }).unrepresentable).toEqual([])
  })

  it('is not reported for a fraction in a tier’s flat amount', () => {
    const tier = { up_to: null, unit_amount: 1, unit_amount_decimal: null, flat_amount: null }
    const tiered = { billing_scheme: 'tiered', tiers_mode: 'volume', unit_amount: null, unit_amount_decimal: null }
    const tiers = [{ ...tier, flat_amount_decimal: Stripe.Decimal.from('0.5') }]
    const observed = observePrice({ ...live, ...tiered, tiers })
    expect(observed.unrepresentable).toEqual([])
    expect(observed.fields.tiers).toMatchObject([{ flatAmount: '0.5' }])
  })

  it('is reported for coupons, promotion codes and meters', () => {
    const coupon = liveCoupon({ amount_off: 1, currency: 'eur', currency_options: {} })
    const inDollars = observeCoupon({ ...coupon, currency_options: { usd: { amount_off: 2 } } }, { now })
    expect(inDollars.fields.currencyOptions).toEqual({ usd: 2 })
    const foreign = observeCoupon({ ...coupon, currency_options: { xyz: { amount_off: 2 } } }, { now })
    expect(foreign.unrepresentable).toEqual(['currency_options'])
    const code = livePromotionCode({ promotion: { type: 'coupon', coupon: 'c' } })
    expect(observePromotionCode({ ...code, customer: 'cus_1' }, { now }).fields.customer).toBe('cus_1')
    expect(observePromotionCode({ ...code, customer_account: 'acct_1' }, { now }).unrepresentable).toEqual([
      'customer_account',
    ])
    const meter = liveMeter(newMeterParams(createMeter('m')))
    expect(observeMeter({ ...meter, event_time_window: 'day' }).fields.eventTimeWindow).toBe('day')
    const other = { ...meter, event_time_window: 'week' } as unknown as Stripe.Billing.Meter
    expect(observeMeter(other).unrepresentable).toEqual(['event_time_window'])
  })
})

describe('the flag that marks used-up coupons and promotion codes', () => {
  const coupon = liveCoupon({ id: 'c', percent_off: 10 })
  const code = livePromotionCode({ promotion: { type: 'coupon', coupon: 'c' } })

  it.each<[string, Partial<Stripe.Coupon>, boolean]>([
    ['a valid one', {}, false],
    ['an invalid one', { valid: false }, true],
    ['one that expires now', { redeem_by: now }, true],
    ['one with a second left', { redeem_by: now + 1 }, false],
    ['one that is used up', { max_redemptions: 2, times_redeemed: 2 }, true],
    ['one with a redemption left', { max_redemptions: 2, times_redeemed: 1 }, false],
  ])('is set on a coupon once the coupon is invalid, expired or used up: %s', (_name, change, spent) => {
    expect(observeCoupon({ ...coupon, ...change }, { now }).spent).toBe(spent)
  })

  it('depends, for a promotion code, on the code’s own expiry and count, not on its coupon', () => {
    const spent = (change: Partial<Stripe.PromotionCode>) => observePromotionCode({ ...code, ...change }, { now }).spent
    expect([spent({}), spent({ expires_at: now }), spent({ expires_at: now + 1 })]).toEqual([false, true, false])
    expect(spent({ max_redemptions: 1, times_redeemed: 1 })).toBe(true)
    const expanded = { type: 'coupon' as const, coupon: { ...coupon, valid: false } }
    expect(observePromotionCode({ ...code, promotion: expanded }, { now })).toMatchObject({
      spent: false,
      fields: { coupon: 'c' },
    })
  })
})

describe('metadata of an object at the processor', () => {
  it('is split into the author’s keys and Ratecard’s keys', () => {
    const live = { ...liveProduct({ name: 'P' }), metadata: { a: '1', ratecard_id: 'p', ratecard_other: 'x' } }
    expect(observeProduct(live)).toMatchObject({ mark: 'p', fields: { metadata: { a: '1' } } })
    expect(Object.keys(observeProduct(live).fields.metadata)).toEqual(['a'])
  })

  it('contains no configuration id if the object is unmanaged', () => {
    const live = { ...liveCoupon({ percent_off: 1 }), metadata: null }
    expect(observeCoupon(live, { now })).toMatchObject({ mark: null, carried: 0, fields: { metadata: {} } })
    const garbled = { ...live, metadata: { ratecard_redeemed_before: '-3', ratecard_id: '' } }
    expect(observeCoupon(garbled, { now })).toMatchObject({ mark: null, carried: 0 })
  })

  it('is not sent if none of its keys changes', () => {
    const step = update('product', 'p', processorId('rc_p'), { set: { name: 'N', metadata: {} } })
    if (step.kind !== 'product') throw new Error('kind')
    expect(productChangeParams(step)).toEqual({ name: 'N' })
  })
})

describe('a webhook endpoint that is read from Stripe', () => {
  it('is a connect endpoint if it belongs to an application', () => {
    const live = { ...liveWebhook({ url: 'https://x.example', enabled_events: ['*'] }), metadata: {} }
    expect(observeWebhook(live).fields.connect).toBe(false)
    expect(observeWebhook({ ...live, application: 'ca_1' }).fields.connect).toBe(true)
  })

  it('has its events sorted and without duplicates', () => {
    const live = liveWebhook({
      url: 'https://x.example',
      enabled_events: ['invoice.paid', 'charge.failed', 'invoice.paid'],
    })
    expect(observeWebhook(live).fields.events).toEqual(['charge.failed', 'invoice.paid'])
  })
})

describe('a malformed step of a plan', () => {
  it('is refused before any request is sent', () => {
    const early = createProduct('p', { defaultPrice: processorId('price_1') })
    expect(() => newProductParams(early)).toThrow(/default price before/)
    expect(() => newProductParams({ ...createProduct('p'), id: null })).toThrow(/no id/)
    const { coupons } = new Stripe('sk_test_x')
    expect(() => couponAdapter(coupons).create({ ...createCoupon('c'), id: null })).toThrow(/no id/)
  })
})
