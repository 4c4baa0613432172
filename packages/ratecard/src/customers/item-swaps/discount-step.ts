// A journalled write that adds a discount to one subscription or removes one.
import type { Act } from '../../acts/act.ts'
import { toRfc3339 } from '../../base/clock.ts'
import { processorId } from '../../catalog/resource.ts'
import type { CustomerProcessor } from '../../processor/customer-half.ts'
import type { DiscountSource, DiscountUpdate, RunningDiscount } from '../../processor/subscription-discounts.ts'

type Json = Readonly<Record<string, unknown>>

interface StepRecord {
  readonly subscription: string
  readonly keep: readonly string[]
  readonly add: { readonly coupon?: string; readonly promotion_code?: string } | null
  readonly remove: { readonly id: string; readonly coupon: string; readonly promotion_code: string | null } | null
}

/** Returns the step in the form in which the journal stores it and users see it, with processor ids. */
function discountRecord({ subscription, keep, add, remove }: DiscountUpdate): Json {
  const record: StepRecord = {
    subscription,
    keep,
    add: add === null ? null : add.kind === 'coupon' ? { coupon: add.coupon } : { promotion_code: add.promotionCode },
    remove: remove === null ? null : { id: remove.id, coupon: remove.coupon, promotion_code: remove.promotionCode },
  }
  return { ...record }
}

/** Parses a step from its journal record. */
export function recordedDiscount(text: string): DiscountUpdate {
  const { subscription, keep, add, remove } = JSON.parse(text) as StepRecord
  return {
    subscription,
    keep,
    add: add === null ? null : sourceOf(add),
    remove:
      remove === null
        ? null
        : {
            id: remove.id,
            coupon: processorId(remove.coupon),
            promotionCode: remove.promotion_code === null ? null : processorId(remove.promotion_code),
          },
  }
}

function sourceOf({ coupon = '', promotion_code: code }: NonNullable<StepRecord['add']>): DiscountSource {
  return code === undefined
    ? { kind: 'coupon', coupon: processorId(coupon) }
    : { kind: 'promotion_code', promotionCode: processorId(code) }
}

/** Result of a step: the discount that the step added; null if it removed one. */
export interface DiscountDone {
  readonly discount: RunningDiscount | null
}

function discountResult(step: DiscountUpdate, { discount }: DiscountDone): Json {
  return {
    ...discountRecord(step),
    discount:
      discount === null
        ? null
        : {
            id: discount.id,
            coupon: discount.coupon,
            promotion_code: discount.promotionCode,
            ends_at: discount.endsAt === null ? null : toRfc3339(discount.endsAt),
          },
  }
}

/** Parses the result of a step from its journal record. */
export function recordedDiscountResult(text: string): DiscountDone {
  const { discount } = JSON.parse(text) as {
    readonly discount: {
      readonly id: string
      readonly coupon: string
      readonly promotion_code: string | null
      readonly ends_at: string | null
    } | null
  }
  if (discount === null) return { discount: null }
  const { id, coupon, promotion_code: code, ends_at: end } = discount
  return {
    discount: {
      id,
      coupon: processorId(coupon),
      promotionCode: code === null ? null : processorId(code),
      endsAt: end === null ? null : Date.parse(end),
    },
  }
}

/** The act that adds a discount to one subscription or removes one. */
export const discountAct = (processor: CustomerProcessor): Act<DiscountUpdate, DiscountDone> => ({
  record: discountRecord,
  read: recordedDiscount,
  about: ({ subscription }) => `A change of the subscription ${subscription}`,
  send: async (step, options) => ({ discount: await processor.setDiscounts(step, options) }),
  find: async (step, signal) => {
    const discount = await processor.findDiscounts(step, signal)
    return discount === 'missing' ? null : { discount }
  },
  result: discountResult,
})
