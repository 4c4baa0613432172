// Checks whether usage of a meter is billed. The processor counts usage of any customer, but bills it only to customers with an item for
// the meter.
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { LiveSubscription } from '../../../processor/customer-half.ts'
import type { TenantHoldings } from '../../../store/feature-store.ts'
import type { SubscriberDeps } from '../deps.ts'
import { liveSubscriptions } from '../subscriptions.ts'

/** A meter of the applied configuration. */
export interface AppliedMeter {
  readonly id: string
  /** Current processor id. An item on an earlier meter with another event name does not bill new usage. */
  readonly processor_id?: string | undefined
}

const ended: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired'])

/**
 * True if one of the subscriptions has not ended and has an item for the meter. A paused subscription counts, because it may be resumed.
 */
export function hasItemFor(
  meter: AppliedMeter,
  subscriptions: readonly Pick<LiveSubscription, 'status' | 'items'>[],
): boolean {
  return subscriptions.some(
    ({ status, items }) =>
      !ended.has(status) && items.some(({ price }) => price.meter !== null && price.meter === meter.processor_id),
  )
}

/**
 * Returns false if the tenant has no item for the meter according to the mirror (the local copy of subscriptions). Returns true if the
 * mirror is not complete: asking the processor at each report would use up the processor's limit of read requests.
 */
export function isBilled(deps: SubscriberDeps, meter: AppliedMeter, tenant: TenantHoldings): boolean {
  return mirroredItem(deps, meter, tenant) !== false
}

/**
 * Throws `meter_not_subscribed` if the tenant has no item for the meter. If the mirror (the local copy of subscriptions) has no item, the
 * items are read from the processor. The mirror may be some minutes old, and the usage of a tenant that has just subscribed would be lost.
 */
export async function requireItem(deps: SubscriberDeps, meter: AppliedMeter, tenant: TenantHoldings): Promise<void> {
  if (mirroredItem(deps, meter, tenant) === true) return
  if (hasItemFor(meter, await liveSubscriptions(deps, { processorCustomerId: tenant.customer }))) return
  throw new ServiceError(
    'meter_not_subscribed',
    `The tenant "${tenant.tenantId}" has no subscription to a price of the meter "${meter.id}", so this usage would not be paid for.`,
    { hint: 'Sell the tenant a price of the meter, or leave out "strict" to record the usage anyway.' },
  )
}

/** Returns null if the mirror is off or not complete. */
function mirroredItem(
  { mirror }: SubscriberDeps,
  meter: AppliedMeter,
  { mirror: progress, subscriptions }: TenantHoldings,
): boolean | null {
  return mirror.statusOf(progress).asOf === null ? null : hasItemFor(meter, subscriptions)
}
