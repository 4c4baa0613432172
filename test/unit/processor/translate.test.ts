import fc from 'fast-check'
import { Stripe } from 'stripe'
import { describe, expect, it } from 'vitest'
import { canonicalDecimal } from '../../../packages/ratecard/src/money/decimal.ts'
import { currencies } from '../../../packages/ratecard/src/money/currencies.ts'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { CanonicalTier, FieldsOf, ProcessorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import {
  couponAdapter,
  newCouponParams,
  observeCoupon,
} from '../../../packages/ratecard/src/processor/stripe/kinds/coupon.ts'
import { newMeterParams, observeMeter } from '../../../packages/ratecard/src/processor/stripe/kinds/meter.ts'
import { newPriceParams, observePrice } from '../../../packages/ratecard/src/processor/stripe/kinds/price.ts'
import {
  newProductParams,
  observeProduct,
  productChangeParams,
} from '../../../packages/ratecard/src/processor/stripe/kinds/product.ts'
import {
  newPromotionCodeParams,
  observePromotionCode,
} from '../../../packages/ratecard/src/processor/stripe/kinds/promotion-code.ts'
import { newWebhookParams, observeWebhook } from '../../../packages/ratecard/src/processor/stripe/kinds/webhook.ts'
import {
  createCode,
  createCoupon,
  createMeter,
  createPrice,
  createProduct,
  createWebhook,
  update,
} from '../../contract/processor/steps.ts'
import { liveCoupon, liveMeter, livePrice, liveProduct, livePromotionCode, liveWebhook } from './live-objects.ts'

const now = 1_790_000_000
const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,30}$/)
const reference = id.map(processorId)
const metadata = fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), fc.string({ minLength: 1, maxLength: 40 }), {
  maxKeys: 5,
  noNullPrototype: true,
})
const decimal = fc
  .tuple(fc.nat(10_000_000), fc.nat(999_999_999_999))
  .map(([whole, part]) => canonicalDecimal(`${whole}.${String(part).padStart(12, '0')}`))
const amount = fc.oneof(fc.nat(99_999_999).map(String), decimal)
const moment = fc.integer({ min: now + 1, max: now + 150_000_000 })
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })

const tierAmount = orNull(amount).map((text) => (text === '0' ? null : text))
const wholeTierAmount = orNull(fc.integer({ min: 1, max: 1_000_000 }).map(String))
const tiers = fc
  .array(fc.record({ unitAmount: tierAmount, flatAmount: wholeTierAmount, width: fc.integer({ min: 1, max: 999 }) }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts): CanonicalTier[] => {
    let upTo = 0
    return parts.map(({ width, ...amounts }, index) => {
      upTo += width
      return { upTo: index === parts.length - 1 ? null : upTo, ...amounts }
    })
  })

const price: fc.Arbitrary<Partial<FieldsOf<'price', ProcessorId>>> = fc
  .record({
    currency: fc.constantFrom(...currencies),
    taxBehavior: fc.constantFrom('unspecified' as const, 'inclusive' as const, 'exclusive' as const),
    metadata,
    rhythm: fc.oneof(
      fc.constant({ interval: null, intervalCount: 1, usageType: 'licensed' as const, meter: null }),
      fc.record({
        interval: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'year' as const),
        intervalCount: fc.integer({ min: 1, max: 3 }),
        usageType: fc.constant('licensed' as const),
        meter: fc.constant(null),
      }),
      fc.record({
        interval: fc.constantFrom('day' as const, 'month' as const),
        intervalCount: fc.integer({ min: 1, max: 3 }),
        usageType: fc.constant('metered' as const),
        meter: reference,
      }),
    ),
    money: fc.oneof(
      fc.record({
        billingScheme: fc.constant('per_unit' as const),
        tiersMode: fc.constant(null),
        tiers: fc.constant(null),
        unitAmount: amount,
      }),
      fc.record({
        billingScheme: fc.constant('tiered' as const),
        tiersMode: fc.constantFrom('graduated' as const, 'volume' as const),
        tiers,
        unitAmount: fc.constant(null),
      }),
    ),
  })
  .map(({ rhythm, money, ...rest }) => ({ ...rest, ...rhythm, ...money }))

