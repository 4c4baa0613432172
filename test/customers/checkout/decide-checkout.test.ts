import { describe, expect, test } from 'vitest'
import { decideCheckout } from '../../../packages/ratecard/src/customers/checkout/decide-checkout.ts'
import type { CheckoutSituation } from '../../../packages/ratecard/src/customers/checkout/decide-checkout.ts'
import type { Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { refusedWith } from '../../support/shop/refused.ts'

const now = Date.parse('2031-05-01T00:00:00Z')
const monthly = (id: string, more: Partial<Price> = {}): Price => ({
  id,
  amount: 4900,
  currency: 'eur',
  interval: 'month',
  processor_id: `price_${id}`,
  ...more,
})
const { processor_id: _none, ...unmapped } = monthly('unmapped')

const applied: CheckoutSituation['applied'] = {
  version: '2.1.0',
  revision: 7,
  config: {
    version: '2.1.0',
    products: [
      {
        id: 'kiln',
        name: 'Kiln',
        prices: [
          { id: 'kiln', amount: 9900, currency: 'eur', processor_id: 'price_kiln' },
          monthly('kiln_monthly'),
          monthly('kiln_monthly_seat'),
          monthly('kiln_hidden', { public: false }),
          monthly('kiln_monthly_partner', { amount: 3900, enterprise_template: 'partner' }),
          monthly('kiln_monthly_seat_partner', { enterprise_template: 'partner' }),
          // The first deal of the base price, which an incorrect search would find for every tenant.
          monthly('kiln_monthly_zeta', { amount: 1900, enterprise_id: 'zeta' }),
          monthly('kiln_monthly_acme', { amount: 2900, enterprise_id: 'acme' }),
          monthly('special', { enterprise_template: 'launch', base_price: 'kiln_monthly' }),
          // Has no base price, so it is never sold in place of another.
          monthly('orphan', { enterprise_template: 'orphans' }),
          { id: 'kiln_free', amount: 0, currency: 'eur', interval: 'month', processor_id: 'kiln_free' },
          { id: 'kiln_ask', amount: 0, currency: 'eur', processor_id: 'kiln_ask' },
        ],
      },
      {
        id: 'sensors',
        name: 'Sensors',
        prices: [monthly('readings', { usage_type: 'metered', meter: 'm' }), unmapped],
      },
    ],
    promotion_codes: [
      { id: 'code_hello', code: 'HELLO25', coupon: 'c', processor_id: 'promo_hello' },
      { id: 'code_stopped', code: 'STOPPED', coupon: 'c', active: false, processor_id: 'promo_stopped' },
      { id: 'code_past', code: 'PAST', coupon: 'c', expires_at: '2031-05-01T00:00:00Z', processor_id: 'promo_past' },
      { id: 'code_soon', code: 'SOON', coupon: 'c', expires_at: '2031-05-01T00:00:01Z', processor_id: 'promo_soon' },
    ],
  },
}
const ordinary = { id: 'acme', enterpriseTemplate: null, enterpriseId: null }
const situation = (more: Partial<CheckoutSituation> = {}): CheckoutSituation => ({
  applied,
  tenant: ordinary,
  hidden: false,
  sessionTrialDays: 30,
  sessionMaxQuantity: 1000,
  now,
  ...more,
})
const byKey = situation({ hidden: true })
const onTemplate = (template: string) => situation({ tenant: { ...ordinary, enterpriseTemplate: template } })
/** Choices of the request, with literal types. */
const cardless = { paymentMethodCollection: 'if_required' } as const
const pauses = { trialEnd: 'pause' } as const
const refusal = (wish: Parameters<typeof decideCheckout>[1], given = situation()) =>
  refusedWith(() => decideCheckout(given, wish))

describe('the decision about a checkout request', () => {
  test('is to sell the requested price with quantity 1, with version, revision, price id and tenant id as metadata', () => {
    expect(decideCheckout(situation(), { priceId: 'kiln_monthly' })).toEqual({
      kind: 'processor',
      items: [
        {
          ...{ priceId: 'kiln_monthly', price: 'price_kiln_monthly', quantity: 1 },
          ...{ recurring: true, attached: false },
        },
      ],
      mode: 'subscription',
      trialPeriodDays: null,
      paymentMethodCollection: 'always',
      trialEnd: null,
      currency: null,
      allowPromotionCodes: false,
      promotionCode: null,
      tax: { automatic: false, collectTaxIds: false, rates: [] },
      metadata: {
        ratecard_version: '2.1.0',
        ratecard_revision: '7',
        ratecard_price_id: 'kiln_monthly',
        ratecard_tenant_id: 'acme',
      },
    })
  })

  test.each([
    ['a one-time price is a payment', { priceId: 'kiln', quantity: 3 }, { mode: 'payment', items: [{ quantity: 3 }] }],
    ['a thousand is the most', { priceId: 'kiln', quantity: 1000 }, { items: [{ quantity: 1000 }] }],
    ['a metered price has no quantity', { priceId: 'readings' }, { mode: 'subscription', items: [{ quantity: null }] }],
    ['a trial', { priceId: 'kiln_monthly', trialPeriodDays: 30 }, { trialPeriodDays: 30 }],
    ['no trial of a price that has none', { priceId: 'kiln_monthly', trialPeriodDays: 0 }, { trialPeriodDays: null }],
    ['no trial of a one-time price', { priceId: 'kiln', trialPeriodDays: 0 }, { trialPeriodDays: null }],
    [
      'a trial without a card, which cancels at its end',
      { priceId: 'kiln_monthly', trialPeriodDays: 30, ...cardless },
      { trialPeriodDays: 30, paymentMethodCollection: 'if_required', trialEnd: 'cancel' },
    ],
    [
      'a trial without a card, which pauses at its end',
      { priceId: 'kiln_monthly', trialPeriodDays: 30, ...cardless, ...pauses },
      { paymentMethodCollection: 'if_required', trialEnd: 'pause' },
    ],
    [
      'a trial with a card, which pauses if the card is removed',
      { priceId: 'kiln_monthly', trialPeriodDays: 30, ...pauses },
      { paymentMethodCollection: 'always', trialEnd: 'pause' },
    ],
    ['codes that the customer types', { priceId: 'kiln', allowPromotionCodes: true }, { allowPromotionCodes: true }],
    ['a code by its text', { priceId: 'kiln', promotionCode: 'hello25' }, { promotionCode: 'promo_hello' }],
    ['a code that ends soon', { priceId: 'kiln', promotionCode: 'Soon' }, { promotionCode: 'promo_soon' }],
    [
      'a code without typing others',
      { priceId: 'kiln', promotionCode: 'SOON', allowPromotionCodes: false },
      { promotionCode: 'promo_soon', allowPromotionCodes: false },
    ],
  ])('is to accept the request: %s', (_what, wish, decision) => {
    expect(decideCheckout(situation(), wish)).toMatchObject(decision)
  })

  test.each([
    ['a quantity of 0', { priceId: 'kiln', quantity: 0 }, '#/quantity'],
    ['half a quantity', { priceId: 'kiln', quantity: 1.5 }, '#/quantity'],
    ['a negative quantity', { priceId: 'kiln', quantity: -1 }, '#/quantity'],
    ['a quantity beyond a million', { priceId: 'kiln', quantity: 1_000_001 }, '#/quantity'],
    ['a quantity of usage', { priceId: 'readings', quantity: 1 }, '#/quantity'],
    ['more than one free price', { priceId: 'kiln_free', quantity: 2 }, '#/quantity'],
    ['a free price with a trial', { priceId: 'kiln_free', trialPeriodDays: 14 }, '#/trial_period_days'],
    ['a free price with a promotion code', { priceId: 'kiln_free', promotionCode: 'KILN' }, '#/promotion_code'],
    ['a trial of a negative number of days', { priceId: 'kiln_monthly', trialPeriodDays: -1 }, '#/trial_period_days'],
    ['a trial without end', { priceId: 'kiln_monthly', trialPeriodDays: 731 }, '#/trial_period_days'],
    ['a trial of a one-time price', { priceId: 'kiln', trialPeriodDays: 7 }, '#/trial_period_days'],
    ['no card without a trial', { priceId: 'kiln_monthly', ...cardless }, '#/payment_method_collection'],
    ['no card for a one-time price', { priceId: 'kiln', ...cardless }, '#/payment_method_collection'],
    [
      'no card where the trial is declined',
      { priceId: 'kiln_monthly', trialPeriodDays: 0, ...cardless },
      '#/payment_method_collection',
    ],
    ['the end of no trial', { priceId: 'kiln_monthly', ...pauses }, '#/trial_end'],
    [
      'a code and others to type',
      { priceId: 'kiln', promotionCode: 'HELLO25', allowPromotionCodes: true },
      '#/promotion_code',
    ],
    ['an unknown code', { priceId: 'kiln', promotionCode: 'nope' }, '#/promotion_code'],
    ['an inactive code', { priceId: 'kiln', promotionCode: 'STOPPED' }, '#/promotion_code'],
    ['an expired code', { priceId: 'kiln', promotionCode: 'past' }, '#/promotion_code'],
    ['a code by its id, for a session', { priceId: 'kiln', promotionCode: 'code_hello' }, '#/promotion_code'],
  ])('is to refuse the request with checkout_invalid: %s', (_what, wish, pointer) => {
    expect(refusal(wish)).toMatchObject({ code: 'checkout_invalid', issues: [{ pointer }] })
  })

  test('is to give the trial of the price by default, and no trial with 0 trial days', () => {
    const products = [{ id: 'oven', name: 'Oven', prices: [monthly('oven_monthly', { trial_period_days: 14 })] }]
    const shop = situation({ applied: { ...applied, config: { version: '2.1.0', products } } })
    expect(decideCheckout(shop, { priceId: 'oven_monthly' })).toMatchObject({ trialPeriodDays: 14 })
    expect(decideCheckout(shop, { priceId: 'oven_monthly', trialPeriodDays: 0 })).toMatchObject({
      trialPeriodDays: null,
    })
  })

  test('is to accept a promotion code by its configuration id if the request has a service key', () => {
    expect(decideCheckout(byKey, { priceId: 'kiln', promotionCode: 'code_hello' })).toMatchObject({
      promotionCode: 'promo_hello',
    })
    const past = refusal({ priceId: 'kiln', promotionCode: 'code_past' }, byKey)
    expect(past).toMatchObject({ code: 'checkout_invalid', issues: [{ pointer: '#/promotion_code' }] })
  })

  test('is to refuse a quantity above the seller’s limit with a session, and to accept it with a service key', () => {
    const many = (quantity: number) => ({ priceId: 'kiln_monthly', quantity })
    expect(refusal(many(1001))).toMatchObject({ code: 'quantity_invalid', issues: [{ pointer: '#/quantity' }] })
    expect(
      refusal({ items: [{ priceId: 'kiln_monthly', quantity: 8 }] }, situation({ sessionMaxQuantity: 7 })),
    ).toMatchObject({
      code: 'quantity_invalid',
      issues: [{ pointer: '#/items/0/quantity' }],
    })
    expect(decideCheckout(byKey, many(1_000_000))).toMatchObject({ items: [{ quantity: 1_000_000 }] })
  })

  test('is to refuse a trial longer than the seller’s limit with a session, and to accept the trial with a service key', () => {
    const wish = { priceId: 'kiln_monthly', trialPeriodDays: 31 }
    expect(refusal(wish)).toMatchObject({ code: 'checkout_invalid' })
    expect(refusal({ ...wish, trialPeriodDays: 1 }, situation({ sessionTrialDays: 0 }))).toMatchObject({
      code: 'checkout_invalid',
    })
    expect(refusal({ priceId: 'kiln_monthly', ...cardless }, situation({ sessionTrialDays: 0 }))).toMatchObject({
      issues: [
        { pointer: '#/payment_method_collection', detail: expect.stringContaining('A session cannot') as string },
      ],
    })
    expect(decideCheckout(situation(), { ...wish, trialPeriodDays: 30 })).toMatchObject({ trialPeriodDays: 30 })
    expect(decideCheckout(byKey, { ...wish, trialPeriodDays: 730 })).toMatchObject({ trialPeriodDays: 730 })
  })

  test('is the same 404 for hidden, negotiated and unknown prices if the request has a session', () => {
    for (const priceId of ['kiln_hidden', 'kiln_monthly_partner', 'kiln_monthly_acme', 'nothing'])
      expect(refusal({ priceId })).toMatchObject({
        code: 'price_not_found',
        message: `There is no price "${priceId}".`,
      })
  })

  test('is to sell hidden and negotiated prices if the request has a service key', () => {
    for (const priceId of ['kiln_hidden', 'kiln_monthly_partner', 'kiln_monthly_acme'])
      expect(decideCheckout(byKey, { priceId })).toMatchObject({ items: [{ priceId, price: `price_${priceId}` }] })
    expect(refusal({ priceId: 'nothing' }, byKey)?.code).toBe('price_not_found')
  })

  test('is to open no page at the processor if the price is free', () => {
    const wish = { priceId: 'kiln_free', trialPeriodDays: 0, allowPromotionCodes: true }
    expect(decideCheckout(situation(), wish)).toEqual({ kind: 'free', priceId: 'kiln_free' })
    expect(refusal({ priceId: 'kiln_ask' })?.code).toBe('price_not_sellable')
    expect(refusal({ priceId: 'unmapped' })?.code).toBe('price_not_sellable')
  })
})

describe('a tenant with negotiated prices that requests a checkout', () => {
  test.each([
    ['partner', 'kiln_monthly', 'kiln_monthly_partner'],
    // The base with the longest id applies: the price of the seat, not that of the plan.
    ['partner', 'kiln_monthly_seat', 'kiln_monthly_seat_partner'],
    ['partner', 'kiln', 'kiln'],
    ['launch', 'kiln_monthly', 'special'],
    ['orphans', 'kiln_monthly', 'kiln_monthly'],
    ['gone', 'kiln_monthly', 'kiln_monthly'],
  ])('gets, with the template %s and for the price %s, the price %s', (template, priceId, sold) => {
    expect(decideCheckout(onTemplate(template), { priceId })).toMatchObject({
      items: [{ priceId: sold, price: `price_${sold}` }],
      metadata: { ratecard_price_id: sold },
    })
  })

  test.each([
    ['acme', 'kiln_monthly', 'kiln_monthly_acme'],
    ['zeta', 'kiln_monthly', 'kiln_monthly_zeta'],
    ['zeta', 'kiln_monthly_seat', 'kiln_monthly_seat'],
    ['without a price', 'kiln_monthly', 'kiln_monthly'],
  ])(
    'gets, with the deal %s and for the price %s, the price %s, and never the price of another deal',
    (deal, priceId, sold) => {
      const given = situation({ tenant: { ...ordinary, enterpriseId: deal } })
      expect(decideCheckout(given, { priceId })).toMatchObject({ items: [{ priceId: sold, price: `price_${sold}` }] })
    },
  )

  test('cannot name the negotiated price by its id with a session', () => {
    expect(refusal({ priceId: 'kiln_monthly_partner' }, onTemplate('partner'))?.code).toBe('price_not_found')
  })

  test('can be sold a negotiated price of another deal with a service key', () => {
    const given = { ...onTemplate('partner'), hidden: true }
    expect(decideCheckout(given, { priceId: 'kiln_monthly_acme' })).toMatchObject({
      items: [{ priceId: 'kiln_monthly_acme' }],
    })
  })
})
