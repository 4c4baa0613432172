import { invalidMembers } from '../../base/errors/invalid-members.ts'
import type { ServiceError } from '../../base/errors/service-error.ts'

/** Member of the request that a refusal is about, by its name in the API. */
export type DiscountMember = 'coupon_id' | 'promotion_code' | 'subscription'

/** Creates a `discount_invalid` error for one member of the request. */
export function invalid(field: DiscountMember, detail: string, hint?: string): ServiceError {
  return invalidMembers('discount_invalid', [{ path: [field], detail, hint }])
}