describe('what is written is read back the same', () => {
  it('as a price', () => {
    fc.assert(
      fc.property(id, reference, price, (name, product, fields) => {
        const step = createPrice(name, product, fields)
        const observed = observePrice(livePrice(newPriceParams(step)))
        expect(observed).toMatchObject({ mark: step.configId, lookupKey: step.configId, unrepresentable: [] })
        expect(observed.fields).toStrictEqual(step.fields)
      }),
      { numRuns: 500 },
    )
  })

  it('as a product', () => {
    const fields = fc.record({
      name: fc.string({ minLength: 1 }),
      description: fc.string(),
      type: fc.constantFrom('service' as const, 'good' as const),
      metadata,
    })
    fc.assert(
      fc.property(id, fields, (name, given) => {
        const step = createProduct(name, given)
        const observed = observeProduct(liveProduct(newProductParams(step)))
        expect(observed).toMatchObject({ mark: step.configId, processorId: step.id })
        expect(observed.fields).toStrictEqual(step.fields)
      }),
    )
  })

  it('as a meter', () => {
    const fields = fc.record({
      displayName: fc.string(),
      eventName: id,
      formula: fc.constantFrom('sum' as const, 'count' as const, 'last' as const),
      customerKey: id,
      valueKey: id,
    })
    fc.assert(
      fc.property(id, fields, (name, given) => {
        const step = createMeter(name, given)
        expect(observeMeter(liveMeter(newMeterParams(step.fields)))).toMatchObject({ fields: step.fields, mark: null })
      }),
    )
  })

  it('as a coupon, whatever predecessors used up', () => {
    const discount = fc.oneof(
      fc.integer({ min: 1, max: 10_000 }).map((hundredths) => ({
        ...{ percentOff: canonicalDecimal(hundredths / 100), amountOff: null, currency: null },
      })),
      fc.record({
        percentOff: fc.constant(null),
        amountOff: fc.integer({ min: 1, max: 1_000_000 }),
        currency: fc.constantFrom(...currencies),
      }),
    )
    const duration = fc.oneof(
      fc.record({
        duration: fc.constantFrom('once' as const, 'forever' as const),
        durationInMonths: fc.constant(null),
      }),
      fc.record({ duration: fc.constant('repeating' as const), durationInMonths: fc.integer({ min: 1, max: 36 }) }),
    )
    const rest = fc.record({
      name: fc.string({ maxLength: 40 }),
      maxRedemptions: orNull(fc.integer({ min: 1000, max: 2000 })),
      redeemBy: orNull(moment),
      appliesTo: orNull(fc.uniqueArray(reference, { minLength: 1, maxLength: 5 }).map((list) => list.sort())),
      metadata,
    })
    fc.assert(
      fc.property(id, discount, duration, rest, fc.nat(999), (name, ...[a, b, c, carried]) => {
        const step = createCoupon(name, { ...a, ...b, ...c }, carried)
        const observed = observeCoupon(liveCoupon(newCouponParams(step)), { now })
        expect(observed).toMatchObject({ mark: step.configId, carried, spent: false, unrepresentable: [] })
        expect(observed.fields).toStrictEqual(step.fields)
      }),
    )
  })

  it('as a promotion code, whatever predecessors used up', () => {
    const fields = fc.record({
      code: id,
      active: fc.boolean(),
      maxRedemptions: orNull(fc.integer({ min: 1000, max: 2000 })),
      firstTimeTransaction: fc.boolean(),
      expiresAt: orNull(moment),
      metadata,
    })
    const minimum = orNull(
      fc.record({ minimumAmount: fc.nat(9999), minimumAmountCurrency: fc.constantFrom(...currencies) }),
    )
    fc.assert(
      fc.property(id, reference, fields, minimum, fc.nat(999), (name, coupon, given, least, carried) => {
        const step = createCode(name, coupon, { ...given, ...least }, carried)
        const observed = observePromotionCode(livePromotionCode(newPromotionCodeParams(step)), { now })
        expect(observed).toMatchObject({ mark: step.configId, carried, active: given.active, spent: false })
        expect(observed.fields).toStrictEqual(step.fields)
      }),
    )
  })

  it('as a webhook, connect included although the processor does not tell it', () => {
    const fields = fc.record({
      url: fc.webUrl(),
      events: fc.uniqueArray(id, { minLength: 1, maxLength: 6 }).map((list) => list.sort()),
      connect: fc.boolean(),
      description: fc.string(),
    })
    fc.assert(
      fc.property(id, fields, (name, given) => {
        const step = createWebhook(name, given)
        const observed = observeWebhook(liveWebhook(newWebhookParams(step)))
        expect(observed).toMatchObject({ mark: step.configId, active: true })
        expect(observed.fields).toStrictEqual(step.fields)
        expect(JSON.stringify(observed)).not.toContain('whsec_')
      }),
    )
  })
})

