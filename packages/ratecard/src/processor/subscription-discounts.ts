// Types of the processor port for discounts of running subscriptions. Times are epoch milliseconds.
import type { ProcessorId } from '../catalog/resource.ts'

/** A discount of a whole subscription. Discounts of single items and of the customer are not included. */
export interface RunningDiscount {
  readonly id: string
  readonly coupon: ProcessorId
  /** Promotion code with which the customer redeemed the coupon; null if the coupon was applied without a code. */
  readonly promotionCode: ProcessorId | null
  /** Time at which the discount ends; null for a coupon with the duration `forever` or `once`. */
  readonly endsAt: number | null
}

/** Coupon or promotion code to redeem. */
export type DiscountSource =
  | { readonly kind: 'coupon'; readonly coupon: ProcessorId }
  | { readonly kind: 'promotion_code'; readonly promotionCode: ProcessorId }

/** Terms and limits of a coupon, and of the promotion code that redeems it. */
export interface DiscountOffer {
  readonly coupon: {
    readonly id: ProcessorId
    /** False if the processor no longer redeems the coupon, e.g. because its `redeemBy` has passed. */
    readonly valid: boolean
    readonly redeemBy: number | null
    readonly maxRedemptions: number | null
    readonly timesRedeemed: number
    readonly duration: 'once' | 'repeating' | 'forever'
    readonly durationInMonths: number | null
    /** Percentage as canonical decimal; null if the coupon takes off an amount. */
    readonly percentOff: string | null
    /** Amount taken off in minor units by currency; empty if the coupon takes off a percentage. */
    readonly amountOff: Readonly<Record<string, number>>
    /** Products that the coupon is limited to; null if it applies to all. */
    readonly products: readonly ProcessorId[] | null
  }
  /** null for a coupon that is given without a code. */
  readonly code: {
    readonly id: ProcessorId
    readonly active: boolean
    readonly expiresAt: number | null
    readonly maxRedemptions: number | null
    readonly timesRedeemed: number
    /** The one customer who may redeem the code; null if any may. */
    readonly customer: ProcessorId | null
    /** True if the code has a minimum amount in some currency. */
    readonly hasMinimum: boolean
  } | null
}

/** A change of a subscription's discounts. Afterwards it has the discounts in `keep`, plus the one in `add`. */
export interface DiscountUpdate {
  readonly subscription: string
  /** Ids of the discounts that stay. They keep their dates. */
  readonly keep: readonly string[]
  readonly add: DiscountSource | null
  /** The discount to remove. Later phases of the schedule may list it by its coupon or code; it is removed there too. */
  readonly remove: Omit<RunningDiscount, 'endsAt'> | null
}
