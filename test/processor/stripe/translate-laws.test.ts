import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalDecimal } from '../../../packages/ratecard/src/base/money/decimal.ts'
import { currencies } from '../../../packages/ratecard/src/base/money/currencies.ts'
import type { FieldName } from '../../../packages/ratecard/src/catalog/fields/tables.ts'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type {
  CanonicalTier,
  FieldsOf,
  ProcessorId,
  ResourceKind,
} from '../../../packages/ratecard/src/catalog/resource.ts'
import { newCouponParams, observeCoupon } from '../../../packages/ratecard/src/processor/stripe/kinds/coupon.ts'
import { newMeterParams, observeMeter } from '../../../packages/ratecard/src/processor/stripe/kinds/meter.ts'
import { newPriceParams, observePrice } from '../../../packages/ratecard/src/processor/stripe/kinds/price.ts'
import { newProductParams, observeProduct } from '../../../packages/ratecard/src/processor/stripe/kinds/product.ts'
import {
  newPromotionCodeParams,
  observePromotionCode,
} from '../../../packages/ratecard/src/processor/stripe/kinds/promotion-code.ts'
import { newTaxRateParams, observeTaxRate } from '../../../packages/ratecard/src/processor/stripe/kinds/tax-rate.ts'
import { newWebhookParams, observeWebhook } from '../../../packages/ratecard/src/processor/stripe/kinds/webhook.ts'
import {
  createCode,
  createCoupon,
  createMeter,
  createPrice,
  createProduct,
  createTaxRate,
  createWebhook,
} from '../suite/steps.ts'
import {
  liveCoupon,
  liveMeter,
  livePrice,
  liveProduct,
  livePromotionCode,
  liveTaxRate,
  liveWebhook,
} from './live-objects.ts'

const now = 1_790_000_000
const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,30}$/)
const reference = id.map(processorId)
const inOtherCurrencies = fc.dictionary(fc.constantFrom('usd', 'gbp'), fc.integer({ min: 1, max: 9999 }), {
  noNullPrototype: true,
})
const metadata = fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), fc.string({ minLength: 1, maxLength: 40 }), {
  maxKeys: 5,
  noNullPrototype: true,
})
const decimal = fc
  .tuple(fc.nat(10_000_000), fc.nat(999_999_999_999))
  .map(([whole, part]) => canonicalDecimal(`${whole}.${String(part).padStart(12, '0')}`))
const amount = fc.oneof(fc.nat(99_999_999).map(String), decimal)
const moment = fc.integer({ min: now + 1, max: now + 150_000_000 })
const plain = { noNullPrototype: true } as const
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

/** One generator per field: a field without a generator does not compile. */
type Arbitraries<K extends ResourceKind, Apart extends FieldName<K> = never> = {
  readonly [Name in Exclude<FieldName<K>, Apart>]: fc.Arbitrary<
    FieldsOf<K, ProcessorId>[Name & keyof FieldsOf<K, ProcessorId>]
  >
}

