// Reads data of a tenant's customer at the processor. If the processor does not have the customer, returns empty results, so that a
// mistyped customer id does not block every change of its tenant.
import type { ProcessorId } from '../../catalog/resource.ts'
import { askProcessor, isUnknownObject } from '../../processor/failures.ts'
import type {
  ActiveEntitlement,
  DiscountedSubscription,
  LiveSubscription,
  OpenCheckouts,
} from '../../processor/customer-half.ts'
import type { Processor } from '../../processor/processor.ts'

/** Returns the subscriptions of the customer that have not ended, oldest first. */
export function subscriptionsOf(
  processor: Pick<Processor, 'subscriptions'>,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<readonly LiveSubscription[]> {
  return orNothing(signal, () => processor.subscriptions(customer, signal), [])
}

/** Like {@link subscriptionsOf}, with the discounts of each subscription. */
export function discountedSubscriptionsOf(
  processor: Pick<Processor, 'discountedSubscriptions'>,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<readonly DiscountedSubscription[]> {
  return orNothing(signal, () => processor.discountedSubscriptions(customer, signal), [])
}

/** Returns all subscriptions of the customer, including ended ones. */
export function everySubscriptionOf(
  processor: Pick<Processor, 'everySubscription'>,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<readonly LiveSubscription[]> {
  return orNothing(signal, () => processor.everySubscription(customer, signal), [])
}

/** Returns the active entitlements of the customer. */
export function entitlementsOf(
  processor: Pick<Processor, 'entitlements'>,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<readonly ActiveEntitlement[]> {
  return orNothing(signal, () => processor.entitlements(customer, signal), [])
}

/** Expires the selected open checkout pages, e.g. those of a former product. Returns the number of expired pages. */
export function closePages(
  processor: Pick<Processor, 'expireCheckouts'>,
  pages: OpenCheckouts,
  signal: AbortSignal,
): Promise<number> {
  return orNothing(signal, () => processor.expireCheckouts(pages, signal), 0)
}

function orNothing<T>(signal: AbortSignal, ask: () => Promise<T>, nothing: T): Promise<T> {
  return askProcessor(signal, async () => {
    try {
      return await ask()
    } catch (error) {
      if (isUnknownObject(error)) return nothing
      throw error
    }
  })
}
