// Finds the coupon or promotion code that a request names. Pure.
import { processorId } from '../../catalog/resource.ts'
import { presentId } from '../../document/rules/previous-ids.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { DiscountSource } from '../../processor/subscription-discounts.ts'
import { invalidDiscount } from './decide-discount.ts'
import type { NewDiscount } from '../../api/customers/discounts.ts'

/** Throws `discount_invalid` unless the request names one coupon or one promotion code of the configuration. */
export function findSource(config: BillingConfig, { couponId, promotionCode }: NewDiscount): DiscountSource {
  if (couponId !== undefined && promotionCode !== undefined)
    throw invalidDiscount('promotion_code', 'Pass either "coupon_id" or "promotion_code", not both.')
  if (couponId !== undefined) return findCoupon(config, couponId)
  if (promotionCode !== undefined) return findCode(config, promotionCode)
  throw invalidDiscount('coupon_id', 'A discount needs "coupon_id" or "promotion_code".')
}

function findCoupon(config: BillingConfig, wanted: string): DiscountSource {
  const present = presentId(config, 'coupon', wanted)
  const found = config.coupons?.find(({ id }) => id === present)
  if (found?.processor_id === undefined)
    throw invalidDiscount('coupon_id', `There is no coupon "${wanted}" in the configuration.`)
  return { kind: 'coupon', coupon: processorId(found.processor_id) }
}

/** Finds a promotion code by its configuration id, otherwise by the text that customers type, ignoring case. */
function findCode(config: BillingConfig, wanted: string): DiscountSource {
  const codes = config.promotion_codes ?? []
  const present = presentId(config, 'promotion_code', wanted)
  const typed = wanted.toLowerCase()
  const found = codes.find(({ id }) => id === present) ?? codes.find(({ code }) => code.toLowerCase() === typed)
  if (found?.processor_id === undefined)
    throw invalidDiscount('promotion_code', `There is no promotion code "${wanted}" in the configuration.`)
  return { kind: 'promotion_code', promotionCode: processorId(found.processor_id) }
}
