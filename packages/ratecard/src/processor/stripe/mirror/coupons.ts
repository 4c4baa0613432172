// Reads the terms of the coupons behind discounts. A discount in a list contains only the coupon's id, because Stripe expands at most four
// levels. Each coupon is read once and then cached, because its terms never change.
import type { Stripe } from 'stripe'
import { canonicalDecimal } from '../../../base/money/decimal.ts'
import { processorId } from '../../../catalog/resource.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { MirroredDiscount } from '../../mirrored.ts'
import {
  formerMember,
  idOf,
  requireInteger,
  listOf,
  requireMilliseconds,
  text,
  requireWord,
} from '../connection/reading.ts'
import type { Untrusted, UntrustedReply } from '../connection/reading.ts'
import { amountsBeside } from '../kinds/amounts.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readOne, translateReply } from '../customers/single-object.ts'

export type CouponTerms = Pick<MirroredDiscount, 'duration' | 'percentOff' | 'amountOff' | 'products'>

/** Returns the terms of a coupon by id. */
export type FindCoupon = (id: string, signal: AbortSignal) => Promise<CouponTerms>

/** Maximum number of cached coupons. A further one replaces the oldest. */
const keptCoupons = 10_000

/** Terms of a coupon that was deleted at Stripe. Its discounts still apply, but Stripe no longer returns its terms. */
const deletedCoupon: CouponTerms = { duration: null, percentOff: null, amountOff: {}, products: null }

export function createCoupons(context: StripeContext): FindCoupon {
  const kept = new Map<string, CouponTerms>()
  return async (id, signal) => {
    const known = kept.get(id)
    if (known !== undefined) return known
    const request = {
      operation: 'GET /v1/coupons/:id',
      send: (options: Stripe.RequestOptions) =>
        context.stripe.coupons.retrieve(id, { expand: ['applies_to', 'currency_options'] }, options),
    }
    const coupon = await readOne<Stripe.Coupon>(context, request, { object: 'coupon', id }, signal)
    const terms = coupon === null ? deletedCoupon : translateReply(coupon, termsOf)
    const oldest = kept.size < keptCoupons ? undefined : kept.keys().next().value
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(id, terms)
    return terms
  }
}

/** Converts the terms of a coupon. The coupon must have been requested with `applies_to` and `currency_options` expanded. */
export function termsOf(
  coupon: UntrustedReply<Stripe.Coupon>,
): CouponTerms & { readonly duration: NonNullable<CouponTerms['duration']> } {
  const products = listOf(coupon.applies_to?.products)
  const { amount_off: amount, currency } = coupon
  return {
    duration: requireWord(['forever', 'once', 'repeating'], coupon.duration, 'duration'),
    percentOff:
      coupon.percent_off === null || coupon.percent_off === undefined ? null : canonicalDecimal(coupon.percent_off),
    amountOff: {
      ...(amount === null || amount === undefined
        ? {}
        : { [text(currency, 'currency')]: requireInteger(amount, 'amount_off') }),
      ...amountsBeside(
        currency ?? null,
        coupon.currency_options as Stripe.Coupon['currency_options'],
        (option) => option.amount_off,
      ),
    },
    products: products.length === 0 ? null : [...products].sort().map(processorId),
  }
}

export type DiscountReply = string | Untrusted<Stripe.Discount>

/** Converts expanded discounts, with the terms of their coupons. */
export async function mirroredDiscounts(
  said: readonly DiscountReply[],
  find: FindCoupon,
  signal: AbortSignal,
): Promise<readonly MirroredDiscount[]> {
  const found: MirroredDiscount[] = []
  for (const discount of said) {
    const { coupon, ...rest } = readDiscount(discount)
    found.push({ ...rest, coupon, ...(await find(coupon, signal)) })
  }
  return found
}

/** Converts a discount. Throws `broken` if it is malformed, so that a list skips only the object with this discount. */
export function readDiscount(discount: DiscountReply) {
  try {
    if (typeof discount === 'string') throw new TypeError('it is not expanded')
    const { end } = discount
    const endsAt = end === null || end === undefined ? null : requireMilliseconds(end, 'end')
    return { id: text(discount.id, 'id'), coupon: couponOf(discount), endsAt }
  } catch (error) {
    const id = typeof discount === 'string' ? discount : String(discount.id)
    const why = error instanceof Error ? error.message : 'unknown'
    throw new ProcessorError('broken', `Stripe’s discount ${id} could not be read: ${why}.`)
  }
}

function couponOf(discount: Untrusted<Stripe.Discount>) {
  // In API versions before September 2025, the coupon is a member of the discount itself.
  const coupon =
    discount.source?.coupon ?? (formerMember(discount, 'coupon') as Stripe.Coupon | string | null | undefined)
  return idOf(coupon, 'coupon')
}