describe('an object is unchanged after it is written to Stripe’s form and read back:', () => {
  it('a price', () => {
    fc.assert(
      fc.property(id, reference, price, (name, product, fields) => {
        const step = createPrice(name, product, fields)
        const observed = observePrice(livePrice(newPriceParams(step)))
        expect(observed).toMatchObject({ mark: step.configId, unrepresentable: [] })
        expect(observed.fields).toStrictEqual(step.fields)
      }),
      { numRuns: 500 },
    )
  })

  it('a product', () => {
    const members: Arbitraries<'product', 'defaultPrice'> = {
      // Attachments of features are written and read separately.
      features: fc.constant([]),
      name: fc.string({ minLength: 1 }),
      description: fc.string(),
      type: fc.constantFrom('service' as const, 'good' as const),
      taxCode: fc.constantFrom('', 'txcd_10103001'),
      unitLabel: fc.string(),
      statementDescriptor: fc.string(),
      url: fc.string(),
      images: fc.array(fc.string()),
      marketingFeatures: fc.array(fc.string()),
      shippable: fc.boolean(),
      packageDimensions: orNull(
        fc.record({ height: fc.nat(), length: fc.nat(), weight: fc.nat(), width: fc.nat() }, plain),
      ),
      metadata,
    }
    const fields = fc.record(members)
    fc.assert(
      fc.property(id, fields, (name, given) => {
        const step = createProduct(name, given)
        const observed = observeProduct(liveProduct(newProductParams(step)))
        expect(observed).toMatchObject({ mark: step.configId, processorId: step.id })
        expect(observed.fields).toStrictEqual(step.fields)
      }),
    )
  })

  it('a meter', () => {
    const fields = fc.record({
      displayName: fc.string(),
      eventName: id,
      formula: fc.constantFrom('sum' as const, 'count' as const, 'last' as const),
      customerKey: id,
      valueKey: id,
      eventTimeWindow: fc.constantFrom(null, 'hour' as const, 'day' as const),
    })
    fc.assert(
      fc.property(id, fields, (name, given) => {
        const step = createMeter(name, given)
        expect(observeMeter(liveMeter(newMeterParams(step)))).toMatchObject({ fields: step.fields, mark: null })
      }),
    )
  })

  it('a coupon, whatever the redemptions of the coupons that it replaced', () => {
    const discount = fc.oneof(
      fc.integer({ min: 1, max: 10_000 }).map((hundredths) => ({
        ...{ percentOff: canonicalDecimal(hundredths / 100), amountOff: null, currency: null, currencyOptions: {} },
      })),
      fc.record({
        percentOff: fc.constant(null),
        amountOff: fc.integer({ min: 1, max: 1_000_000 }),
        currency: fc.constantFrom('eur', 'jpy'),
        currencyOptions: inOtherCurrencies,
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

  it('a promotion code, whatever the redemptions of the codes that it replaced', () => {
    const fields = fc.record({
      code: id,
      active: fc.boolean(),
      maxRedemptions: orNull(fc.integer({ min: 1000, max: 2000 })),
      firstTimeTransaction: fc.boolean(),
      customer: fc.constantFrom('', 'cus_1'),
      expiresAt: orNull(moment),
      metadata,
    })
    const minimum = orNull(
      fc.record({
        minimumAmount: fc.nat(9999),
        minimumAmountCurrency: fc.constantFrom('eur', 'jpy'),
        currencyOptions: inOtherCurrencies,
      }),
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

  it('a tax rate, whatever its percentage', () => {
    const fields = fc.record({
      displayName: fc.string({ minLength: 1, maxLength: 50 }),
      percentage: fc
        .nat(1_000_000)
        .map((parts) =>
          canonicalDecimal(`${String(Math.floor(parts / 10_000))}.${String(parts % 10_000).padStart(4, '0')}`),
        ),
      inclusive: fc.boolean(),
      country: fc.constantFrom('', 'DE'),
      state: fc.constantFrom('', 'NY'),
      jurisdiction: fc.constantFrom('', 'Germany'),
      description: fc.string(),
      taxType: orNull(fc.constantFrom('vat', 'sales_tax')),
      active: fc.boolean(),
      metadata,
    })
    fc.assert(
      fc.property(id, fields, (name, given) => {
        const step = createTaxRate(name, given)
        const observed = observeTaxRate(liveTaxRate(newTaxRateParams(step)))
        expect(observed).toMatchObject({ mark: step.configId, active: given.active, unrepresentable: [] })
        expect(observed.fields).toStrictEqual(step.fields)
      }),
    )
  })

  it('a webhook, including the connect flag, which Stripe does not return', () => {
    const fields = fc.record({
      url: fc.webUrl(),
      events: fc.uniqueArray(id, { minLength: 1, maxLength: 6 }).map((list) => list.sort()),
      connect: fc.boolean(),
      description: fc.string(),
      apiVersion: fc.constantFrom('2025-03-31.basil', '2024-06-20'),
      metadata,
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