describe('amounts', () => {
  const perUnit = (unitAmount: string) => newPriceParams(createPrice('x', processorId('p'), { unitAmount }))

  it('are sent as one of the two forms, whole ones as integers', () => {
    expect(perUnit('1200')).toMatchObject({ unit_amount: 1200 })
    expect(perUnit('1200')).not.toHaveProperty('unit_amount_decimal')
    expect(perUnit('0.5')).not.toHaveProperty('unit_amount')
    expect(String(perUnit('0.5').unit_amount_decimal)).toBe('0.5')
  })

  it('beyond the exact range of numbers are sent as decimals', () => {
    expect(String(perUnit('90071992547409931').unit_amount_decimal)).toBe('90071992547409931')
  })

  it('are read from the SDK’s decimals and from plain strings alike', () => {
    const live = livePrice(perUnit('0.5'))
    for (const unit_amount_decimal of [Stripe.Decimal.from('0.50'), '0.500' as unknown as Stripe.Decimal])
      expect(observePrice({ ...live, unit_amount_decimal }).fields.unitAmount).toBe('0.5')
  })

  it('of zero in a tier are the same as none', () => {
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

  it('of tiers that were not asked for are missed, not taken for none', () => {
    const live = { ...livePrice(perUnit('1')), billing_scheme: 'tiered', tiers_mode: 'volume' }
    expect(() => observePrice(live)).toThrow(/tiers of price_1 did not come/)
  })
})

describe('what no document can say', () => {
  const live = livePrice(newPriceParams(createPrice('x', processorId('p'))))
  const option = { custom_unit_amount: null, tax_behavior: null, unit_amount: 100, unit_amount_decimal: null }
  const recurring = {
    interval: 'month',
    interval_count: 1,
    meter: null,
    trial_period_days: null,
    usage_type: 'licensed',
  }

  it.each<[string, Partial<Stripe.Price>]>([
    ['transform_quantity', { transform_quantity: { divide_by: 10, round: 'up' } }],
    ['custom_unit_amount', { custom_unit_amount: { maximum: null, minimum: null, preset: null }, unit_amount: null }],
    ['currency_options', { currency_options: { eur: option, usd: option } }],
    ['currency', { currency: 'huf' }],
    ['metered_without_meter', { recurring: { ...recurring, usage_type: 'metered' } }],
    ['recurring.interval', { recurring: { ...recurring, interval: 'hour' } }],
    ['recurring.trial_period_days', { recurring: { ...recurring, trial_period_days: 7 } }],
  ])('is named: a price’s %s', (reason, change) => {
    expect(observePrice({ ...live, ...change }).unrepresentable).toContain(reason)
  })

  it('is nothing for a price whose only currency option is its own currency', () => {
    expect(observePrice({ ...live, currency_options: { eur: option } }).unrepresentable).toEqual([])
  })

  it('is named: a fraction in a tier’s flat amount', () => {
    const tier = { up_to: null, unit_amount: 1, unit_amount_decimal: null, flat_amount: null }
    const tiered = { billing_scheme: 'tiered', tiers_mode: 'volume', unit_amount: null, unit_amount_decimal: null }
    const tiers = [{ ...tier, flat_amount_decimal: Stripe.Decimal.from('0.5') }]
    expect(observePrice({ ...live, ...tiered, tiers }).unrepresentable).toEqual(['tiers'])
  })

  it('is named for coupons, codes and meters', () => {
    const coupon = liveCoupon({ amount_off: 1, currency: 'eur', currency_options: {} })
    const foreign = observeCoupon({ ...coupon, currency_options: { usd: { amount_off: 2 } } }, { now })
    expect(foreign.unrepresentable).toEqual(['currency_options'])
    const code = livePromotionCode({ promotion: { type: 'coupon', coupon: 'c' } })
    expect(observePromotionCode({ ...code, customer: 'cus_1' }, { now }).unrepresentable).toEqual(['customer'])
    const meter = liveMeter(newMeterParams(createMeter('m').fields))
    expect(observeMeter({ ...meter, event_time_window: 'day' }).unrepresentable).toEqual(['event_time_window'])
  })
})

describe('whether an offer is spent', () => {
  const coupon = liveCoupon({ id: 'c', percent_off: 10 })
  const code = livePromotionCode({ promotion: { type: 'coupon', coupon: 'c' } })

  it.each<[string, Partial<Stripe.Coupon>, boolean]>([
    ['a valid one', {}, false],
    ['an invalid one', { valid: false }, true],
    ['one whose last moment is now', { redeem_by: now }, true],
    ['one with a second left', { redeem_by: now + 1 }, false],
    ['one that is used up', { max_redemptions: 2, times_redeemed: 2 }, true],
    ['one with a redemption left', { max_redemptions: 2, times_redeemed: 1 }, false],
  ])('is said of a coupon: %s', (_name, change, spent) => {
    const changed = { ...coupon, ...change }
    expect(observeCoupon(changed, { now }).spent).toBe(spent)
    expect(observePromotionCode(code, { now, couponOf: () => changed }).spent).toBe(spent)
    const expanded = { ...code, promotion: { type: 'coupon' as const, coupon: changed } }
    expect(observePromotionCode(expanded, { now })).toMatchObject({ spent, fields: { coupon: 'c' } })
  })

  it('is said of a code by its own end and count, and of one whose coupon is gone', () => {
    const spent = (change: Partial<Stripe.PromotionCode>) => observePromotionCode({ ...code, ...change }, { now }).spent
    expect([spent({}), spent({ expires_at: now }), spent({ expires_at: now + 1 })]).toEqual([false, true, false])
    expect(spent({ max_redemptions: 1, times_redeemed: 1 })).toBe(true)
    expect(observePromotionCode(code, { now, couponOf: () => null }).spent).toBe(true)
  })
})

describe('metadata', () => {
  it('is split into the author’s keys and ours', () => {
    const live = { ...liveProduct({ name: 'P' }), metadata: { a: '1', ratecard_id: 'p', ratecard_other: 'x' } }
    expect(observeProduct(live)).toMatchObject({ mark: 'p', fields: { metadata: { a: '1' } } })
    expect(Object.keys(observeProduct(live).fields.metadata)).toEqual(['a'])
  })

  it('of a foreign object says nothing about us', () => {
    const live = { ...liveCoupon({ percent_off: 1 }), metadata: null }
    expect(observeCoupon(live, { now })).toMatchObject({ mark: null, carried: 0, fields: { metadata: {} } })
    const garbled = { ...live, metadata: { ratecard_redeemed_before: '-3', ratecard_id: '' } }
    expect(observeCoupon(garbled, { now })).toMatchObject({ mark: null, carried: 0 })
  })

  it('is not sent when nothing of it changes', () => {
    const step = update('product', 'p', processorId('rc_p'), { set: { name: 'N', metadata: {} } })
    if (step.kind !== 'product') throw new Error('kind')
    expect(productChangeParams(step)).toEqual({ name: 'N' })
  })
})

describe('a webhook of somebody else', () => {
  it('is a connect endpoint when it belongs to an application', () => {
    const live = { ...liveWebhook({ url: 'https://x.example', enabled_events: ['*'] }), metadata: {} }
    expect(observeWebhook(live).fields.connect).toBe(false)
    expect(observeWebhook({ ...live, application: 'ca_1' }).fields.connect).toBe(true)
  })

  it('has sorted events, each once', () => {
    const live = liveWebhook({
      url: 'https://x.example',
      enabled_events: ['invoice.paid', 'charge.failed', 'invoice.paid'],
    })
    expect(observeWebhook(live).fields.events).toEqual(['charge.failed', 'invoice.paid'])
  })
})

describe('a plan with a bug', () => {
  it('is refused before anything is sent', () => {
    const early = createProduct('p', { defaultPrice: processorId('price_1') })
    expect(() => newProductParams(early)).toThrow(/default price before/)
    expect(() => newProductParams({ ...createProduct('p'), id: null })).toThrow(/no id/)
    const { coupons } = new Stripe('sk_test_x')
    expect(() => couponAdapter(coupons).create({ ...createCoupon('c'), id: null })).toThrow(/no id/)
  })
})
