import type { Stripe } from 'stripe'
import { canonicalDecimal } from '../../../base/money/decimal.ts'
import { currencies } from '../../../base/money/currencies.ts'
import { processorId, type ObservedResource, type ProcessorId } from '../../../catalog/resource.ts'
import { amountsBeside, inCurrencies, isEmpty, unsupportedCurrency } from './amounts.ts'
import { changeParams, creationParams, readFields, updatableFields, type Translations } from './field-translation.ts'
import { changeableText, fixedOrNull } from './same-member.ts'
import { known, ordinary, reasonsIn, type CreateOf, type KindAdapter, type ReadContext, type UpdateOf } from './kind.ts'
import { unmanagedMembers } from './members.ts'
import { carriedMetadata, metadataChange, newMetadata, splitMetadata } from './metadata.ts'

const translations: Translations<'coupon', Stripe.Coupon, Stripe.CouponCreateParams, Stripe.CouponUpdateParams> = {
  name: changeableText('name'),
  percentOff: {
    read: (coupon) => (coupon.percent_off === null ? null : canonicalDecimal(coupon.percent_off)),
    create: (percent) => (percent === null ? {} : { percent_off: Number(percent) }),
  },
  amountOff: fixedOrNull('amount_off'),
  currency: fixedOrNull('currency'),
  currencyOptions: {
    read: ({ currency: own, currency_options: options }) =>
      amountsBeside(own, options, ({ amount_off: amount }) => amount),
    create: (amounts) => (isEmpty(amounts) ? {} : { currency_options: inCurrencies(amounts, 'amount_off') }),
    update: (amounts) => ({ currency_options: inCurrencies(amounts, 'amount_off') }),
  },
  duration: {
    read: (coupon) => known(['once', 'repeating', 'forever'], coupon.duration) ?? 'once',
    create: (duration) => ({ duration }),
  },
  durationInMonths: fixedOrNull('duration_in_months'),
  maxRedemptions: {
    read: (coupon) => allowedInAll(coupon),
    create: (most, { carried }) => (most === null ? {} : { max_redemptions: most - carried }),
  },
  redeemBy: fixedOrNull('redeem_by'),
  appliesTo: {
    read: observeProducts,
    create: (products) => (products === null ? {} : { applies_to: { products: [...products] } }),
  },
}

const expand = ['applies_to', 'currency_options']
const listExpand = expand.map((member) => `data.${member}`)

export function couponAdapter(coupons: Stripe['coupons']): KindAdapter<'coupon', Stripe.Coupon> {
  const retrieve = (id: string) => ({
    operation: 'GET /v1/coupons/:id',
    send: (options: Stripe.RequestOptions) => coupons.retrieve(id, { expand }, options),
  })
  return {
    kind: 'coupon',
    object: 'coupon',
    updatable: updatableFields(translations),
    create: (step) => {
      const params = newCouponParams(step)
      return { operation: 'POST /v1/coupons', send: (options) => coupons.create({ ...params, expand }, options) }
    },
    update: (step) => ({
      operation: 'POST /v1/coupons/:id',
      send: (options) => coupons.update(step.processorId, { ...couponChangeParams(step), expand }, options),
    }),
    // A coupon cannot be switched off, so archiving deletes it. Discounts that were already granted continue.
    archive: (id) => ({
      id,
      deletes: { operation: 'DELETE /v1/coupons/:id', send: (options) => coupons.del(id, {}, options) },
    }),
    retrieve,
    search: (step) => retrieve(chosenId(step)),
    lists: () => [
      {
        operation: 'GET /v1/coupons',
        page: (paging, options) => coupons.list({ ...paging, expand: listExpand }, options),
      },
    ],
    observe: observeCoupon,
  }
}

function chosenId(step: CreateOf<'coupon'>): string {
  if (step.id === null) throw new TypeError(`The coupon ${step.configId} has no id to be created under.`)
  return step.id
}

export function newCouponParams(step: CreateOf<'coupon'>): Stripe.CouponCreateParams {
  return {
    id: chosenId(step),
    ...creationParams(translations, step),
    metadata: newMetadata(step.configId, step.fields.metadata, carriedMetadata(step.carried)),
  }
}

export function couponChangeParams(step: UpdateOf<'coupon'>): Stripe.CouponUpdateParams {
  return { ...changeParams(translations, step.set), ...metadataChange(step) }
}

function observeProducts(coupon: Stripe.Coupon): ProcessorId[] | null {
  const products = coupon.applies_to?.products ?? []
  return products.length === 0 ? null : [...products].sort().map(processorId)
}

/**
 * Returns the maximum number of redemptions as the document counts it. The document also counts the redemptions of earlier coupons that
 * this one replaced, so they are added. null if unlimited.
 */
export function allowedInAll(offer: Pick<Stripe.Coupon, 'max_redemptions' | 'metadata'>): number | null {
  return offer.max_redemptions === null ? null : offer.max_redemptions + splitMetadata(offer.metadata).carried
}

/** True if the coupon cannot be redeemed any more. */
function isSpent(coupon: Stripe.Coupon, now: number): boolean {
  return !coupon.valid || isOver(coupon.redeem_by, now) || isUsedUp(coupon)
}

export function isOver(end: number | null, now: number): boolean {
  return end !== null && end <= now
}

export function isUsedUp(offer: { readonly max_redemptions: number | null; readonly times_redeemed: number }): boolean {
  return offer.max_redemptions !== null && offer.times_redeemed >= offer.max_redemptions
}

export function observeCoupon(coupon: Stripe.Coupon, { now }: ReadContext): ObservedResource<'coupon'> {
  const { author, mark, carried, companions } = splitMetadata(coupon.metadata)
  return {
    ...ordinary,
    ...unmanagedMembers('coupon', coupon),
    kind: 'coupon',
    processorId: processorId(coupon.id),
    active: true,
    fields: { ...readFields<'coupon'>(translations, coupon), metadata: author },
    mark,
    companions,
    created: coupon.created,
    redeemed: coupon.times_redeemed,
    carried,
    spent: isSpent(coupon, now),
    unrepresentable: reasonsIn({
      currency: coupon.currency !== null && !currencies.some((currency) => currency === coupon.currency),
      currency_options: unsupportedCurrency(coupon.currency_options),
      duration: known(['once', 'repeating', 'forever'], coupon.duration) === null,
    }),
    raw: coupon,
  }
}
