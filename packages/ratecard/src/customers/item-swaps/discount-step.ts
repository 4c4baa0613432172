// A journalled write that adds a discount to one subscription or removes one. Contains its record in the journal, how it is sent, and how
// its outcome is found if the response is lost.
import { toRfc3339 } from '../../base/clock.ts'
import { processorId } from '../../catalog/resource.ts'
import type { CustomerProcessor } from '../../processor/customer-half.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import type { DiscountSource, DiscountUpdate, RunningDiscount } from '../../processor/subscription-discounts.ts'
import type { WriteOptions } from '../../processor/write-options.ts'

type Json = Readonly<Record<string, unknown>>

interface StepRecord {
  readonly subscription: string
  readonly keep: readonly string[]
  readonly add: { readonly coupon?: string; readonly promotion_code?: string } | null
  readonly remove: { readonly id: string; readonly coupon: string; readonly promotion_code: string | null } | null
}

/** Returns the step in the form in which the journal stores it and users see it, with processor ids. */
export function discountRecord({ subscription, keep, add, remove }: DiscountUpdate): Json {
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

export function discountResult(step: DiscountUpdate, { discount }: DiscountDone): Json {
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

/** Sends the step once; the adapter may retry the request. */
export async function sendDiscount(
  processor: CustomerProcessor,
  step: DiscountUpdate,
  options: WriteOptions,
): Promise<DiscountDone> {
  return { discount: await processor.setDiscounts(step, options) }
}

/** Sends the step, and finds its outcome if the response is lost. Throws if the step had no effect, or if its outcome cannot be found. */
export async function carryOutDiscount(
  processor: CustomerProcessor,
  step: DiscountUpdate,
  options: WriteOptions,
): Promise<DiscountDone> {
  try {
    return await sendDiscount(processor, step, options)
  } catch (error) {
    if (!(error instanceof ProcessorError) || !error.outcomeUnknown) throw error
    const found = await findDiscount(processor, step, options.signal).catch(() => null)
    if (found === null) throw error
    return found
  }
}

/** Reads the subscription and returns the result of the step; null if the step did not change the subscription. */
export async function findDiscount(
  processor: CustomerProcessor,
  step: DiscountUpdate,
  signal: AbortSignal,
): Promise<DiscountDone | null> {
  const discount = await processor.findDiscounts(step, signal)
  return discount === 'missing' ? null : { discount }
}
