// Keeps the terms of coupons that the processor deleted. Discounts with a deleted coupon stay in force, but the processor no longer returns
// their terms. The mirror still has the terms from an earlier read.
import type { Mirrored, MirroredDiscount } from '../../../processor/mirrored.ts'

/** Returns the object with complete coupon terms: terms that the processor no longer returns are taken from the mirror. */
export function withKnownTerms<T extends Discounted>(object: T, before: T | null): T {
  const isComplete = discountsOf(object).every(({ duration }) => duration !== null)
  return isComplete || before === null ? object : (withFormerDiscounts(object, before) as T)
}

type Discounted = Mirrored['subscription' | 'customer']

function discountsOf(object: Discounted): readonly MirroredDiscount[] {
  if ('items' in object) return [...object.discounts, ...object.items.flatMap((item) => item.discounts)]
  return object.discount === null ? [] : [object.discount]
}

function withFormerDiscounts(object: Discounted, before: Discounted): Discounted {
  const known = new Map(
    discountsOf(before)
      .filter(({ duration }) => duration !== null)
      .map(({ coupon, duration, percentOff, amountOff, products }) => [
        coupon,
        { duration, percentOff, amountOff, products },
      ]),
  )
  const complete = (discount: MirroredDiscount): MirroredDiscount =>
    discount.duration === null ? { ...discount, ...known.get(discount.coupon) } : discount
  if ('items' in object)
    return {
      ...object,
      discounts: object.discounts.map(complete),
      items: object.items.map((item) => ({ ...item, discounts: item.discounts.map(complete) })),
    }
  return { ...object, discount: object.discount === null ? null : complete(object.discount) }
}
