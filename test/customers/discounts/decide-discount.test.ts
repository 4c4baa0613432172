import { describe, expect, test } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import {
  decideGift,
  decideRemoval,
  selectSubscription,
} from '../../../packages/ratecard/src/customers/discounts/decide-discount.ts'
import type { DiscountedSubscription } from '../../../packages/ratecard/src/processor/customer-half.ts'
import type { DiscountOffer, RunningDiscount } from '../../../packages/ratecard/src/processor/subscription-discounts.ts'
import { refusedWith } from '../../support/shop/refused.ts'
import { newSubscription } from '../../store/suite/mirror-records.ts'

const now = Date.parse('2031-05-01T00:00:00Z')
const discount = (id: string, coupon = id): RunningDiscount => ({
  id,
  coupon: processorId(coupon),
  promotionCode: null,
  endsAt: null,
})
const discounted = (
  discounts: readonly RunningDiscount[] = [],
  change: Partial<DiscountedSubscription['subscription']> = {},
): DiscountedSubscription => ({ subscription: { ...newSubscription('sub_1'), ...change }, discounts })

const coupon: DiscountOffer['coupon'] = {
  id: processorId('loyal'),
  valid: true,
  redeemBy: null,
  maxRedemptions: null,
  timesRedeemed: 0,
  duration: 'forever',
  durationInMonths: null,
  percentOff: '20',
  amountOff: {},
  products: null,
}
const code: NonNullable<DiscountOffer['code']> = {
  id: processorId('promo_1'),
  active: true,
  expiresAt: null,
  maxRedemptions: null,
  timesRedeemed: 0,
  customer: null,
  hasMinimum: false,
}
const situation = (offer: DiscountOffer, of = discounted()) => ({ discounted: of, offer, now, productName: String })
const refusalOf = (offer: DiscountOffer, of?: DiscountedSubscription) =>
  refusedWith(() => decideGift(situation(offer, of)))

describe('the decision about a change of a subscription’s discounts', () => {
  test('adds the discount to the running discounts, with its promotion code if the request has a code', () => {
    const of = discounted([discount('di_1'), discount('di_2')])
    expect(decideGift(situation({ coupon, code: null }, of))).toEqual({
      subscription: 'sub_1',
      keep: ['di_1', 'di_2'],
      add: { kind: 'coupon', coupon: 'loyal' },
      remove: null,
    })
    expect(decideGift(situation({ coupon, code })).add).toEqual({ kind: 'promotion_code', promotionCode: 'promo_1' })
  })

  test('removes the named discount and keeps the others', () => {
    const gone = discount('di_1', 'loyal')
    expect(decideRemoval(discounted([gone, discount('di_2')]), gone)).toEqual({
      subscription: 'sub_1',
      keep: ['di_2'],
      add: null,
      remove: { id: 'di_1', coupon: 'loyal', promotionCode: null },
    })
  })

  test.each<[string, Partial<DiscountOffer['coupon']>, string]>([
    ['can no longer be redeemed', { redeemBy: now }, 'The coupon could be used until 2031-05-01T00:00:00.000Z.'],
    ['is used up', { maxRedemptions: 3, timesRedeemed: 3 }, 'The coupon was used 3 times, which is its limit.'],
    ['is not valid for another reason', { valid: false }, 'The coupon can no longer be used.'],
    [
      'takes off an amount in other currencies',
      { percentOff: null, amountOff: { gbp: 1, eur: 2 } },
      'The coupon takes off an amount in eur, gbp; the subscription sub_1 is in usd.',
    ],
    [
      'is for other products',
      { products: [processorId('prod_other')] },
      'The coupon is for "prod_other", which the subscription sub_1 does not contain.',
    ],
  ])('refuses a discount if its coupon %s', (_what, change, message) => {
    expect(refusalOf({ coupon: { ...coupon, ...change }, code: null })).toMatchObject({
      code: 'discount_invalid',
      message,
      issues: [{ pointer: '#/coupon_id' }],
    })
  })

  test.each<[string, Partial<typeof code>, string]>([
    ['has ended', { expiresAt: now }, 'The promotion code could be used until 2031-05-01T00:00:00.000Z.'],
    ['is used up', { maxRedemptions: 1, timesRedeemed: 1 }, 'The promotion code was used 1 times'],
    ['was switched off', { active: false }, 'The promotion code is not active.'],
    ['is of another customer', { customer: processorId('cus_other') }, 'belongs to another customer'],
    ['has a minimum amount', { hasMinimum: true }, 'it works only at a checkout'],
  ])('refuses a discount if its promotion code %s', (_what, change, message) => {
    expect(refusalOf({ coupon, code: { ...code, ...change } })).toMatchObject({
      code: 'discount_invalid',
      message: expect.stringContaining(message) as string,
      issues: [{ pointer: '#/promotion_code' }],
    })
  })

  test.each(['paused', 'incomplete'] as const)('refuses a discount for a subscription that is %s', (status) => {
    expect(refusalOf({ coupon, code: null }, discounted([], { status }))).toMatchObject({
      code: 'discount_invalid',
      issues: [{ pointer: '#/subscription' }],
    })
  })

  test('refuses a discount if the subscription already has 20 discounts, or a discount of the same coupon', () => {
    const many = Array.from({ length: 20 }, (_, index) => discount(`di_${String(index)}`))
    expect(refusalOf({ coupon, code: null }, discounted(many))?.code).toBe('discount_invalid')
    expect(refusalOf({ coupon, code: null }, discounted([discount('di_1', 'loyal')]))?.code).toBe('conflict')
  })
})

test('a discount needs no subscription id if only one subscription is billed, where paused subscriptions do not count', () => {
  const billed = discounted()
  const paused = discounted([], { id: 'sub_2', status: 'paused' })
  expect(selectSubscription([paused, billed], undefined)).toBe(billed)
  expect(selectSubscription([paused, billed], 'sub_2')).toBe(paused)
  expect(refusedWith(() => selectSubscription([paused], undefined))?.code).toBe('subscription_not_found')
})
