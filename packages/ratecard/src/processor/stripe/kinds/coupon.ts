import type { Stripe } from 'stripe'
import { canonicalDecimal } from '../../../money/decimal.ts'
import { currencies } from '../../../money/currencies.ts'
import { processorId } from '../../../catalog/resource.ts'
import type { ObservedResource } from '../../../catalog/resource.ts'
import { known, reasons } from './kind.ts'
import type { CreateOf, KindAdapter, Surroundings, UpdateOf } from './kind.ts'
import { metadataChange, newMetadata, splitMetadata } from './metadata.ts'

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
    updatable: ['name', 'metadata'],
    create: (step) => {
      const params = newCouponParams(step)
      return { operation: 'POST /v1/coupons', send: (options) => coupons.create({ ...params, expand }, options) }
    },
    update: (step) => ({
      operation: 'POST /v1/coupons/:id',
      send: (options) => coupons.update(step.processorId, { ...couponChangeParams(step), expand }, options),
    }),
    // Deleting is the only way to stop a coupon; discounts already given go on.
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
  const { fields, configId, carried } = step
  return {
    id: chosenId(step),
    duration: fields.duration,
    ...(fields.name === '' ? {} : { name: fields.name }),
    ...(fields.percentOff === null ? {} : { percent_off: Number(fields.percentOff) }),
    ...(fields.amountOff === null ? {} : { amount_off: fields.amountOff }),
    ...(fields.currency === null ? {} : { currency: fields.currency }),
    ...(fields.durationInMonths === null ? {} : { duration_in_months: fields.durationInMonths }),
    ...(fields.maxRedemptions === null ? {} : { max_redemptions: fields.maxRedemptions - carried }),
    ...(fields.redeemBy === null ? {} : { redeem_by: fields.redeemBy }),
    ...(fields.appliesTo === null ? {} : { applies_to: { products: [...fields.appliesTo] } }),
    metadata: newMetadata(configId, fields.metadata, carried),
  }
}

export function couponChangeParams(step: UpdateOf<'coupon'>): Stripe.CouponUpdateParams {
  return { ...(step.set.name === undefined ? {} : { name: step.set.name }), ...metadataChange(step) }
}

/** Whether nobody can redeem it any more. */
function isSpent(coupon: Stripe.Coupon, now: number): boolean {
  return !coupon.valid || isOver(coupon.redeem_by, now) || isUsedUp(coupon)
}

export function isOver(end: number | null, now: number): boolean {
  return end !== null && end <= now
}

export function isUsedUp(offer: { readonly max_redemptions: number | null; readonly times_redeemed: number }): boolean {
  return offer.max_redemptions !== null && offer.times_redeemed >= offer.max_redemptions
}

export function observeCoupon(coupon: Stripe.Coupon, { now }: Surroundings): ObservedResource<'coupon'> {
  const { author, mark, carried } = splitMetadata(coupon.metadata)
  const duration = known(['once', 'repeating', 'forever'], coupon.duration)
  const products = coupon.applies_to?.products ?? []
  return {
    kind: 'coupon',
    processorId: processorId(coupon.id),
    active: true,
    fields: {
      name: coupon.name ?? '',
      percentOff: coupon.percent_off === null ? null : canonicalDecimal(coupon.percent_off),
      amountOff: coupon.amount_off,
      currency: coupon.currency,
      duration: duration ?? 'once',
      durationInMonths: coupon.duration_in_months,
      maxRedemptions: coupon.max_redemptions === null ? null : coupon.max_redemptions + carried,
      redeemBy: coupon.redeem_by,
      appliesTo: products.length === 0 ? null : [...products].sort().map(processorId),
      metadata: author,
    },
    mark,
    created: coupon.created,
    lookupKey: null,
    redeemed: coupon.times_redeemed,
    carried,
    spent: isSpent(coupon, now),
    unrepresentable: reasons({
      currency: coupon.currency !== null && !currencies.some((currency) => currency === coupon.currency),
      currency_options: Object.keys(coupon.currency_options ?? {}).some((currency) => currency !== coupon.currency),
      duration: duration === null,
    }),
    raw: coupon,
  }
}
