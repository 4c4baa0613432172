// What a tenant's customer has at the processor. A customer that the processor does not know has nothing: a mistyped id must not
// get in the way of every change of its tenant.
import type { ProcessorId } from '../catalog/resource.ts'
import { askProcessor, isUnknownObject } from '../processor/failures.ts'
import type { ActiveEntitlement, LiveSubscription, OpenCheckouts } from '../processor/customer-half.ts'
import type { Processor } from '../processor/processor.ts'

/** Those that have not ended for good, oldest first. */
export function subscriptionsOf(
  processor: Pick<Processor, 'subscriptions'>,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<readonly LiveSubscription[]> {
  return orNothing(signal, () => processor.subscriptions(customer, signal), [])
}

/** The same with those that have ended. */
export function everySubscriptionOf(
  processor: Pick<Processor, 'everySubscription'>,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<readonly LiveSubscription[]> {
  return orNothing(signal, () => processor.everySubscription(customer, signal), [])
}

/** What it may use now. */
export function entitlementsOf(
  processor: Pick<Processor, 'entitlements'>,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<readonly ActiveEntitlement[]> {
  return orNothing(signal, () => processor.entitlements(customer, signal), [])
}

/** Ends the checkout pages that can still be paid and sell what is not for the tenant any more. Returns how many those were. */
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
