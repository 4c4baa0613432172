// Decides if a subscription can get a discount, by the limits of the coupon and the promotion code, and by the state of the subscription.
// Pure. The processor itself checks `first_time_transaction`, which depends on the customer's payments, and limits that other customers
// have just reached.
import { toRfc3339 } from '../../base/clock.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { DiscountedSubscription } from '../../processor/customer-half.ts'
import type { DiscountOffer, DiscountUpdate, RunningDiscount } from '../../processor/subscription-discounts.ts'
import { invalidMembers } from '../../base/errors/invalid-members.ts'

/** Maximum number of discounts of a subscription at the processor. */
const maxDiscounts = 20

/** Statuses of subscriptions whose invoices a discount reduces. */
const billing: ReadonlySet<string> = new Set(['trialing', 'active', 'past_due', 'unpaid'])

export interface DiscountSituation {
  readonly discounted: DiscountedSubscription
  readonly offer: DiscountOffer
  readonly now: number
  /** Returns the configuration id of a product, for messages. */
  readonly productName: (id: ProcessorId) => string
}

/**
 * Returns the update that adds the discount to the subscription. Throws `discount_invalid` if a limit forbids it, or `conflict` if the
 * subscription already has a discount of the coupon.
 */
export function decideGift(situation: DiscountSituation): DiscountUpdate {
  const { discounted, offer } = situation
  const { subscription, discounts } = discounted
  refuseStatus(discounted)
  if (offer.code !== null) checkCode(situation, offer.code)
  checkCoupon(situation)
  const twin = discounts.find(({ coupon }) => coupon === offer.coupon.id)
  if (twin !== undefined) throw alreadyThere(subscription.id, twin)
  if (discounts.length >= maxDiscounts)
    throw invalidDiscount('subscription', `The subscription ${subscription.id} has ${maxDiscounts} discounts already.`)
  return {
    subscription: subscription.id,
    keep: discounts.map(({ id }) => id),
    add:
      offer.code === null
        ? { kind: 'coupon', coupon: offer.coupon.id }
        : { kind: 'promotion_code', promotionCode: offer.code.id },
    remove: null,
  }
}

/** Returns the update that takes the discount away. */
export function decideRemoval(
  { subscription, discounts }: DiscountedSubscription,
  { id, coupon, promotionCode }: RunningDiscount,
): DiscountUpdate {
  return {
    subscription: subscription.id,
    keep: discounts.filter((one) => one.id !== id).map((one) => one.id),
    add: null,
    remove: { id, coupon, promotionCode },
  }
}

/**
 * Selects the subscription that the request names or, without a name, the only one. Throws `subscription_not_found`, or `discount_invalid`
 * if the request names none and there are several.
 */
export function selectSubscription(
  all: readonly DiscountedSubscription[],
  wanted: string | undefined,
): DiscountedSubscription {
  if (wanted !== undefined) {
    const found = all.find(({ subscription }) => subscription.id === wanted)
    if (found === undefined)
      throw new ServiceError('subscription_not_found', `The tenant has no subscription "${wanted}" that is billed.`, {
        hint: 'See GET admin/tenants/{id}/subscriptions.',
      })
    return found
  }
  const running = all.filter(({ subscription }) => billing.has(subscription.status))
  const [only, second] = running
  if (only === undefined)
    throw new ServiceError('subscription_not_found', 'The tenant has no paid subscription.', {
      hint: 'To discount a new purchase, pass the promotion code to the checkout.',
    })
  if (second === undefined) return only
  const ids = running.map(({ subscription }) => subscription.id).join(', ')
  throw invalidDiscount(
    'subscription',
    `The tenant has ${String(running.length)} subscriptions: ${ids}.`,
    'Set "subscription" to one of them.',
  )
}

function refuseStatus({ subscription: { id, status } }: DiscountedSubscription): void {
  if (!billing.has(status))
    throw invalidDiscount(
      'subscription',
      `The subscription ${id} is ${status}, so it has no invoices that a discount could reduce.`,
    )
}

const memberOf = ({ code }: DiscountOffer): DiscountMember => (code === null ? 'coupon_id' : 'promotion_code')

function checkCode(
  { discounted, now }: DiscountSituation,
  { active, expiresAt, maxRedemptions, timesRedeemed, customer, hasMinimum }: NonNullable<DiscountOffer['code']>,
): void {
  const refuse = (detail: string, hint?: string) => invalidDiscount('promotion_code', detail, hint)
  if (expiresAt !== null && expiresAt <= now)
    throw refuse(`The promotion code could be used until ${toRfc3339(expiresAt)}.`)
  if (maxRedemptions !== null && timesRedeemed >= maxRedemptions)
    throw refuse(`The promotion code was used ${String(timesRedeemed)} times, which is its limit.`)
  if (!active) throw refuse('The promotion code is not active.')
  if (customer !== null && customer !== discounted.subscription.customer)
    throw refuse('The promotion code belongs to another customer.')
  if (hasMinimum)
    throw refuse(
      'The promotion code has a minimum amount, so it works only at a checkout.',
      'Give the coupon of the code instead, with "coupon_id".',
    )
}

function checkCoupon({ discounted, offer, now, productName }: DiscountSituation): void {
  const { redeemBy, maxRedemptions, timesRedeemed, valid, percentOff, amountOff, products } = offer.coupon
  const { id, currency, items } = discounted.subscription
  const refuse = (detail: string) => invalidDiscount(memberOf(offer), detail)
  if (redeemBy !== null && redeemBy <= now) throw refuse(`The coupon could be used until ${toRfc3339(redeemBy)}.`)
  if (maxRedemptions !== null && timesRedeemed >= maxRedemptions)
    throw refuse(`The coupon was used ${String(timesRedeemed)} times, which is its limit.`)
  if (!valid) throw refuse('The coupon can no longer be used.')
  if (percentOff === null && amountOff[currency] === undefined)
    throw refuse(
      `The coupon takes off an amount in ${Object.keys(amountOff).sort().join(', ')}; the subscription ${id} is in ${currency}.`,
    )
  if (products !== null && !items.some(({ price }) => price.product !== null && products.includes(price.product)))
    throw refuse(
      `The coupon is for ${products.map((one) => `"${productName(one)}"`).join(', ')}, which the subscription ${id} does not contain.`,
    )
}

function alreadyThere(subscription: string, { id }: RunningDiscount): ServiceError {
  return new ServiceError(
    'conflict',
    `The subscription ${subscription} has a discount of this coupon already: ${id}.`,
    {
      hint: 'To restart its duration, first remove it (DELETE admin/tenants/{id}/discounts/{discount}).',
      extra: { discount: id },
    },
  )
}

/** Member of the request that a refusal is about, by its name in the API. */
export type DiscountMember = 'coupon_id' | 'promotion_code' | 'subscription'

/** Creates a `discount_invalid` error for one member of the request. */
export function invalidDiscount(field: DiscountMember, detail: string, hint?: string): ServiceError {
  return invalidMembers('discount_invalid', [{ path: [field], detail, hint }])
}
